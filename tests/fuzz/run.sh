#!/bin/sh
# run.sh: each target does all it can with each input of its corpus, then runs $FUZZ_RUNS times, or
# $FUZZ_SECONDS, over what libFuzzer makes of it. With $FUZZ_PROCESSES, so many of them at once,
# which take from each other what they find. The first has AddressSanitizer; the others go without,
# twice as fast.
# A crash is kept in build/fuzz, and build/fuzz/report.txt says how often each target ran, and how
# many edges it reached of those that it has. What has grown is in build/fuzz/grown, from where the
# corpus may get it (`fuzz_NAME -merge=1 CORPUS GROWN` takes what reaches something new), by a
# person.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
tests/need.sh clang libclang-rt-14-dev || skip_all 'no clang with libFuzzer here'
names=$(basename -s .c tests/fuzz/fuzz_*.c)
for variant in fuzz ${FUZZ_PROCESSES:+swift}; do
    # shellcheck disable=SC2086 # words are meant
    make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=$variant CC=clang CFLAGS='-O2 -g -Werror' \
        $(printf "build/$variant/%s " $names) >/dev/null || exit 1
done
make_scratch
seed=${FUZZ_SEED:-1}

# fuzz PROCESS VARIANT: what it says is kept in a file of its own, and the end of it in $wrong where
# it fails.
fuzz() {
    "build/$2/$target" -runs="${FUZZ_RUNS:-500000}" -max_total_time="${FUZZ_SECONDS:-15}" \
        -seed=$((seed + $1)) -max_len=4096 -artifact_prefix="build/fuzz/$target-" "$grown" \
        "$corpus" >"$said.$1" 2>&1 || tail -n 40 "$said.$1" >>"$wrong"
}

# report NAME: libFuzzer's last lines, of all processes, as one.
report() {
    awk -v name="$1" '
        /^INFO: Loaded . PC tables/ { edges = substr($6, 2) }
        $2 == "DONE" { runs += substr($1, 2); if ($4 > reached) reached = $4 }
        END { printf "%s: %d executions, %d of %d edges\n", name, runs, reached, edges }
    ' "$said".* >>build/fuzz/report.txt
}

: >build/fuzz/report.txt
for target in $names; do
    name=${target#fuzz_}
    picked "$name" || continue
    corpus=tests/fuzz/corpus/$name grown=build/fuzz/grown/$name wrong=$scratch/wrong
    rm -rf "$grown" "$said".*
    mkdir -p "$grown" "$corpus"
    : >"$wrong"
    FUZZ_ALL_OF_EACH=1 "build/fuzz/$target" -runs=0 -artifact_prefix="build/fuzz/$target-" \
        "$corpus" >"$said" 2>&1 || tail -n 40 "$said" >"$wrong"
    fuzz 1 fuzz &
    for process in $(seq 2 "${FUZZ_PROCESSES:-1}"); do
        fuzz "$process" swift &
    done
    wait
    cp "$wrong" "$said"
    [ ! -s "$said" ]
    count "$target"
    report "$name"
done
finish
