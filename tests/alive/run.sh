#!/bin/sh
# run.sh [WORD]: pages whose numbers are changed, without a browser (edits.js says what is looked
# at). WORD picks documents by name, "learning" steps of learning; STRIDE takes every so many'th of
# the documents, which `make check` does.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
command -v node >/dev/null || skip_all 'node is not here'

# What is in testdata/stacks and tests/trace/stacks is of layers; run computes them too.
for document in testdata/seeds testdata/examples testdata/variants testdata/positions \
    testdata/stacks tests/trace/documents tests/trace/stacks; do
    for file in "$document"/*.json; do
        ! picked "$file" || echo "$file"
    done
done | awk -v stride="${STRIDE:-1}" 'NR % stride == 1 % stride' >"$scratch/documents"
learning=
! picked learning || learning=learning
node "$tests/edits.js" "$root/src/render/page" "$scratch" $learning >"$scratch/found" 2>&1
sed '$d' "$scratch/found"
well=$(sed -n '$s/ passed, [0-9]* failed$//p' "$scratch/found")
bad=$(sed -n '$s/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$scratch/found")
[ -n "$bad" ] || fail "edits.js ended early: $(tail -n 1 "$scratch/found")"
passed=$((passed + ${well:-0})) failed=$((failed + ${bad:-0}))
finish
