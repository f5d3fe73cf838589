/* tanh(x), the project's own, for the additive score.
 *
 *     |x| < 0.55: Lambert's continued fraction x/(1 + x²/(3 + x²/(5 + …))), cut below the precision
 *     else:       ±(1 − t)/(1 + t) with t = exp(−2|x|)
 *
 * Error: below 1.6 units in the last place (tests/kernels measures it). NaN stays NaN. */
#ifndef SELFATTN_KERNELS_WIDE_TANGENT_H
#define SELFATTN_KERNELS_WIDE_TANGENT_H

#include "kernels/wide/exponent.h"

/* The last odd number of the fraction: the first term left out changes the result by less than
 * 0.01 ulp at 0.55. */
#if defined(REAL_IS_F64)
static const real FRACTION_LAST = 17;
#else
static const real FRACTION_LAST = 9;
#endif

static inline wide wide_tanh(wide x)
{
    wide one = wide_set(1), minus_x = wide_sub(wide_zero(), x), square = wide_mul(x, x);
    wide size = wide_if_less(x, wide_zero(), minus_x, x);
    wide below = wide_set(FRACTION_LAST);
    for (real odd = FRACTION_LAST - 2; odd >= 1; odd -= 2)
        below = wide_add(wide_set(odd), wide_div(square, below));
    wide t = wide_exp(wide_mul(wide_set(-2), size), wide_zero());
    wide large = wide_div(wide_sub(one, t), wide_add(one, t));
    wide minus_large = wide_sub(wide_zero(), large);
    large = wide_if_less(x, wide_zero(), minus_large, large);
    return wide_if_less(size, wide_set((real)0.55), wide_div(x, below), large);
}

#endif
