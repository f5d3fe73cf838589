#!/bin/sh
# run.sh [WORD]: machines of other kinds give the same bytes, each in an emulator: big-endian, of 32
# bits, without threads, with an fma that is the C library's, with numbers of other formats, with
# other wide instructions. So do another C library, and a compiler that sees all files at once. Of
# these $ARCHITECTURES_EVERY takes every so many'th.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/answer/hashes.sh
. "$root/tests/answer/hashes.sh"
define || exit 1
every=${ARCHITECTURES_EVERY:-1}

# With what stands in for libraries, of which there are none of the machine's kind.
alone=1

# elsewhere NAME COMPILER EMULATOR PACKAGE...: what any machine computes there, by one thread and by
# three, a row at a time, and by the instruction sets that it has.
# shellcheck disable=SC2086 # words are meant
elsewhere() {
    where=$1 compiler=$2 emulator=$3
    { picked "$where" && has_turn "$every"; } || return
    shift 3
    if ! tests/need.sh "$@"; then
        skip "$where: no such compiler here, or no emulator"
        return 1
    fi
    build "answer-$where" CC="$compiler" LDFLAGS=-static ALONE=$alone || return
    for isa in $($emulator "$program" --isas); do
        part "$where, $isa" 700 $emulator "$program" --isa "$isa" --every 7
    done
    part "$where, 3 threads" 400 $emulator "$program" --threads 3 --every 11
    part "$where, one row at a time" 100 $emulator "$program" --mode rows --every 31
    part "$where, in a spoilt floating-point environment" 100 \
        $emulator "$program" --mode wrong-mode --threads 2 --every 31
}

# write FOLDER PROGRAM FROM: a matrix in every format, unless it is there, and results of FROM's.
write() {
    mkdir -p "$1"
    for format in npy npz safetensors csv json jsonl; do
        (cd "$1" || exit
            [ -e x.$format ] ||
                "$2" init --quiet --seed 5 --draw x --tokens 9 --width 5 -o x.$format
            "$2" run --quiet -x "$3/x.$format" --emit output -o output.$format)
    done
}

# whole TABLE...: there the program itself prints what it must in these tables of tests/cli, and
# every eighth of the answers that were promised; what it writes is what is written here, and each
# reads what the other has written.
whole() {
    built=build/answer-$where
    build "answer-$where" CC="$compiler" LDFLAGS=-static ALONE=1 "$built/selfattn" || return
    mkdir -p "$built/whole"
    printf '#!/bin/sh\nexec timeout 60 %s "%s" "$@"\n' "$emulator" "$root/$built/selfattn" \
        >"$built/whole/selfattn"
    chmod +x "$built/whole/selfattn"
    TABLES=$* BUILD=$built/whole build/release/cli >"$said"
    count "$where: a command prints other than here"
    here=$scratch/here there=$scratch/$where
    write "$here" "$root/build/release/selfattn" "$here"
    write "$there" "$root/$built/whole/selfattn" "$here"
    diff -r "$here" "$there" >"$said" 2>&1
    count "$where: a file is not the one that is written here"
    write "$there" "$root/build/release/selfattn" "$there"
    diff -r "$here" "$there" >"$said" 2>&1
    count "$where: a file from there is read otherwise here"
    awk 'NR % 8 == 3' tests/promised/answers.txt | while read -r hash line; do
        # shellcheck disable=SC2086 # words are meant
        got=$("$built/whole/selfattn" $line --quiet </dev/null 2>/dev/null | sha256sum | cut -c1-32)
        [ "$got" = "$hash" ] || echo "selfattn $line"
    done >"$said"
    [ ! -s "$said" ]
    count "$where: an answer is not the one that was promised"
}

# cross NAME KIND EMULATOR LIBRARY: of Debian's cross compilers.
cross() {
    elsewhere "$1" "$2-gcc" "$3" qemu-user-static "gcc-$2" "$4"
}

[ "$(uname -m)" = aarch64 ] ||
    cross aarch64 aarch64-linux-gnu qemu-aarch64-static libc6-dev-arm64-cross
cross s390x s390x-linux-gnu qemu-s390x-static libc6-dev-s390x-cross &&
    whole init npz # a file of numbers that are turned round is read before other sizes
cross riscv64 riscv64-linux-gnu qemu-riscv64-static libc6-dev-riscv64-cross
cross ppc64le powerpc64le-linux-gnu qemu-ppc64le-static libc6-dev-ppc64el-cross
cross armhf arm-linux-gnueabihf qemu-arm-static libc6-dev-armhf-cross
cross i386 i686-linux-gnu qemu-i386-static libc6-dev-i386-cross
node='node --no-warnings --experimental-wasi-unstable-preview1'
elsewhere wasm32-wasi 'clang --target=wasm32-wasi' "$node $tests/wasi.mjs" \
    nodejs clang lld wasi-libc libclang-rt-dev-wasm32 &&
    whole npz blank # so is one that is not mapped
alone= # its compiler sees no library's headers, and this program needs none
elsewhere musl musl-gcc env musl-tools
if picked 'all at once' && has_turn "$every"; then
    build answer-lto CC=gcc CFLAGS='-O2 -flto=auto' LDFLAGS=-flto=auto && every_isa 'all at once'
fi
finish
