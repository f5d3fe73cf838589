#!/bin/sh
# run.sh [WORD]: the playground is one page, the same bytes twice, and small; opened from a file, in
# Chromium (chromium.js says what is looked at) and in Firefox (firefox.js), it prints of all
# documents, of which $PLAYGROUND_EVERY takes every so many'th, what the native program prints. WORD
# picks claims, and of those in a browser by their names in chromium.js, or Firefox.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
tests/need.sh nodejs clang lld wasi-libc libclang-rt-dev-wasm32 >/dev/null 2>&1 ||
    skip_all 'nothing here that builds or runs WebAssembly'
# shellcheck source=tests/browser.sh
. "$tests/../browser.sh"
most_packed=1000000 most=3000000 # bytes: what a page may have that many will open by telephone

# build_page MASK ZONE FOLDER: as somebody makes it there.
build_page() (
    umask "$1"
    mkdir "$3"
    cp build/selfattn-*-wasi.wasm "$3/"
    TZ=$2 SOURCE_DATE_EPOCH=1000000000 packaging/playground.sh "$3"/*.wasm >"$3/name"
)

# is_small FILE
is_small() {
    [ "$(wc -c <"$1")" -le $most ] && [ "$(gzip -9 <"$1" | wc -c)" -le $most_packed ]
}

# One make at a time: tests/packaging builds it, too.
flock build/libraries make playground >"$said" 2>&1
count 'the page is built'
build_page 022 UTC "$scratch/a" >"$said" 2>&1
count 'the page is made'
page=$(cat "$scratch/a/name")
if picked 'the same bytes elsewhere'; then
    {
        build_page 077 Asia/Tokyo "$scratch/b" && cmp "$page" "$(cat "$scratch/b/name")"
    } >"$said" 2>&1
    count 'it is the same bytes elsewhere'
    is_small "$page"
    count 'it has at most 3 MB, and 1 MB where it is compressed'
fi
every=${PLAYGROUND_EVERY:-1}
export NODE_PATH="$modules/node_modules"
case $word in
Firefox | 'the same'*) ;;
*) tally node "$tests/chromium.js" "$browser" "$page" "$scratch" "$every" "$word" ;;
esac
if picked Firefox; then
    if firefox=$(command -v firefox-esr || command -v firefox); then
        tally node "$tests/firefox.js" "$firefox" "$page" "$scratch" "$every"
    else
        skip 'Firefox is not here'
    fi
fi
finish
