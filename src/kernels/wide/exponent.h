/* exp(x) for x ≤ 0 given as hi + lo, the project's own: the same operations everywhere, so the same
 * bits.
 *
 *     n = round(hi·log₂e),  r = (hi − n·ln2ₕ) + (lo − n·ln2ₗ),  exp = 2ⁿ·p(r),  |r| ≤ ln2/2
 *
 * ln2 is split in two so that n·ln2_high is exact. hi below `EXP_LOWEST`, where 2ⁿ would be
 * subnormal, gives +0, and so does −inf; NaN stays NaN. Error: at most 1.01 units in the last
 * place over all float32 (tests/kernels measures it). */
#ifndef SELFATTN_KERNELS_WIDE_EXPONENT_H
#define SELFATTN_KERNELS_WIDE_EXPONENT_H

#include "kernels/wide/real.h"

#if defined(REAL_IS_F64)
enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };
static const real EXP_LOWEST = -708.3964185322641; /* ln 2⁻¹⁰²² */
static const real LOG2_E = 1.4426950408889634;
static const real LN2_HIGH = 0x1.62e42fefa38p-1; /* 43 bits: exact times any n of 11 bits */
static const real LN2_LOW = 0x1.ef35793c7673p-45;
static const real ROUND_MAGIC = 0x1.8p52; /* adding it leaves no fraction bits */

/* (exp(r) − 1 − r)/r²: Taylor's series to r¹³/13!; the rest is below 4·10⁻¹⁸ for |r| ≤ ln2/2. */
static inline real exp_tail(real r)
{
    static const real INVERSE_FACTORIAL[] = {
        1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
        1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
    };
    int degree = (int)(sizeof INVERSE_FACTORIAL / sizeof INVERSE_FACTORIAL[0]) - 1;
    real tail = INVERSE_FACTORIAL[degree];
    for (int power = degree - 1; power >= 0; power--)
        tail = fused(tail, r, INVERSE_FACTORIAL[power]);
    return tail;
}
#else
enum { MANTISSA_BITS = 23, EXPONENT_BIAS = 127 };
static const real EXP_LOWEST = -87.33654475f; /* ln 2⁻¹²⁶ */
static const real LOG2_E = 1.44269504f;
static const real LN2_HIGH = 0x1.62e4p-1f; /* 15 bits: exact times any n of 8 bits */
static const real LN2_LOW = 0x1.7f7d1cp-20f;
static const real ROUND_MAGIC = 0x1.8p23f; /* adding it leaves no fraction bits */

/* (exp(r) − 1 − r)/r², of degree 4 with the least greatest relative error of exp (Remez): 3.1·10⁻⁹,
 * 0.05 ulp. */
static inline real exp_tail(real r)
{
    real tail = 0.0013814598646664034f;
    tail = fused(tail, r, 0.00836871687972814f);
    tail = fused(tail, r, 0.041668388045313996f);
    tail = fused(tail, r, 0.16666520631709497f);
    return fused(tail, r, 0.49999993447796487f);
}
#endif

/* 2ⁿ for n between the exponents of the smallest normal number and 0. */
static inline real power_of_two(int n)
{
    real_bits bits = (real_bits)(n + EXPONENT_BIAS) << MANTISSA_BITS;
    real power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline real exp_of(real hi, real lo)
{
    if (!(hi >= EXP_LOWEST))
        return hi < EXP_LOWEST ? (real)0 : hi; /* hi is NaN in the second case */
    real n = (hi * LOG2_E + ROUND_MAGIC) - ROUND_MAGIC;
    real r = fused(-n, LN2_HIGH, hi) + fused(-n, LN2_LOW, lo);
    real value = ((real)1 + fused(r * r, exp_tail(r), r)) * power_of_two((int)n);
    return value < REAL_SMALLEST_NORMAL ? (real)0 : value;
}

#endif
