/* tanh(x), the project's own, for the additive score.
 *
 *     |x| < 0.55: Lambert's continued fraction x/(1 + x²/(3 + x²/(5 + …))), cut below the precision
 *     else:       ±(1 − t)/(1 + t) with t = exp(−2|x|)
 *
 * Error: below 1.6 units in the last place (tests/kernels measures it). NaN stays NaN. */
#ifndef SELFATTN_KERNELS_WIDE_TANGENT_H
#define SELFATTN_KERNELS_WIDE_TANGENT_H

#include "kernels/wide/exponent.h"

/* The last odd number of the fraction: the first term left out changes the result by less than 0.01
 * ulp at 0.5. */
#if defined(REAL_IS_F64)
static const real FRACTION_LAST = 17;
#else
static const real FRACTION_LAST = 9;
#endif

static inline real tanh_of(real x)
{
    real size = x < 0 ? -x : x;
    if (size < (real)0.55) {
        real square = x * x, below = FRACTION_LAST;
        for (real odd = FRACTION_LAST - 2; odd >= 1; odd -= 2)
            below = odd + square / below;
        return x / below;
    }
    real t = exp_of(-2 * size, 0);
    real value = (1 - t) / (1 + t);
    return x < 0 ? -value : value;
}

#endif
