/* Matrix products: every element is one chain of fused multiply-adds in index order, from +0.
 *
 *     c[i][j] = fma(a[i][p], b[p][j], c[i][j])   for p = 0, 1, …
 *
 * Columns go LANES at a time, so that the lanes of a vector hold different elements; b is copied
 * into panels of PANEL_DEPTH × LANES, which interrupts a chain (it waits in c) and never splits
 * it. */
#include "kernels/wide/real.h"

enum {
    LANES = 16,
    PANEL_DEPTH = 256 /* 16 KB of float32: half of a small first-level cache */
};

typedef struct panel {
    real row[PANEL_DEPTH][LANES];
    size_t depth, width; /* rows and columns that are filled */
} panel;

static real *row_of(const tensor *t, size_t row)
{
    return (real *)t->data + t->stride[0] * (ptrdiff_t)row;
}

/* Columns beyond the last one are zeros: computed, never stored. */
static void panel_fill(panel *into, const tensor *b, size_t first_row, size_t first_column)
{
    for (size_t p = 0; p < into->depth; p++) {
        const real *from = row_of(b, first_row + p) + b->stride[1] * (ptrdiff_t)first_column;
        for (size_t lane = 0; lane < LANES; lane++)
            into->row[p][lane] = lane < into->width ? from[b->stride[1] * (ptrdiff_t)lane] : 0;
    }
}

static void add_panel(const real *a, ptrdiff_t a_stride, const panel *b, real *c)
{
    real sum[LANES] = {0};
    memcpy(sum, c, b->width * sizeof sum[0]);
    for (size_t p = 0; p < b->depth; p++) {
        real factor = a[a_stride * (ptrdiff_t)p];
        for (size_t lane = 0; lane < LANES; lane++)
            sum[lane] = fused(factor, b->row[p][lane], sum[lane]);
    }
    memcpy(c, sum, b->width * sizeof sum[0]);
}

static void add_panel_of_nonzero(const real *a, ptrdiff_t a_stride, const panel *b, real *c)
{
    for (size_t p = 0; p < b->depth; p++) {
        real factor = a[a_stride * (ptrdiff_t)p];
        for (size_t lane = 0; lane < b->width && factor != 0; lane++)
            c[lane] = fused(factor, b->row[p][lane], c[lane]);
    }
}

static void clear(tensor *c)
{
    for (size_t i = 0; i < c->size[0]; i++)
        memset(row_of(c, i), 0, c->size[1] * sizeof(real));
}

/* −0 + (+0) is +0: a finished element is never −0. */
static void finish(tensor *c)
{
    for (size_t i = 0; i < c->size[0]; i++) {
        real *row = row_of(c, i);
        for (size_t j = 0; j < c->size[1]; j++)
            row[j] += (real)0;
    }
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

typedef void panel_adder(const real *a, ptrdiff_t a_stride, const panel *b, real *c);

static void product_by_panels(const tensor *a, const tensor *b, tensor *c, panel_adder *add)
{
    panel part;
    clear(c);
    for (size_t j = 0; j < c->size[1]; j += LANES) {
        part.width = at_most(c->size[1] - j, LANES);
        for (size_t p = 0; p < b->size[0]; p += PANEL_DEPTH) {
            part.depth = at_most(b->size[0] - p, PANEL_DEPTH);
            panel_fill(&part, b, p, j);
            for (size_t i = 0; i < c->size[0]; i++) {
                const real *from = row_of(a, i) + a->stride[1] * (ptrdiff_t)p;
                add(from, a->stride[1], &part, row_of(c, i) + j);
            }
        }
    }
    finish(c);
}

void KERNEL(product)(const tensor *a, const tensor *b, tensor *c)
{
    product_by_panels(a, b, c, add_panel);
}

void KERNEL(product_of_nonzero)(const tensor *a, const tensor *b, tensor *c)
{
    product_by_panels(a, b, c, add_panel_of_nonzero);
}

void KERNEL(add_to_rows)(tensor *c, const void *bias)
{
    const real *addend = bias;
    for (size_t i = 0; i < c->size[0]; i++) {
        real *row = row_of(c, i);
        for (size_t j = 0; j < c->size[1]; j++)
            row[j] += addend[j];
    }
}
