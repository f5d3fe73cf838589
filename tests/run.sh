#!/bin/sh
# run.sh SUITE...: runs each, as many at once as there are processors or $JOBS says, shows what it
# says, and adds up their counts in the last line.
#
# A suite is tests/SUITE/run.sh, or the program $BUILD/SUITE; arguments may follow in the same word.
# It says nothing of what is well, and its last line is `N passed, N failed` (`, N skipped` may
# follow). One that ends otherwise, or with a status that its counts don't explain, has failed.
# $CASE becomes its argument: then it runs only what has that word in its name. One that takes more
# than $SUITE_SECONDS is ended and has failed; once $LAST_START has passed, a second as date +%s
# counts them, none begins. The longest begin first, by tests/seconds.txt, so that none is waited
# for alone; what is not there is taken for long.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build/release}
export BUILD
unset MAKEFLAGS MFLAGS MAKELEVEL WERROR # a suite that calls make begins anew

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
for suite; do
    number=$((${number:-0} + 1))
    seconds=$(sed -n "s/^${suite%% *} //p" tests/seconds.txt)
    printf '%s %s %s\n' "${seconds:-9999}" $number "$suite"
done | sort -k 1,1nr -k 2,2n | cut -d ' ' -f 2- |
    xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -I SUITE tests/suite.sh "$folder" SUITE

cat "$folder"/*[0-9] | awk -v suites=$# -v word="${CASE:-}" '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        failed += suites - NR
        if (word != "" && passed + failed == 0) {
            print "FAIL no test has \"" word "\" in its name"
            failed = 1
        }
        print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
        exit failed > 0
    }'
