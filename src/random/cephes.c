#include "random/cephes.h"

#include "base/float_bits.h"

#include <math.h>

enum { MANTISSA_BITS = 23, EXPONENT_OF_HALF = 126 };

/* x = 2ᵉ·m with ½ ≤ m < 1 */
static float split(float x, int *exponent)
{
    uint32_t bits = float32_bits(x);
    *exponent = (int)(bits >> MANTISSA_BITS) - EXPONENT_OF_HALF;
    return float32_of_bits((bits & 0x7fffffu) | (uint32_t)EXPONENT_OF_HALF << MANTISSA_BITS);
}

/* ln x = e·ln2 + f − f²/2 + f³·P(f), √½ ≤ 1 + f < √2; ln2 is 0.693359375 − 2.12194440·10⁻⁴. */
float cephes_log(float x)
{
    static const float P[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                              -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                              2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    int exponent;
    float m = split(x, &exponent), f = m - 1, sum = P[0];
    if (m < 0.707106781186547524f) {
        f += m;
        exponent--;
    }
    float square = f * f, e = (float)exponent;
    for (size_t i = 1; i < sizeof P / sizeof P[0]; i++)
        sum = fmaf(sum, f, P[i]);
    sum = fmaf(sum * f, square, e * -2.12194440e-4f);
    sum = fmaf(-square, 0.5f, sum);
    return fmaf(e, 0.693359375f, f + sum);
}

/* The nearest even multiple of π/4, in three parts, is taken off; then the polynomials for |r| ≤
 * π/4. */
void cephes_sine_cosine(float x, float *sine, float *cosine)
{
    int eighth = ((int)(x * 1.27323954473516f) + 1) & ~1;
    float n = (float)eighth, r = fmaf(n, -0.78515625f, x);
    r = fmaf(n, -2.4187564849853515625e-4f, r);
    r = fmaf(n, -3.77489497744594108e-8f, r);
    float z = r * r, c = 2.443315711809948e-5f, s = -1.9515295891e-4f;
    c = fmaf(c, z, -1.388731625493765e-3f);
    c = fmaf(c, z, 4.166664568298827e-2f);
    c = fmaf(c * z, z, -(z * 0.5f)) + 1;
    s = fmaf(s, z, 8.3321608736e-3f);
    s = fmaf(s, z, -1.6666654611e-1f);
    s = fmaf(s * z, r, r);
    float first = eighth & 2 ? c : s, second = eighth & 2 ? s : c;
    *sine = eighth & 4 ? -first : first;
    *cosine = (eighth + 2) & 4 ? -second : second;
}
