/* Numbers of a narrower type as numbers of the table's own. */
#ifndef SELFATTN_KERNELS_WIDE_WIDENING_H
#define SELFATTN_KERNELS_WIDE_WIDENING_H

#include "kernels/wide/real.h"
#include "tensor/narrow.h"

/* Elements side by side: loops without a branch, of which compilers make vectors. */
static inline void widen(dtype type, const char *from, size_t count, real *to)
{
    const uint16_t *two_bytes = (const uint16_t *)(const void *)from;
    const float *four_bytes = (const float *)(const void *)from;
    for (size_t i = 0; type == DTYPE_F16 && i < count; i++)
        to[i] = (real)narrow_f16(two_bytes[i]);
    for (size_t i = 0; type == DTYPE_BF16 && i < count; i++)
        to[i] = (real)narrow_bf16(two_bytes[i]);
    for (size_t i = 0; type == DTYPE_F32 && i < count; i++)
        to[i] = (real)four_bytes[i];
}

#endif
