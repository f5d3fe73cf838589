#!/bin/sh
# run.sh [WORD]: machines of other kinds give the same bytes, each in an emulator: big-endian, of 32
# bits, with an fma that is the C library's, with numbers of other formats. So do another C library,
# and a compiler that sees all files at once.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/answer/hashes.sh
. "$root/tests/answer/hashes.sh"
define || exit 1

# elsewhere NAME COMPILER EMULATOR PACKAGE...: what any machine computes there, by one thread and by
# three, a row at a time, and by the instruction sets that it has.
elsewhere() {
    picked "$1" || return
    where=$1 compiler=$2 emulator=$3
    shift 3
    if ! tests/need.sh "$@"; then
        skip "$where: no such compiler here, or no emulator"
        return
    fi
    build "answer-$where" CC="$compiler" LDFLAGS=-static || return
    set -- "$where" "$compiler" "$emulator"
    for isa in $($3 "$program" --isas); do
        part "$1, $isa" 700 "$3" "$program" --isa "$isa" --every 7
    done
    part "$1, 3 threads" 400 "$3" "$program" --threads 3 --every 11
    part "$1, one row at a time" 100 "$3" "$program" --mode rows --every 31
}

# cross NAME KIND EMULATOR LIBRARY: of Debian's cross compilers.
cross() {
    elsewhere "$1" "$2-gcc" "$3" qemu-user-static "gcc-$2" "$4"
}

cross s390x s390x-linux-gnu qemu-s390x-static libc6-dev-s390x-cross
cross riscv64 riscv64-linux-gnu qemu-riscv64-static libc6-dev-riscv64-cross
cross ppc64le powerpc64le-linux-gnu qemu-ppc64le-static libc6-dev-ppc64el-cross
cross armhf arm-linux-gnueabihf qemu-arm-static libc6-dev-armhf-cross
cross i386 i686-linux-gnu qemu-i386-static libc6-dev-i386-cross
elsewhere musl musl-gcc env musl-tools
if picked 'all at once'; then
    build answer-lto CC=gcc CFLAGS='-O2 -flto=auto' LDFLAGS=-flto=auto && every_isa 'all at once'
fi
finish
