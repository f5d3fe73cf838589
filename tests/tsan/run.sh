#!/bin/sh
# run.sh [WORD]: two threads at one place in memory, of which one writes and none waits for the
# other, as ThreadSanitizer sees them: in runs, layers, streams, jobs, reading and writing.
#
# It sees what happens, not what could: a thread that is never held up at the wrong moment gives no
# report. tests/stress holds them up, and tests/unit/test_schedule.c tries all orders.
# Building takes two minutes of processor time, and the runs 75 seconds.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=tsan build/tsan/selfattn build/tsan/unit \
    >/dev/null || exit 1
PATH=$root/build/tsan:$PATH
TSAN_OPTIONS=halt_on_error=1:exitcode=66
export TSAN_OPTIONS
make_scratch
cd "$scratch" && python3 -B "$root/tests/stress/make.py" . || exit 1

# runs CLAIM ARGUMENT...: without a report, by eight threads, which are more than most machines
# have processors, so that some are always held up.
runs() {
    claim=$1
    picked "$claim" || return
    shift
    selfattn "$@" --threads 8 >out 2>"$said"
    count "$claim"
}

of() {
    echo "--q $1-q.npy --k $1-k.npy --v $1-k.npy"
}

for test in schedule threads in_order run_again streamed_stage progress; do
    picked "unit $test" || continue
    unit $test >"$said" 2>&1
    count "unit $test"
done

# shellcheck disable=SC2046 # the words of `of`
{
    runs 'heads of a run' $(of heads) --heads 1400 --causal --emit output --format npy
    runs 'groups of heads' $(of groups) --heads 1400 --kv-heads 700 --window 64,0 \
        --emit output --format npy
    runs 'a batch' $(of batch) --heads 35 --emit output --format npy
    runs 'rotary positions' $(of long) --heads 2 --rope --rows -64: --format json
    runs 'gradients' $(of long) --heads 2 --loss mean --emit q_grad,k_grad,v_grad --format npz
    runs 'gradients of one head' $(of long) --heads 1 --causal --alibi=0.02 --loss mean \
        --emit q_grad,k_grad,v_grad,slopes_grad --format npz
}
runs 'layers' encode layers.json --input rows.npy --emit output --format npy
runs 'generation' generate generation.json --length 3 --emit step.2.logits --format safetensors
runs 'a stream' --stream --heads 16 --causal stream.jsonl --emit output
runs 'lines' lines.jsonl
runs 'tables' --input table.csv --heads 4 --format tidy --emit output,weights --rows :50
runs 'a table that is converted' convert table.csv out.json
runs 'a document that is converted' convert out.json out.tsv
runs 'numbers that are drawn' init --draw wq --width 1000 --format npy
runs 'a page' --input table.csv --rows :9 --trace-output page.html
for at_once in --jobs=8 '--jobs=8 --update'; do
    cp -r "$root/testdata/variants" "$root/testdata/seeds" .
    # shellcheck disable=SC2086 # the options' words
    runs "files with $at_once" check $at_once variants seeds
done
finish
