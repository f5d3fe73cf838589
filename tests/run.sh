#!/bin/sh
# run.sh SUITE...: runs each, shows what it says, and adds up their counts in the last line.
#
# A suite is tests/SUITE/run.sh, or the program $BUILD/SUITE; arguments may follow in the same word.
# It says nothing of what is well, and its last line is `N passed, N failed` (`, N skipped` may
# follow). One that ends otherwise, or with a status that its counts don't explain, has failed.
# $CASE becomes its argument: then it runs only what has that word in its name. One that takes more
# than $SUITE_SECONDS is ended and has failed; once $LAST_START has passed, a second as date +%s
# counts them, none begins.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build/release}
export BUILD
unset MAKEFLAGS MFLAGS MAKELEVEL # a suite that calls make begins anew

counts='^[0-9][0-9]* passed, [0-9][0-9]* failed\(, [0-9][0-9]* skipped\)*$'
all_passed=0 all_failed=0 all_skipped=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM

for suite; do
    program=$BUILD/$suite
    [ ! -f "tests/$suite/run.sh" ] || program=tests/$suite/run.sh
    begun=$(date +%s)
    if [ "$begun" -gt "${LAST_START:-$begun}" ]; then
        echo "skipped: $suite: there is no time left"
        all_skipped=$((all_skipped + 1))
        continue
    fi
    # A file, since a process that a suite leaves behind would keep a pipe open.
    # shellcheck disable=SC2086 # the words of $program are the program and its arguments
    ${SUITE_SECONDS:+timeout -k 10 "$SUITE_SECONDS"} $program ${CASE:+"$CASE"} >"$logs/said" 2>&1
    status=$?
    grep -v "$counts" "$logs/said"
    last=$(tail -n 1 "$logs/said" | grep "$counts")
    read -r passed failed skipped <<END
$(echo "${last:-0 0} 0" | tr -cd '0-9 ')
END
    if [ -z "$last" ] || { [ $status != 0 ] && [ "$failed" = 0 ]; }; then
        echo "FAIL $suite: ended with status $status, last line: $last"
        failed=$((failed + 1))
    fi
    echo "$suite: $passed passed, $failed failed, ${skipped%% *} skipped," \
        "$(($(date +%s) - begun)) s"
    all_passed=$((all_passed + passed))
    all_failed=$((all_failed + failed))
    all_skipped=$((all_skipped + ${skipped%% *}))
done
if [ -n "${CASE:-}" ] && [ $((all_passed + all_failed)) = 0 ]; then
    echo "FAIL no test has \"$CASE\" in its name"
    all_failed=1
fi
echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
[ "$all_failed" = 0 ]
