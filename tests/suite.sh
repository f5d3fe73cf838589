#!/bin/sh
# suite.sh FOLDER "NUMBER SUITE": runs one suite for run.sh, shows what it said, and leaves its
# counts in FOLDER/NUMBER.
set -u
number=${2%% *} suite=${2#* }
said=$1/$number.said counts=$1/$number
pattern='^[0-9][0-9]* passed, [0-9][0-9]* failed\(, [0-9][0-9]* skipped\)*$'

begun=$(date +%s)
if [ "$begun" -gt "${LAST_START:-$begun}" ]; then
    echo "skipped: $suite: there is no time left"
    echo 0 0 1 >"$counts"
    exit
fi
unset JOBS LAST_START # a suite that has begun runs whole, with those that it runs
program=$BUILD/$suite
[ ! -f "tests/$suite/run.sh" ] || program=tests/$suite/run.sh
# A file, since a process that a suite leaves behind would keep a pipe open.
# shellcheck disable=SC2086 # the words of $program are the program and its arguments
${SUITE_SECONDS:+timeout -k 10 "$SUITE_SECONDS"} $program ${CASE:+"$CASE"} >"$said" 2>&1
status=$?

last=$(tail -n 1 "$said" | grep "$pattern")
read -r passed failed skipped <<END
$(echo "${last:-0 0} 0" | tr -cd '0-9 ')
END
skipped=${skipped%% *}
{
    grep -v "$pattern" "$said"
    if [ -z "$last" ] || { [ $status != 0 ] && [ "$failed" = 0 ]; }; then
        echo "FAIL $suite: ended with status $status, last line: $last"
        failed=$((failed + 1))
    fi
    echo "$suite: $passed passed, $failed failed, $skipped skipped, $(($(date +%s) - begun)) s"
} >"$said.report"
echo "$passed $failed $skipped" >"$counts"
cat "$said.report"
