/* Columns that lie along memory, put down as rows `pitch` numbers apart, which kernels read. */
#ifndef SELFATTN_KERNELS_WIDE_TURNING_H
#define SELFATTN_KERNELS_WIDE_TURNING_H

#include "kernels/wide/wide.h"

#if !__has_builtin(__builtin_shufflevector)
#error "GCC 12 or clang is needed, whose vectors can be shuffled"
#endif

/* A column at a time, so that a transposed matrix is read along its memory. */
static inline void turn_column(const real *from, ptrdiff_t step, size_t depth, real *to,
                               size_t pitch)
{
    for (size_t p = 0; p < depth; p++)
        to[p * pitch] = from[step * (ptrdiff_t)p];
}

/* Four columns that lie along memory become four elements of each row of the panel, 4 × 4 at a time
 * in the compiler's own vectors. */
enum { TURNED = 4 };

typedef real four __attribute__((vector_size(TURNED * sizeof(real))));

static inline void turn_square(const real *from, ptrdiff_t column, real *to, size_t pitch)
{
    four a, b, c, d;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + column, sizeof b);
    memcpy(&c, from + 2 * column, sizeof c);
    memcpy(&d, from + 3 * column, sizeof d);
    four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
         cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    four ab_behind = __builtin_shufflevector(a, b, 2, 6, 3, 7),
         cd_behind = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab_behind, cd_behind, 0, 1, 4, 5);
    d = __builtin_shufflevector(ab_behind, cd_behind, 2, 3, 6, 7);
    memcpy(to, &a, sizeof a);
    memcpy(to + pitch, &b, sizeof b);
    memcpy(to + 2 * pitch, &c, sizeof c);
    memcpy(to + 3 * pitch, &d, sizeof d);
}

static inline void turn_columns(const real *from, ptrdiff_t column, size_t depth, real *to,
                                size_t pitch)
{
    size_t p = 0;
    for (; p + TURNED <= depth; p += TURNED)
        turn_square(from + p, column, to + p * pitch, pitch);
    for (size_t j = 0; j < TURNED; j++)
        turn_column(from + column * (ptrdiff_t)j + p, 1, depth - p, to + p * pitch + j, pitch);
}

/* PIECE numbers of each of LANES columns, as vectors that have one of each. */
#if defined(WIDE_AVX512)
#include "kernels/wide/turning_avx512.h"
#elif defined(WIDE_AVX2)
#include "kernels/wide/turning_avx2.h"
#else
enum { PIECE = TURNED };

static inline void turn_piece(const real *from, ptrdiff_t column, wide *out)
{
    real row[PIECE][LANES];
    for (size_t j = 0; j < LANES; j += TURNED)
        turn_square(from + column * (ptrdiff_t)j, column, row[0] + j, LANES);
    for (size_t i = 0; i < PIECE; i++)
        out[i] = wide_load(row[i]);
}
#endif

/* LANES columns become a vector of each row. */
static inline void turn_wide(const real *from, ptrdiff_t column, size_t depth, real *to,
                             size_t pitch)
{
    wide row[PIECE];
    size_t p = 0;
    for (; p + PIECE <= depth; p += PIECE) {
        turn_piece(from + p, column, row);
        for (size_t i = 0; i < PIECE; i++)
            wide_store(to + (p + i) * pitch, row[i]);
    }
    for (size_t j = 0; p < depth && j < LANES; j++)
        turn_column(from + column * (ptrdiff_t)j + p, 1, depth - p, to + p * pitch + j, pitch);
}

#endif
