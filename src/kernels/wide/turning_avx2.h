/* As turning_avx512.h has it, for vectors in two registers, each of which takes pieces of two
 * columns, PIECE apart. */
#ifndef SELFATTN_KERNELS_WIDE_TURNING_AVX2_H
#define SELFATTN_KERNELS_WIDE_TURNING_AVX2_H

#include "kernels/wide/wide.h"

enum { PIECE = 16 / sizeof(real) };

#if defined(REAL_IS_F64)
static inline lanes of_two_columns(const real *low, const real *high)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

static inline void join_columns(const lanes *of, lanes *out)
{
    out[0] = _mm256_unpacklo_pd(of[0], of[1]);
    out[1] = _mm256_unpackhi_pd(of[0], of[1]);
}
#else
static inline lanes of_two_columns(const real *low, const real *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

static inline void join_columns(const lanes *of, lanes *out)
{
    enum { LOW_PAIRS = 0x44, HIGH_PAIRS = 0xee };
    lanes low = _mm256_unpacklo_ps(of[0], of[1]), high = _mm256_unpackhi_ps(of[0], of[1]);
    lanes lower = _mm256_unpacklo_ps(of[2], of[3]), higher = _mm256_unpackhi_ps(of[2], of[3]);
    out[0] = _mm256_shuffle_ps(low, lower, LOW_PAIRS);
    out[1] = _mm256_shuffle_ps(low, lower, HIGH_PAIRS);
    out[2] = _mm256_shuffle_ps(high, higher, LOW_PAIRS);
    out[3] = _mm256_shuffle_ps(high, higher, HIGH_PAIRS);
}
#endif

static inline void turn_piece(const real *from, ptrdiff_t column, wide *out)
{
    for (size_t part = 0; part < REGISTERS; part++, from += column * REGISTER_LANES) {
        lanes of[PIECE], joined[PIECE];
        for (ptrdiff_t i = 0; i < PIECE; i++)
            of[i] = of_two_columns(from + column * i, from + column * (PIECE + i));
        join_columns(of, joined);
        for (size_t i = 0; i < PIECE; i++)
            out[i].part[part] = joined[i];
    }
}

#endif
