#!/bin/sh
# run.sh: what runs the tests can itself fail, and says so: the runner of suites, the runner of
# command-line cases, the installer of what is missing, the maker of the built-in examples.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
cd "$scratch" || exit 1
unset CASES_EVERY TRACE_EVERY # what it runs is small, and all of it is wanted

# expect STATUS LAST COMMAND...: the status and the last line of all that it says.
expect() {
    status=$1 last=$2
    shift 2
    "$@" >said 2>&1
    got=$?
    if [ "$got" = "$status" ] && [ "$(tail -n 1 said)" = "$last" ]; then
        pass
    else
        fail "$*: status $got, not $status; the last line is not: $last"
        sed 's/^/    /' said
    fi
}

# script PATH LINE...
script() {
    path=$1
    shift
    mkdir -p "$(dirname "$path")"
    printf '%s\n' '#!/bin/sh' "$@" >"$path"
    chmod +x "$path"
}

# --- a tree with suites that end in every way ---
mkdir -p tests/cli testdata
cp "$root/tests/run.sh" "$root/tests/suite.sh" "$root/tests/need.sh" \
    "$root/tests/claims.sh" tests/
: >tests/seconds.txt
script tests/good/run.sh 'echo "2 passed, 0 failed"'
script tests/skips/run.sh 'echo "skipped: why"' 'echo "1 passed, 0 failed, 3 skipped"'
script tests/bad/run.sh 'echo "4 passed, 1 failed"' 'exit 1'
script tests/dies/run.sh 'echo "9 passed"' 'kill -9 $$'
script tests/lies/run.sh 'echo "9 passed, 0 failed"' 'exit 3'
script build/release/program 'echo "${1:-5} passed, 0 failed"'
expect 0 '3 passed, 0 failed, 3 skipped' tests/run.sh good skips
expect 1 '6 passed, 1 failed, 0 skipped' tests/run.sh good bad
expect 1 '2 passed, 1 failed, 0 skipped' tests/run.sh dies good
expect 1 '9 passed, 1 failed, 0 skipped' tests/run.sh lies
expect 1 '0 passed, 1 failed, 0 skipped' tests/run.sh absent
expect 0 '12 passed, 0 failed, 0 skipped' tests/run.sh 'program 7' program
script tests/hangs/run.sh 'sleep 60' 'echo "9 passed, 0 failed"'
expect 1 '2 passed, 1 failed, 0 skipped' env SUITE_SECONDS=1 tests/run.sh hangs good
script tests/leaves/run.sh 'sleep 60 &' 'echo "9 passed, 0 failed"'
expect 0 '9 passed, 0 failed, 0 skipped' timeout 30 tests/run.sh leaves
expect 0 '0 passed, 0 failed, 2 skipped' env LAST_START=1 tests/run.sh bad good
# shellcheck disable=SC2016 # the suite's own
script tests/within/run.sh 'echo "${LAST_START-2} passed, 0 failed"'
expect 0 '2 passed, 0 failed, 0 skipped' env LAST_START=9999999999 tests/run.sh within
script tests/long/run.sh 'echo "1 passed, 0 failed"'
printf '%s\n' 'good 1' 'long 30' 'program 7' >tests/seconds.txt
expect 0 'skips long program 7 good ' sh -c \
    'JOBS=1 tests/run.sh good "program 7" long skips | sed -n "s/: .* s$//p" | tr "\n" " "'

# --- command-line cases that must fail ---
script build/release/selfattn 'echo out; echo err >&2; exit "${1:-0}"'
cp "$root/${BUILD:-build/release}/cli" build/release/
# table CLAIM LINE...: the only cases are these lines.
table() {
    printf '%s\n' "$@" >tests/cli/table.txt
}
table '# all as it must be' '$ selfattn 2' '> out' '! err' '? 2'
expect 0 '1 passed, 0 failed' env -u BUILD build/release/cli
expect 0 '0 passed, 0 failed' env -u BUILD build/release/cli another
table '# the status of an error is 2' '$ selfattn 2 >/dev/null' '! err'
expect 0 '1 passed, 0 failed' env -u BUILD build/release/cli
table '# another status' '$ selfattn 1' '> out' '! err'
expect 1 '0 passed, 1 failed' env -u BUILD build/release/cli
table '# another stdout' '$ selfattn' '> other' '! err'
expect 1 '0 passed, 1 failed' env -u BUILD build/release/cli
table '# a stderr that was not expected' '$ selfattn' '> out'
expect 1 '0 passed, 1 failed' env -u BUILD build/release/cli
table '# nothing expected' '$ true'
expect 1 '0 passed, 1 failed' env -u BUILD build/release/cli
table '# no command' '> out'
expect 1 '0 passed, 1 failed' env -u BUILD build/release/cli
table '# a line that is none' '$ selfattn' '> out' '! err' 'out'
expect 1 '1 passed, 1 failed' env -u BUILD build/release/cli

