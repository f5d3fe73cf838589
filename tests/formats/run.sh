#!/bin/sh
# run.sh [WORD]: the formats of --trace-format beside text. WORD picks documents by name.
#
# json     every matrix and worked line of the JSON trace has the numbers of the stages that the
#          same run emits
# pages    markdown, latex and html show all numbers of the JSON trace, and no others, in their
#          order ($BUILD/trace_formats says how); a digit that is changed anywhere is noticed
# golden   golden/NAME.ENDING is the page, to the byte: layouts that a person read (record.sh NAME)
set -u
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../.." && pwd)
PATH=$(cd "$root/${BUILD:-build/release}" && pwd):$PATH
LC_ALL=C
export PATH LC_ALL
unset NO_COLOR COLUMNS
word=${1:-} passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
# shellcheck source=tests/formats/golden.sh
. "$tests/golden.sh"
# shellcheck source=tests/trace/stages.sh
. "$root/tests/trace/stages.sh"
trace=$scratch/trace.json said=$scratch/said
formats="markdown latex html"

# count NAME WHAT: of the status of the command before.
count() {
    if [ "$?" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL formats: $1: $2"
        head -n 20 "$said" | sed 's/^/    /'
    fi
}

# stages DOCUMENT: those that every document has, and what else it makes, as JSON.
stages() {
    names=$(stages_of "$1" q,k,v,scores,scaled,masked,weights,attended,context,output \
        x xk q_rope present_k present_v q_score k_score capped rounded)
    selfattn --quiet --format json --emit "$names" "$1"
}

check_document() {
    document=$(basename "$1" .json)
    selfattn --quiet --trace-format json "$1" >"$trace" 2>"$said" &&
        stages "$1" >"$scratch/stages.json" 2>>"$said" &&
        trace_formats json "$trace" "$scratch/stages.json" >>"$said" 2>&1
    count "$document" 'the JSON trace is not what the stages are'
    selfattn --quiet --trace-format json --full "$1" >"$trace"
    for format in $formats; do
        selfattn --quiet --trace-format "$format" --full "$1" >"$scratch/page" 2>"$said" &&
            trace_formats "$format" "$trace" "$scratch/page" >>"$said" 2>&1
        count "$document" "$format"
    done
}

# The page of labels cuts them.
for file in "$root"/testdata/seeds/*.json "$root"/testdata/examples/*.json \
    "$root"/testdata/variants/*.json "$root"/testdata/positions/*.json \
    "$root"/tests/trace/documents/*.json; do
    case $file in */bloem-tokens.json | */labels.json) continue ;; esac
    case $file in *"$word"*) check_document "$file" ;; esac
done

# A checker that notices nothing would find all well.
selfattn --quiet --trace-format json --full "$root/testdata/seeds/001-walkthrough.json" >"$trace"
for format in $formats; do
    case alter-$format in *"$word"*) ;; *) continue ;; esac
    selfattn --quiet --trace-format "$format" --full "$root/testdata/seeds/001-walkthrough.json" \
        >"$scratch/page"
    trace_formats --alter "$format" "$trace" "$scratch/page" >"$said" 2>&1
    count "alter-$format" 'a changed digit is not noticed'
done

for golden in "$tests"/golden/*.*; do
    name=$(basename "$golden")
    case $name in *"$word"*) ;; *) continue ;; esac
    golden_page "$name" 2>"$said" | diff -u "$golden" - >>"$said" 2>&1
    count "$name" 'the page is not golden/ (tests/formats/record.sh writes it anew)'
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
