/* exp(x − m) for x ≤ m, the project's own: the same operations everywhere, so the same bits.
 *
 *     k = round(m·log₂e),  ρ = m − k·ln2ₕ
 *     i = round(x·log₂e − ρ·log₂e),  n = i − k
 *     r = ((x − i·ln2ₕ) − ρ) − n·ln2ₗ,  exp = 2ⁿ·(1 + r·(1 + r·(…)))
 *
 * x and m are brought near 0 each by itself, which loses nothing: ln2ₕ has the type's precision,
 * so x − i·ln2ₕ and ρ are below 1 and multiples of its last place, or of x's and m's where those
 * are smaller. The difference x − m, which would be rounded, is never needed. |r| ≤ ln2/2.
 *
 * Where 2ⁿ would be subnormal, the result is +0, for −inf too; NaN stays NaN. Error over all
 * float32 x: 0.91 units in the last place around m = 0, 1.07 around the others that tests/exponent
 * measures. */
#ifndef SELFATTN_KERNELS_WIDE_EXPONENT_H
#define SELFATTN_KERNELS_WIDE_EXPONENT_H

#include "kernels/wide/wide.h"

#if defined(REAL_IS_F64)
enum { MANTISSA_BITS = 52 };
static const real LOG2_E = 1.4426950408889634;
static const real LN2_HIGH = 0x1.62e42fefa39efp-1, LN2_LOW = 0x1.abc9e3b39803fp-56;
static const real EXP_LEAST = -709; /* rounds to a power below the normal ones */
static const real ROUND_ONLY = 0x1.8p52, POWER_BIAS = 1023;

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
static const real LN2_HIGH = 0x1.62e43p-1f, LN2_LOW = -0x1.05c61p-29f;
static const real EXP_LEAST = -88; /* rounds to a power below the normal ones */
static const real ROUND_ONLY = 0x1.8p23f, POWER_BIAS = 127;

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

/* From here on rounding x·log₂e would choose i too far off; x − m itself is exact there, where it
 * is not below EXP_LEAST (Sterbenz's lemma). */
static const real EXP_SHIFT_MOST = 65536;

/* What m does to all x of its row. */
typedef struct exp_shift {
    wide least;          /* below it all are +0 */
    wide minus_rest;     /* −ρ */
    wide minus_part;     /* −ρ·log₂e */
    wide minus_multiple; /* rounds, and takes k away */
} exp_shift;

static inline exp_shift exp_shift_of(real m)
{
    real k = fused(m, LOG2_E, ROUND_ONLY) - ROUND_ONLY, rest = fused(k, -LN2_HIGH, m);
    return (exp_shift){wide_set(m + EXP_LEAST), wide_set(-rest), wide_set(-rest * LOG2_E),
                       wide_set(ROUND_ONLY + POWER_BIAS - k)};
}

/* A vector on its way: n and the exponent's bias in its lowest bits, above them nothing that stays;
 * and r. */
typedef struct exp_parts {
    wide power, r;
} exp_parts;

/* Adding ROUND_ONLY leaves no fraction bits. */
static inline __attribute__((always_inline)) exp_parts wide_exp_split(const exp_shift *shift,
                                                                      wide x)
{
    wide one = wide_max(shift->least, x);
    wide power =
        wide_add(wide_fma(one, wide_set(LOG2_E), shift->minus_part), shift->minus_multiple);
    wide i = wide_sub(power, shift->minus_multiple);
    wide n = wide_sub(power, wide_set(ROUND_ONLY + POWER_BIAS));
    wide near = wide_add(wide_fma(i, wide_set(-LN2_HIGH), one), shift->minus_rest);
    return (exp_parts){power, wide_fma(n, wide_set(-LN2_LOW), near)};
}

/* The polynomial of the first so many terms. */
static inline __attribute__((always_inline)) wide wide_exp_terms(wide r, size_t count)
{
    wide sum = wide_set(EXP_TERM[0]);
    for (size_t i = 1; i < count; i++)
        sum = wide_fma(sum, r, wide_set(EXP_TERM[i]));
    return sum;
}

/* The bits of `power`, moved to where the exponent is, are 2ⁿ. */
static inline __attribute__((always_inline)) wide wide_exp_join(exp_parts of)
{
    return wide_mul(wide_exp_terms(of.r, EXP_TERMS), wide_shift_left(of.power, MANTISSA_BITS));
}

#endif
