#!/bin/sh
# run.sh [WORD]: inputs that are hard for a reader (inputs.sh). One of 1 MB ends, in memory of 4 MB
# and $MOST times its size; and four times the input takes about four times the instructions, which
# valgrind counts: the square would be sixteen times. $HARD_EVERY takes every so many'th.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
# 32 times its bytes are touched (tests/unit/test_reader_memory.c); arrays that double reserve more.
MOST=48
make_scratch
cd "$scratch" || exit 1
# Two matrices, so that one without a name is compared with neither.
echo '{"name": "other", "other": [[1]], "another": [[1]]}' >other.json

# An error is one line and perhaps a remedy; notes, and that two results have nothing in common, say
# nothing of the reader.
errors() {
    grep -v '^selfattn: note: \|no stage in common$\|: --map A=B says what is the same' said
}

input_whole() {
    n=1048576
    eval "$3" >"$1"
    most=$((4096 + MOST * n / 1024))
    # shellcheck disable=SC3045 # dash and bash have these
    # shellcheck disable=SC2086 # the command's words
    (ulimit -t 20 && ulimit -d $most && selfattn $command) >out 2>said
    status=$?
    if [ $status -gt 2 ]; then
        fail "$1: ends with status $status"
    elif [ -n "$2" ] && ! errors | grep -q -e "$2"; then
        fail "$1: does not say '$2', but: $(errors | head -c 300)"
    elif [ -z "$2" ] && [ -n "$(errors)" ]; then
        fail "$1: is not read: $(errors | head -c 300)"
    else
        pass
    fi
}

# instructions: of the command, in thousands, without those of a small file.
instructions() {
    # shellcheck disable=SC2086 # the command's words
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        selfattn $command 2>&1 >out |
        awk '/I *refs:/ { gsub(",", ""); print int($NF / 1000) - base }' base="${base:-0}"
}

input_grows() {
    n=32768
    eval "$3" >"$1"
    few=$(instructions)
    n=131072
    eval "$3" >"$1"
    many=$(instructions)
    if [ "$many" -gt $((7 * few + 1000)) ]; then
        fail "$1: four times the input takes $many thousand instructions instead of $few"
    else
        pass
    fi
}

input() {
    picked "$1" && has_turn "${HARD_EVERY:-1}" || return
    command=${4:-diff --quiet $1 other.json}
    input_whole "$@"
    [ -z "${base:-}" ] || input_grows "$@"
    rm -f "$1" h
}

if "$root/tests/need.sh" valgrind; then
    command='diff --quiet other.json other.json'
    base=$(instructions)
else
    skip 'no valgrind here to count instructions'
fi
# shellcheck source=tests/hard/inputs.sh
. "$tests/inputs.sh"
finish
