#!/bin/sh
# run.sh: clang builds everything without a warning, and what it built computes what the reference
# does, and makes the pages that gcc's program makes: where two arguments of a call each add to a
# list, compilers differ in which comes first. That its answers are gcc's, bit for bit, tests/answer
# shows, and no other suite has found more. That gcc builds without a warning shows when .ci/run
# checks.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"

tests/need.sh clang || skip_all 'clang is not here'
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=clang CC=clang CFLAGS='-O2 -Werror' programs \
    >/dev/null || { echo 'FAIL clang: it warns'; exit 1; }
make_scratch

# page PROGRAM DOCUMENT FILE: a page of its trace, by the first command that takes the document.
page() {
    for command in run encode decode generate; do
        "$1" "$command" --quiet --trace-format html "$2" >"$3" 2>/dev/null
        [ $? = 2 ] || return 0
    done
    return 1
}

made=0
find testdata -name '*.json' >"$scratch/documents"
while read -r file; do
    page "$root/$BUILD/selfattn" "$file" "$scratch/gcc" || continue
    page build/clang/selfattn "$file" "$scratch/clang"
    made=$((made + 1))
    cmp -s "$scratch/gcc" "$scratch/clang" || fail "another page of $file than gcc's program makes"
done <"$scratch/documents"
[ $made -ge 200 ] || fail "only $made documents have pages"
pass
tally env BUILD=build/clang tests/run.sh unit 'compare 1000'
finish
