#!/bin/sh
# run.sh [WORD]: what stands on the screen of pages that a reader changes, in a browser (screen.js,
# words.js, bound.js, overview.js, paper.js and present.js say what is looked at). WORD picks
# documents by name, and of all of them every $SCREEN_EVERY'th is taken, 16 where nothing is said;
# and one with gradients, and one of many queries. $SCREEN_PARTS_EVERY takes some of the other
# programs.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/browser.sh
. "$tests/../browser.sh"

[ -z "$word" ] || SCREEN_EVERY=${SCREEN_EVERY:-1}
for folder in testdata/seeds testdata/examples testdata/variants testdata/positions \
    testdata/stacks tests/trace/documents tests/trace/stacks; do
    for file in "$folder"/*.json; do
        ! picked "$file" || echo "$file"
    done
done | in_turn "${SCREEN_EVERY:-16}" >"$scratch/documents"

# One with gradients, in any case.
[ -n "$word" ] || echo testdata/variants/backward-walkthrough.json >>"$scratch/documents"

# So many queries that pictures show them as squares.
if picked queries; then
    awk 'BEGIN {
        printf "{\"k\": [[1, 0], [0, 1], [2, -1]], \"v\": [[1, 2], [3, 4], [5, 6]], \"q\": [[1, 1]"
        for (i = 1; i < 100; i++)
            printf ", [%.2f, %.2f]", cos(i), sin(3 * i)
        print "]}"
    }' >"$scratch/queries.json"
    echo "$scratch/queries.json" >>"$scratch/documents"
fi

# is_asked PART: of those that have pages of their own.
parts=$(printf '%s\n' words bound overview paper present | in_turn "${SCREEN_PARTS_EVERY:-1}")
is_asked() {
    picked "$1" && case "$parts" in *"$1"*) ;; *) return 1 ;; esac
}

# page COMMAND DOCUMENT NAME [OPTION]...: pages/NAME.html
page() {
    command=$1 document=$2 name=$3
    shift 3
    selfattn "$command" --quiet --trace-format html --trace-output "$scratch/pages/$name.html" \
        -o /dev/null "$@" "$document"
}
if is_asked words; then
    mkdir "$scratch/pages"
    for document in testdata/seeds/001-walkthrough testdata/stacks/seed-encoder \
        testdata/variants/soft-cap testdata/variants/backward-walkthrough \
        testdata/examples/asad-two-heads-wo testdata/variants/alibi \
        testdata/variants/appended-heads testdata/variants/statistics \
        testdata/seeds/004-cross-attention \
        testdata/seeds/000-batch testdata/positions/rope \
        tests/trace/stacks/decoder-one-head tests/trace/stacks/decoder-clip-backward \
        testdata/variants/backward-clip tests/trace/documents/keys-of-x-named-query \
        tests/trace/documents/no-strongest-key tests/trace/documents/labels; do
        page run $document.json "$(basename $document)"
    done
    selfattn init --quiet --tokens 200 --width 8 --heads 4 -o "$scratch/many.json"
    page run "$scratch/many.json" many
    sed 's/"tokens": \[[^]]*\]/"tokens": ["the"]/' testdata/seeds/000-cat-walks.json \
        >"$scratch/one-word.json"
    page run "$scratch/one-word.json" one-word
    page generate testdata/stacks/generator.json generation --length 3
    page generate testdata/stacks/generator.json stopped --length 3 --stop 8
    page run testdata/seeds/001-walkthrough.json exercise --blank scores
    page run testdata/seeds/001-walkthrough.json exam --blank scores --exam
    ones='[1, 1, 1, 1, 1, 1, 1, 1]' rows='[[1], [1], [1], [1], [1], [1], [1], [1]]'
    echo "{\"q\": [[1], [1]], \"k\": $rows, \"v\": $rows," \
        "\"mask\": [[0, 0, 0, 0, 0, 0, 0, 0], $ones]}" >"$scratch/nothing.json"
    page run "$scratch/nothing.json" nothing --focus row=1
    echo '{"tokens": ["le", "chat"], "q": [[1, 0], [0, 1]],' \
        '"key_tokens": ["the", "black", "cat"],' \
        '"x": [[3, 3], [2, 4], [7, 9]], "wv": [[1, 0], [0, 1]]}' >"$scratch/keys.json"
    page run "$scratch/keys.json" keys
fi

# bound NAME OPTIONS DOCUMENT...: bound/NAME.html of them all, and NAME.1.json, NAME.2.json, …, the
# weights of each.
bound() {
    name=$1 options=$2
    shift 2
    # shellcheck disable=SC2086 # options, or none
    selfattn --quiet $options --trace-output "$scratch/bound/$name.html" -o /dev/null "$@"
    number=0
    for document; do
        number=$((number + 1))
        [ -n "$options" ] || selfattn --quiet --emit weights --format json \
            -o "$scratch/bound/$name.$number.json" "$document"
    done
}
# one NAME TITLE SETTINGS: NAME.json, three tokens.
one() {
    echo "{\"title\": \"$2\", $3," '"tokens": ["a", "b", "c"],' \
        '"x": [[1, 0, 2, 1], [0, 1, 1, 2], [1, 1, 0, 1]],' \
        '"wq": [[1, 0], [0, 1], [0.5, 1], [0, 1]], "wk": [[0, 1], [1, 0], [1, 0.25], [1, 0]],' \
        '"wv": [[1, 2], [0, 1], [1, 1], [3, 0]]}' >"$scratch/bound/$1.json"
}
if is_asked bound; then
    mkdir "$scratch/bound"
    one first First '"scale": 0.5'
    one second Second '"scale": 0.25'
    one two 'Two heads' '"heads": 2, "scale": 0.5'
    bound masked '' testdata/seeds/000-mask-off.json testdata/seeds/000-mask-on.json
    bound scaled '' "$scratch/bound/first.json" "$scratch/bound/second.json"
    bound heads '' "$scratch/bound/first.json" "$scratch/bound/two.json"
    sed 's/"title": "[^"]*"/"title": "Third"/' testdata/stacks/seed-encoder.json \
        >"$scratch/bound/third.json"
    bound chain --chain "$scratch/bound/first.json" "$scratch/bound/second.json" \
        "$scratch/bound/third.json"
fi

# heads TOKENS FIRST: a document of 2 layers of 3 heads; the first number of x is FIRST.
heads() {
    awk -v tokens="$1" -v first="$2" '
    function rows(count, width, seed,    i, j) {
        for (i = 0; i < count; i++) {
            printf (i > 0 ? ", [" : "[[")
            for (j = 0; j < width; j++)
                printf "%s%.2f", (j > 0 ? ", " : ""), 2 * cos(seed + 7 * i * (j + 1) + 3 * j)
            printf "]"
        }
        printf "]"
    }
    BEGIN {
        printf "{\"x\": [[%s, 0.5, -0.25, 1, 0, 0.75], ", first
        for (i = 1; i < tokens; i++)
            printf "[%.2f, %.2f, %.2f, 1, 0, %.2f]%s", cos(i), sin(2 * i), cos(3 * i), \
                sin(i * i), (i < tokens - 1 ? ", " : "], ")
        printf "\"layers\": ["
        for (layer = 0; layer < 2; layer++) {
            printf "%s{\"heads\": 3, \"wq\": ", (layer > 0 ? ", " : "")
            rows(6, 6, layer)
            printf ", \"wk\": "
            rows(6, 6, layer + 2)
            printf ", \"wv\": "
            rows(6, 6, layer + 4)
            printf "}"
        }
        print "]}"
    }'
}
if is_asked overview; then
    mkdir "$scratch/overview"
    heads 9 1 >"$scratch/overview/few-document.json"
    heads 9 3 >"$scratch/overview/few-changed-document.json"
    heads 210 1 >"$scratch/overview/many-document.json"
    for name in few few-changed many; do
        selfattn encode --quiet --emit '*weights' --format json --trace=statistics,softmax \
            --trace-output "$scratch/overview/$name.html" -o "$scratch/overview/$name.json" \
            "$scratch/overview/$name-document.json"
    done
    selfattn encode --quiet --trace=statistics,scores --blank layer.0.attention.scores \
        --trace-output "$scratch/overview/asked.html" -o /dev/null \
        "$scratch/overview/few-document.json"
    selfattn encode --quiet -o /dev/null --trace-output "$scratch/overview/plain.html" \
        "$scratch/overview/few-document.json"
fi

if is_asked paper; then
    mkdir "$scratch/paper"
    for seed in 1 2 3 4 5 6 7 8; do
        selfattn init --quiet --seed $seed --exercise scores,softmax -o "$scratch/variant.json"
        selfattn --quiet --exam --trace-output "$scratch/paper/exam-$seed.html" -o /dev/null \
            "$scratch/variant.json"
    done
    for document in testdata/seeds/001-walkthrough testdata/variants/two-jobs \
        testdata/examples/rust-dnn-four-heads-1; do
        selfattn --quiet --trace-output "$scratch/paper/${document##*/}.html" -o /dev/null \
            $document.json
    done
