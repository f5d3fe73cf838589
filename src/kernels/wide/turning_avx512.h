/* Columns turned in registers, 16 bytes of each at a time: a register takes such pieces of four
 * columns, PIECE apart; joined number by number with its neighbours (float32: then pair by pair),
 * these lie as the rows have them. */
#ifndef SELFATTN_KERNELS_WIDE_TURNING_AVX512_H
#define SELFATTN_KERNELS_WIDE_TURNING_AVX512_H

#include "kernels/wide/wide.h"

enum { PIECE = 16 / sizeof(real), QUARTERS = 4 };

#if defined(REAL_IS_F64)
static inline wide with_quarter(wide w, size_t quarter, const real *from)
{
    return _mm512_mask_broadcast_f64x2(w, (__mmask8)(0x3 << 2 * quarter), _mm_loadu_pd(from));
}

static inline void join_columns(const wide *of, wide *out)
{
    out[0] = _mm512_unpacklo_pd(of[0], of[1]);
    out[1] = _mm512_unpackhi_pd(of[0], of[1]);
}
#else
static inline wide with_quarter(wide w, size_t quarter, const real *from)
{
    return _mm512_mask_broadcast_f32x4(w, (__mmask16)(0xf << 4 * quarter), _mm_loadu_ps(from));
}

static inline wide low_pairs(wide a, wide b)
{
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

static inline wide high_pairs(wide a, wide b)
{
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

static inline void join_columns(const wide *of, wide *out)
{
    wide low = _mm512_unpacklo_ps(of[0], of[1]), high = _mm512_unpackhi_ps(of[0], of[1]);
    wide lower = _mm512_unpacklo_ps(of[2], of[3]), higher = _mm512_unpackhi_ps(of[2], of[3]);
    out[0] = low_pairs(low, lower);
    out[1] = high_pairs(low, lower);
    out[2] = low_pairs(high, higher);
    out[3] = high_pairs(high, higher);
}
#endif

static inline void turn_piece(const real *from, ptrdiff_t column, wide *out)
{
    wide of[PIECE];
    for (size_t i = 0; i < PIECE; i++) {
        of[i] = wide_zero();
        for (size_t quarter = 0; quarter < QUARTERS; quarter++)
            of[i] = with_quarter(of[i], quarter, from + column * (ptrdiff_t)(PIECE * quarter + i));
    }
    join_columns(of, out);
}

#endif
