#!/bin/sh
# run.sh [WORD]: one limit for all memory. Each command, with each format and documents that want
# much, ends below --max-memory and 8 MB next to it (peak.c), and says the same bytes as without a
# limit, or that memory is missing, with status 2. So it does in a control group with little memory,
# where no limit is given and what takes too much is killed. WORD picks commands by their words, and
# $MEMORY_EVERY takes every so many'th.
set -uf # words may have a *
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
LIMITS=${LIMITS:-"1 4 16 64"}
BESIDE=8192 # kilobytes
IN_GROUP=${IN_GROUP:-"8 16 64"} # megabytes
make_scratch
cd "$scratch" || exit 1

# open_group: $group with the file $limit, of version 2 or 1 (cgroup-v2.rst, cgroup-v1/memory.rst),
# and a group in it, where processes are: the limit is that of a group around theirs.
open_group() {
    for group in /sys/fs/cgroup/selfattn-$$ /sys/fs/cgroup/memory/selfattn-$$; do
        mkdir "$group" 2>/dev/null || continue
        trap 'close_group; rm -rf "$scratch"' EXIT
        for limit in "$group/memory.max" "$group/memory.limit_in_bytes"; do
            [ -f "$limit" ] || continue
            for swap in "$group/memory.swap.max" "$group/memory.swappiness"; do
                [ ! -f "$swap" ] || echo 0 >"$swap"
            done
            mkdir "$group/inner" && in_group true 2>/dev/null && return
        done
        close_group
    done
    return 1
}

close_group() {
    [ ! -d "$group/inner" ] || rmdir "$group/inner"
    [ ! -d "$group" ] || rmdir "$group"
}

# in_group COMMAND...
in_group() {
    # shellcheck disable=SC2016 # of the other shell
    sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$group/inner" "$@"
}

traces=1 groups=1
peak most true 2>/dev/null || { skip "no process may be traced here" && traces=; }
open_group || { skip "no control group of memory can be made here" && groups=; }

# list N TEXT: N times, with commas.
list() {
    awk -v n="$1" -v one="$2" 'BEGIN { while (n-- > 0) printf "%s%s", one, (n > 0 ? ", " : "") }'
}

layers=$(list 4000 "{}")
square='[[1, 0, 2, 1], [1, 1, 1, 0], [0, 1, 1, 2], [1, 0, 0, 1]]'
rows=$(list 300 "[1, 0.5, 2, 0.25]")
echo "{\"x\": [[1, 2], [3, 4]], \"layers\": [$layers]}" >layers.json
echo "{\"x\": [[1, 2], [3, 4]], \"expected\": {\"output\": [[1, 2], [3, 4]]}, \
    \"layers\": [$layers]}" >expects.json
echo "{\"x\": [$rows], \"heads\": 2, \
    \"layers\": [$(list 24 "{\"w1\": $square, \"w2\": $square}")]}" >rows.json
echo '{"embedding": [[1, 0, 2, 1], [1, 1, 1, 0], [0, 1, 1, 2]], "ids": [0, 1, 2], "norm": "pre",
    "layers": [{}, {}]}' >generator.json
echo "{\"x\": [$rows], \"heads\": 2}" >heads.json
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "{\"x\": [[%d, 2], [3, 4]]}\n", i }' >many.jsonl
{
    head -n 100 many.jsonl
    echo "{\"x\": [$(list 20000 "[1, 2]")], \"window\": [1, 1]}"
    head -n 100 many.jsonl
} >uneven.jsonl
awk 'BEGIN { for (i = 0; i < 200000; i++) print i ",1,2,3" }' >tall.csv
awk 'BEGIN { for (i = 0; i < 100000; i++) print "word" i ",1,2" }' >labels.csv
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "# m%d 1x2\n%d,1\n\n", i, i }' >blocks.csv
selfattn init --tokens 400 --width 16 --heads 4 --seed 1 -o init.json
selfattn run init.json --emit scores,weights,output -o result.npz
selfattn convert blocks.csv blocks.npz
selfattn convert blocks.csv blocks.safetensors
selfattn convert tall.csv tall.npy
selfattn init --tokens 500000 --width 16 --draw x -o large.npy # 32 MB
{
    printf '{"matrices": {'
    awk 'BEGIN { while (i++ < 20000) printf "%s\"m%d\": [[1]]", (i > 1 ? ", " : ""), i }'
    echo '}}'
} >other.json

