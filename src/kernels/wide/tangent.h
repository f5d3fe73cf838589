/* tanh(x), the project's own, for the additive score and the soft cap.
 *
 *     |x| < 0.55: x − x·(s·N(s)/Q(s)), s = x²: Lambert's continued fraction x/(1 + s/(3 + s/…)),
 *                 cut below the precision, as a quotient, whose part that is not x is small
 *     else:       ±(1 − t)/(1 + t) with t = exp(−2|x|)
 *
 * One division serves both. Error: below 1.6 units in the last place (tests/kernels measures it).
 * NaN stays NaN. */
#ifndef SELFATTN_KERNELS_WIDE_TANGENT_H
#define SELFATTN_KERNELS_WIDE_TANGENT_H

#include "kernels/wide/exponent.h"

/* Cut at the last odd number 17, or 9: the first term left out changes the result by less than 0.01
 * ulp at 0.55. All coefficients are whole numbers of the type, highest power first. */
#if defined(REAL_IS_F64)
static const real TANH_TOP[] = {44, 12870, 810810, 11486475};
static const real TANH_BOTTOM[] = {45, 13860, 945945, 16216200, 34459425};
#else
static const real TANH_TOP[] = {14, 315};
static const real TANH_BOTTOM[] = {15, 420, 945};
#endif

enum {
    TANH_TOP_TERMS = sizeof TANH_TOP / sizeof TANH_TOP[0],
    TANH_BOTTOM_TERMS = sizeof TANH_BOTTOM / sizeof TANH_BOTTOM[0]
};

static inline wide wide_polynomial(const real *term, size_t terms, wide x)
{
    wide sum = wide_set(term[0]);
    for (size_t i = 1; i < terms; i++)
        sum = wide_fma(sum, x, wide_set(term[i]));
    return sum;
}

static inline wide wide_tanh(wide x)
{
    wide one = wide_set(1), zero = wide_zero(), border = wide_set((real)0.55);
    wide minus_x = wide_sub(zero, x), square = wide_mul(x, x);
    wide size = wide_if_less(x, zero, minus_x, x);
    wide small_top = wide_mul(square, wide_polynomial(TANH_TOP, TANH_TOP_TERMS, square));
    wide small_bottom = wide_polynomial(TANH_BOTTOM, TANH_BOTTOM_TERMS, square);
    wide t = wide_exp(wide_mul(wide_set(-2), size));
    wide ratio = wide_div(wide_if_less(size, border, small_top, wide_sub(one, t)),
                          wide_if_less(size, border, small_bottom, wide_add(one, t)));
    wide large = wide_if_less(x, zero, wide_sub(zero, ratio), ratio);
    return wide_if_less(size, border, wide_fma(minus_x, ratio, x), large);
}

#endif
