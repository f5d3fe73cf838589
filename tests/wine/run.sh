#!/bin/sh
# run.sh [WORD]: the program for Windows, under Wine, prints what the native one prints: all answers
# of testdata, their traces, and the cases of tests/cli but those of left-out.txt, of which
# $WINE_EVERY takes every so many'th; every instruction set and four threads give all bits of the
# proof of one answer; and its files are whole, under names of Windows' kind too.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
# shellcheck source=tests/native.sh
. "$root/tests/native.sh"
make_scratch
# shellcheck source=tests/answer/hashes.sh
. "$root/tests/answer/hashes.sh"
tests/need.sh clang gcc-mingw-w64-x86-64-win32 wine64 >/dev/null 2>&1 ||
    skip_all 'nothing here that builds programs for Windows, or runs them'
clang='clang --target=x86_64-w64-mingw32' bin=build/wine/bin
export WINEDEBUG=-all WINEPREFIX="$root/build/wine/prefix"

# wine_runs FILE: writes a program that runs it.
wine_runs() {
    mkdir -p $bin
    # Names of files are UTF-8 under Wine where the locale says so.
    printf '#!/bin/sh\nLC_ALL=C.UTF-8 exec wine "%s" "$@"\n' "$root/$1" >$bin/selfattn
    chmod +x $bin/selfattn
    # The server is begun first, and stays for the thousands of starts to come: one that ends with
    # each program is begun as often, and may be missed. The first start makes the prefix, which
    # takes a while.
    mkdir -p "$WINEPREFIX"
    wineserver -k
    wineserver -w
    wineserver -p && $bin/selfattn --version
}

# linked_again: at another time, with the same bytes.
linked_again() {
    cp "$program" "$scratch/first.exe"
    rm "$program"
    sleep 1
    make windows && cmp "$program" "$scratch/first.exe"
}

# fused: fma and fmaf of millions of numbers, to the bit.
fused() {
    gcc=$(x86_64-w64-mingw32-gcc -print-libgcc-file-name)
    $clang -O1 -ffp-contract=off -o "$scratch/fma.exe" "$tests/fma.c" packaging/windows/fma.c \
        -L"${gcc%/*}" && cc -O1 -ffp-contract=off -o "$scratch/fma" "$tests/fma.c" -lm &&
        "$scratch/fma" >"$scratch/native" && wine "$scratch/fma.exe" | tr -d '\r' |
        cmp - "$scratch/native"
}

# in_folders: an output next to its temporary file, by a backslash; names that are not ASCII;
# nothing is left over.
in_folders() (
    document=$root/testdata/seeds/001-walkthrough.json
    mkdir -p "$scratch/in/Zoë" && cd "$scratch/in" || exit 1
    cp "$document" 'Zoë/Ä →.json'
    "$root/$bin/selfattn" 'Zoë\Ä →.json' -o 'Zoë\made.json' || exit 1
    selfattn "$document" | cmp - 'Zoë/made.json' && [ "$(ls -A Zoë | wc -l)" = 2 ] &&
        [ "$(ls -A)" = Zoë ]
)

# piped: in and out, with no CR.
piped() {
    "$bin/selfattn" <testdata/seeds/001-walkthrough.json | cat >"$scratch/piped"
    selfattn testdata/seeds/001-walkthrough.json | cmp - "$scratch/piped"
}

# updated: in place, as the native program does it.
updated() (
    cd "$scratch" || exit 1
    printf '{"x": [[1], [2]],\r\n "expected": {"weights": [[9, 9], [9, 9]]}}\r\n' >here.json
    cp here.json there.json
    selfattn check --update here.json && "$root/$bin/selfattn" check --update there.json &&
        cmp here.json there.json
)

# replaced: what could not be written stays as it was.
replaced() (
    cd "$scratch" || exit 1
    echo old >kept.json
    echo '{"x": [[1}' >broken.json
    mkdir -p folder.json
    ! "$root/$bin/selfattn" broken.json -o kept.json &&
        ! "$root/$bin/selfattn" "$root/testdata/seeds/001-walkthrough.json" -o folder.json &&
        [ "$(cat kept.json)" = old ] && ! ls -A | grep '^\.selfattn'
)

# too_large: what a file would take that standard output is, where a shell of Windows opened it.
too_large() (
    cd "$scratch" && cp "$root/$program" program.exe || exit 1
    yes 0 | head -n 3000000 >large.csv
    timeout 60 wine cmd /c 'program.exe -x large.csv --emit weights > large' 2>&1 |
        grep 'standard output: the data would be 36000000000000 bytes or more, over a tenth'
)

trap 'wineserver -k; rm -rf "$scratch"' EXIT
make windows >"$said" 2>&1
count 'the program is built'
program=$(ls build/selfattn-*-windows-x86_64.exe)
wine_runs "$program" >"$said" 2>&1
count 'it runs under Wine'
hold 'it is the same bytes again' linked_again
hold 'fma is rounded once' fused
hold 'files in folders, whatever their names' in_folders
hold 'a pipe in and out' piped
hold 'check --update' updated
hold 'what could not be written' replaced
hold 'more than a disk holds' too_large
hold 'an answer is not what was promised' env BUILD=$bin tests/promised/run.sh
hold 'a trace is other than the native one' check_traces $bin/selfattn
if picked 'the proof of one answer' && define && build windows CC="$clang"; then
    program=$program.exe
    every_isa 'the proof of one answer' wine
    same 'the proof of one answer, 4 threads' wine $program --threads 4
fi
hold 'a command prints other than the native one' run_cases $bin "${WINE_EVERY:-1}"
finish