# Pages of files are the group's that read them first.
sync ./* 2>/dev/null
forget_files() {
    for file; do
        [ ! -f "$file" ] || dd if="$file" iflag=nocache count=0 2>/dev/null
    done
}

# within WORDS: of the command.
within() {
    { picked "$1" && has_turn "${MEMORY_EVERY:-1}"; } || return
    # shellcheck disable=SC2086 # they are words
    selfattn $1 >whole 2>said </dev/null
    status=$?
    for most in ${traces:+$LIMITS}; do
        # shellcheck disable=SC2086
        peak most selfattn $1 --max-memory "${most}M" >part 2>said </dev/null
        check "$1" "with --max-memory ${most}M" $? $status
        check_peak "$1" "$most"
    done
    for most in ${groups:+$IN_GROUP}; do
        echo "${most}M" >"$limit" || exit 1
        # shellcheck disable=SC2086
        forget_files $1
        # What is written goes to another group, by a pipe.
        # shellcheck disable=SC2086
        { in_group selfattn $1 2>said </dev/null; echo $? >ended; } | cat >part
        check "$1" "in a group of ${most}M" "$(cat ended)" $status
    done
}

# check WORDS WHERE STATUS STATUS: of both runs.
check() {
    if [ "$3" = 2 ] && [ "$4" != 2 ] && ! grep -q 'memory' said; then
        fail "$1: $2 it says: $(head -c 300 said)"
    elif [ "$3" != 2 ] && { [ "$3" != "$4" ] || ! cmp -s whole part; }; then
        fail "$1: $2 it is not the same, status $3"
    else
        pass
    fi
    [ -z "${SHOW:-}" ] || echo "status $3 $2: $1: $(head -n 1 said | cut -c 1-150)"
}

# check_peak WORDS LIMIT
check_peak() {
    kilobytes=$(cat most)
    if [ "$kilobytes" -gt $(($2 * 1024 + BESIDE)) ]; then
        fail "$1: $kilobytes KB with --max-memory ${2}M"
    else
        pass
    fi
    [ -z "${SHOW:-}" ] || echo "$kilobytes KB at ${2}M: $1"
}

# Of files with keys and values no more is copied than a part: two of 32 MB each leave most of 8 MB.
if [ -n "$traces" ] && picked 'keys and values in files'; then
    selfattn init --tokens 1 --width 16 --draw x -o one.npy
    peak most selfattn --q one.npy --k large.npy --v large.npy --emit output >part 2>said
    echo "$?, $(cat most) KB" >>said
    [ "$(grep -c output part)" = 1 ] && [ "$(cat most)" -lt 8192 ]
    count 'keys and values in files'
fi

# A model's files are read as layers come: two of 63 MB together do with 40 MB of memory.
# tensors FILE LAYER...: the layers' names and sizes, and those of the ends in the first file.
tensors() {
    [ "$1" != 1 ] || echo "model.embed_tokens.weight 64,512
model.norm.weight 512
lm_head.weight 64,512"
    shift
    for layer; do
        way=model.layers.$layer
        for part in q k v o; do
            echo "$way.self_attn.${part}_proj.weight 512,512"
        done
        echo "$way.mlp.gate_proj.weight 1024,512
$way.mlp.up_proj.weight 1024,512
$way.mlp.down_proj.weight 512,1024
$way.input_layernorm.weight 512
$way.post_attention_layernorm.weight 512"
    done
}
# write_shard FILE LAYER...: zeros of $type, of $element bytes, which take no place on a disk; the
# header's length leaves $over, by 8.
write_shard() {
    tensors "$@" | awk -v type="$type" -v element="$element" '{
        split($2, size, ",")
        end = at + element * size[1] * (size[2] ? size[2] : 1)
        printf "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%d,%d]}",
            (NR > 1 ? "," : "{"), $1, type, $2, at, end
        at = end
    } END { print "}"; print at >"bytes" }' >header
    while [ $(($(wc -c <header) % 8)) != "$over" ]; do
        printf ' ' >>header
    done
    length=$(wc -c <header)
    {
        # shellcheck disable=SC2059 # two bytes of it
        printf "\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))"
        printf '\0\0\0\0\0\0'
        cat header
    } >"shards/$1.safetensors"
    truncate -s $((8 + length + $(cat bytes))) "shards/$1.safetensors"
    tensors "$@" | awk -v file="$1" '{ printf "%s\"%s\": \"%s.safetensors\"",
        (NR > 1 || file > 1 ? ", " : ""), $1, file }' >>map
}
# model_in_shards MOST: in a group of so much memory it does what it does without one.
model_in_shards() {
    mkdir shards
    : >map
    write_shard 1 0 1 2 3 4 5
    write_shard 2 6 7 8 9 10 11
    echo "{\"weight_map\": {$(cat map)}}" >shards/model.safetensors.index.json
    echo '{"model_type": "llama", "hidden_size": 512, "intermediate_size": 1024,
        "num_hidden_layers": 12, "num_attention_heads": 8, "num_key_value_heads": 8,
        "vocab_size": 64, "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
        "tie_word_embeddings": false}' >shards/config.json
    sync shards/1.safetensors shards/2.safetensors
    selfattn port --quiet shards --ids 1,2,3 --record recorded.npz
    output=$(selfattn decode --quiet --model shards --ids 1,2,3 --emit output)
    echo "{\"ids\": [1, 2, 3], \"expected\": $output}" >expected.json
    for words in 'decode --quiet --model shards --ids 1,2,3 --emit output' 'info shards' \
        'port shards recorded.npz' 'check --quiet --model shards expected.json'; do
        # shellcheck disable=SC2086 # they are words
        selfattn $words >whole
        echo "$1" >"$limit" || exit 1
        forget_files shards/1.safetensors shards/2.safetensors
        # shellcheck disable=SC2086
        { in_group selfattn $words 2>said </dev/null; echo $? >ended; } | cat >part
        [ "$(cat ended)" = 0 ] && [ -s whole ] && cmp part whole >>said
        count "$words, $type, the header's length $over over"
    done
    rm -r shards
}
if [ -n "$groups" ] && picked 'a model in shards' && command -v truncate >/dev/null; then
    type=F16 element=2 over=0
    model_in_shards 40M
    # As much as before, though no number of the file is aligned.
    type=F32 element=4 over=1
    model_in_shards 40M
fi

while read -r words; do
    within "$words"
done <<'END'
run heads.json
run heads.json --emit q,k,v,scores,weights,output
run heads.json --emit weights,scores --format npz -o /dev/stdout
run heads.json --trace
run heads.json --trace --full --trace-format json
run heads.json --trace-format html
run heads.json --trace-format html --full
run init.json --emit weights --format csv
run init.json --dtype f64 --emit q,scores,output --format safetensors
run many.jsonl --emit output
run many.jsonl --emit output --threads 2
run uneven.jsonl --emit output --keep-going
run -x tall.csv --window 1,1 --emit output
run -x tall.npy --window 1,1 --emit output
run -x labels.csv --window 1,1 --emit output
encode layers.json
encode layers.json --emit *
encode layers.json --loss sum --emit *_grad
encode layers.json --trace
encode rows.json
encode rows.json --emit *
encode rows.json --loss sum --emit *_grad
encode rows.json --loss sum --emit loss
encode rows.json --trace-format html
encode rows.json --trace-format json
encode rows.json --format npz -o /dev/stdout
decode layers.json
decode rows.json --emit *
generate generator.json --length 200
generate generator.json --length 200 --trace=choice
generate generator.json --length 200 --trace-format html
check expects.json
check expects.json --why
check heads.json
info layers.json
info layers.json --format json
info blocks.csv
info blocks.npz
info blocks.safetensors
info other.json
info tall.csv
info many.jsonl
info result.npz
info large.npy
diff large.npy large.npy
convert large.npy - --format safetensors
diff blocks.npz blocks.safetensors
diff tall.csv tall.npy
diff result.npz result.npz
convert blocks.csv - --format json
convert blocks.npz - --format csv
convert blocks.safetensors - --format npz
convert tall.csv - --format tidy
convert tall.npy - --format csv
convert labels.csv - --format json
convert result.npz - --format json
init --tokens 2000 --width 64 --heads 4 --seed 1
init --tokens 2000 --width 64 --heads 4 --seed 1 --format npz -o /dev/stdout
example 001-walkthrough
END
finish
