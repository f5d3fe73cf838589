/* Vectors in several registers: what all instruction sets do alike with those, which are the
 * compiler's own vectors. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_REGISTERS_H
#define SELFATTN_KERNELS_WIDE_WIDE_REGISTERS_H

#if defined(WIDE_AVX2)
#include "kernels/wide/wide_avx2.h"
#else
#include "kernels/wide/wide_plain.h"
#endif

enum { REGISTERS = 64 / sizeof(lanes), REGISTER_LANES = LANES / REGISTERS };

typedef lanes lanes_anywhere __attribute__((aligned(sizeof(real)), may_alias));
typedef real_bits lanes_bits __attribute__((vector_size(sizeof(lanes))));

typedef struct wide {
    lanes part[REGISTERS];
} wide;

static inline wide wide_set(real x)
{
    wide w;
    for (size_t i = 0; i < REGISTERS; i++)
        w.part[i] = x - (lanes){0};
    return w;
}

static inline wide wide_load(const real *from)
{
    wide w;
    for (size_t i = 0; i < REGISTERS; i++)
        w.part[i] = *(const lanes_anywhere *)(const void *)(from + i * REGISTER_LANES);
    return w;
}

static inline void wide_store(real *to, wide w)
{
    for (size_t i = 0; i < REGISTERS; i++)
        *(lanes_anywhere *)(void *)(to + i * REGISTER_LANES) = w.part[i];
}

static inline wide wide_add(wide a, wide b)
{
    for (size_t i = 0; i < REGISTERS; i++)
        a.part[i] += b.part[i];
    return a;
}

static inline wide wide_sub(wide a, wide b)
{
    for (size_t i = 0; i < REGISTERS; i++)
        a.part[i] -= b.part[i];
    return a;
}

static inline wide wide_mul(wide a, wide b)
{
    for (size_t i = 0; i < REGISTERS; i++)
        a.part[i] *= b.part[i];
    return a;
}

static inline wide wide_div(wide a, wide b)
{
    for (size_t i = 0; i < REGISTERS; i++)
        a.part[i] /= b.part[i];
    return a;
}

/* a·b + c, rounded once */
static inline wide wide_fma(wide a, wide b, wide c)
{
    for (size_t i = 0; i < REGISTERS; i++)
        a.part[i] = lanes_fma(a.part[i], b.part[i], c.part[i]);
    return a;
}

/* a > b ? a : b; b where either is NaN */
static inline wide wide_max(wide a, wide b)
{
    for (size_t i = 0; i < REGISTERS; i++)
        a.part[i] = lanes_max(a.part[i], b.part[i]);
    return a;
}

/* a < b ? yes : no; no where either is NaN */
static inline wide wide_if_less(wide a, wide b, wide yes, wide no)
{
    for (size_t i = 0; i < REGISTERS; i++)
        a.part[i] = lanes_if_less(a.part[i], b.part[i], yes.part[i], no.part[i]);
    return a;
}

/* The bits of each lane, `count` places to the left. */
static inline wide wide_shift_left(wide w, int count)
{
    for (size_t i = 0; i < REGISTERS; i++)
        w.part[i] = (lanes)((lanes_bits)w.part[i] << (real_bits)count);
    return w;
}

/* The bits of each lane that `kept` has too. */
static inline wide wide_keep_bits(wide w, real_bits kept)
{
    for (size_t i = 0; i < REGISTERS; i++)
        w.part[i] = (lanes)((lanes_bits)w.part[i] & kept);
    return w;
}

/* By way of all lanes: there are no instructions for a part of them. */
static inline wide wide_load_part(const real *from, size_t count, real otherwise)
{
    real lane[LANES];
    for (size_t l = 0; l < LANES; l++)
        lane[l] = l < count ? from[l] : otherwise;
    return wide_load(lane);
}

static inline void wide_store_part(real *to, wide w, size_t count)
{
    memcpy(to, &w, count * sizeof(real));
}

#endif
