/* A register of AVX2. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_AVX2_H
#define SELFATTN_KERNELS_WIDE_WIDE_AVX2_H

#include <immintrin.h>

/* 6 × 1 accumulators of two registers, one of b and a broadcast: 15 of 16 registers. */
enum { TILE_VECTORS = 1, EXP_VECTORS = 2 };

#if defined(REAL_IS_F64)
typedef __m256d lanes;
#define OP(name) _mm256_##name##_pd
#else
typedef __m256 lanes;
typedef __m256d double_lanes;
#define OP(name) _mm256_##name##_ps

/* Numbers of float32 that fill a register of float64. */
static inline double_lanes lanes_widened(const float *from)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(from));
}
#endif

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return OP(fmadd)(a, b, c);
}

static inline lanes lanes_max(lanes a, lanes b)
{
    return OP(max)(a, b);
}

static inline lanes lanes_if_less(lanes a, lanes b, lanes yes, lanes no)
{
    return OP(blendv)(no, yes, OP(cmp)(a, b, _CMP_LT_OQ));
}

#undef OP
#endif