# --- unit tests that end in every way ---
cat >tests.c <<'END'
#include "unit/unit.h"
#include <signal.h>
#include <stdlib.h>
UNIT(good) { CHECK(u, 1); }
UNIT(crashes) { CHECK(u, 1); raise(SIGSEGV); }
UNIT(aborts) { CHECK(u, 1); abort(); }
UNIT(leaves) { CHECK(u, 1); exit(0); }
UNIT(often)
{
    for (int i = 0; i < 800; i++) {
        CHECK(u, i < 0);
        CHECK(u, i < 798);
    }
}
UNIT(later) { CHECK(u, 1); unit_skip(u, "why"); }
END
"${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -I"$root/tests" -I"$root/tests/unit" \
    -o units tests.c "$root/tests/unit/unit.c"
expect 1 '803 passed, 805 failed, 1 skipped' ./units
# told TIMES WORDS: a line of what was said last has these words, so many do.
told() {
    [ "$(grep -c "$2" said)" = "$1" ]
    count "$2 is told $1 times"
}
told 1 '^FAIL unit crashes: .*ended by signal 11'
told 1 '^FAIL unit aborts: .*ended by signal 6'
told 1 '^FAIL unit leaves: .*before its end'
told 6 '^FAIL unit often: .*i < 0'
told 1 '^FAIL unit often: .*i < 0.* 795 times more'
told 2 '^FAIL unit often: .*i < 798'

# --- a mistake that many random problems have ---
REF_BREAK=scale "$root/${BUILD:-build/release}/compare" 300 >said
[ "$(sed -n '$s/.* passed, \([0-9]*\) failed$/\1/p' said)" -gt 100 ]
count 'a mistake of the reference is noticed in many problems'
told 5 '^FAIL compare .*stages: scaled'
told 1 '^FAIL stages: scaled.* times more'

# --- traces of a program that crashes; what is asked of no program passes ---
if python3 -c '' 2>/dev/null; then
    expect 1 '1 passed, 1 failed' env PATH="$PWD/build/release:$PATH" \
        python3 -B "$root/tests/trace/check.py" 1-walk
    told 1 '^FAIL trace: 001-walkthrough.*: FileNotFoundError'
else
    skip 'no Python here'
fi

# --- need.sh, with package managers of our own ---
for tool in sh env mktemp tail grep ls rm; do
    mkdir -p bin && ln -s "$(command -v "$tool")" bin/
done
script bin/id 'echo 0'
# need ARGUMENTS...: nothing is in reach but what was put into bin.
need() {
    env -i PATH="$PWD/bin" tests/need.sh "$@"
}
expect 0 '' need sh
expect 1 '  brew install valgrind' need valgrind
script bin/dnf 'exit 9'
expect 1 '  dnf install valgrind cjson-devel' need valgrind libcjson-dev
# An apt-get that notes what it is asked for, fails at first, and then makes the program.
script bin/apt-get 'echo "$@" >>asked' '[ -f failed ] || { >failed; exit 100; }' \
    'echo "#!/bin/sh" >bin/valgrind' '/bin/chmod +x bin/valgrind'
expect 1 '  apt-get install valgrind' need -n valgrind
expect 1 '  apt-get install valgrind' env NO_INSTALL=1 PATH="$PWD/bin" tests/need.sh valgrind
expect 1 '' test -f asked
expect 0 'selfattn: installing valgrind with apt-get' need valgrind
expect 0 '-qq -o DPkg::Lock::Timeout=300 install --no-install-recommends valgrind' cat asked
expect 0 '' need valgrind

# --- the built-in examples ---
embed=$root/src/text/embed.sh
echo 'alias one.json' >list
printf '{\n  "name": "one",\n  "title": "a \\"title\\"",\n  "notes": "one"\n}\n' >one.json
"$embed" examples list one.json >made.c
expect 0 '    {{"one", "a \"title\""}, TEXT_2, "one", command_run},' \
    grep '"one"' made.c
echo '{"name": "two"}' >two.json
expect 1 'embed.sh: two.json: no "name" on a line of its own' "$embed" examples list two.json

finish
