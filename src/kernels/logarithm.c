#include "kernels/logarithm.h"

#include "base/float_bits.h"

#include <math.h>

enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

static const double LN2_HIGH = 6.93147180369123816490e-01; /* 32 bits: exact times any exponent */
static const double LN2_LOW = 1.90821492927058770002e-10;

/* 2/3 + 2z/5 + 2z²/7 + …, z ≤ 0.0295: the first term left out is below 2⁻⁶⁰ of the sum. Highest
 * power first. */
static const double TERM[] = {2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15,
                              2.0 / 13, 2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};

/* x = 2ᵉ·m with √½ ≤ m < √2 */
static double split(double x, double *exponent)
{
    uint64_t bits = float64_bits(x), one = (uint64_t)EXPONENT_BIAS << MANTISSA_BITS;
    *exponent = (double)((int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS);
    double m = float64_of_bits((bits & (((uint64_t)1 << MANTISSA_BITS) - 1)) | one);
    if (m < 1.4142135623730951)
        return m;
    *exponent += 1;
    return m / 2;
}

/* With f = m − 1 and s = f / (2 + f), ln m = f − (f²/2 − s·(f²/2 + 2s²/3 + 2s⁴/5 + …)): the form of
 * e_log.c in Sun's fdlibm, with Taylor's terms. */
double logarithm(double x)
{
    double exponent, rest = 0;
    if (x == 0)
        return -INFINITY;
    if (!(x < INFINITY))
        return x;
    double f = split(x, &exponent) - 1;
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    for (size_t i = 0; i < sizeof TERM / sizeof TERM[0]; i++)
        rest = fma(rest, z, TERM[i]);
    double small = s * (half + rest * z) + exponent * LN2_LOW;
    return exponent * LN2_HIGH - ((half - small) - f);
}
