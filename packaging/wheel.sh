#!/bin/sh
# wheel.sh PROGRAM...: packs each, a program that runs on any Linux, as a wheel for Python next to
# it, with the module of packaging/python. It needs no C library, so one wheel is for all of them.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*SELFATTN_VERSION "\(.*\)"/\1/p' src/cli/version.h)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# record FILE: its line in RECORD, where a hash is base64 as for addresses.
record() {
    printf '%s,sha256=%s,%d\n' "$1" "$(sha256sum "$tree/$1" | cut -d' ' -f1 | tr a-f A-F |
        basenc -d --base16 | basenc --base64url | tr -d =)" "$(wc -c <"$tree/$1")"
}

for program; do
    machine=${program##*-linux-}
    tags="manylinux_2_17_$machine manylinux2014_$machine musllinux_1_1_$machine"
    folder=$(cd "$(dirname "$program")" && pwd)
    wheel=$folder/selfattn-$version-py3-none-$(echo "$tags" | tr ' ' .).whl
    script=selfattn-$version.data/scripts/selfattn info=selfattn-$version.dist-info
    rm -rf "$wheel" "${tree:?}"/*
    install -D -m 755 "$program" "$tree/$script"
    install -D -m 644 -t "$tree" packaging/python/selfattn.py
    install -D -m 644 -t "$tree/$info" LICENSE
    {
        cat <<END
Metadata-Version: 2.1
Name: selfattn
Version: $version
Summary: Attention over matrix files, with every step to be seen
License: MIT
License-File: LICENSE
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.8
Description-Content-Type: text/markdown

END
        cat README.md
    } >"$tree/$info/METADATA"
    {
        printf 'Wheel-Version: 1.0\nGenerator: selfattn\nRoot-Is-Purelib: false\n'
        # shellcheck disable=SC2086 # words are meant
        printf 'Tag: py3-none-%s\n' $tags
    } >"$tree/$info/WHEEL"
    files="selfattn.py $script $info/LICENSE $info/METADATA $info/WHEEL"
    { for file in $files; do record "$file"; done && echo "$info/RECORD,,"; } >"$tree/$info/RECORD"
    chmod 644 "$tree/$info"/*
    # shellcheck disable=SC2086 # words are meant
    (cd "$tree" && export TZ=UTC && touch -d "@$SOURCE_DATE_EPOCH" $files "$info/RECORD" &&
        echo "$files" "$info/RECORD" | tr ' ' '\n' | zip -q -9 -X "$wheel" -@)
    echo "$wheel"
done
