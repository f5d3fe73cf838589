#!/bin/sh
# run.sh: `make install` puts six files that work where they belong, `make dist` packs the same
# bytes twice, and what it packs builds.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch

# check CLAIM COMMAND...
check() {
    claim=$1
    shift
    if "$@" >"$said" 2>&1; then
        pass
    else
        fail "$claim"
        tail -n 5 "$said"
    fi
}

installed=$scratch/installed/opt/selfattn
check 'make install succeeds' make install DESTDIR="$scratch/installed" PREFIX=/opt/selfattn
check 'it installs six files' test "$(find "$scratch/installed" -type f | wc -l)" -eq 6
check 'the program runs' "$installed/bin/selfattn" check testdata/seeds/001-walkthrough.json
check 'bash reads its completions' bash -n "$installed/share/bash-completion/completions/selfattn"
check 'zsh finds its completions' grep -q '^#compdef selfattn' \
    "$installed/share/zsh/site-functions/_selfattn"
for page in selfattn.1 selfattn-document.5 selfattn-contract.7; do
    check "$page is the manual's page" cmp build/man/$page \
        "$installed/share/man/man${page##*.}/$page"
done

if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
    check 'make dist succeeds' make dist
    archive=$(ls -t build/selfattn-*.tar.gz | head -n 1)
    cp "$archive" "$scratch/first.tar.gz"
    sleep 1 # a time stamp in the archive would differ now
    check 'make dist succeeds again' make dist
    check 'both times with the same bytes' cmp "$archive" "$scratch/first.tar.gz"
    mkdir "$scratch/packed"
    check 'the archive unpacks' tar -xzf "$archive" -C "$scratch/packed"
    check 'what it holds builds' make -C "$scratch"/packed/selfattn-* -j2
    check 'and runs' "$scratch"/packed/selfattn-*/selfattn --version
    cd "$scratch"/packed/selfattn-* || exit 1
    # built FLAG...: an object is built again.
    built() { make "$@" build/release/main.o | grep -q 'cc main.c'; }
    check 'what is there is not built again' sh -c '! make build/release/main.o | grep "cc main.c"'
    check 'other CFLAGS build it again' built CFLAGS=-O1
    check 'another KERNEL_O does' built CFLAGS=-O1 KERNEL_O=-O2
    check 'another compiler does' built CFLAGS=-O1 KERNEL_O=-O2 CC=gcc
    check 'the same ones do not' sh -c \
        '! make CFLAGS=-O1 KERNEL_O=-O2 CC=gcc build/release/main.o | grep "cc main.c"'
else
    skip 'no git, or no commit, to make dist of'
fi
finish
