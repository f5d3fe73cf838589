#!/bin/sh
# run.sh [WORD]: many rows of one sequence, of which each sees a few before it, take no more
# memory than the first ones: what is left is the window's keys.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
ROWS=200000 MOST_KB=8192
make_scratch
cd "$scratch" || exit 1
[ -r /proc/self/status ] || skip_all 'no /proc here to ask for memory'

# anonymous PID: kilobytes.
anonymous() {
    awk '/^RssAnon/ { print $2 }' "/proc/$1/status"
}

# rows COUNT: as many lines of a row each.
rows() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) printf "{\"x\": [[%d, %d, 1, 0.5]]}\n", i % 7, i % 5
    }'
}

stream_stays_small() {
    picked "$1" || return
    rm -f in out
    mkfifo in out
    # shellcheck disable=SC2086 # the options' words
    selfattn --stream --emit output $1 - <in >out 2>said &
    pid=$!
    exec 3>in 4<out
    rows 1 >&3
    head -n 1 <&4 >/dev/null
    before=$(anonymous $pid)
    rows $ROWS >&3 &
    head -n $ROWS <&4 >/dev/null
    after=$(anonymous $pid)
    exec 3>&- 4<&-
    wait
    if [ "${after:-$MOST_KB}" -lt $((${before:-0} + MOST_KB)) ]; then
        pass
    else
        fail "$1: $before KB after a row, $after after $ROWS more: $(head -n 1 said)"
    fi
}

stream_stays_small '--window 4,0'
stream_stays_small '--causal --window 500,0 --threads 1'
stream_stays_small '--window 4,0 --score additive'
stream_stays_small '--window 4,0 --allow-nonfinite --round 2:keep-sum'
finish
