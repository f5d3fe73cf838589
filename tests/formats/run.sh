#!/bin/sh
# run.sh [WORD]: the formats of --trace-format next to text. WORD picks documents by name.
#
# pages    markdown, latex and html show all numbers of the JSON trace, and no others, in their
#          order ($BUILD/trace_formats says how); a digit that is changed anywhere is noticed
# stacks   the same of layers and generations
# golden   golden/NAME.ENDING is the page, to the byte: layouts that a person read (record.sh NAME)
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/formats/golden.sh
. "$tests/golden.sh"
trace=$scratch/trace.json
formats="markdown latex html"

# check_pages [COMMAND] DOCUMENT [OPTION]...: of all numbers.
check_pages() {
    selfattn "$@" --quiet --trace-format json --full >"$trace"
    for format in $formats; do
        selfattn "$@" --quiet --trace-format "$format" --full >"$scratch/page" 2>"$said" &&
            trace_formats "$format" "$trace" "$scratch/page" >>"$said" 2>&1
        count "$*: $format"
    done
}

check_stack() {
    case $(basename "$1") in
    generat* | street*)
        check_pages generate "$1" --length 2
        check_pages generate "$1" --length 2 --temperature 1.5 --seed 2
        ;;
    *decoder*) check_pages decode "$1" ;;
    *) check_pages encode "$1" ;;
    esac
}

# The page of labels cuts them.
for file in "$root"/testdata/seeds/*.json "$root"/testdata/examples/*.json \
    "$root"/testdata/variants/*.json "$root"/testdata/positions/*.json \
    "$root"/tests/trace/documents/*.json; do
    case $file in */bloem-tokens.json | */labels.json) continue ;; esac
    ! picked "$file" || check_pages "$file"
done

for file in "$root"/testdata/stacks/*.json "$root"/tests/trace/stacks/*.json; do
    ! picked "$file" || check_stack "$file"
done

# A checker that notices nothing would find all well.
selfattn --quiet --trace-format json --full "$root/testdata/seeds/001-walkthrough.json" >"$trace"
for format in $formats; do
    picked "alter-$format" || continue
    selfattn --quiet --trace-format "$format" --full "$root/testdata/seeds/001-walkthrough.json" \
        >"$scratch/page"
    trace_formats --alter "$format" "$trace" "$scratch/page" >"$said" 2>&1
    count "alter-$format: a changed digit is not noticed"
done

for golden in "$tests"/golden/*.*; do
    name=$(basename "$golden")
    picked "$name" || continue
    golden_page "$name" 2>"$said" | diff -u "$golden" - >>"$said" 2>&1
    count "$name: the page is not golden/ (tests/formats/record.sh writes it anew)"
done
finish
