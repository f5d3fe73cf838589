/* Matrix products: every element is one chain of fused multiply-adds in index order, from +0.
 *
 *     c[i][j] = fma(a[i][p], b[p][j], c[i][j])   for p = 0, 1, …
 *
 * b is packed into panels, TILE_VECTORS vectors wide, one behind the other, each p by p; a tile of
 * rows of c stays in registers while p runs over PANEL_DEPTH. That interrupts a chain, which waits
 * in c, and never splits it. The lanes of a vector are different columns. */
#include "kernels/wide/wide.h"

enum {
    TILE_ROWS = 6,
    PANEL_COLUMNS = TILE_VECTORS * LANES,
    /* 32 KB of a panel four vectors wide stay in a first-level cache of 48 KB beside the rows of
     * a. */
    PANEL_DEPTH = 128
};

static real *row_of(const tensor *t, size_t row)
{
    return (real *)t->data + t->stride[0] * (ptrdiff_t)row;
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* ---- packing ---- */

static size_t panels_of(size_t columns)
{
    return (columns + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
}

size_t KERNEL(packed_bytes)(size_t depth, size_t columns)
{
    return panels_of(columns) * PANEL_COLUMNS * depth * sizeof(real);
}

/* Rows of b lie far apart in memory where heads stand side by side; what is read some rows later is
 * asked for now. */
enum { PACK_AHEAD = 8, CACHE_LINE = 64 };

static void prefetch(const real *from, size_t count)
{
    for (size_t i = 0; i < count; i += CACHE_LINE / sizeof(real))
        __builtin_prefetch(from + i);
}

/* A column at a time, so that a transposed matrix is read along its memory. */
static void pack_column(const real *from, ptrdiff_t step, size_t depth, real *to)
{
    for (size_t p = 0; p < depth; p++)
        to[p * PANEL_COLUMNS] = from[step * (ptrdiff_t)p];
}

/* Four columns that lie along memory become four elements of each row of the panel, 4 × 4 at a time
 * in the compiler's own vectors. */
enum { TURNED = 4 };

typedef real four __attribute__((vector_size(TURNED * sizeof(real))));

static void turn_square(const real *from, ptrdiff_t column, real *to)
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
    memcpy(to + PANEL_COLUMNS, &b, sizeof b);
    memcpy(to + 2 * PANEL_COLUMNS, &c, sizeof c);
    memcpy(to + 3 * PANEL_COLUMNS, &d, sizeof d);
}

static void turn_columns(const real *from, ptrdiff_t column, size_t depth, real *to)
{
    size_t p = 0;
    for (; p + TURNED <= depth; p += TURNED)
        turn_square(from + p, column, to + p * PANEL_COLUMNS);
    for (size_t j = 0; j < TURNED; j++)
        pack_column(from + column * (ptrdiff_t)j + p, 1, depth - p, to + p * PANEL_COLUMNS + j);
}

static void pack_columns(const tensor *b, size_t first, size_t width, real *to)
{
    ptrdiff_t column = b->stride[1];
    const real *from = row_of(b, 0) + column * (ptrdiff_t)first;
    size_t depth = b->size[0], j = 0;
    for (; b->stride[0] == 1 && j + TURNED <= width; j += TURNED, from += TURNED * column) {
        for (size_t i = 0; i < TURNED; i++)
            prefetch(from + column * (ptrdiff_t)(PACK_AHEAD + i), depth);
        turn_columns(from, column, depth, to + j);
    }
    for (; j < width; j++, from += column)
        pack_column(from, b->stride[0], depth, to + j);
}

/* Columns beyond the last one are zeros: computed, never stored. */
static void pack_panel(const tensor *b, size_t first, size_t width, real *to)
{
    size_t depth = b->size[0];
    if (width < PANEL_COLUMNS)
        memset(to, 0, depth * PANEL_COLUMNS * sizeof(real));
    if (b->stride[1] != 1)
        pack_columns(b, first, width, to);
    for (size_t p = 0; b->stride[1] == 1 && p < depth; p++) {
        prefetch(row_of(b, p + PACK_AHEAD) + first, width);
        memcpy(to + p * PANEL_COLUMNS, row_of(b, p) + first, width * sizeof(real));
    }
}

void KERNEL(pack)(const tensor *b, packed *into)
{
    real *to = into->data;
    into->depth = b->size[0];
    into->columns = b->size[1];
    into->skipped = 0;
    for (size_t j = 0; j < b->size[1]; j += PANEL_COLUMNS) {
        pack_panel(b, j, at_most(b->size[1] - j, PANEL_COLUMNS), to);
        to += PANEL_COLUMNS * b->size[0];
    }
}

void KERNEL(pack_at)(const tensor *b, size_t row, size_t column, packed *into)
{
    for (size_t j = 0; j < b->size[1]; j++) {
        size_t panel = (column + j) / PANEL_COLUMNS, within = (column + j) % PANEL_COLUMNS;
        real *to = (real *)into->data + (panel * into->depth + row) * PANEL_COLUMNS + within;
        pack_column(row_of(b, 0) + b->stride[1] * (ptrdiff_t)j, b->stride[0], b->size[0], to);
    }
    if (into->columns < column + b->size[1])
        into->columns = column + b->size[1];
}

/* ---- tiles ---- */

/* Tiles one below another, all of one panel: rows of a, the panel's vectors from p on, rows of
 * c. */
typedef struct strip {
    const real *a;
    ptrdiff_t a_row, a_step;
    const real *b;
    size_t depth;
    real *c;
    ptrdiff_t c_row;
    size_t columns; /* that are stored */
    bool is_first;  /* chains begin here */
    bool is_last;   /* and end here: a finished element is never −0, so +0 is added */
} strip;

/* Inlined with constant `rows` and `vectors`, so that `sum` stays in registers; a tile of several
 * vectors is stored whole. */
static inline __attribute__((always_inline)) void add_tile(const strip *t, const real *a, real *c,
                                                           size_t rows, size_t vectors)
{
    wide sum[TILE_ROWS][TILE_VECTORS];
    size_t columns = vectors > 1 ? LANES : t->columns;
    for (size_t i = 0; i < rows; i++) {
        const real *from = c + t->c_row * (ptrdiff_t)i;
        for (size_t v = 0; v < vectors; v++)
            sum[i][v] = t->is_first ? wide_zero() : wide_load_some(from + v * LANES, columns, 0);
    }
    const real *b = t->b;
    for (size_t p = 0; p < t->depth; p++, a += t->a_step, b += PANEL_COLUMNS) {
        for (size_t i = 0; i < rows; i++) {
            wide factor = wide_set(a[t->a_row * (ptrdiff_t)i]);
            for (size_t v = 0; v < vectors; v++)
                sum[i][v] = wide_fma(factor, wide_load(b + v * LANES), sum[i][v]);
        }
    }
    for (size_t i = 0; i < rows; i++) {
        real *to = c + t->c_row * (ptrdiff_t)i;
        for (size_t v = 0; v < vectors; v++) {
            wide done = t->is_last ? wide_add(sum[i][v], wide_zero()) : sum[i][v];
            wide_store_some(to + v * LANES, done, columns);
        }
    }
}

static inline __attribute__((always_inline)) void add_tiles(const strip *t, size_t tiles,
                                                            size_t rows, size_t vectors)
{
    const real *a = t->a;
    real *c = t->c;
    for (; tiles > 0; tiles--) {
        add_tile(t, a, c, rows, vectors);
        a += t->a_row * (ptrdiff_t)rows;
        c += t->c_row * (ptrdiff_t)rows;
    }
}

typedef void tile_adder(const strip *t, size_t tiles);

/* A function for each size of tile; tables with narrow panels have no use for the wider ones. */
#define ADDER(rows, vectors)                                                                       \
    static void add_##rows##_##vectors(const strip *t, size_t tiles)                               \
    {                                                                                              \
        add_tiles(t, tiles, rows, (vectors) < TILE_VECTORS ? (vectors) : TILE_VECTORS);            \
    }
#define ADDERS(vectors)                                                                            \
    ADDER(1, vectors)                                                                              \
    ADDER(2, vectors)                                                                              \
    ADDER(3, vectors)                                                                              \
    ADDER(4, vectors)                                                                              \
    ADDER(5, vectors)                                                                              \
    ADDER(6, vectors)
ADDERS(1)
ADDERS(2)
ADDERS(3)
ADDERS(4)

#define ADDERS_OF(vectors)                                                                         \
    {                                                                                              \
        add_1_##vectors, add_2_##vectors, add_3_##vectors, add_4_##vectors, add_5_##vectors,       \
            add_6_##vectors                                                                        \
    }

/* By vectors − 1 and rows − 1 */
static tile_adder *const ADD[][TILE_ROWS] = {ADDERS_OF(1), ADDERS_OF(2), ADDERS_OF(3),
                                             ADDERS_OF(4)};

/* All rows of a strip: whole tiles, and a lower one behind them. */
static void add_rows(strip t, size_t rows, tile_adder *const *adder)
{
    size_t tiles = rows / TILE_ROWS, whole = tiles * TILE_ROWS;
    if (tiles > 0)
        adder[TILE_ROWS - 1](&t, tiles);
    t.a += t.a_row * (ptrdiff_t)whole;
    t.c += t.c_row * (ptrdiff_t)whole;
    if (rows > whole)
        adder[rows - whole - 1](&t, 1);
}

/* Columns of a panel: whole vectors at once, and a part of one behind them. */
static void add_columns(strip t, size_t rows, size_t columns)
{
    size_t vectors = columns / LANES, whole = vectors * LANES;
    t.columns = LANES;
    if (vectors > 0)
        add_rows(t, rows, ADD[vectors - 1]);
    t.columns = columns - whole;
    t.b += whole;
    t.c += whole;
    if (columns > whole)
        add_rows(t, rows, ADD[0]);
}

/* ---- products ---- */

void KERNEL(product)(const tensor *a, const packed *b, tensor *c)
{
    size_t depth = a->size[1], columns = c->size[1];
    size_t p = 0;
    do { /* once for a depth of 0 too, whose chains are +0 */
        strip t = {.a = row_of(a, 0) + a->stride[1] * (ptrdiff_t)p,
                   .a_row = a->stride[0],
                   .a_step = a->stride[1],
                   .depth = at_most(depth - p, PANEL_DEPTH),
                   .c_row = c->stride[0],
                   .is_first = p == 0,
                   .is_last = p + PANEL_DEPTH >= depth};
        for (size_t j = 0, width; j < columns; j += width) {
            size_t at = b->skipped + j, within = at % PANEL_COLUMNS;
            width = at_most(columns - j, PANEL_COLUMNS - within);
            t.b = (const real *)b->data + (at - within) * b->depth + p * PANEL_COLUMNS + within;
            t.c = row_of(c, 0) + j;
            add_columns(t, a->size[0], width);
        }
        p += PANEL_DEPTH;
    } while (p < depth);
}

/* A term is skipped by its weight alone, so this is for values that are not finite, and rare. */
void KERNEL(product_of_nonzero)(const tensor *a, const tensor *b, tensor *c)
{
    for (size_t i = 0; i < c->size[0]; i++) {
        for (size_t j = 0; j < c->size[1]; j++) {
            real sum = 0;
            for (size_t p = 0; p < a->size[1]; p++) {
                real factor = row_of(a, i)[a->stride[1] * (ptrdiff_t)p];
                if (factor != 0)
                    sum = fused(factor, row_of(b, p)[b->stride[1] * (ptrdiff_t)j], sum);
            }
            row_of(c, i)[j] = sum + (real)0;
        }
    }
}
