#!/bin/sh
# run.sh [WORD]: what should grow as its input does (rows.sh). From a thousand of something on, ten
# times as many take at most 10^1.1 = 12.6 times the instructions.
#
# Instructions are counted by valgrind, since a time differs from run to run and more so among other
# suites; they are the same to one in ten thousand. What the kernel does is not among them, nor are
# caches that no longer suffice. Those of one thing are taken off, so that starting the program does
# not hide what a thousand cost.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
"$root/tests/need.sh" valgrind || skip_all 'no valgrind here to count instructions'
make_scratch
cd "$scratch" || exit 1

# instructions N: of $command where n = N; $make makes its input.
instructions() {
    n=$1
    eval "$make"
    eval "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        selfattn $command" 2>&1 >out | tee said | awk '/I *refs:/ { gsub(",", ""); print $NF }'
}

# grows NAME MOST MAKE COMMAND: with n from 1,000 to MOST.
grows() {
    picked "$1" || return
    make=$3 command=$4 few=0 each=
    one=$(instructions 1)
    for n in 1000 10000 100000 1000000; do
        [ "$n" -le "$2" ] || break
        many=$(($(instructions $n) - one))
        each="$each $many"
        if [ "$few" -gt 0 ] && [ $((many * 10)) -gt $((few * 126)) ]; then
            fail "$1: of 1,000, 10,000, … each ten times as many take$each instructions: $(tail -n 1 said)"
            return
        fi
        few=$many
    done
    [ -z "${SHOW:-}" ] || echo "$1:$each"
    pass
}

# shellcheck source=tests/growth/rows.sh
. "$tests/rows.sh"
finish
