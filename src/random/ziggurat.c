#include "random/ziggurat.h"

#include "kernels/logarithm.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LAST = ZIGGURAT_LAYERS - 1, TERMS = 14 };

/* Where the tail begins, and the area of each layer: the roots for 256 layers. */
static const double TAIL = 3.6541528853610088, AREA = 0.0049286732339746553;

/* e^(−y), 0 ≤ y < 700: 2⁻ⁿ·e^r with |r| ≤ ln2/2, whose series leaves less than 2⁻⁵⁶. */
static double exponential_of_minus(double y)
{
    static const double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
    double n = floor(y / LN2_HIGH + 0.5), r = (n * LN2_HIGH - y) + n * LN2_LOW, sum = 1, power;
    for (int i = TERMS; i > 0; i--)
        sum = 1 + sum * r / i;
    uint64_t bits = (uint64_t)(1023 - (int)n) << 52;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

/* All layers have one area: x_i·(f(x_{i−1}) − f(x_i)) = AREA, from the outermost to the top; the
 * lowest, 0, has the tail in it. */
void ziggurat_build(ziggurat *z)
{
    double outer = TAIL;
    z->height[LAST] = exponential_of_minus(TAIL * TAIL / 2);
    z->width[LAST] = TAIL * 0x1p-52;
    z->inside[0] = (uint64_t)(TAIL * z->height[LAST] / AREA * 0x1p52);
    z->width[0] = AREA / z->height[LAST] * 0x1p-52;
    z->height[0] = 1;
    for (int i = LAST - 1; i > 0; i--) {
        double x = sqrt(-2 * logarithm(AREA / outer + z->height[i + 1]));
        z->inside[i + 1] = (uint64_t)(x / outer * 0x1p52);
        z->width[i] = x * 0x1p-52;
        z->height[i] = exponential_of_minus(x * x / 2);
        outer = x;
    }
    z->inside[1] = 0;
}

/* 1 − u is exact, u being a multiple of 2⁻⁵³. */
static double exponential_number(pcg64 *p)
{
    return -logarithm(1 - pcg64_part(p));
}

/* Marsaglia, "Generating a variable from the tail of the normal distribution", 1964 */
static double tail_number(pcg64 *p)
{
    double x, y;
    do {
        x = 1 / TAIL * exponential_number(p);
        y = exponential_number(p);
    } while (y + y <= x * x);
    return TAIL + x;
}

/* Between what lies inside and the layer's own end, the curve decides. */
static bool is_below_the_curve(const ziggurat *z, unsigned layer, double x, pcg64 *p)
{
    double height = (z->height[layer - 1] - z->height[layer]) * pcg64_part(p) + z->height[layer];
    return height < exponential_of_minus(0.5 * x * x);
}

double ziggurat_normal(const ziggurat *z, pcg64 *p)
{
    for (;;) {
        uint64_t bits = pcg64_next(p), part = bits >> 9 & 0xfffffffffffffu;
        unsigned layer = bits & (ZIGGURAT_LAYERS - 1);
        double x = (double)part * z->width[layer];
        if (part >= z->inside[layer] && layer == 0)
            return part >> 8 & 1 ? -tail_number(p) : tail_number(p);
        if (part < z->inside[layer] || is_below_the_curve(z, layer, x, p))
            return bits >> 8 & 1 ? -x : x;
    }
}
