#!/bin/sh
# run.sh [WORD]: the formats of --trace-format next to text. WORD picks documents by name.
#
# pages    all show all numbers of the JSON trace, and no others, in their order
#          ($BUILD/trace_formats says how); a digit that is changed anywhere is noticed
# notebook it is one by the rules of nbformat 4.5 (notebook.py); its code runs from top to bottom,
#          and notices a changed number (cells.py); where Jupyter is, there too
# stacks   the same of layers and generations
# sheets   exercises tell no number that follows from an asked one (sheets.py)
# golden   golden/NAME.ENDING is the page, to the byte: layouts that a person read (record.sh NAME)
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/formats/golden.sh
. "$tests/golden.sh"
mkdir "$scratch/notebooks"
runs=0

# traced FORMAT [COMMAND] DOCUMENT [OPTION]...: the whole trace.
traced() {
    page_format=$1
    shift
    selfattn "$@" --quiet --trace-format "$page_format" --full
}

# check_pages [COMMAND] DOCUMENT [OPTION]...: of all numbers. Notebooks are kept for later: all are
# read by one Python, which may take longer to begin than to read them.
check_pages() {
    runs=$((runs + 1))
    kept=$scratch/notebooks/$runs
    traced json "$@" >"$kept.json"
    for format in markdown latex html; do
        traced "$format" "$@" >"$scratch/page" 2>"$said" &&
            trace_formats "$format" "$kept.json" "$scratch/page" >>"$said" 2>&1
        count "$*: $format"
    done
    traced notebook "$@" >"$kept.ipynb"
    echo "$*" >"$kept.run"
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
walkthrough=$root/testdata/seeds/001-walkthrough.json
alter() {
    trace_formats --alter "$1" "$scratch/altered.json" "$2" >"$said" 2>&1
    count "alter-$1: a changed digit is not noticed"
}
traced json "$walkthrough" >"$scratch/altered.json"
for format in markdown latex html; do
    picked "alter-$format" || continue
    traced "$format" "$walkthrough" >"$scratch/page"
    alter "$format" "$scratch/page"
done

if python3 -c '' 2>/dev/null; then
    python3 "$tests/notebook.py" "$scratch"/notebooks/*.ipynb >"$scratch/found" 2>&1
    for run in "$scratch"/notebooks/*.run; do
        [ -f "$run" ] || continue
        kept=${run%.run} words=$(cat "$run")
        grep -F "$kept.ipynb: " "$scratch/found" >"$said"
        trace_formats notebook "$kept.json" "$kept.md" >>"$said" 2>&1
        count "$words: notebook"
        [ "$words" != "$walkthrough" ] || alter notebook "$kept.md"
    done
    if picked sheets; then
        python3 "$tests/sheets.py" testdata/variants/*.json testdata/positions/*.json \
            testdata/seeds/00[34]-*.json testdata/stacks/encoder-*.json >"$said" 2>&1
        count 'sheets: an exercise tells what follows from its numbers'
    fi
else
    skip 'notebooks and sheets: python3 is not here'
fi
python=
for one in python3 /usr/bin/python3; do
    ! "$one" -c 'import numpy' 2>/dev/null || python=$one
done
if [ -z "$python" ]; then
    skip 'code of notebooks: python3 has no numpy (Debian: python3-numpy)'
elif ls "$scratch"/notebooks/*.ipynb >/dev/null 2>&1; then
    "$python" "$tests/cells.py" "$scratch"/notebooks/*.ipynb >"$said" 2>&1
    count 'the code of all notebooks runs, and notices a changed number'
fi
if command -v jupyter >/dev/null; then
    traced notebook "$walkthrough" >"$scratch/walkthrough.ipynb"
    jupyter nbconvert --to notebook --execute --stdout "$scratch/walkthrough.ipynb" \
        >/dev/null 2>"$said"
    count 'the walkthrough runs in Jupyter'
else
    skip 'notebooks in Jupyter: it is not here (Debian: jupyter-nbconvert)'
fi

for golden in "$tests"/golden/*.*; do
    name=$(basename "$golden")
    picked "$name" || continue
    golden_page "$name" 2>"$said" | diff -u "$golden" - >>"$said" 2>&1
    count "$name: the page is not golden/ (tests/formats/record.sh writes it anew)"
done
finish
