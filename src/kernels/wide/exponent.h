/* exp(x) for x ≤ 0 given as hi + lo, the project's own: the same operations everywhere, so the same
 * bits.
 *
 *     n = round(hi·log₂e),  r = (hi − n·ln2ₕ) + (lo − n·ln2ₗ),  exp = 2ⁿ·(1 + (r + r²·tail(r)))
 *
 * |r| ≤ ln2/2. ln2 is split in two so that n·ln2ₕ is exact. hi below EXP_LOWEST, where 2ⁿ would be
 * subnormal, gives +0, −inf too; NaN stays NaN. Error over all float32: at most 1.01 units
 * in the last place, 1.03 where there is a lo (tests/exponent measures them all). */
#ifndef SELFATTN_KERNELS_WIDE_EXPONENT_H
#define SELFATTN_KERNELS_WIDE_EXPONENT_H

#include "kernels/wide/wide.h"

#if defined(REAL_IS_F64)
enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };
static const real EXP_LOWEST = -708.3964185322641; /* ln 2⁻¹⁰²² */
static const real LOG2_E = 1.4426950408889634;
static const real LN2_HIGH = 0x1.62e42fefa38p-1; /* 43 bits: exact times any n of 11 bits */
static const real LN2_LOW = 0x1.ef35793c7673p-45;
static const real ROUND_MAGIC = 0x1.8p52; /* adding it leaves no fraction bits */

/* (exp(r) − 1 − r)/r²: Taylor's series to r¹³/13!; the rest is below 4·10⁻¹⁸. Highest power
 * first. */
static const real EXP_TAIL[] = {
    1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
    1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2,
};
#else
enum { MANTISSA_BITS = 23, EXPONENT_BIAS = 127 };
static const real EXP_LOWEST = -87.33654475f; /* ln 2⁻¹²⁶ */
static const real LOG2_E = 1.44269504f;
static const real LN2_HIGH = 0x1.62e4p-1f; /* 15 bits: exact times any n of 8 bits */
static const real LN2_LOW = 0x1.7f7d1cp-20f;
static const real ROUND_MAGIC = 0x1.8p23f; /* adding it leaves no fraction bits */

/* (exp(r) − 1 − r)/r², of degree 4 with the least greatest relative error of exp (Remez):
 * 3.1·10⁻⁹, 0.05 ulp. Highest power first. */
static const real EXP_TAIL[] = {0.0013814598646664034f, 0.00836871687972814f, 0.041668388045313996f,
                                0.16666520631709497f, 0.49999993447796487f};
#endif

/* 2ⁿ for whole n from the exponent of the smallest normal number to 0: n + bias lands in the lowest
 * bits of a sum, and is moved to where the exponent is. */
static inline wide wide_power_of_two(wide n)
{
    wide biased = wide_add(n, wide_set(ROUND_MAGIC + (real)EXPONENT_BIAS));
    return wide_shift_left(biased, MANTISSA_BITS);
}

static inline wide wide_exp(wide hi, wide lo)
{
    wide magic = wide_set(ROUND_MAGIC);
    wide n = wide_sub(wide_add(wide_mul(hi, wide_set(LOG2_E)), magic), magic);
    wide minus_n = wide_sub(wide_zero(), n);
    wide r = wide_add(wide_fma(minus_n, wide_set(LN2_HIGH), hi),
                      wide_fma(minus_n, wide_set(LN2_LOW), lo));
    wide tail = wide_set(EXP_TAIL[0]);
    for (size_t i = 1; i < sizeof EXP_TAIL / sizeof EXP_TAIL[0]; i++)
        tail = wide_fma(tail, r, wide_set(EXP_TAIL[i]));
    wide mantissa = wide_add(wide_set(1), wide_fma(wide_mul(r, r), tail, r));
    wide value = wide_mul(mantissa, wide_power_of_two(n));
    value = wide_if_less(value, wide_set(REAL_SMALLEST_NORMAL), wide_zero(), value);
    return wide_if_less(hi, wide_set(EXP_LOWEST), wide_zero(), value);
}

#endif
