#!/bin/sh
# run.sh [WORD]: what should grow as its input does (rows.sh). From a thousand of something on, ten
# times as many take at most 10^1.1 = 12.6 times the work, to a million or what the row says; MOST
# is a lower end for all of them. SHOW=1 prints each row's work, its exponents, and its seconds.
#
# Work is counted by a program that is built for it (work.c): the basic blocks that it enters, and
# what the C library copies and looks through for it. A time would differ from run to run, and more
# so among other suites; the count is the same each time. Not in it are what the kernel and zlib do,
# nor caches that no longer suffice. That of one thing is taken off, so that starting does not hide
# what a thousand cost.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
build=build/counted
say=$(make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=counted $build/selfattn 2>&1) ||
    skip_all "no program that counts its work: $(echo "$say" | tail -n 1)"
PATH=$root/$build:$PATH
MOST=${MOST:-1000000}
make_scratch
cd "$scratch" || exit 1

# work N: of $command where n = N; $make makes its input. Nothing where it fails.
work() {
    n=$1
    rm -f work
    # In the sandbox the count could not be written.
    eval "$make" && eval "WORK=work selfattn ${command%% *} --no-sandbox ${command#* }" >out 2>said
    [ $? -le 1 ] && cat work
}

# grows NAME MAKE COMMAND [MOST]
grows() {
    picked "$1" || return
    make=$2 command=$3 few=0 each='' exponents='' begun=$(date +%s)
    most=${4:-$MOST}
    [ "$most" -le "$MOST" ] || most=$MOST
    one=$(work 1)
    size=1000
    while [ $size -le "$most" ]; do
        many=$(work $size)
        if [ -z "$many" ]; then
            fail "$1: $size: does not work: $(head -n 3 said)"
            return
        fi
        many=$((many - one))
        each="$each $many"
        if [ $few -gt 0 ]; then
            exponents="$exponents $(echo "$many $few" |
                awk '{ printf "%.2f", log($1 / $2) / log(10) }')"
            if [ $((many * 10)) -gt $((few * 126)) ]; then
                fail "$1: a thousand, and ten times as many each, take$each: n^${exponents##* }"
                return
            fi
        fi
        few=$many
        size=$((size * 10))
    done
    [ -z "${SHOW:-}" ] || echo "$1:$each, n^$exponents, $(($(date +%s) - begun)) s"
    pass
}

# shellcheck source=tests/growth/rows.sh
. "$tests/rows.sh"
finish
