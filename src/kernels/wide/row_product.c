/* One row times a matrix that is read once, as it lies in memory: nothing is packed, so what a
 * token costs is the reading of the weights.
 *
 *     c[j] = fma(a[p], b[p][j], c[j])   for p = 0, 1, …
 *
 * as a product has it: chains wait in c or in a register, and are never split. */
#include "kernels/wide/panel.h"
#include "kernels/wide/turning.h"
#include "kernels/wide/widening.h"

static const char *place_of(const tensor *b, size_t row, size_t column)
{
    ptrdiff_t bytes = (ptrdiff_t)dtype_size(b->type);
    return (const char *)b->data +
           bytes * (b->stride[0] * (ptrdiff_t)row + b->stride[1] * (ptrdiff_t)column);
}

/* Parts of rows, which come next, are asked of memory: processors foresee long runs, and these are
 * broken off after each row. */
static void ask_for_rows(const tensor *b, size_t row, size_t column, size_t rows, size_t count)
{
    ptrdiff_t bytes = (ptrdiff_t)dtype_size(b->type), apart = bytes * b->stride[0];
    const char *from = place_of(b, row, column);
    for (size_t i = 0; b->stride[1] == 1 && i < rows; i++, from += apart) {
        for (size_t at = 0; at < count * (size_t)bytes; at += CACHE_LINE)
            __builtin_prefetch(from + at);
    }
}

/* Elements from one on, side by side along `axis` where that is how they lie: where they are, or in
 * `room` as numbers of this type. */
static const real *line_of(const tensor *b, size_t row, size_t column, int axis, size_t count,
                           real *room)
{
    ptrdiff_t step = b->stride[axis], bytes = (ptrdiff_t)dtype_size(b->type);
    const char *from = place_of(b, row, column);
    if (b->type == REAL_TYPE && step == 1)
        return (const real *)(const void *)from;
    if (b->type != REAL_TYPE && step == 1)
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

/* So many rows are added at once to so many numbers of c, which stay in a first-level cache with
 * what is widened. */
enum { ROWS_AT_ONCE = 4, WIDTH_AT_ONCE = 256 };

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

static void add_rows(const real *a, const tensor *b, size_t row, real *c)
{
    real room[ROWS_AT_ONCE][WIDTH_AT_ONCE];
    const real *line[ROWS_AT_ONCE];
    size_t depth = b->size[0], rows = at_most(depth - row, ROWS_AT_ONCE);
    bool is_last = row + rows == depth;
    for (size_t j = 0; j < b->size[1]; j += WIDTH_AT_ONCE) {
        size_t width = at_most(b->size[1] - j, WIDTH_AT_ONCE);
        for (size_t i = 0; i < rows; i++)
            line[i] = line_of(b, row + i, j, 1, width, room[i]);
        ask_for_rows(b, row + ROWS_AT_ONCE, j, at_most(depth - row - rows, ROWS_AT_ONCE), width);
        if (rows == ROWS_AT_ONCE)
            add_lines(a + row, line, ROWS_AT_ONCE, width, c + j, row == 0, is_last);
        else
            add_lines(a + row, line, rows, width, c + j, row == 0, is_last);
    }
}

/* ---- columns side by side in memory ---- */

/* So many vectors of columns, and so many rows of them at a time: chains side by side, since one
 * would wait for itself, and long runs of each column, which memory gives faster than short ones;
 * 48 KB in all. */
enum { CHAINS = 4, COLUMNS_AT_ONCE = CHAINS * LANES, DEPTH_AT_ONCE = 192 };

typedef struct turned_block {
    real row[DEPTH_AT_ONCE][COLUMNS_AT_ONCE];
    real room[COLUMNS_AT_ONCE][DEPTH_AT_ONCE]; /* for what is widened */
} turned_block;

static void turn_lines(const tensor *b, size_t row, size_t column, size_t depth, size_t width,
                       turned_block *to)
{
    const real *line[COLUMNS_AT_ONCE];
    size_t j = 0;
    for (size_t i = 0; i < width; i++)
        line[i] = line_of(b, row, column + i, 0, depth, to->room[i]);
    for (; j + LANES <= width; j += LANES)
        turn_wide(line[j], line[j + 1] - line[j], depth, &to->row[0][j], COLUMNS_AT_ONCE);
    for (; j + TURNED <= width; j += TURNED)
        turn_columns(line[j], line[j + 1] - line[j], depth, &to->row[0][j], COLUMNS_AT_ONCE);
    for (; j < width; j++)
        turn_column(line[j], 1, depth, &to->row[0][j], COLUMNS_AT_ONCE);
}

/* Columns beyond the last one are zeros. */
static void add_columns(const real *a, const tensor *b, size_t column, real *c)
{
    turned_block block;
    wide sum[CHAINS] = {wide_zero(), wide_zero(), wide_zero(), wide_zero()};
    size_t width = at_most(b->size[1] - column, COLUMNS_AT_ONCE);
    if (width < COLUMNS_AT_ONCE)
        memset(block.row, 0, sizeof block.row);
    for (size_t row = 0; row < b->size[0]; row += DEPTH_AT_ONCE) {
        size_t depth = at_most(b->size[0] - row, DEPTH_AT_ONCE);
        turn_lines(b, row, column, depth, width, &block);
        for (size_t i = 0; i < depth; i++) {
            for (size_t v = 0; v < CHAINS; v++)
                sum[v] =
                    wide_fma(wide_set(a[row + i]), wide_load(block.row[i] + v * LANES), sum[v]);
        }
    }
    for (size_t v = 0; v * LANES < width; v++)
        wide_store_some(c + column + v * LANES, wide_add(sum[v], wide_zero()), width - v * LANES);
}

/* ---- the whole ---- */

void KERNEL(row_product)(const void *a, const tensor *b, void *c)
{
    if (b->stride[0] == 1 && b->stride[1] != 1) {
        for (size_t j = 0; j < b->size[1]; j += COLUMNS_AT_ONCE)
            add_columns(a, b, j, c);
        return;
    }
    for (size_t p = 0; p < b->size[0]; p += ROWS_AT_ONCE)
        add_rows(a, b, p, c);
    if (b->size[0] == 0)
        memset(c, 0, b->size[1] * sizeof(real));
}
