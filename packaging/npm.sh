#!/bin/sh
# npm.sh PROGRAM: packs the program for WebAssembly, next to it, as npm takes it: what npx runs, and
# a module for Node and browsers with types. There is nothing to install, and no other package.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*SELFATTN_VERSION "\(.*\)"/\1/p' src/cli/version.h)
package=$(cd "$(dirname "$1")" && pwd)/selfattn-$version.tgz
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
install -D -m 644 -t "$tree/package" README.md LICENSE packaging/npm/index.mjs \
    packaging/npm/wasi.mjs
install -m 755 packaging/npm/bin.mjs "$tree/package"
install -m 644 "$1" "$tree/package/selfattn.wasm"
node "$tree/package/bin.mjs" help schema | node packaging/npm/types.mjs >"$tree/package/index.d.ts"
cat >"$tree/package/package.json" <<END
{
  "name": "selfattn",
  "version": "$version",
  "description": "Attention over matrix files, with every step to be seen",
  "keywords": ["attention", "transformer", "cli", "wasm"],
  "license": "MIT",
  "type": "module",
  "bin": {"selfattn": "bin.mjs"},
  "exports": {
    ".": {"types": "./index.d.ts", "default": "./index.mjs"},
    "./selfattn.wasm": "./selfattn.wasm"
  },
  "engines": {"node": ">=20"}
}
END
chmod 755 "$tree/package"
chmod 644 "$tree/package/package.json" "$tree/package/index.d.ts"
LC_ALL=C tar --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner -C "$tree" -c package | gzip -n9 >"$package"
echo "$package"
