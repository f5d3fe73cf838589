#!/bin/sh
# run.sh [WORD]: `selfattn info` judges each file of JSONTestSuite as its name asks: y_ is
# well-formed, n_ is not, and what is done with i_ is in tests/unit/test_json_scan.c, with the
# reason. Valid, and refused on purpose, are the two files that give a key twice.
#
# The files lie in $SELFATTN_SHARED/testdata, or ../shared/testdata; without them all is skipped.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
folder=${SELFATTN_SHARED:-$root/../shared}/testdata/jsontestsuite/test_parsing
[ -d "$folder" ] || skip_all "$folder is not here"
make_scratch
cd "$folder" || exit 1

# What is to be done with each file: its name, and yes or no.
for file in *"$word"*.json; do
    case $file in
    y_object_duplicated_key*) echo "$file no" ;;
    y_*) echo "$file yes" ;;
    n_*) echo "$file no" ;;
    i_*) sed -n "s/.*{\"$file\", \\([a-z]*\\),.*/$file \\1/p" "$root/tests/unit/test_json_scan.c" |
        sed 's/true$/yes/; s/false$/no/' ;;
    *) echo "$file is of no kind" ;;
    esac
done >"$scratch/wanted"

# What is done: a line a file that is well-formed, and a message with its place for each other one.
selfattn info --format json *"$word"*.json >"$said" 2>"$scratch/messages"
status=$?
sed -n -e 's/^{"file": "\([^"]*\)", "format": "json".*/\1 yes/p' \
    -e 's/^{"file": "\([^"]*\)", "error": "\1:[1-9][0-9]*:[1-9][0-9]*: .*/\1 no/p' \
    -e 's/^{"file": "\([^"]*\)", "error": "\1: the input is empty"}/\1 no/p' \
    "$said" >"$scratch/got"

failed=$(diff "$scratch/wanted" "$scratch/got" | grep -c '^[<>]')
files=$(wc -l <"$scratch/wanted")
if [ "$failed" != 0 ]; then
    echo 'FAIL public: wanted (<), and done (>)'
    diff "$scratch/wanted" "$scratch/got" | grep '^[<>]'
fi
if [ "$status" != "$(grep -q ' no$' "$scratch/wanted" && echo 2 || echo 0)" ]; then
    fail "status $status"
fi
if [ "$(grep -c '^selfattn: ' "$scratch/messages")" != "$(grep -c ' no$' "$scratch/wanted")" ]; then
    fail 'not one message a file that is refused'
fi
if [ -z "$word" ] && [ "$files" != 318 ]; then
    fail "$files files, and the suite has 318"
fi
passed=$((files + 2 - failed))
finish