fi

if is_asked present; then
    mkdir "$scratch/present"
    for name in seeds/001-walkthrough seeds/000-cat-walks seeds/003-multi-head seeds/004-causal \
        seeds/000-nudge-scaled \
        variants/two-jobs variants/alibi variants/backward-walkthrough positions/rope; do
        selfattn --quiet --trace-output "$scratch/present/${name#*/}.html" -o /dev/null \
            testdata/$name.json
    done
    for pair in 000-mask-off:000-mask-on 004-bidirectional:004-causal; do
        selfattn --quiet --trace-output "$scratch/present/bound-${pair%:*}.html" -o /dev/null \
            "testdata/seeds/${pair%:*}.json" "testdata/seeds/${pair#*:}.json"
    done
fi

export NODE_PATH="$modules/node_modules"
[ ! -s "$scratch/documents" ] || tally node "$tests/screen.js" "$browser" "$scratch"
! is_asked words || tally node "$tests/words.js" "$browser" "$scratch/pages"
! is_asked bound || tally node "$tests/bound.js" "$browser" "$scratch/bound" selfattn
! is_asked present || tally node "$tests/present.js" "$browser" "$scratch/present"
! is_asked paper || tally node "$tests/paper.js" "$browser" "$scratch/paper"
! is_asked overview || tally node "$tests/overview.js" "$browser" "$scratch/overview"
finish
