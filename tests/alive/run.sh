#!/bin/sh
# run.sh [WORD]: pages whose numbers are changed, without a browser (edits.js says what is looked
# at). WORD picks documents by name, "learning" steps of learning, "generations" those; $ALIVE_EVERY
# takes every so many'th of the documents, ten in `make check`.
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
done >"$scratch/all"
# Wider than what a reader looks through: by their bits, and heads of which tables leave some out.
for width in 96 396; do
    ! picked wide-$width || echo "$scratch/wide-$width.json" >>"$scratch/all"
    selfattn init --quiet --tokens 3 --width $width --heads 12 -o "$scratch/wide-$width.json"
done
in_turn "${ALIVE_EVERY:-1}" <"$scratch/all" >"$scratch/documents"
more=
for word_of in learning generations; do
    ! picked $word_of || more="$more $word_of"
done
# shellcheck disable=SC2086 # words, or none
tally node "$tests/edits.js" "$root/src/render/page" "$scratch" $more
finish
