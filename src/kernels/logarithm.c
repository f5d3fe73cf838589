#include "kernels/logarithm.h"

#include "base/float_bits.h"

#include <math.h>

enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

/* With f = m − 1 and s = f / (2 + f), ln m = f − (f²/2 − s·(f²/2 + 2s²/3 + 2s⁴/5 + …)): the form of
 * e_log.c in Sun's fdlibm, with Taylor's terms. */
double logarithm(double x)
{
    const uint64_t one = (uint64_t)EXPONENT_BIAS << MANTISSA_BITS, bits = float64_bits(x);
    double rest = 0;
    if (x == 0)
        return -INFINITY;
    if (!(x < INFINITY))
        return x;
    /* x = 2ᵉ·m with √½ ≤ m < √2 */
    double exponent = (double)((int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS);
    double m = float64_of_bits((bits & (((uint64_t)1 << MANTISSA_BITS) - 1)) | one);
    if (m >= 1.4142135623730951) {
        exponent += 1;
        m /= 2;
    }
    double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    for (size_t i = 0; i < LOGARITHM_TERMS; i++)
        rest = fma(rest, z, LOGARITHM_TERM[i]);
    double small = s * (half + rest * z) + exponent * LN2_REST;
    return exponent * LN2_32_BITS - ((half - small) - f);
}
