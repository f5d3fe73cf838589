/* Wide vectors in one AVX-512 register. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_AVX512_H
#define SELFATTN_KERNELS_WIDE_WIDE_AVX512_H

#include <immintrin.h>

/* 6 × 4 accumulators, 4 vectors of b, and the rest for broadcasts: 32 registers. */
enum { TILE_VECTORS = 4, EXP_VECTORS = 4 };

#if defined(REAL_IS_F64)
typedef __m512d wide;
typedef __mmask8 lane_mask;
#define OP(name) _mm512_##name##_pd
#define MASK(name) _mm512_##name##_pd_mask
#else
typedef __m512 wide;
typedef __mmask16 lane_mask;
#define OP(name) _mm512_##name##_ps
#define MASK(name) _mm512_##name##_ps_mask
#endif

/* Numbers of float32 that fill a register of float64. */
enum { REGISTERS = 1, REGISTER_LANES = LANES };
typedef __m512d double_lanes;

static inline double_lanes lanes_widened(const float *from)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
}

static inline lane_mask first_lanes(size_t count)
{
    return (lane_mask)((1u << count) - 1);
}

static inline wide wide_set(real x)
{
    return OP(set1)(x);
}

static inline wide wide_load(const real *from)
{
    return OP(loadu)(from);
}

static inline wide wide_load_part(const real *from, size_t count, real otherwise)
{
    return OP(mask_loadu)(wide_set(otherwise), first_lanes(count), from);
}

static inline void wide_store(real *to, wide w)
{
    OP(storeu)(to, w);
}

static inline void wide_store_part(real *to, wide w, size_t count)
{
    OP(mask_storeu)(to, first_lanes(count), w);
}

static inline wide wide_add(wide a, wide b)
{
    return OP(add)(a, b);
}

static inline wide wide_sub(wide a, wide b)
{
    return OP(sub)(a, b);
}

static inline wide wide_mul(wide a, wide b)
{
    return OP(mul)(a, b);
}

static inline wide wide_div(wide a, wide b)
{
    return OP(div)(a, b);
}

static inline wide wide_fma(wide a, wide b, wide c)
{
    return OP(fmadd)(a, b, c);
}

static inline wide wide_max(wide a, wide b)
{
    return OP(max)(a, b);
}

static inline wide wide_if_less(wide a, wide b, wide yes, wide no)
{
    return OP(mask_blend)(MASK(cmp)(a, b, _CMP_LT_OQ), no, yes);
}

static inline wide wide_shift_left(wide w, int count)
{
    typedef real_bits bits __attribute__((vector_size(sizeof(wide))));
    return (wide)((bits)w << (real_bits)count);
}

static inline wide wide_keep_bits(wide w, real_bits kept)
{
    typedef real_bits bits __attribute__((vector_size(sizeof(wide))));
    return (wide)((bits)w & kept);
}

#undef OP
#undef MASK
#endif
