# shellcheck shell=sh disable=SC2034
# What suites that are scripts share: where they are, the program in PATH, a folder of their own,
# and claims, which are counted. Sourced by tests/SUITE/*.sh before all else.
#
# $root is the project's folder, and the current one from here on; $tests is the suite's own, $suite
# its name, and $word the argument, which picks what is tested.
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../.." && pwd)
suite=${tests##*/} word=${1:-}
cd "$root" || exit 1
PATH=$root/${BUILD:-build/release}:$PATH
# What is printed is the same in everybody's terminal.
LC_ALL=C
export PATH LC_ALL
unset NO_COLOR COLUMNS TERM
passed=0 failed=0 skipped=0

# make_scratch: the folder $scratch, which goes when the script ends; $said in it takes what a
# command says.
make_scratch() {
    scratch=$(mktemp -d) || exit 1
    said=$scratch/said
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' HUP INT TERM
}

# picked NAME: $word is in it.
picked() {
    case $1 in *"$word"*) ;; *) return 1 ;; esac
}

pass() {
    passed=$((passed + 1))
}

fail() {
    failed=$((failed + 1))
    echo "FAIL $suite: $1"
}

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $suite: $1"
}

# count CLAIM: by the status of the command before. Of what it said, one page is shown. No $(…) in
# CLAIM: some shells would take its status for the command's.
count() {
    if [ "$?" = 0 ]; then
        pass
    else
        fail "$1"
        head -n 40 "$said" | sed 's/^/    /'
    fi
}

# tally COMMAND...: adds the counts that it says in its last line, `N passed, N failed` (`, N
# skipped` may follow), and shows what it says besides.
tally() {
    "$@" >"$scratch/found" 2>&1
    sed '$d' "$scratch/found"
    last='^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$'
    counts=$(sed -n "\$s/$last/\1 \2 \4/p" "$scratch/found")
    [ -n "$counts" ] || fail "$* ended early: $(tail -n 1 "$scratch/found")"
    read -r well wrong left <<END
${counts:-0 0}
END
    passed=$((passed + well)) failed=$((failed + wrong)) skipped=$((skipped + ${left:-0}))
}

# finish: the last line of a suite, and its status. Nothing at all is not what was asked for.
finish() {
    [ $((passed + failed + skipped)) != 0 ] || fail "no test has \"$word\" in its name"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

# in_turn STRIDE: of lines every so many'th. $TURN, which goes on by one (.ci/run), says which:
# after so many turns all were taken.
in_turn() {
    awk -v stride="$1" -v turn="${TURN:-0}" 'NR % stride == (turn + 1) % stride'
}

# has_turn STRIDE: so are calls of this.
has_turn() {
    calls=$((${calls:-0} + 1))
    [ $((calls % $1)) = $(((${TURN:-0} + 1) % $1)) ]
}

# find_python STATEMENT: $python can do it; else the suite is skipped.
find_python() {
    for python in python3 /usr/bin/python3; do
        ! $python -c "$1" 2>/dev/null || return 0
    done
    skip_all "no Python here that can: $1"
}

# skip_all WHY: ends the suite before it begins.
skip_all() {
    skip "$1"
    finish
    exit
}
