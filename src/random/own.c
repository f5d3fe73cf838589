#include "random/own.h"

#include "random/philox.h"
#include "random/turn.h"

#include <math.h>
#include <string.h>

/* The 128 bits that numbers 2·index and 2·index + 1 are made of. */
static void block_of(const stream *s, const draw *d, uint64_t index, uint64_t bits[2])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), d->matrix, 0};
    const uint32_t key[2] = {(uint32_t)s->seed, (uint32_t)(s->seed >> 32)};
    uint32_t word[4];
    philox(counter, key, word);
    bits[0] = word[0] | (uint64_t)word[1] << 32;
    bits[1] = word[2] | (uint64_t)word[3] << 32;
}

/* Of a float32 no more bits than it holds, so that rounding never leads up to 1. */
static double part_of(uint64_t bits, dtype type)
{
    return type == DTYPE_F32 ? (double)(bits >> 40) * 0x1p-24 : (double)(bits >> 11) * 0x1p-53;
}

static void uniform_pair(const uint64_t bits[2], const draw *d, double pair[2])
{
    for (int i = 0; i < 2; i++)
        pair[i] = d->law.a + (d->law.b - d->law.a) * part_of(bits[i], d->type);
}

/* ln x for 2⁻⁵³ ≤ x ≤ 1 within 2 units in the last place: kernels/logarithm.c's series without
 * fused operations, which are calls in a program for any processor. */
static double logarithm_of_part(double x)
{
    static const double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
    static const uint64_t HALF_ROOT = 0x3fe6a09e667f3bcdu, ONE = 0x3ff0000000000000u; /* √½, 1 */
    uint64_t bits;
    double m;
    memcpy(&bits, &x, sizeof bits);
    bits += ONE - HALF_ROOT; /* the exponent goes up where the mantissa is √2 or more */
    double exponent = (double)((int)(bits >> 52) - 1023), sum = 2.0 / 25;
    bits = (bits & 0xfffffffffffffu) + HALF_ROOT;
    memcpy(&m, &bits, sizeof m);
    double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    sum = sum * z + 2.0 / 23;
    sum = sum * z + 2.0 / 21;
    sum = sum * z + 2.0 / 19;
    sum = sum * z + 2.0 / 17;
    sum = sum * z + 2.0 / 15;
    sum = sum * z + 2.0 / 13;
    sum = sum * z + 2.0 / 11;
    sum = sum * z + 2.0 / 9;
    sum = sum * z + 2.0 / 7;
    sum = sum * z + 2.0 / 5;
    sum = sum * z + 2.0 / 3;
    return exponent * LN2_HIGH - ((half - (s * (half + sum * z) + exponent * LN2_LOW)) - f);
}

static void normal_pair(const uint64_t bits[2], const draw *d, double pair[2])
{
    double sine, cosine;
    double u = (double)((bits[0] >> 11) + 1) * 0x1p-53, v = (double)(bits[1] >> 11) * 0x1p-53;
    double r = sqrt(-2 * logarithm_of_part(u));
    turn_part(v, &sine, &cosine);
    pair[0] = d->law.a + d->law.b * (r * cosine);
    pair[1] = d->law.a + d->law.b * (r * sine);
}

void own_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    for (size_t i = 0; i < count; i += 2) {
        uint64_t bits[2];
        double pair[2];
        block_of(s, d, (first + i) / 2, bits);
        if (d->law.kind == LAW_NORMAL)
            normal_pair(bits, d, pair);
        else
            uniform_pair(bits, d, pair);
        out[i] = pair[0];
        if (i + 1 < count)
            out[i + 1] = pair[1];
    }
}
