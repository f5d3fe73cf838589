#!/bin/sh
# run.sh [WORD]: the formats of --trace-format next to text. WORD picks documents by name.
#
# pages    all show all numbers of the JSON trace, and no others, in their order
#          ($BUILD/trace_formats says how); a digit that is changed anywhere is noticed
# notebook it is one by the rules of nbformat 4.5 (notebook.py)
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
if command -v python3 >/dev/null; then
    formats="$formats notebook"
else
    skip "notebooks: python3 is not here"
fi

# write_page FORMAT [COMMAND] DOCUMENT [OPTION]...: into $scratch/page; of a notebook its Markdown.
write_page() {
    page_format=$1
    shift
    selfattn "$@" --quiet --trace-format "$page_format" --full >"$scratch/page" || return
    [ "$page_format" != notebook ] || {
        mv "$scratch/page" "$scratch/page.ipynb" &&
            python3 "$tests/notebook.py" "$scratch/page.ipynb" >"$scratch/page"
    }
}

# check_pages [COMMAND] DOCUMENT [OPTION]...: of all numbers.
check_pages() {
    selfattn "$@" --quiet --trace-format json --full >"$trace"
    for format in $formats; do
        write_page "$format" "$@" 2>"$said" &&
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
    write_page "$format" "$root/testdata/seeds/001-walkthrough.json"
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
