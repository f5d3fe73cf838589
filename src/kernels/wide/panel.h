/* The panels of a packed matrix: so many columns of it, one after the other, each row by row. */
#ifndef SELFATTN_KERNELS_WIDE_PANEL_H
#define SELFATTN_KERNELS_WIDE_PANEL_H

#include "kernels/wide/wide.h"

enum { PANEL_COLUMNS = TILE_VECTORS * LANES };

static inline real *row_of(const tensor *t, size_t row)
{
    return (real *)t->data + t->stride[0] * (ptrdiff_t)row;
}

static inline size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

#endif
