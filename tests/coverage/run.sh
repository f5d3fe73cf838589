#!/bin/sh
# run.sh: every line of src is reached by a test, and every outcome of its conditions is taken, or
# it stands in unreached.txt, or untaken.txt, with the reason why not; and what stands there is so.
# $COVERAGE_FEW lines of each may be otherwise. What is so now, as those lists have it, is in
# build/coverage under the same names, and which outcomes are missing in branches.txt.
set -eu
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
build=build/coverage
folder=tests/coverage
{ command -v gcov && command -v gcc; } >/dev/null || skip_all 'no gcc and gcov here'
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=coverage CC=gcc \
    CFLAGS='-O0 -march=native' programs >/dev/null
rm -f "$build"/*.counters
find "$build" -name '*.gcda' -exec rm {} +
# What the other suites reach, these do; of random problems a third is enough. What fails in them
# fails here.
BUILD=$build tests/run.sh faults 'why 1' unit cli 'compare 1000' >"$build/tests.txt" ||
    grep -A 3 '^FAIL' "$build/tests.txt" || true
failed=$(sed -n '$s/.* passed, \([0-9]*\) failed.*/\1/p' "$build/tests.txt")
for program in selfattn unit compare why faults cli; do
    WRITE_COVERAGE=1 "$build/$program"
done
# counts OBJECTS…: what gcov says of those that find(1) chooses by these words.
counts() {
    find "$build/src" -name '*.gcno' "$@" -exec gcov -b -c --stdout {} + 2>/dev/null
}
{
    counts ! -path '*/src/kernels/*_F*'
    echo kernels
    counts -path '*/src/kernels/*_F*'
} | awk -v build="$build" -v few="${COVERAGE_FEW:-20}" \
    -v failed="${failed:-1}" \
    -f "$folder/judge.awk" \
    "$folder/unreached.txt" "$folder/untaken.txt" -
