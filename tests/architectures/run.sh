#!/bin/sh
# run.sh [WORD]: machines of other kinds give the same bytes, each in an emulator: big-endian, of 32
# bits, with an fma that is the C library's, with numbers of other formats.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/answer/hashes.sh
. "$root/tests/answer/hashes.sh"
tests/need.sh qemu-user-static || skip_all 'no emulator here'
define || exit 1

# elsewhere NAME COMPILER EMULATOR LIBRARY: what any machine computes there, by one thread and by
# three, a row at a time, and by the instruction sets that it has.
elsewhere() {
    picked "$1" || return
    if ! tests/need.sh "gcc-$2" "$4"; then
        skip "$1: no cross compiler here"
        return
    fi
    build "answer-$1" CC="$2-gcc" LDFLAGS=-static || return
    for isa in $($3 "$program" --isas); do
        part "$1, $isa" 700 "$3" "$program" --isa "$isa" --every 7
    done
    part "$1, 3 threads" 400 "$3" "$program" --threads 3 --every 11
    part "$1, one row at a time" 100 "$3" "$program" --mode rows --every 31
}

elsewhere s390x s390x-linux-gnu qemu-s390x-static libc6-dev-s390x-cross
elsewhere riscv64 riscv64-linux-gnu qemu-riscv64-static libc6-dev-riscv64-cross
elsewhere ppc64le powerpc64le-linux-gnu qemu-ppc64le-static libc6-dev-ppc64el-cross
elsewhere armhf arm-linux-gnueabihf qemu-arm-static libc6-dev-armhf-cross
elsewhere i386 i686-linux-gnu qemu-i386-static libc6-dev-i386-cross
finish
