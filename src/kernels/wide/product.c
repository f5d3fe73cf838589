/* Matrix products: every element is one chain of fused multiply-adds in index order, from +0.
 *
 *     c[i][j] = fma(a[i][p], b[p][j], c[i][j])   for p = 0, 1, …
 *
 * b is packed into panels, TILE_VECTORS vectors wide, one behind the other, each p by p; a tile of
 * rows of c stays in registers while p runs over PANEL_DEPTH. That interrupts a chain, which waits
 * in c, and never splits it. The lanes of a vector are different columns. */
#include "kernels/wide/panel.h"

enum {
    TILE_ROWS = 6,
    /* So deep a panel is read from a second-level cache as fast as it is used, and c seldom waits
     * in between. */
    PANEL_DEPTH = 512
};

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
