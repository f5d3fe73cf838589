#!/bin/sh
# run.sh [WORD]: a second implementation, written from selfattn-contract(7) alone, gives the bits of
# all stages, forward and backward; the vectors of testdata/contract are what it writes, and their
# checker takes the program's results, and none with another bit.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
find_python 'import math, numpy; math.nextafter'
make_scratch
vectors=testdata/contract/1

# The second implementation has no number that the page does not have.
page_has_numbers() {
    sed 's/\\-/-/g' man/selfattn-contract.7.in >"$scratch/page"
    grep -h -o -- '-\{0,1\}0x1[.0-9a-f]*p[-+][0-9]*' "$tests"/*.py |
        while read -r number; do
            grep -q -F -- "$number" "$scratch/page" || echo "the page lacks $number"
        done >"$said"
    [ ! -s "$said" ]
}

# has_lines N FILE…: at most N in all, of at most 100 columns.
has_lines() {
    most=$1
    shift
    (cd "$tests" && awk -v most="$most" '
        length > 100 { print FILENAME ":" FNR " has " length " columns" }
        END { if (NR > most) print "there are " NR " lines" }' "$@") >"$said"
    [ ! -s "$said" ]
}

check() {
    $python -B "$tests/check.py" --all "$@" >"$said" 2>&1
}

# One bit of the result becomes another one; the checker says where.
sees_a_bit() {
    $python -B "$tests/spoil.py" "$1" <"$scratch/result" >"$scratch/spoiled"
    check "$1" "$scratch/spoiled"
    [ $? = 1 ] && grep -q "\] is [0-9a-f]*, and here [0-9a-f]*$" "$said"
}

if picked numbers; then
    page_has_numbers
    count 'the page has the numbers of the second implementation'
fi
if picked lines; then
    has_lines 400 contract.py arithmetic.py
    count 'contract.py and arithmetic.py have at most 400 lines in all'
    for more in functions layers parts models; do
        has_lines 200 "$more.py"
        count "$more.py has at most 200 lines"
    done
fi
if picked vectors; then
    cp "$vectors"/*.json "$scratch" && $python -B "$tests/vectors.py" "$scratch" >"$said" 2>&1 &&
        [ ! -s "$said" ] && [ "$(ls "$vectors" | wc -l)" = "$(ls "$scratch"/*.json | wc -l)" ]
    count 'vectors are what the second implementation writes'
fi
for file in "$vectors"/*"$word"*.json; do
    [ -f "$file" ] || continue
    case $file in *f32.json) format=json ;; *) format=npz ;; esac
    selfattn run --quiet --emit '*' --format $format "$file" >"$scratch/result"
    check "$file" "$scratch/result"
    count "${file##*/} as $format"
    case $file in */backward-*)
        sees_a_bit "$file"
        count "another bit of ${file##*/}"
        ;;
    esac
done

# Documents say in their last line how many are right and wrong, and what contract.py gave alone.
$python -B "$tests/compare.py" "$word" >"$scratch/compared" 2>&1
sed '$d' "$scratch/compared"
read -r well wrong alone <<END
$(tail -n 1 "$scratch/compared" | grep '^[0-9]* [0-9]* [0-9]*$' || echo 0 1 0)
END
passed=$((passed + well)) failed=$((failed + wrong))
if [ -z "$word" ]; then
    [ "$alone" -ge 200 ]
    count "contract.py alone gives $alone documents of $((well + wrong)), and 200 were promised"
fi
finish
