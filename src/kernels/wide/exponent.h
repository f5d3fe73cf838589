/* exp(x) for x ≤ 0 given as hi + lo, the project's own: the same operations everywhere, so the same
 * bits.
 *
 *     n = round(hi·log₂e),  r = (hi − n·ln2ₕ) + (lo − n·ln2ₗ),  exp = 2ⁿ·(1 + r·(1 + r·(…)))
 *
 * |r| ≤ ln2/2. ln2 is split in two so that n·ln2ₕ is exact. Where 2ⁿ would be subnormal, the result
 * is +0, for −inf too; NaN stays NaN. Error over all float32: at most 0.89 units in the last place,
 * 0.92 where there is a lo (tests/exponent measures them all). */
#ifndef SELFATTN_KERNELS_WIDE_EXPONENT_H
#define SELFATTN_KERNELS_WIDE_EXPONENT_H

#include "kernels/wide/wide.h"

#if defined(REAL_IS_F64)
enum { MANTISSA_BITS = 52 };
static const real LOG2_E = 1.4426950408889634;
static const real LN2_HIGH = 0x1.62e42fefa38p-1; /* 43 bits: exact times any n of 11 bits */
static const real LN2_LOW = 0x1.ef35793c7673p-45;
static const real ROUND_MAGIC = 0x1.8p52 + 1023;

/* exp(r): Taylor's series to r¹³/13!; the rest is below 4·10⁻¹⁸. Highest power first. */
static const real EXP_TERM[] = {
    1.0 / 6227020800,
    1.0 / 479001600,
    1.0 / 39916800,
    1.0 / 3628800,
    1.0 / 362880,
    1.0 / 40320,
    1.0 / 5040,
    1.0 / 720,
    1.0 / 120,
    1.0 / 24,
    1.0 / 6,
    1.0 / 2,
    1,
    1,
};
#else
enum { MANTISSA_BITS = 23 };
static const real LOG2_E = 1.44269504f;
static const real LN2_HIGH = 0x1.62e4p-1f; /* 15 bits: exact times any n of 8 bits */
static const real LN2_LOW = 0x1.7f7d1cp-20f;
static const real ROUND_MAGIC = 0x1.8p23f + 127;

/* exp(r): 1 + r + r²·(degree 4 with the least greatest relative error of exp, by Remez: 3.1·10⁻⁹,
 * 0.05 ulp). Highest power first. */
static const real EXP_TERM[] = {0.0013814598646664034f,
                                0.00836871687972814f,
                                0.041668388045313996f,
                                0.16666520631709497f,
                                0.49999993447796487f,
                                1,
                                1};
#endif

enum { EXP_TERMS = sizeof EXP_TERM / sizeof EXP_TERM[0] };

/* exp of `count` vectors (a constant where this is inlined), each step for all of them before the
 * next, so that the processor works on one vector while another's result is on its way.
 *
 * Adding ROUND_MAGIC leaves no fraction bits, and n + the exponent's bias in the lowest bits: moved
 * to where the exponent is, they are 2ⁿ. */
static inline __attribute__((always_inline)) void wide_exp_all(const wide *hi, const wide *lo,
                                                               wide *out, size_t count)
{
    wide shifted[EXP_VECTORS], n[EXP_VECTORS], r[EXP_VECTORS], sum[EXP_VECTORS];
    wide magic = wide_set(ROUND_MAGIC);
    for (size_t v = 0; v < count; v++) {
        shifted[v] = wide_fma(hi[v], wide_set(LOG2_E), magic);
        n[v] = wide_sub(shifted[v], magic);
        r[v] = wide_add(wide_fma(n[v], wide_set(-LN2_HIGH), hi[v]),
                        wide_fma(n[v], wide_set(-LN2_LOW), lo[v]));
        sum[v] = wide_set(EXP_TERM[0]);
    }
    for (size_t i = 1; i < EXP_TERMS; i++) {
        for (size_t v = 0; v < count; v++)
            sum[v] = wide_fma(sum[v], r[v], wide_set(EXP_TERM[i]));
    }
    for (size_t v = 0; v < count; v++) {
        wide value = wide_mul(sum[v], wide_shift_left(shifted[v], MANTISSA_BITS));
        value = wide_zero_if_less(n[v], wide_set(POWER_LEAST), value);
        out[v] = wide_zero_if_less(value, wide_set(REAL_SMALLEST_NORMAL), value);
    }
}

static inline wide wide_exp(wide hi, wide lo)
{
    wide_exp_all(&hi, &lo, &hi, 1);
    return hi;
}

#endif
