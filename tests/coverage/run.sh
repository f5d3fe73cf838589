#!/bin/sh
# run.sh: how much of src the tests reach, in lines. Fails below $COVERAGE_LEAST per cent. The lines
# that no test reaches are listed in build/coverage/uncovered.txt.
set -eu
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
build=build/coverage
least=${COVERAGE_LEAST:-95}
{ command -v gcov && command -v gcc; } >/dev/null || skip_all 'no gcc and gcov here'
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=coverage CC=gcc CFLAGS=-O0 programs >/dev/null
find "$build" -name '*.gcda' -exec rm {} +
# What the other suites reach, these do; each process takes a while to write what it reached.
BUILD=$build tests/run.sh unit compare why faults cli >"$build/tests.txt" ||
    tail -n 5 "$build/tests.txt"

# gcov prints a file's lines as "count:number:text"; a line of several objects (a kernel, built once
# an instruction set) counts as reached when one of them reached it.
find "$build/src" -name '*.gcno' -exec gcov --stdout {} + 2>/dev/null |
    awk -F: -v least="$least" -v list="$build/uncovered.txt" '
    $1 ~ /^ *-$/ && $2 ~ /^ *0$/ { if ($3 == "Source") file = $4; next }
    file !~ /^src\// || $1 ~ /^ *-$/ { next }
    {
        place = file ":" $2 + 0
        if (!(place in reached)) {
            order[++lines] = place
            text[place] = substr($0, index($0, $2 ":") + length($2) + 1)
            reached[place] = 0
        }
        if ($1 !~ /#|=/)
            reached[place] = 1
    }
    END {
        printf "" >list
        for (i = 1; i <= lines; i++)
            if (reached[order[i]])
                hit++
            else
                print order[i] ": " text[order[i]] >list
        if (!lines) {
            print "FAIL coverage: gcov found no lines"
            print "0 passed, 1 failed"
            exit 1
        }
        share = 100 * hit / lines
        printf "coverage: %.1f %% of %d lines of src; the others: %s\n", share, lines, list
        if (share < least)
            printf "FAIL coverage: below %s %%\n", least
        print (share >= least) + 0 " passed, " (share < least) + 0 " failed"
        exit share < least
    }'
