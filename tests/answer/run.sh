#!/bin/sh
# run.sh: the same problems give the same bytes from every instruction set, thread count, compiler
# and optimisation, whole or in parts. tests/architectures asks machines of other kinds.
#
# The scalar kernels of the program as it is built are the definition: what `answer --each` prints
# with them, a hash for each stage of each problem, everything else must print too. Then two things
# that do change bits are tried, to prove that these hashes would show it.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
unset GLIBC_TUNABLES
make_scratch

# shellcheck source=tests/answer/hashes.sh
. "$tests/hashes.sh"

# ---- the definition ----

define || exit 1
if [ "$(cut -d' ' -f1 "$scratch/expected" | uniq | wc -l)" -ge 200 ]; then
    pass
else
    fail 'there are fewer than 200 problems'
fi

# ---- ways of computing ----

every_isa 'as built'
for threads in 2 3 7; do
    same "$threads threads" "$own" --threads $threads
done
part 'nothing but the output' 350 "$own" --only-output
part 'nothing but the output, 3 threads' 350 "$own" --only-output --threads 3
part 'one row at a time' 3000 "$own" --mode rows
part 'one row at a time, nothing but the output' 250 "$own" --mode rows --only-output
part 'batch entries alone' 500 "$own" --mode batch
part 'batch entries alone, nothing but the output' 40 "$own" --mode batch --only-output
same 'in a spoilt floating-point environment' "$own" --mode wrong-mode
same 'in a spoilt floating-point environment, 3 threads' "$own" --mode wrong-mode --threads 3
# Without fma as an instruction: the kernels call the C library's, which has one for old machines.
part 'with an fma that is not an instruction' 700 \
    env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4 "$own" --isa plain --every 7
# An old machine takes them by itself, and says that it lacks the others.
if [ "$(uname -m)" != x86_64 ]; then
    skip 'an old machine: only of x86-64'
elif tests/need.sh qemu-user-static; then
    old='qemu-x86_64-static -cpu qemu64'
    # shellcheck disable=SC2086 # words are meant
    part 'an old machine' 100 $old "$own" --every 31
    # shellcheck disable=SC2086 # words are meant
    $old "$own" --isa avx2 >"$scratch/got" 2>"$said"
    if [ $? = 77 ] && grep -q 'this machine does not have avx2' "$said"; then
        pass
    else
        fail "an old machine is asked for AVX2: $(cat "$said")"
    fi
else
    skip 'an old machine: no emulator here'
fi

# ---- compilers ----

# -O2 is how it is built already, but for the kernels; -Ofast is -O3 and what changes bits.
# other NAME VARIANT ARGUMENT...: another one's answers; $ANSWER_EVERY takes every so many'th.
other() {
    has_turn "${ANSWER_EVERY:-1}" || return
    name=$1
    shift
    build "$@" && every_isa "$name"
}
other 'gcc -O0' answer-gcc-O0 CC=gcc CFLAGS=-O0 KERNEL_O=-O0
other 'gcc -Ofast' answer-gcc-Ofast CC=gcc CFLAGS='-Ofast -ffp-contract=fast'
if tests/need.sh clang; then
    other 'clang -O2' answer-clang-O2 CC=clang CFLAGS=-O2 KERNEL_O=-O2
else
    skip 'clang -O2: clang is not here'
fi

# ---- what does change bits ----

# noticed CLAIM COMMAND...: more than a fifth of what it prints is not in the definition.
noticed() {
    claim=$1
    shift
    "$@" --each 2>/dev/null | grep -v '^all' | sort >"$scratch/stages"
    other=$(comm -13 "$scratch/expected" "$scratch/stages" | wc -l)
    if [ $((other * 5)) -gt "$(wc -l <"$scratch/stages")" ] && [ "$other" -gt 0 ]; then
        pass
    else
        fail "$claim goes unnoticed: $other of $(wc -l <"$scratch/stages") stages differ"
    fi
}

if "$own" --self-test >"$said"; then
    pass
else
    fail "$(cat "$said")"
fi
noticed 'a sum in another order' "$own" --mode reversed
build answer-fast-math EXACT=-ffast-math && noticed 'a build with -ffast-math' "$program"

finish
