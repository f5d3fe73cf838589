/* Wide vectors in two AVX2 registers. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_AVX2_H
#define SELFATTN_KERNELS_WIDE_WIDE_AVX2_H

#include <immintrin.h>

/* 6 × 1 accumulators of two registers, one of b and a broadcast: 15 of 16 registers. */
enum { TILE_VECTORS = 1, EXP_VECTORS = 2 };

#if defined(REAL_IS_F64)
typedef __m256d half;
#define OP(name) _mm256_##name##_pd
#else
typedef __m256 half;
#define OP(name) _mm256_##name##_ps
#endif

enum { HALF_LANES = LANES / 2 };

typedef struct wide {
    half low, high;
} wide;

static inline wide wide_set(real x)
{
    return (wide){OP(set1)(x), OP(set1)(x)};
}

static inline wide wide_load(const real *from)
{
    return (wide){OP(loadu)(from), OP(loadu)(from + HALF_LANES)};
}

static inline void wide_store(real *to, wide w)
{
    OP(storeu)(to, w.low);
    OP(storeu)(to + HALF_LANES, w.high);
}

#include "kernels/wide/wide_part.h"

static inline wide wide_add(wide a, wide b)
{
    return (wide){OP(add)(a.low, b.low), OP(add)(a.high, b.high)};
}

static inline wide wide_sub(wide a, wide b)
{
    return (wide){OP(sub)(a.low, b.low), OP(sub)(a.high, b.high)};
}

static inline wide wide_mul(wide a, wide b)
{
    return (wide){OP(mul)(a.low, b.low), OP(mul)(a.high, b.high)};
}

static inline wide wide_div(wide a, wide b)
{
    return (wide){OP(div)(a.low, b.low), OP(div)(a.high, b.high)};
}

static inline wide wide_fma(wide a, wide b, wide c)
{
    return (wide){OP(fmadd)(a.low, b.low, c.low), OP(fmadd)(a.high, b.high, c.high)};
}

static inline wide wide_max(wide a, wide b)
{
    return (wide){OP(max)(a.low, b.low), OP(max)(a.high, b.high)};
}

static inline wide wide_if_less(wide a, wide b, wide yes, wide no)
{
    return (wide){OP(blendv)(no.low, yes.low, OP(cmp)(a.low, b.low, _CMP_LT_OQ)),
                  OP(blendv)(no.high, yes.high, OP(cmp)(a.high, b.high, _CMP_LT_OQ))};
}

static inline wide wide_zero_if_less(wide a, wide b, wide w)
{
    return (wide){OP(andnot)(OP(cmp)(a.low, b.low, _CMP_LT_OQ), w.low),
                  OP(andnot)(OP(cmp)(a.high, b.high, _CMP_LT_OQ), w.high)};
}

#if defined(REAL_IS_F64)
static inline half half_shift_left(half h, int count)
{
    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(h), count));
}
#else
static inline half half_shift_left(half h, int count)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(h), count));
}

typedef struct sums {
    __m256d quarter[4];
} sums;

static inline sums sums_zero(void)
{
    __m256d zero = _mm256_setzero_pd();
    return (sums){{zero, zero, zero, zero}};
}

static inline void sums_add(sums *s, const float *from)
{
    for (int i = 0; i < 4; i++)
        s->quarter[i] = _mm256_add_pd(s->quarter[i], _mm256_cvtps_pd(_mm_loadu_ps(from + 4 * i)));
}

static inline void sums_store(const sums *s, double *to)
{
    for (int i = 0; i < 4; i++)
        _mm256_storeu_pd(to + 4 * i, s->quarter[i]);
}
#endif

static inline wide wide_shift_left(wide w, int count)
{
    return (wide){half_shift_left(w.low, count), half_shift_left(w.high, count)};
}

#undef OP
#endif
