#!/bin/sh
# run.sh [WORD]: pages of --trace-format html in a browser, opened from files (pages.js says what is
# looked at). WORD picks documents by name; of the examples every $WEB_EVERY'th is opened, and of
# the other pages so many have the checks that all have. What is checked of one page always is.
#
# Takes playwright-core and axe-core from npm, once, into build/web, and the browser of Debian
# (chromium); some pages are changed in Firefox too (firefox.js). What is not here is skipped, and
# said.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/browser.sh
. "$tests/../browser.sh"

# stages DOCUMENT FILE [OPTION]...: all stages that the run has, as JSON.
stages() {
    document=$1 file=$2
    shift 2
    names=q,k,v,scores,scaled,masked,row_max,exp,row_sum,weights,weighted,attended,context
    names=$names,output
    for made in x_pos q_latent q_latent_norm kv_latent kv_latent_norm q_norm k_norm q_rope k_rope \
        present_k present_v q_score k_score capped rounded; do
        ! selfattn --quiet --emit $made -o "$scratch/one" --format json "$@" "$document" \
            2>/dev/null || names=$names,$made
    done
    selfattn --quiet --emit $names --format json -o "$file" "$@" "$document"
}

# page DOCUMENT [OPTION]...: NAME.html, and NAME.stages.json of the same run.
page() {
    document=$1 name=$(basename "$1" .json)
    shift
    picked "$name" || return
    stages "$document" "$scratch/$name.stages.json" "$@"
    selfattn --quiet --trace-format html --trace-output "$scratch/$name.html" -o /dev/null "$@" \
        "$document"
}

# all_stages COMMAND NAME.json: NAME.stages.json, all that layers make.
all_stages() {
    selfattn "$1" --quiet --emit '*' --format json -o "${2%.json}.stages.json" "$2"
}

# floors COMMAND DOCUMENT [FOLDER/]: the same of a stack; in a folder, fewer cells of it are tried.
floors() {
    command=$1 document=$2 name=${3:-}$(basename "$2" .json)
    picked "$name" || return
    cp "$document" "$scratch/$name.json"
    all_stages "$command" "$scratch/$name.json"
    selfattn "$command" --quiet --trace-format html --trace-output "$scratch/$name.html" \
        -o /dev/null "$document"
}

# first_step DOCUMENT FILE: the stages of a generation's first step, which are what decode makes of
# the prompt.
first_step() {
    selfattn decode --quiet --emit '*' --format json "$1" | sed 's/^  "/  "step.0./' >"$2"
}

# generation NAME DOCUMENT [OPTION]...: a page of its steps.
generation() {
    name=some/$1 document=$2
    shift 2
    picked "$name" || return
    first_step "$document" "$scratch/$name.stages.json"
    selfattn generate --quiet --trace-format html --trace-output "$scratch/$name.html" \
        -o /dev/null "$@" "$document"
}

# vocabulary COUNT: a document of so many ids, each 16 numbers wide.
vocabulary() {
    awk -v ids="$1" 'BEGIN {
        printf "{\"ids\": [0, 1, 2], \"norm\": \"pre\", \"layers\": [{}], \"embedding\": ["
        for (i = 0; i < ids; i++) {
            printf "%s[1", (i > 0 ? ", " : "")
            for (j = 1; j < 16; j++) printf ", %.3f", cos(16 * i + j)
            printf "]"
        }
        print "]}"
    }'
}

# named NAME: documents/NAME.json, of what init writes.
named() {
    sed "s/^  \"name\": .*/  \"name\": \"$1\",/" >"$scratch/documents/$1.json"
}

# exercise NAME COMMAND DOCUMENT [OPTION]...: NAME.html, in which steps are to be filled in.
exercise() {
    name=$1 command=$2 document=$3
    shift 3
    selfattn "$command" --quiet --trace-format html --trace-output "$scratch/$name.html" \
        -o /dev/null "$@" "$document"
}

# One of each kind: heads, groups, masks, a batch, cross-attention, Wo, hostile labels.
for name in seeds/001-walkthrough seeds/000-complete-module seeds/000-nothing-to-attend \
    seeds/004-cross-attention \
    positions/sinusoidal positions/rope positions/qk-norm positions/neurst-cache \
    examples/allennlp-additive-1 seeds/004-score-ws seeds/001-additive-parameters \
    variants/alibi variants/sinks variants/appended-heads variants/appended-rows \
    variants/soft-cap variants/backward-walkthrough variants/backward-latent; do
    page "$root/testdata/$name.json"
done
page "$root/testdata/variants/learning.json"
! picked learning || cp "$root/testdata/variants/learning.json" "$scratch/learning.document"
page "$root/testdata/examples/asad-two-heads-wo.json" --focus row=2,head=2
for name in trace/documents/causal-mask-bias trace/documents/bias-for-all \
    trace/documents/six-heads trace/documents/batch-lengths trace/documents/heads-apart-wo \
    trace/documents/heads-apart-bo trace/documents/heads-apart-rows \
    formats/documents/marks; do
    page "$root/tests/$name.json"
