/* One element of a row of numbers, read and written as float64: for what is computed in float64 and
 * rounded once. */
#ifndef SELFATTN_ATTN_ROW_H
#define SELFATTN_ATTN_ROW_H

#include "tensor/tensor.h"

static inline double row_get(const tensor *row, size_t i)
{
    ptrdiff_t at = row->stride[0] * (ptrdiff_t)i;
    return row->type == DTYPE_F32 ? (double)((const float *)row->data)[at]
                                  : ((const double *)row->data)[at];
}

static inline void row_set(tensor *row, size_t i, double value)
{
    ptrdiff_t at = row->stride[0] * (ptrdiff_t)i;
    if (row->type == DTYPE_F32)
        ((float *)row->data)[at] = (float)value;
    else
        ((double *)row->data)[at] = value;
}

#endif
