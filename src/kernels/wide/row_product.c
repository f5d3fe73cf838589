/* One row times a matrix that is read once, as it lies in memory: nothing is packed, so what a
 * token costs is the reading of the weights.
 *
 *     c[j] = fma(a[p], b[p][j], c[j])   for p = 0, 1, …
 *
 * as a product has it: chains wait in c or in a register, and are never split. */
#include "base/prefetch.h"
#include "kernels/wide/panel.h"
#include "kernels/wide/turning.h"
#include "kernels/wide/widening.h"

static const char *place_of(const tensor *b, size_t row, size_t column)
{
    ptrdiff_t bytes = (ptrdiff_t)dtype_size(b->type);
    return (const char *)b->data +
           bytes * (b->stride[0] * (ptrdiff_t)row + b->stride[1] * (ptrdiff_t)column);
}

/* The elements of a row from one place on, as this type's. */
static void fill_room(const tensor *b, size_t row, size_t column, size_t count, real *room)
{
    for (size_t i = 0; i < count; i++)
        widen(b->type, place_of(b, row, column + i), 1, room + i);
}

/* ---- rows side by side in memory ---- */

/* Rows that are added at once, and the numbers of c that they are added to, which stay in a
 * first-level cache: so many rows, and runs so long, that a processor's own prefetching keeps all
 * its requests for memory busy. Asking for rows ahead takes such requests away, and is slower. */
enum { ROWS_AT_ONCE = 16, WIDTH_AT_ONCE = 512 };

/* Some columns of these rows: in place, or widened in a room. */
typedef struct few_lines {
    dtype type;
    const char *from;
    ptrdiff_t apart; /* bytes from one row to the next */
    size_t rows, width;
    bool is_first, is_last;
} few_lines;

/* Rows side by side of one type, which is a constant, as `rows` is where all are there. */
static inline __attribute__((always_inline)) void add_lines(dtype type, const few_lines *l,
                                                            const real *a, size_t rows, real *c)
{
    const size_t width = l->width, bytes = dtype_size(type);
    const ptrdiff_t apart = l->apart;
    size_t j = 0;
    for (; j + LANES <= width; j += LANES) {
        const char *from = l->from + j * bytes;
        wide sum = l->is_first ? wide_zero() : wide_load(c + j);
        for (size_t i = 0; i < rows; i++)
            sum = wide_fma(wide_set(a[i]), wide_widened(type, from + (ptrdiff_t)i * apart), sum);
        wide_store(c + j, l->is_last ? wide_add(sum, wide_zero()) : sum);
    }
    for (; j < width; j++) {
        const char *from = l->from + j * bytes;
        real sum = l->is_first ? 0 : c[j], one;
        for (size_t i = 0; i < rows; i++) {
            widen(type, from + (ptrdiff_t)i * apart, 1, &one);
            sum = fused(a[i], one, sum);
        }
        c[j] = l->is_last ? sum + (real)0 : sum;
    }
}

static inline __attribute__((always_inline)) void add_lines_of(dtype type, const few_lines *l,
                                                               const real *a, real *c)
{
    if (l->rows == ROWS_AT_ONCE)
        add_lines(type, l, a, ROWS_AT_ONCE, c);
    else
        add_lines(type, l, a, l->rows, c);
}

static void scale_rows(const real *a, const tensor *b, size_t row, real *c)
{
    real room[ROWS_AT_ONCE][WIDTH_AT_ONCE];
    size_t depth = b->size[0], rows = at_most(depth - row, ROWS_AT_ONCE);
    bool is_run = b->stride[1] == 1;
    const dtype type = is_run ? b->type : REAL_TYPE;
    const ptrdiff_t apart = is_run ? b->stride[0] : WIDTH_AT_ONCE;
    few_lines l = {.type = type,
                   .apart = apart * (ptrdiff_t)dtype_size(type),
                   .rows = rows,
                   .is_first = row == 0,
                   .is_last = row + rows == depth};
    for (size_t j = 0; j < b->size[1]; j += WIDTH_AT_ONCE) {
        l.width = at_most(b->size[1] - j, WIDTH_AT_ONCE);
        l.from = is_run ? place_of(b, row, j) : (const char *)room;
        for (size_t i = 0; i < rows && !is_run; i++)
            fill_room(b, row + i, j, l.width, room[i]);
        if (type == REAL_TYPE)
            add_lines_of(REAL_TYPE, &l, a + row, c + j);
        else if (type == DTYPE_BF16)
            add_lines_of(DTYPE_BF16, &l, a + row, c + j);
        else if (type == DTYPE_F16)
            add_lines_of(DTYPE_F16, &l, a + row, c + j);
        else
            add_lines_of(DTYPE_F32_ANYWHERE, &l, a + row, c + j);
    }
}

/* ---- columns side by side in memory ---- */

/* Rows that are multiplied at a time for a vector of columns; the next ones are prefetched. */
enum { DEPTH_AT_ONCE = 64 };

