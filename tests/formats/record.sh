#!/bin/sh
# record.sh NAME.ENDING...: writes golden/NAME.ENDING, the page of the document of this name in the
# format of this ending, to be read line by line before it is kept. Nothing else ever writes there.
set -eu
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
# shellcheck source=tests/formats/golden.sh
. "$tests/golden.sh"

for name; do
    golden_page "$name" >"$tests/golden/$name.new"
    mv "$tests/golden/$name.new" "$tests/golden/$name"
    git -C "$root" diff --no-color --stat -- "$tests/golden/$name" 2>/dev/null || :
done
