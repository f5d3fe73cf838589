#!/bin/sh
# inside.sh ROOT CACHE DEMO: runs the README's lines in ROOT, where /selfattn is the source, after
# the package /tmp/selfattn.deb. CACHE holds packages, DEMO what the demo prints here. Called by
# run.sh, in a mount namespace of its own.
set -u
root=$1 cache=$2 demo=$3
passed=0 failed=0
mount -t proc proc "$root/proc" && mount --bind "$cache" "$root/var/cache/apt/archives" || exit 1
# A machine has terminals; script(1) asks for one.
mkdir -p "$root/dev/pts"
mount -t devpts -o mode=620,ptmxmode=666 devpts "$root/dev/pts" || exit 1
[ -e "$root/dev/ptmx" ] || ln -s pts/ptmx "$root/dev/ptmx"

# lines HEADING: what stands in blocks below a heading of the README, up to the next heading.
lines() {
    awk -v heading="$1" '
        /^#/ && !block { here = ($0 == heading) }
        /^```/ { block = !block && here; next }
        block' README.md
}

check() {
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL fresh: $1"
        grep -a -A 12 '^FAIL' "$root/said" | head -n 60
        tail -n 15 "$root/said"
    fi
}

# run LINE [PREFIX]: in the new system, as its first user would, whose environment is bare.
run() {
    ${2:-} env -i HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        CASES_EVERY="${FRESH_EVERY:-1}" TURN="${TURN:-0}" \
        chroot "$root" sh -c "cd /selfattn && $1" </dev/null >"$root/said" 2>&1
    check "$1" $?
}

# The demo is what it is on the machine outside, before it says where to look next: one answer.
check_demo() {
    [ -s "$demo" ] && sed '/^Where to look next$/,$d' "$root/said" | sed '$d' |
        tail -n "$(wc -l <"$demo")" | cmp -s - "$demo"
    check "what the demo prints, after: $1" $?
}

# ---- the package ----

run 'apt-get -qq update && apt-get -qq install /tmp/selfattn.deb && cd /tmp &&
    selfattn example statquest >s.json && selfattn run --trace s.json' 'timeout 60'
run 'bash /tmp/completes.bash /usr/share/bash-completion/completions/selfattn'
for page in man1/selfattn.1 man5/selfattn-document.5 man7/selfattn-contract.7; do
    run "gzip -t /usr/share/man/$page.gz"
done
run 'test -s /usr/share/zsh/vendor-completions/_selfattn &&
    test -s /usr/share/fish/vendor_completions.d/selfattn.fish && apt-get -qq purge selfattn'

# ---- the README ----

bare=$(lines '### In a bare Debian or Ubuntu')
two=$(lines '## Two commands')
: >"$root/said"
[ "$two" = "make demo
make check" ]
check 'the README has its two commands' $?
case $bare in *'make demo') ;; *) false ;; esac
check 'the README has a line for a bare container' $?

run "$bare"
grep -q '^selfattn: installing libcjson-dev' "$root/said"
check 'make demo says that it installs what is missing' $?
check_demo "$bare"
run 'make demo'
check_demo 'make demo'
run 'make check'
tail -n 1 "$root/said" | grep -q '^[1-9][0-9]* passed, 0 failed, [0-9]* skipped$'
check 'make check ends with its counts' $?
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
