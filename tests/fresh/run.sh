#!/bin/sh
# run.sh: in a new Debian bookworm the package is installed and tried within a minute; and the
# README's own lines, and nothing else, build the program, show the demo and pass the tests. Fails
# when README and Makefile part ways.
#
# Of the command line's cases it takes there every $FRESH_EVERY'th: they are the same as here.
# Packages are kept in $FRESH_CACHE between runs. All mounts are made in a mount namespace of their
# own, so they are gone with its last process, whatever happened.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
cache=${FRESH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selfattn-fresh}

# The mirror that this machine's apt takes bookworm from, in either form of its sources.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
        2>/dev/null | awk '
        /^URIs:/ { uri = $2 }
        /^Suites:/ && / bookworm( |$)/ { print uri }
        /^deb / { sub(/\[[^]]*\] */, ""); if ($3 == "bookworm") print $2 }' | head -n 1
}

[ "$(id -u)" = 0 ] || skip_all 'it needs root'
tests/need.sh debootstrap || skip_all 'no debootstrap here'
unshare --mount --pid --fork true 2>/dev/null || skip_all 'no mount namespaces here'
mirror=$(mirror)
[ -n "$mirror" ] || skip_all "apt's sources here name no mirror of bookworm"

make_scratch
trap 'rm -rf --one-file-system "$scratch"' EXIT # whatever may be mounted there
debian=$scratch/root
mkdir -p "$cache"
isolated='unshare --mount --propagation private --pid --fork --kill-child'
if ! $isolated debootstrap --variant=minbase --cache-dir="$cache" bookworm "$debian" "$mirror" \
    >"$scratch/log" 2>&1; then
    grep -q 'Failed getting release file' "$scratch/log" && skip_all 'no network'
    fail debootstrap
    tail -n 5 "$scratch/log"
    finish
    exit
fi
# What a machine with a network has, and nothing else: names are resolved, apt goes by the same way.
cp /etc/resolv.conf /etc/hosts "$debian/etc/" 2>/dev/null
grep -lis proxy /etc/apt/apt.conf /etc/apt/apt.conf.d/* | while read -r file; do
    cp "$file" "$debian/etc/apt/apt.conf.d/"
done
source=$scratch/source
mkdir -p "$source/build"
{ git ls-files -co --exclude-standard 2>/dev/null || find . -type f -not -path './build/*'; } |
    tar -cT - | tar -xC "$source"
cp -a "$source" "$debian/selfattn"
# The package is made of what is built here, and of a copy, since others may be making it too.
cp -a build/release build/libraries build/man "$source/build/"
SOURCE_DATE_EPOCH=0 make -C "$source" deb >"$said" 2>&1
cp "$source"/build/selfattn_*.deb "$debian/tmp/selfattn.deb"
cp tests/packaging/completes.bash "$debian/tmp/"
selfattn run --trace testdata/seeds/001-walkthrough.json >"$scratch/demo"
$isolated "$tests/inside.sh" "$debian" "$cache" "$scratch/demo"
