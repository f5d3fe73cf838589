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

/* The elements from one place on along `axis`: in place if they are contiguous and of this type,
 * else copied into `room`. */
static const real *line_of(const tensor *b, size_t row, size_t column, int axis, size_t count,
                           real *room)
{
    ptrdiff_t step = b->stride[axis], bytes = (ptrdiff_t)dtype_size(b->type);
    const char *from = place_of(b, row, column);
    if (b->type == REAL_TYPE && step == 1)
        return (const real *)(const void *)from;
    if (step == 1)
        widen(b->type, from, count, room);
    for (size_t i = 0; step != 1 && i < count; i++, from += bytes * step) {
        if (b->type == REAL_TYPE)
            memcpy(room + i, from, sizeof(real));
        else
            widen(b->type, from, 1, room + i);
    }
    return room;
}

/* ---- rows side by side in memory ---- */

/* Rows that are added at once, the numbers of c that they are added to, which stay in a first-level
 * cache with what is widened, and how many rows ahead memory is prefetched. */
enum { ROWS_AT_ONCE = 8, WIDTH_AT_ONCE = 128, ROWS_AHEAD = 16 };

static inline __attribute__((always_inline)) void add_lines(const real *a, const real *const *line,
                                                            size_t rows, size_t width, real *c,
                                                            bool is_first, bool is_last)
{
    for (size_t j = 0; j < width; j += LANES) {
        wide sum = is_first ? wide_zero() : wide_load_some(c + j, width - j, 0);
        for (size_t i = 0; i < rows; i++)
            sum = wide_fma(wide_set(a[i]), wide_load_some(line[i] + j, width - j, 0), sum);
        wide_store_some(c + j, is_last ? wide_add(sum, wide_zero()) : sum, width - j);
    }
}

static void scale_rows(const real *a, const tensor *b, size_t row, real *c)
{
    real room[ROWS_AT_ONCE][WIDTH_AT_ONCE];
    const real *line[ROWS_AT_ONCE];
    size_t depth = b->size[0], rows = at_most(depth - row, ROWS_AT_ONCE);
    for (size_t j = 0; j < b->size[1]; j += WIDTH_AT_ONCE) {
        size_t width = at_most(b->size[1] - j, WIDTH_AT_ONCE);
        size_t ahead = row + ROWS_AHEAD, end = at_most(ahead + rows, depth);
        for (size_t i = ahead; b->stride[1] == 1 && i < end; i++)
            ask_for(place_of(b, i, j), width * dtype_size(b->type));
        for (size_t i = 0; i < rows; i++)
            line[i] = line_of(b, row + i, j, 1, width, room[i]);
        if (rows == ROWS_AT_ONCE)
            add_lines(a + row, line, ROWS_AT_ONCE, width, c + j, row == 0, row + rows == depth);
        else
            add_lines(a + row, line, rows, width, c + j, row == 0, true);
    }
}

/* ---- columns side by side in memory ---- */

/* Rows that are multiplied at a time for a vector of columns; the next ones are prefetched. */
enum { DEPTH_AT_ONCE = 64 };

/* LANES columns, `*apart` numbers from each other, with at least as many rows as whole pieces take:
 * in the matrix, or in `room` with zeros around them. */
static const real *columns_of(const tensor *b, size_t row, size_t column, size_t depth,
                              real room[LANES][DEPTH_AT_ONCE], ptrdiff_t *apart)
{
    size_t width = at_most(b->size[1] - column, LANES);
    bool is_whole = width == LANES && depth % PIECE == 0;
    *apart = b->stride[1];
    if (b->type == REAL_TYPE && is_whole)
        return line_of(b, row, column, 0, depth, NULL);
    *apart = DEPTH_AT_ONCE;
    if (!is_whole)
        memset(room, 0, LANES * sizeof room[0]);
    for (size_t i = 0; i < width; i++) {
        const real *line = line_of(b, row, column + i, 0, depth, room[i]);
        if (line != room[i])
            memcpy(room[i], line, depth * sizeof *line);
    }
    return room[0];
}

static inline __attribute__((always_inline)) wide sum_piece(const real *a, const wide *piece,
                                                            size_t rows, wide sum)
{
    for (size_t i = 0; i < rows; i++)
        sum = wide_fma(wide_set(a[i]), piece[i], sum);
    return sum;
}

static wide sum_part(const real *a, const tensor *b, size_t row, size_t column, size_t depth,
                     wide sum)
{
    real room[LANES][DEPTH_AT_ONCE];
    wide piece[PIECE];
    ptrdiff_t apart;
    size_t p = 0;
    const real *from = columns_of(b, row, column, depth, room, &apart);
    for (; p + PIECE <= depth; p += PIECE) {
        turn_piece(from + p, apart, piece);
        sum = sum_piece(a + p, piece, PIECE, sum);
    }
    if (p == depth)
        return sum;
    turn_piece(from + p, apart, piece);
    return sum_piece(a + p, piece, depth - p, sum);
}

static void sum_columns(const real *a, const tensor *b, size_t column, real *c)
{
    wide sum = wide_zero();
    for (size_t row = 0; row < b->size[0]; row += DEPTH_AT_ONCE) {
        size_t depth = at_most(b->size[0] - row, DEPTH_AT_ONCE);
        for (size_t i = column + LANES; i < at_most(column + 2 * LANES, b->size[1]); i++)
            ask_for(place_of(b, row, i), depth * dtype_size(b->type));
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