/* LANES columns of these rows, in place, or in `room` with zeros around them. */
typedef struct few_columns {
    const real *from;
    ptrdiff_t apart;   /* numbers from one column to the next */
    bool are_in_pairs; /* each number is two bfloat16 of two rows */
} few_columns;

static bool lie_in_pairs(const tensor *b)
{
    return b->type == DTYPE_BF16 && REAL_TYPE == DTYPE_F32 && b->stride[1] % 2 == 0 &&
           __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static few_columns columns_of(const tensor *b, size_t row, size_t column, size_t depth,
                              real room[LANES][DEPTH_AT_ONCE])
{
    size_t width = at_most(b->size[1] - column, LANES);
    const real *in_place = (const real *)(const void *)place_of(b, row, column);
    const bool is_aligned = (uintptr_t)in_place % sizeof(real) == 0;
    if (width == LANES && is_aligned && lie_in_pairs(b) && depth % (2 * PIECE) == 0)
        return (few_columns){in_place, b->stride[1] / 2, true};
    bool is_whole = width == LANES && depth % PIECE == 0;
    if (dtype_size(b->type) == sizeof(real) && is_whole)
        return (few_columns){in_place, b->stride[1], false};
    if (!is_whole)
        memset(room, 0, LANES * sizeof room[0]);
    for (size_t i = 0; i < width; i++) {
        const char *from = place_of(b, row, column + i);
        if (depth == DEPTH_AT_ONCE) /* a constant */
            widen(b->type, from, DEPTH_AT_ONCE, room[i]);
        else
            widen(b->type, from, depth, room[i]);
    }
    return (few_columns){room[0], DEPTH_AT_ONCE, false};
}

static inline __attribute__((always_inline)) wide sum_piece(const real *a, const wide *piece,
                                                            size_t rows, wide sum)
{
    for (size_t i = 0; i < rows; i++)
        sum = wide_fma(wide_set(a[i]), piece[i], sum);
    return sum;
}

/* A bfloat16 is the upper half of a float32. */
static wide sum_pairs(const real *a, const few_columns *c, size_t depth, wide sum)
{
    const int HALF = 16;
    const real_bits UPPER = (real_bits)0xffff0000u;
    wide piece[PIECE];
    for (size_t p = 0; p < depth; p += 2 * PIECE) {
        turn_piece(c->from + p / 2, c->apart, piece);
        for (size_t i = 0; i < PIECE; i++) {
            sum = wide_fma(wide_set(a[p + 2 * i]), wide_shift_left(piece[i], HALF), sum);
            sum = wide_fma(wide_set(a[p + 2 * i + 1]), wide_keep_bits(piece[i], UPPER), sum);
        }
    }
    return sum;
}

static wide sum_part(const real *a, const tensor *b, size_t row, size_t column, size_t depth,
                     wide sum)
{
    real room[LANES][DEPTH_AT_ONCE];
    wide piece[PIECE];
    size_t p = 0;
    const few_columns c = columns_of(b, row, column, depth, room);
    if (c.are_in_pairs)
        return sum_pairs(a, &c, depth, sum);
    for (; p + PIECE <= depth; p += PIECE) {
        turn_piece(c.from + p, c.apart, piece);
        sum = sum_piece(a + p, piece, PIECE, sum);
    }
    if (p == depth)
        return sum;
    turn_piece(c.from + p, c.apart, piece);
    return sum_piece(a + p, piece, depth - p, sum);
}

/* The next of these columns' rows, or the first of the columns after them: no further, or they are
 * gone from the cache again. */
static inline __attribute__((always_inline)) void ask_for_columns(const tensor *b, size_t row,
                                                                  size_t column)
{
    const size_t depth = at_most(b->size[0] - row, DEPTH_AT_ONCE);
    for (size_t i = column; i < at_most(column + LANES, b->size[1]); i++)
        ask_for(place_of(b, row, i), depth * dtype_size(b->type));
}

static void sum_columns(const real *a, const tensor *b, size_t column, real *c)
{
    wide sum = wide_zero();
    for (size_t row = 0; row < b->size[0]; row += DEPTH_AT_ONCE) {
        size_t depth = at_most(b->size[0] - row, DEPTH_AT_ONCE);
        bool is_last = row + depth == b->size[0];
        ask_for_columns(b, is_last ? 0 : row + depth, is_last ? column + LANES : column);
        sum = sum_part(a + row, b, row, column, depth, sum);
    }
    wide_store_some(c + column, wide_add(sum, wide_zero()), b->size[1] - column);
}

/* ---- the whole ---- */

void KERNEL(row_product)(const void *a, const tensor *b, void *c)
{
    if (b->stride[0] == 1 && b->stride[1] != 1) {
        for (size_t j = 0; j < b->size[1]; j += LANES)
            sum_columns(a, b, j, c);
        return;
    }
    for (size_t p = 0; p < b->size[0]; p += ROWS_AT_ONCE)
        scale_rows(a, b, p, c);
    if (b->size[0] == 0)
        memset(c, 0, b->size[1] * sizeof(real));
}
