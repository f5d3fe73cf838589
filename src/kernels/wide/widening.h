/* Numbers of a narrower type as numbers of the table's own. */
#ifndef SELFATTN_KERNELS_WIDE_WIDENING_H
#define SELFATTN_KERNELS_WIDE_WIDENING_H

#include "kernels/wide/wide.h"
#include "tensor/narrow.h"

/* Elements side by side, at any address: loops without a branch, of which compilers make vectors,
 * most easily where `type` and `count` are constants. */
static inline __attribute__((always_inline)) void widen(dtype type, const char *from, size_t count,
                                                        real *to)
{
    uint16_t half;
    float one;
    if (type == REAL_TYPE)
        memcpy(to, from, count * sizeof(real));
    for (size_t i = 0; type == DTYPE_F16 && i < count; i++) {
        memcpy(&half, from + i * sizeof half, sizeof half);
        to[i] = (real)narrow_f16(half);
    }
    for (size_t i = 0; type == DTYPE_BF16 && i < count; i++) {
        memcpy(&half, from + i * sizeof half, sizeof half);
        to[i] = (real)narrow_bf16(half);
    }
    bool is_float = type == DTYPE_F32 || type == DTYPE_F32_ANYWHERE;
    for (size_t i = 0; is_float && type != REAL_TYPE && i < count; i++) {
        memcpy(&one, from + i * sizeof one, sizeof one);
        to[i] = (real)one;
    }
}

/* LANES of them as a vector; `type` is a constant where this is called. */
static inline __attribute__((always_inline)) wide wide_widened(dtype type, const char *from)
{
    real room[LANES];
    if (type == REAL_TYPE)
        return wide_load((const real *)(const void *)from);
    widen(type, from, LANES, room);
    return wide_load(room);
}

#endif
