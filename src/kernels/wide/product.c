/* Matrix products: every element is one chain of fused multiply-adds in index order, from +0.
 *
 *     c[i][j] = fma(a[i][p], b[p][j], c[i][j])   for p = 0, 1, …
 *
 * b is packed into panels, TILE_VECTORS vectors wide, one after the other, each p by p; a tile of
 * rows of c stays in registers while p runs over PANEL_DEPTH. That interrupts a chain, which waits
 * in c, and never splits it. The lanes of a vector are different columns. */
#include "kernels/wide/panel.h"

enum {
    TILE_ROWS = 6,
    /* A panel of this depth is read from a second-level cache as fast as it is used, and c is
     * seldom stored in between. */
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
        for (size_t v = 0; v < vectors; v++)
            wide_store_some(to + v * LANES, wide_add(sum[i][v], wide_zero()), columns);
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

/* A function for each size of tile. */
#define ADDER(rows, vectors)                                                                       \
    static void add_##rows##_##vectors(const strip *t, size_t tiles)                               \
    {                                                                                              \
        add_tiles(t, tiles, rows, vectors);                                                        \
    }
#define ADDERS(vectors)                                                                            \
    ADDER(1, vectors)                                                                              \
    ADDER(2, vectors)                                                                              \
    ADDER(3, vectors)                                                                              \
    ADDER(4, vectors)                                                                              \
    ADDER(5, vectors)                                                                              \
    ADDER(6, vectors)
ADDERS(1)
#if defined(WIDE_AVX512)
ADDERS(2)
ADDERS(3)
ADDERS(4)
#endif

#define ADDERS_OF(vectors)                                                                         \
    {                                                                                              \
        add_1_##vectors, add_2_##vectors, add_3_##vectors, add_4_##vectors, add_5_##vectors,       \
            add_6_##vectors                                                                        \
    }

/* By vectors − 1 and rows − 1 */
static tile_adder *const ADD[TILE_VECTORS][TILE_ROWS] = {ADDERS_OF(1),
#if defined(WIDE_AVX512)
                                                         ADDERS_OF(2), ADDERS_OF(3), ADDERS_OF(4)
#endif
};

/* All rows of a strip: whole tiles, then a tile of fewer rows. */
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

/* Columns of a panel: whole vectors at once, then part of a vector. */
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

/* ---- bands ---- */

/* Columns of one panel, over a depth of PANEL_DEPTH. */
typedef struct banded {
    const product_band *band;
    size_t rows, depth; /* of the whole product */
    key_range columns, terms;
} banded;

/* The part of a panel that a tile needs; all zeros: none. */
typedef struct needed_part {
    key_range columns, terms;
    bool is_first; /* as a strip's */
} needed_part;

static size_t clamped(size_t n, key_range to)
{
    return n < to.first ? to.first : at_most(n, to.end);
}

static key_range common(key_range a, key_range b)
{
    return (key_range){clamped(a.first, b), clamped(a.end, b)};
}

/* The range of columns that covers all rows of the tile. */
static key_range range_of_tile(const key_range *of, size_t row, size_t rows, size_t all)
{
    if (of == NULL)
        return (key_range){0, all};
    return (key_range){of[row].first, of[at_most(row + TILE_ROWS, rows) - 1].end};
}

/* Rounded to whole vectors, which costs less than a tile for each end. */
static key_range columns_of_tile(const banded *p, size_t row)
{
    key_range all = p->columns,
              c = common(range_of_tile(p->band->columns, row, p->rows, all.end), all);
    if (c.first >= c.end)
        return (key_range){0, 0};
    c.first -= (c.first - all.first) % LANES;
    c.end = all.first + (c.end - all.first + LANES - 1) / LANES * LANES;
    return common(c, all);
}

/* A chain without terms is +0, and needs no tile. */
static needed_part part_of_tile(const banded *p, size_t row)
{
    key_range columns = columns_of_tile(p, row);
    key_range chain = range_of_tile(p->band->terms, row, p->rows, p->depth);
    if (chain.first >= chain.end)
        chain = (key_range){0, 0};
    key_range terms = common(chain, p->terms);
    bool begins = !p->band->goes_on;
    bool is_empty = begins && chain.end == 0 && p->terms.first == 0;
    if (columns.first == columns.end || (terms.first == terms.end && !is_empty))
        return (needed_part){0};
    return (needed_part){columns, terms, begins && chain.first >= p->terms.first};
}

static bool is_same_range(key_range a, key_range b)
{
    return a.first == b.first && a.end == b.end;
}

static bool is_same_part(needed_part a, needed_part b)
{
    return is_same_range(a.columns, b.columns) && is_same_range(a.terms, b.terms) &&
           a.is_first == b.is_first;
}

/* ---- products ---- */

static void add_part(const tensor *a, const packed *b, tensor *c, needed_part needed, size_t row,
                     size_t rows)
{
    size_t at = b->skipped + needed.columns.first, within = at % PANEL_COLUMNS;
    strip t = {.a = row_of(a, row) + a->stride[1] * (ptrdiff_t)needed.terms.first,
               .a_row = a->stride[0],
               .a_step = a->stride[1],
               .b = (const real *)b->data + (at - within) * b->depth +
                    needed.terms.first * PANEL_COLUMNS + within,
               .depth = needed.terms.end - needed.terms.first,
               .c = row_of(c, row) + needed.columns.first,
               .c_row = c->stride[0],
               .is_first = needed.is_first};
    add_columns(t, rows, needed.columns.end - needed.columns.first);
}

/* The first row after those that need the same as the tile at `row`. */
static size_t end_of_part(const banded *p, size_t row, needed_part needed)
{
    size_t end = row + TILE_ROWS, last = (p->rows - 1) / TILE_ROWS * TILE_ROWS;
    bool has_terms = needed.terms.first < needed.terms.end;
    if (has_terms && is_same_part(part_of_tile(p, last), needed))
        return p->rows; /* all rows between do too, since no end moves back */
    while (end < p->rows && is_same_part(part_of_tile(p, end), needed))
        end += TILE_ROWS;
    return at_most(end, p->rows);
}

static void add_banded(const tensor *a, const packed *b, tensor *c, const banded *p)
{
    for (size_t row = 0, end; row < p->rows; row = end) {
        needed_part needed = part_of_tile(p, row);
        end = end_of_part(p, row, needed);
        if (needed.columns.end > 0)
            add_part(a, b, c, needed, row, end - row);
    }
}

void KERNEL(product)(const tensor *a, const packed *b, const product_band *band, tensor *c)
{
    static const product_band whole;
    banded p = {band == NULL ? &whole : band, a->size[0], a->size[1], {0, 0}, {0, 0}};
    do { /* once for a depth of 0 too, whose chains are +0 */
        p.terms.end = at_most(p.depth, p.terms.first + PANEL_DEPTH);
        for (size_t j = 0; j < c->size[1]; j = p.columns.end) {
            size_t left = PANEL_COLUMNS - (b->skipped + j) % PANEL_COLUMNS;
            p.columns = (key_range){j, at_most(c->size[1], j + left)};
            add_banded(a, b, c, &p);
        }
        p.terms.first += PANEL_DEPTH;
    } while (p.terms.first < p.depth);
}

/* A term is skipped only because its weight is 0. This matters for values that are not finite,
 * which are rare. */
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

/* Chains that grow side by side: a single one would wait for itself. */
enum { DOTS = 8 };

void KERNEL(row_dots)(const tensor *a, const tensor *b, void *out)
{
    real *to = out;
    for (size_t i = 0, rows; i < a->size[0]; i += rows) {
        real sum[DOTS] = {0};
        rows = at_most(a->size[0] - i, DOTS);
        for (size_t p = 0; p < a->size[1]; p++) {
            for (size_t r = 0; r < rows; r++)
                sum[r] = fused(row_of(a, i + r)[a->stride[1] * (ptrdiff_t)p],
                               row_of(b, i + r)[b->stride[1] * (ptrdiff_t)p], sum[r]);
        }
        for (size_t r = 0; r < rows; r++)
            to[i + r] = sum[r] + (real)0;
    }
}
