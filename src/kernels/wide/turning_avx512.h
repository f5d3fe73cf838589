/* Squares of LANES × LANES numbers turned in registers: row i of column j becomes row j of column
 * i.
 *
 * Pairs of rows are joined number by number, for float32 pairs of those too: then each 16 bytes of
 * a register are a piece of one row of the result, and two rounds of moving 16 bytes at a time
 * bring the four pieces together. */
#ifndef SELFATTN_KERNELS_WIDE_TURNING_AVX512_H
#define SELFATTN_KERNELS_WIDE_TURNING_AVX512_H

#include "kernels/wide/wide.h"

enum { PIECE = 16 / sizeof(real) };

/* turn_pieces: from PIECE rows on, out[k] has, in its 16 bytes number m, the rows' numbers
 * m·PIECE + k. */
#if defined(REAL_IS_F64)
#define MOVE(a, b, which) _mm512_shuffle_f64x2(a, b, which)

static inline void turn_pieces(const wide *row, wide *out)
{
    out[0] = _mm512_unpacklo_pd(row[0], row[1]);
    out[1] = _mm512_unpackhi_pd(row[0], row[1]);
}
#else
#define MOVE(a, b, which) _mm512_shuffle_f32x4(a, b, which)

static inline wide low_pairs(wide a, wide b)
{
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

static inline wide high_pairs(wide a, wide b)
{
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

static inline void turn_pieces(const wide *row, wide *out)
{
    wide low = _mm512_unpacklo_ps(row[0], row[1]), high = _mm512_unpackhi_ps(row[0], row[1]);
    wide lower = _mm512_unpacklo_ps(row[2], row[3]), higher = _mm512_unpackhi_ps(row[2], row[3]);
    out[0] = low_pairs(low, lower);
    out[1] = high_pairs(low, lower);
    out[2] = low_pairs(high, higher);
    out[3] = high_pairs(high, higher);
}
#endif

static inline void turn_square_of_lanes(const real *from, ptrdiff_t column, real *to, size_t pitch)
{
    enum { EVEN = 0x88, ODD = 0xdd }; /* 16 bytes number 0 and 2 of each, 1 and 3 */
    wide row[LANES], piece[LANES];
    for (size_t i = 0; i < LANES; i++)
        row[i] = wide_load(from + column * (ptrdiff_t)i);
    for (size_t i = 0; i < LANES; i += PIECE)
        turn_pieces(row + i, piece + i);
    for (size_t k = 0; k < PIECE; k++) {
        const wide *of = piece + k;
        wide even = MOVE(of[0], of[PIECE], EVEN), odd = MOVE(of[0], of[PIECE], ODD);
        wide even_behind = MOVE(of[2 * PIECE], of[3 * PIECE], EVEN);
        wide odd_behind = MOVE(of[2 * PIECE], of[3 * PIECE], ODD);
        wide_store(to + pitch * k, MOVE(even, even_behind, EVEN));
        wide_store(to + pitch * (PIECE + k), MOVE(odd, odd_behind, EVEN));
        wide_store(to + pitch * (2 * PIECE + k), MOVE(even, even_behind, ODD));
        wide_store(to + pitch * (3 * PIECE + k), MOVE(odd, odd_behind, ODD));
    }
}

/* Whole squares of LANES columns; how many rows they have. */
static inline size_t turn_squares(const real *from, ptrdiff_t column, size_t depth, real *to,
                                  size_t pitch)
{
    size_t p = 0;
    for (; p + LANES <= depth; p += LANES)
        turn_square_of_lanes(from + p, column, to + p * pitch, pitch);
    return p;
}

#undef MOVE
#endif
