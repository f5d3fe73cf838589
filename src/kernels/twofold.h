/* A number as an unevaluated sum of two: some 106 bits (Dekker, A floating-point technique for
 * extending the available precision, 1971). Only additions, multiplications and fma, so the same
 * bits everywhere. */
#ifndef SELFATTN_KERNELS_TWOFOLD_H
#define SELFATTN_KERNELS_TWOFOLD_H

#include <math.h>

typedef struct twofold {
    double high, low;
} twofold;

/* Added to a number below 2⁵¹ it leaves the nearest whole one in the lowest bits. */
static const double ROUND_WHOLE = 0x1.8p52;

/* a + b without loss (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B) */
static inline twofold twofold_sum(double a, double b)
{
    double sum = a + b, b_part = sum - a, a_part = sum - b_part;
    return (twofold){sum, (a - a_part) + (b - b_part)};
}

/* a·b without loss */
static inline twofold twofold_product(double a, double b)
{
    double product = a * b;
    return (twofold){product, fma(a, b, -product)};
}

static inline twofold twofold_add(twofold a, twofold b)
{
    twofold high = twofold_sum(a.high, b.high), low = twofold_sum(a.low, b.low);
    twofold joined = twofold_sum(high.high, high.low + low.high);
    return twofold_sum(joined.high, joined.low + low.low);
}

#endif
