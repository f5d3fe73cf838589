/* What a kernel's source needs to know of the type that it is compiled for.
 *
 * Each source in this folder is compiled once an instruction set and a type, with -DISA=… and
 * -DREAL_IS_F32 or _F64 (see the Makefile). KERNEL(product) becomes product_scalar_f32, and so
 * on. Files here that are joined for a table (table.c) share their static names. */
#ifndef SELFATTN_KERNELS_WIDE_REAL_H
#define SELFATTN_KERNELS_WIDE_REAL_H

#include "base/float_bits.h"
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#define JOIN_THREE(a, b, c) a##_##b##_##c
#define JOIN(a, b, c) JOIN_THREE(a, b, c)

#if defined(REAL_IS_F64)
typedef double real;
typedef uint64_t real_bits;
#define KERNEL(name) JOIN(name, ISA, f64)
static const dtype REAL_TYPE = DTYPE_F64;
static const real REAL_SMALLEST_NORMAL = DBL_MIN;
static inline real fused(real a, real b, real c)
{
    return fma(a, b, c);
}
static inline real_bits past_range(real x)
{
    return float64_past_range(x);
}
#else
typedef float real;
typedef uint32_t real_bits;
#define KERNEL(name) JOIN(name, ISA, f32)
static const dtype REAL_TYPE = DTYPE_F32;
static const real REAL_SMALLEST_NORMAL = FLT_MIN;
static inline real fused(real a, real b, real c)
{
    return fmaf(a, b, c);
}
static inline real_bits past_range(real x)
{
    return float32_past_range(x);
}
#endif

/* The functions of this type's table, one source file each group. */
#define KERNEL_OF(type, name, takes) type KERNEL(name) takes;
#include "kernels/kernel_list.h"
#undef KERNEL_OF

#endif
