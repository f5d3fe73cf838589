#!/bin/sh
# run.sh: each target does all it can with each input of its corpus, then runs $FUZZ_RUNS times, or
# $FUZZ_SECONDS, over what libFuzzer makes of it.
# A crash is kept in build/fuzz; new inputs are not, so that the corpus stays what a person chose.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
tests/need.sh clang libclang-rt-14-dev || skip_all 'no clang with libFuzzer here'
targets=
for source in tests/fuzz/fuzz_*.c; do
    targets="$targets build/fuzz/$(basename "$source" .c)"
done
# shellcheck disable=SC2086 # words are meant
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=fuzz CC=clang CFLAGS='-O2 -g -Werror' $targets \
    >/dev/null || exit 1

make_scratch
for target in $targets; do
    corpus=tests/fuzz/corpus/${target##*/fuzz_}
    mkdir -p "$scratch/$target" "$corpus"
    if FUZZ_ALL_OF_EACH=1 "$target" -runs=0 -artifact_prefix="$target-" "$corpus" \
        >"$said" 2>&1 &&
        "$target" -runs="${FUZZ_RUNS:-500000}" -max_total_time="${FUZZ_SECONDS:-30}" -seed=1 \
        -max_len=4096 -artifact_prefix="$target-" "$scratch/$target" "$corpus" \
        >"$said" 2>&1; then
        pass
    else
        fail "$target"
        tail -n 30 "$said"
    fi
done
finish
