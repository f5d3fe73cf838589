#!/bin/sh
# run.sh [WORD]: the package for npm is the same bytes twice, npm installs it without a network, and
# its program prints what the native one prints: of all documents, and in the cases of tests/cli but
# those of left-out.txt, of which $NPM_EVERY takes every so many'th. So does its module, in Node and
# in a browser, and its types hold what they should.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
# shellcheck source=tests/native.sh
. "$root/tests/native.sh"
make_scratch
tests/need.sh nodejs clang lld wasi-libc libclang-rt-dev-wasm32 >/dev/null 2>&1 ||
    skip_all 'nothing here that builds or runs WebAssembly'
command -v npm >/dev/null || skip_all 'npm is not here'
installed=build/npm bin=build/npm/node_modules/.bin

# pack MASK ZONE FILE: the package, as somebody makes it there.
pack() (
    umask "$1"
    mkdir "$3"
    cp build/selfattn-*-wasi.wasm "$3/"
    TZ=$2 SOURCE_DATE_EPOCH=1000000000 packaging/npm.sh "$3"/*.wasm >"$3/name"
)

# bare PACKAGE: it depends on nothing, and installing it runs nothing.
bare() {
    ! tar -xzOf "$1" package/package.json | grep -i -E 'depend|install|scripts'
}

# ends: one wrong command ends with its status, however often and however busy it is here: where
# Node ended with a fault of its own, one start in eight did.
ends() {
    # shellcheck disable=SC2016
    seq 200 | xargs -P 8 -n 1 sh -c '"$0" --nothing >/dev/null 2>&1; echo "status $?"' \
        $bin/selfattn | sort | uniq -c >"$scratch/ends"
    cat "$scratch/ends"
    grep -q '^ *200 status 2$' "$scratch/ends"
}

# typed FILE...: TypeScript takes them.
typed() {
    cp "$@" "$installed/" && (cd "$installed" && tsc --noEmit --strict --target es2020 \
        --module es2020 --moduleResolution node --lib es2020,dom "${1##*/}")
}

# mistyped: and not one with a key that no document has.
mistyped() {
    sed 's/causal:/cuasal:/' "$tests/use.ts" >"$scratch/wrong.ts"
    typed "$scratch/wrong.ts" | grep -q "'cuasal' does not exist"
}

# One make at a time: tests/packaging builds it, too.
flock build/libraries make wasm >"$said" 2>&1
count 'the program is built'
pack 022 UTC "$scratch/a" >"$said" 2>&1
count 'the package is packed'
hold 'and elsewhere' pack 077 Asia/Tokyo "$scratch/b"
package=$(cat "$scratch/a/name")
hold 'and elsewhere with the same bytes' cmp "$package" "$scratch/b/${package##*/}"
hold 'it needs nothing else' bare "$package"
rm -rf "$installed"
mkdir -p "$installed"
npm install --offline --no-audit --no-fund --prefix "$installed" "$package" >"$said" 2>&1
count 'npm installs it'
hold 'a wrong command ends with another status than 2' ends
hold 'a trace is other than the native one' check_traces $bin/selfattn
hold "an answer is not what was promised" env BUILD=$bin tests/promised/run.sh
hold 'a command prints other than the native one' run_cases $bin "${NPM_EVERY:-1}"
cp "$tests/load.mjs" "$installed/"
hold 'the module in Node' node "$installed/load.mjs" build/release/selfattn
if ! picked types; then
    :
elif tests/need.sh node-typescript >/dev/null 2>&1; then
    hold 'types' typed "$tests/use.ts"
    hold 'types refuse a slip' mistyped
else
    skip 'types: no TypeScript here'
fi
if picked 'the module in a browser'; then
    # shellcheck source=tests/browser.sh
    . "$root/tests/browser.sh"
    NODE_PATH=$modules/node_modules node "$tests/browser.js" "$browser" "$installed" >"$said" 2>&1
    count 'the module in a browser'
fi
finish
