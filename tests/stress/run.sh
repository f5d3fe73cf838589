#!/bin/sh
# run.sh [WORD]: large runs by many threads on a busy machine give the bytes of one thread.
#
# Each kind is computed STRESS_RUNS times (50) with 1, 2, 3, 4 and 8 threads a processor, while a
# busy process for each processor takes their time away. Sizes are in make.py, for two processors:
# a run of `heads`, `groups`, `batch` or `layers` packs keys and values into each of its slots ten
# times and more, also with 16 threads; lines, rows of text and blocks are handed round more often.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
runs=${STRESS_RUNS:-50}
processors=$(getconf _NPROCESSORS_ONLN)
cd "$scratch" && python3 -B "$tests/make.py" . || exit 1

busy=
for one in $(seq "$processors"); do
    sh -c 'while :; do :; done' "$one" &
    busy="$busy $!"
done
# shellcheck disable=SC2086 # a list of numbers
trap 'kill $busy; rm -rf "$scratch"' EXIT

# again KIND ARGUMENT...: what one thread computes, all do.
again() {
    kind=$1
    picked "$kind" || return
    shift
    if ! selfattn "$@" --threads 1 >alone 2>"$said"; then
        fail "$kind, one thread: $(head -n 1 "$said")"
        return
    fi
    for factor in 1 2 3 4 8; do
        wrong=0
        for run in $(seq "$runs"); do
            selfattn "$@" --threads $((factor * processors)) 2>"$said" | cmp -s - alone ||
                wrong=$((wrong + 1))
        done
        [ $wrong = 0 ]
        count "$kind, $factor threads a processor: $wrong of $run runs differ from one thread"
    done
}

# of NAME: queries, and keys that are values too; and what is written of them.
of() {
    echo "--q $1-q.npy --k $1-k.npy --v $1-k.npy --emit output,logsumexp --format safetensors"
}

# shellcheck disable=SC2046 # the words of `of`
{
    again heads $(of heads) --heads 1400 --causal
    again groups $(of groups) --heads 1400 --kv-heads 700 --window 64,0
    again batch $(of batch) --heads 35
    again long $(of long) --heads 2
    again gradients --q groups-q.npy --k groups-k.npy --v groups-k.npy --heads 1400 --kv-heads 700 \
        --causal --loss mean --emit q_grad,k_grad,v_grad --format safetensors
    again gradients-of-one-head $(of long) --heads 1 --causal --alibi=0.02 --loss mean \
        --emit q_grad,k_grad,v_grad,slopes_grad
}
again layers encode layers.json --input rows.npy --emit output --format npy
again gradients-of-layers encode layers.json --input rows.npy --loss mean \
    --emit x_grad,layer.0.attention.wk_grad,layer.0.ln1_grad --format safetensors
again generation generate generation.json --length 3 \
    --emit step.0.layer.1.output,step.2.logits --format safetensors
again stream --stream --heads 16 --causal stream.jsonl --emit output
again lines lines.jsonl
again table --input table.csv --heads 4 --format csv --emit output
finish
