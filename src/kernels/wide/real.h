/* What a kernel's source needs to know of the type that it is compiled for.
 *
 * Each source in this folder is compiled once an instruction set and a type, with -DISA=… and
 * -DREAL_IS_F32 or _F64 (see the Makefile). KERNEL(product) becomes product_scalar_f32, and so
 * on. */
#ifndef SELFATTN_KERNELS_WIDE_REAL_H
#define SELFATTN_KERNELS_WIDE_REAL_H

#include "base/float_bits.h"
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

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
size_t KERNEL(packed_bytes)(size_t depth, size_t columns);
void KERNEL(pack)(const tensor *b, packed *into);
void KERNEL(pack_at)(const tensor *b, size_t row, size_t column, packed *into);
void KERNEL(product)(const tensor *a, const packed *b, const product_band *band, tensor *c);
void KERNEL(row_product)(const void *a, const tensor *b, void *c);
void KERNEL(product_of_nonzero)(const tensor *a, const tensor *b, tensor *c);
void KERNEL(add_to_rows)(tensor *c, const void *bias);
bool KERNEL(is_finite)(const tensor *c);
void KERNEL(additive)(const tensor *q, const tensor *k, const void *va, const void *ba, tensor *c);
void KERNEL(hide)(const void *x, size_t n, const unsigned char *mask, ptrdiff_t stride,
                  bool hides_zeros, void *out);
void KERNEL(recede)(const void *x, size_t n, double slope, double position, void *out);
void KERNEL(cap)(const void *x, size_t n, double most, void *out);
void KERNEL(add)(const void *x, size_t n, const void *b, ptrdiff_t stride, void *out);
void KERNEL(fill)(void *out, size_t n, double value);
void KERNEL(weigh)(const void *x, ptrdiff_t stride, size_t n, double factor, void *out);
void KERNEL(angles)(double position, const double *frequency, size_t n, double *restrict cosine,
                    double *restrict sine);
void KERNEL(turn)(const void *x, size_t pairs, size_t step, size_t apart, const double *cosine,
                  const double *sine, void *out);
void KERNEL(times)(const void *x, size_t n, const void *y, void *out);
void KERNEL(relu)(const void *x, size_t n, void *out);
void KERNEL(gelu)(const void *x, size_t n, void *out);
void KERNEL(gelu_tanh)(const void *x, size_t n, void *out);
void KERNEL(silu)(const void *x, size_t n, void *out);
bool KERNEL(row_norm)(const void *x, size_t n, const void *gain, const void *bias, double eps,
                      void *out);
bool KERNEL(row_rms_norm)(const void *x, size_t n, const void *gain, double eps, void *out);
void KERNEL(scale)(const void *x, size_t n, double factor, void *out, void *max);
void KERNEL(row_max)(const void *x, size_t n, void *max);
void KERNEL(row_exponent)(const void *x, size_t n, const void *max, void *out, row_total *total,
                          const row_shares *beside);
void KERNEL(row_divide)(const row_shares *of);
void KERNEL(draw_uniform)(const random_place *from, size_t n, double low, double high, void *out);
void KERNEL(draw_normal)(const random_place *from, size_t n, double mean, double deviation,
                         void *out);

#endif
