/* Wide vectors in four NEON registers. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_NEON_H
#define SELFATTN_KERNELS_WIDE_WIDE_NEON_H

#include <arm_neon.h>

/* 6 × 1 accumulators of four registers, four of b, and broadcasts: 29 of 32 registers. */
enum { TILE_VECTORS = 1, EXP_VECTORS = 2, QUARTERS = 4, QUARTER_LANES = LANES / QUARTERS };

#if defined(REAL_IS_F64)
typedef float64x2_t quarter;
#define OP(name) name##q_f64
#define DUP vdupq_n_f64
#define AS_BITS vreinterpretq_u64_f64
#define AS_REAL vreinterpretq_f64_u64
#define SHIFT(bits, count) vshlq_u64(bits, vdupq_n_s64(count))
#else
typedef float32x4_t quarter;
#define OP(name) name##q_f32
#define DUP vdupq_n_f32
#define AS_BITS vreinterpretq_u32_f32
#define AS_REAL vreinterpretq_f32_u32
#define SHIFT(bits, count) vshlq_u32(bits, vdupq_n_s32(count))
#endif

typedef struct wide {
    quarter part[QUARTERS];
} wide;

static inline wide wide_set(real x)
{
    quarter all = DUP(x);
    return (wide){{all, all, all, all}};
}

static inline wide wide_load(const real *from)
{
    wide w;
    for (int i = 0; i < QUARTERS; i++)
        w.part[i] = OP(vld1)(from + i * QUARTER_LANES);
    return w;
}

static inline void wide_store(real *to, wide w)
{
    for (int i = 0; i < QUARTERS; i++)
        OP(vst1)(to + i * QUARTER_LANES, w.part[i]);
}

#include "kernels/wide/wide_part.h"

static inline wide wide_add(wide a, wide b)
{
    for (int i = 0; i < QUARTERS; i++)
        a.part[i] = OP(vadd)(a.part[i], b.part[i]);
    return a;
}

static inline wide wide_sub(wide a, wide b)
{
    for (int i = 0; i < QUARTERS; i++)
        a.part[i] = OP(vsub)(a.part[i], b.part[i]);
    return a;
}

static inline wide wide_mul(wide a, wide b)
{
    for (int i = 0; i < QUARTERS; i++)
        a.part[i] = OP(vmul)(a.part[i], b.part[i]);
    return a;
}

static inline wide wide_div(wide a, wide b)
{
    for (int i = 0; i < QUARTERS; i++)
        a.part[i] = OP(vdiv)(a.part[i], b.part[i]);
    return a;
}

static inline wide wide_fma(wide a, wide b, wide c)
{
    for (int i = 0; i < QUARTERS; i++)
        a.part[i] = OP(vfma)(c.part[i], a.part[i], b.part[i]);
    return a;
}

/* NEON's own maximum gives NaN where either is NaN; the definition gives b. */
static inline wide wide_max(wide a, wide b)
{
    for (int i = 0; i < QUARTERS; i++)
        a.part[i] = OP(vbsl)(OP(vcgt)(a.part[i], b.part[i]), a.part[i], b.part[i]);
    return a;
}

static inline wide wide_if_less(wide a, wide b, wide yes, wide no)
{
    for (int i = 0; i < QUARTERS; i++)
        no.part[i] = OP(vbsl)(OP(vclt)(a.part[i], b.part[i]), yes.part[i], no.part[i]);
    return no;
}

static inline wide wide_zero_if_less(wide a, wide b, wide w)
{
    return wide_if_less(a, b, wide_set(0), w);
}

static inline wide wide_shift_left(wide w, int count)
{
    for (int i = 0; i < QUARTERS; i++)
        w.part[i] = AS_REAL(SHIFT(AS_BITS(w.part[i]), count));
    return w;
}

#if !defined(REAL_IS_F64)
typedef struct sums {
    float64x2_t pair[LANES / 2];
} sums;

static inline sums sums_zero(void)
{
    sums s;
    for (int i = 0; i < LANES / 2; i++)
        s.pair[i] = vdupq_n_f64(0);
    return s;
}

static inline void sums_add(sums *s, const float *from)
{
    for (int i = 0; i < LANES / 2; i++)
        s->pair[i] = vaddq_f64(s->pair[i], vcvt_f64_f32(vld1_f32(from + 2 * i)));
}

static inline void sums_store(const sums *s, double *to)
{
    for (int i = 0; i < LANES / 2; i++)
        vst1q_f64(to + 2 * i, s->pair[i]);
}
#endif

#undef OP
#undef DUP
#undef AS_BITS
#undef AS_REAL
#undef SHIFT
#endif
