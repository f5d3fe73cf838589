#!/bin/sh
# run.sh: each target does all it can with each input of its corpus, then runs $FUZZ_RUNS times, or
# $FUZZ_SECONDS, over what libFuzzer makes of it; with $FUZZ_PROCESSES, so many of them at once.
# A crash is kept in build/fuzz, and build/fuzz/report.txt says how often each target ran, and how
# many edges of the program it reached. What has grown is in build/fuzz/grown, from where the corpus
# may get it (`fuzz_NAME -merge=1 CORPUS GROWN` takes what reaches something new), by a person.
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
many=${FUZZ_PROCESSES:+-fork=$FUZZ_PROCESSES}
for target in $targets; do
    name=${target##*/fuzz_}
    picked "$name" || continue
    corpus=tests/fuzz/corpus/$name grown=build/fuzz/grown/$name
    rm -rf "$grown"
    mkdir -p "$grown" "$corpus"
    if FUZZ_ALL_OF_EACH=1 "$target" -runs=0 -artifact_prefix="$target-" "$corpus" \
        >"$said" 2>&1 &&
        "$target" -runs="${FUZZ_RUNS:-500000}" -max_total_time="${FUZZ_SECONDS:-15}" \
            -seed="${FUZZ_SEED:-1}" $many -max_len=4096 -artifact_prefix="$target-" "$grown" \
            "$corpus" >"$said" 2>&1; then
        pass
        echo "$name: $(grep '^#[0-9]' "$said" | tail -n 1)"
    else
        fail "$target"
        tail -n 30 "$said"
    fi
done >"$scratch/all"
grep '^[a-z]*: #' "$scratch/all" >build/fuzz/report.txt
grep -v '^[a-z]*: #' "$scratch/all"
finish
