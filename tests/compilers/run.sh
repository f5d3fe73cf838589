#!/bin/sh
# run.sh [WORD]: each version of gcc and clang that this system has gives the definition's bytes, by
# every instruction set; one that is too old is refused in words.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/answer/hashes.sh
. "$root/tests/answer/hashes.sh"
define || exit 1

for compiler in $(apt-cache pkgnames | grep -xE '(gcc|clang)-[0-9]+' | sort -V); do
    picked "$compiler" || continue
    if ! tests/need.sh "$compiler"; then
        skip "$compiler: not here"
    elif [ "${compiler#gcc-}" != "$compiler" ] && [ "${compiler#gcc-}" -lt 12 ]; then
        make -s VARIANT="answer-$compiler" CC="$compiler" "build/answer-$compiler/answer" \
            >"$said" 2>&1
        grep -q 'error "GCC 12 or clang is needed' "$said"
        count "$compiler: is too old, and is not told"
    else
        build "answer-$compiler" CC="$compiler" && every_isa "$compiler"
    fi
done
finish