done
floors encode "$root/testdata/stacks/rollout.json"
mkdir "$scratch/some"
floors encode "$root/tests/web/gates.json" some/
floors encode "$root/testdata/stacks/encoder-learning.json" some/
floors decode "$root/tests/trace/stacks/decoder-logits-backward.json" some/
floors encode "$root/testdata/stacks/segments.json" some/
floors decode "$root/testdata/stacks/generator.json" some/
generation generation "$root/testdata/stacks/generator.json" --length 2 --temperature 2
mkdir "$scratch/documents"
vocabulary 70 >"$scratch/documents/vocabulary.json"
vocabulary 5000 >"$scratch/documents/large-vocabulary.json"
# No words are chosen on it, so that it needs no table of all ids.
generation vocabulary "$scratch/documents/vocabulary.json" --length 1 --stop 69
generation large-vocabulary "$scratch/documents/large-vocabulary.json" --length 1
for columns in 16 32 64; do
    picked "wide-$columns" || continue
    selfattn init --quiet --tokens 12 --width $columns --heads 2 --seed 3 \
        -o "$scratch/documents/wide-$columns.json"
    page "$scratch/documents/wide-$columns.json"
done
if picked large; then
    selfattn init --quiet --tokens "$(seq -s, -f t%g 100)" --width 8 --heads 2 \
        -o "$scratch/documents/large.json"
    page "$scratch/documents/large.json" --focus row=41
fi
if picked digits; then
    mkdir "$scratch/digits"
    echo '{"x": [[1, 0], [0, 1]], "mask": [[0, 0], [1, 1]]}' |
        selfattn --quiet --trace-format html --digits 4 >"$scratch/digits/nothing.html"
fi
if picked examples; then
    selfattn example --quiet --all "$scratch/all"
    for document in "$scratch"/all/*.json; do
        case $document in
        */encoder.json | */bert.json) all_stages encode "$document" ;;
        */decoder.json) all_stages decode "$document" ;;
        */next-word.json) first_step "$document" "${document%.json}.stages.json" ;;
        *) stages "$document" "${document%.json}.stages.json" ;;
        esac
    done
fi
if picked exercise; then
    exercise exercise run "$root/testdata/seeds/001-walkthrough.json" --blank scores,weights
    exercise exercise-exam run "$root/testdata/seeds/001-walkthrough.json" --exam --blank scores
    echo '{"q": [[1, 2, 0, 1], [3, -1, 2, 0]], "k": [[1, 0, 1, 0], [0, 2, 1, 1]],' \
        '"v": [[1, 3], [5, 2]]}' >"$scratch/documents/slips.json"
    exercise exercise-slips run "$scratch/documents/slips.json" --blank scores,scale,softmax
    exercise exercise-floors encode "$root/testdata/stacks/seed-encoder.json" \
        --blank residual,layer.0.ln2
    exercise exercise-heads run "$root/testdata/examples/asad-two-heads-wo.json" \
        --blank scores,softmax
    exercise exercise-decoder decode "$root/testdata/stacks/generator.json" \
        --blank layer.1.attention.weights
    exercise exercise-batch run "$root/testdata/seeds/000-batch-padding.json" \
        --blank scores,mask,softmax --focus batch=2
    exercise exercise-projections run "$root/testdata/seeds/001-walkthrough.json" \
        --blank projections
    exercise exercise-weighted run "$root/testdata/examples/asad-two-heads-wo.json" \
        --blank weighted --focus row=2,head=2
    selfattn init --quiet --tokens 100 --width 8 --heads 2 | named asked-large
    exercise exercise-large run "$scratch/documents/asked-large.json" \
        --blank projections,softmax,weighted --focus row=41
    selfattn init --quiet --tokens 3 --width 80 --heads 2 | named asked-wide
    exercise exercise-wide run "$scratch/documents/asked-wide.json" \
        --blank projections,weighted --focus row=2
fi
{
    NODE_PATH=$modules/node_modules node "$tests/pages.js" "$browser" "$scratch"
    if firefox=$(command -v firefox-esr || command -v firefox); then
        set --
        for name in 001-walkthrough 000-complete-module rope sinks soft-cap rollout batch-lengths \
            learning alibi; do
            [ ! -f "$scratch/$name.html" ] || set -- "$@" "$scratch/$name.html"
        done
        if [ $# = 0 ]; then
            echo '0 passed, 0 failed, 0 skipped'
        else
            node "$tests/firefox.js" "$firefox" "$@"
        fi
    else
        echo 'skipped: web: Firefox is not here'
        echo '0 passed, 0 failed, 1 skipped'
    fi
} >"$scratch/found" 2>&1
awk '
    /^[0-9]+ passed, [0-9]+ failed/ { ended++; passed += $1; failed += $3; skipped += $5; next }
    { print }
    END {
        if (ended < 2)
            print "FAIL web: pages.js or firefox.js ended early"
        failed += ended < 2
        print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
        exit failed > 0
    }' "$scratch/found"
