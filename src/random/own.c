#include "random/own.h"

#include "random/philox.h"
#include "random/turn.h"

#include <math.h>
#include <string.h>

/* So many pairs are made at once, step by step: each step is a loop that compilers turn into vector
 * code. */
enum { PAIRS = 128 };

typedef struct pairs {
    uint64_t a[PAIRS], b[PAIRS];
    double first[PAIRS], second[PAIRS];
} pairs;

/* The 128 bits of each pair of numbers, from `index` on. */
static void draw_bits(const stream *s, const draw *d, uint64_t index, pairs *p)
{
    const uint32_t key[2] = {(uint32_t)s->seed, (uint32_t)(s->seed >> 32)};
    for (size_t i = 0; i < PAIRS; i++) {
        uint64_t at = index + i;
        const uint32_t counter[4] = {(uint32_t)at, (uint32_t)(at >> 32), d->matrix, 0};
        uint32_t word[4];
        philox(counter, key, word);
        p->a[i] = word[0] | (uint64_t)word[1] << 32;
        p->b[i] = word[2] | (uint64_t)word[3] << 32;
    }
}

/* ---- uniform numbers ---- */

/* Of a float32 no more bits than it holds, so that rounding never leads up to 1. */
static double part_of(uint64_t bits, dtype type)
{
    return type == DTYPE_F32 ? (double)(uint32_t)(bits >> 40) * 0x1p-24
                             : (double)(bits >> 11) * 0x1p-53;
}

static void make_uniform(const draw *d, pairs *p)
{
    double low = d->law.a, range = d->law.b - low;
    for (size_t i = 0; i < PAIRS; i++) {
        p->first[i] = low + range * part_of(p->a[i], d->type);
        p->second[i] = low + range * part_of(p->b[i], d->type);
    }
}

/* ---- normal numbers ---- */

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

static void make_normal(const draw *d, pairs *p)
{
    double mean = d->law.a, deviation = d->law.b, radius[PAIRS];
    for (size_t i = 0; i < PAIRS; i++)
        radius[i] = logarithm_of_part((double)(int64_t)((p->a[i] >> 11) + 1) * 0x1p-53);
    for (size_t i = 0; i < PAIRS; i++)
        radius[i] = sqrt(-2 * radius[i]);
    for (size_t i = 0; i < PAIRS; i++) {
        double sine, cosine;
        turn_part((double)(int64_t)(p->b[i] >> 11) * 0x1p-53, &sine, &cosine);
        p->first[i] = mean + deviation * (radius[i] * cosine);
        p->second[i] = mean + deviation * (radius[i] * sine);
    }
}

/* ---- both ---- */

void own_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    pairs p;
    for (size_t begin = 0; begin < count; begin += 2 * PAIRS) {
        size_t left = count - begin, length = left < 2 * PAIRS ? left : 2 * PAIRS;
        draw_bits(s, d, (first + begin) / 2, &p);
        if (d->law.kind == LAW_NORMAL)
            make_normal(d, &p);
        else
            make_uniform(d, &p);
        for (size_t i = 0; i < length; i++)
            out[begin + i] = i % 2 == 0 ? p.first[i / 2] : p.second[i / 2];
    }
}
