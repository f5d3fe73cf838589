#!/bin/sh
# record.sh NAME...: writes golden/NAME.txt, the trace of the document of this name, to be read line
# by line before it is kept. Nothing else ever writes there.
set -eu
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/trace/document.sh
. "$tests/document.sh"

for name; do
    selfattn --quiet --trace "$(document "$name")" >"$scratch/trace"
    mv "$scratch/trace" "$tests/golden/$name.txt"
    git -C "$root" diff --no-color --stat -- "$tests/golden/$name.txt" 2>/dev/null || :
done
