#!/bin/sh
# run.sh [WORD]: what should grow as its input does (rows.sh). From a thousand of something on, ten
# times as many take at most 10^1.1 = 12.6 times the instructions, to $MOST: 10,000, where a square
# of one comparison each already shows; MOST=1000000 takes hours.
#
# Instructions are counted by valgrind, since a time differs from run to run, and more so among
# other suites; they are the same to one in ten thousand. What the kernel does is not among them,
# nor are caches that no longer suffice. Those of one thing are taken off, so that starting does
# not hide what a thousand cost.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
"$root/tests/need.sh" valgrind || skip_all 'no valgrind here to count instructions'
MOST=${MOST:-10000}
make_scratch
cd "$scratch" || exit 1

# instructions N: of $command where n = N; $make makes its input. Nothing where it fails.
instructions() {
    n=$1
    eval "$make"
    eval "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        selfattn $command" >out 2>said
    [ $? -le 1 ] && awk '/I *refs:/ { gsub(",", ""); print $NF }' said
}

# grows NAME MAKE COMMAND
grows() {
    picked "$1" || return
    make=$2 command=$3 few=0 each=
    one=$(instructions 1)
    size=1000
    while [ $size -le "$MOST" ]; do
        many=$(instructions $size)
        if [ -z "$many" ]; then
            fail "$1: does not work: $(grep -v '^==\|^--' said | head -n 3)"
            return
        fi
        many=$((many - one))
        each="$each $many"
        if [ $few -gt 0 ] && [ $((many * 10)) -gt $((few * 126)) ]; then
            fail "$1: a thousand, and ten times as many each, take$each instructions"
            return
        fi
        few=$many
        size=$((size * 10))
    done
    [ -z "${SHOW:-}" ] || echo "$1:$each"
    pass
}

# shellcheck source=tests/growth/rows.sh
. "$tests/rows.sh"
finish
