/* One vector for all instruction sets: LANES numbers, 64 bytes of them, whatever the machine's own
 * registers hold. Kernels are written over it once; the folder's wide_*.h say what each function is
 * there, wide_plain.h being the definition.
 *
 * The lanes of a vector are always different elements, never parts of one sum, and each function
 * rounds each lane as the same scalar operation would: so the bits don't depend on the instruction
 * set. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_H
#define SELFATTN_KERNELS_WIDE_WIDE_H

#include "kernels/wide/real.h"

enum { LANES = 64 / sizeof(real) };

#if defined(WIDE_AVX512)
#include "kernels/wide/wide_avx512.h"
#else
#include "kernels/wide/wide_registers.h"
#endif

static inline wide wide_zero(void)
{
    return wide_set(0);
}

/* A sum without loss in each lane: sum + rest = a + b exactly (Knuth, The Art of Computer
 * Programming 2, 4.2.2, theorem B). */
typedef struct wide_pair {
    wide sum, rest;
} wide_pair;

static inline wide_pair wide_two_sum(wide a, wide b)
{
    wide sum = wide_add(a, b);
    wide b_part = wide_sub(sum, a);
    wide a_part = wide_sub(sum, b_part);
    return (wide_pair){sum, wide_add(wide_sub(a, a_part), wide_sub(b, b_part))};
}

/* All lanes, or the first `count` of them. */
static inline wide wide_load_some(const real *from, size_t count, real otherwise)
{
    return count >= LANES ? wide_load(from) : wide_load_part(from, count, otherwise);
}

static inline void wide_store_some(real *to, wide w, size_t count)
{
    if (count >= LANES)
        wide_store(to, w);
    else
        wide_store_part(to, w, count);
}

#endif
