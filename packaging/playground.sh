#!/bin/sh
# playground.sh PROGRAM: makes one page of the program for WebAssembly, next to it: an editor, a form of
# its options and what it computes, from a file and without a network.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*SELFATTN_VERSION "\(.*\)"/\1/p' src/cli/version.h)
page=$(cd "$(dirname "$1")" && pwd)/selfattn-$version-playground.html
umask 022
rm -f "$page"
node packaging/playground/pack.mjs "$1" >"$page.new"
mv "$page.new" "$page"
echo "$page"
