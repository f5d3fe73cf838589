#!/bin/sh
# run.sh [WORD]: what --trace shows. WORD picks documents by name.
#
# check    a JSON trace is true by its own derivations, its nodes are what the run emits, and a text
#          trace says the same; what is changed in them is noticed (check.py)
# lines    lines/NAME.txt, typed from the seed and not from the program, are in the trace in order;
#          of layers, a line has the command: # selfattn generate --length 2
# golden   golden/NAME.txt is the trace, to the byte: layouts that a person read (record.sh NAME)
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/trace/document.sh
. "$tests/document.sh"
trace=$scratch/trace.txt

if python3 -c '' 2>/dev/null; then
    tally python3 -B "$tests/check.py" "$word"
else
    skip 'no Python here: traces are not worked out again'
fi

for golden in "$tests"/golden/*.txt; do
    name=$(basename "$golden" .txt)
    picked "$name" || continue
    document=$(document "$name")
    selfattn --quiet --trace "$document" 2>"$said" | diff -u "$golden" - >>"$said" 2>&1
    count "$name: the trace is not golden/ (tests/trace/record.sh writes it anew)"
done

for lines in "$tests"/lines/*.txt; do
    name=$(basename "$lines" .txt)
    picked "$name" || continue
    # shellcheck disable=SC2046 # several words
    selfattn $(sed -n 's/^# selfattn //p' "$lines") --quiet --trace "$(document "$name")" \
        >"$trace" 2>"$said"
    grep -v '^#' "$lines" | awk -v page="$trace" '
        # Spaces are layout, which golden/ has.
        function bare(line) {
            gsub(/ +/, " ", line)
            gsub(/\[ /, "[", line)
            sub(/^ /, "", line)
            return line
        }
        { want[++wanted] = bare($0) }
        END {
            for (at = 1; at <= wanted && (getline line <page) > 0;) {
                at += bare(line) == want[at]
            }
            if (at <= wanted)
                print "missing, or not in this order: " want[at]
            exit at <= wanted
        }' >>"$said"
    count "$name: a line of lines/ is not in the trace"
done
finish
