/* The project's own random numbers, as random/generator.h defines them: many pairs at once, step by
 * step, each step a loop that compilers turn into vector code. No multiply-add is fused. */
#include "kernels/logarithm.h"
#include "kernels/philox.h"
#include "kernels/sine.h"
#include "kernels/wide/real.h"

enum { PAIRS = 128 };

typedef struct random_bits {
    uint64_t a[PAIRS], b[PAIRS];
} random_bits;

/* Draws the bits of the pairs that begin `skipped` after the first one. */
static void draw_bits(const random_place *from, size_t skipped, random_bits *to)
{
    const uint32_t key[2] = {(uint32_t)from->seed, (uint32_t)(from->seed >> 32)};
    for (size_t i = 0; i < PAIRS; i++) {
        uint64_t at = from->pair + skipped + i;
        const uint32_t counter[4] = {(uint32_t)at, (uint32_t)(at >> 32), from->matrix, 0};
        uint32_t word[4];
        philox(counter, key, word);
        to->a[i] = word[0] | (uint64_t)word[1] << 32;
        to->b[i] = word[2] | (uint64_t)word[3] << 32;
    }
}

/* How many of the remaining n − begin numbers PAIRS pairs give. */
static size_t length_of(size_t n, size_t begin)
{
    return n - begin < 2 * PAIRS ? n - begin : 2 * PAIRS;
}

/* A whole number up to 2⁵³ as float64. Its halves go into the mantissas of 2⁸⁴ and 2⁵², since not
 * all machines convert 64-bit integers in vectors. */
static double whole(uint64_t n)
{
    double high = float64_of_bits((n >> 32) | 0x4530000000000000u);
    double low = float64_of_bits((n & 0xffffffffu) | 0x4330000000000000u);
    return (high - 0x1p84) + (low - 0x1p52);
}

/* ---- uniform numbers ---- */

/* A float32 gets only as many bits as it holds, so that rounding never gives 1. */
static double part_of(uint64_t drawn)
{
    return sizeof(real) == sizeof(float) ? (double)(int32_t)(uint32_t)(drawn >> 40) * 0x1p-24
                                         : whole(drawn >> 11) * 0x1p-53;
}

void KERNEL(draw_uniform)(const random_place *from, size_t n, double low, double high, void *out)
{
    real *to = out, number[2 * PAIRS];
    double range = high - low;
    random_bits drawn;
    for (size_t begin = 0; begin < n; begin += 2 * PAIRS) {
        draw_bits(from, begin / 2, &drawn);
        for (size_t i = 0; i < PAIRS; i++) {
            number[2 * i] = (real)(low + range * part_of(drawn.a[i]));
            number[2 * i + 1] = (real)(low + range * part_of(drawn.b[i]));
        }
        memcpy(to + begin, number, length_of(n, begin) * sizeof number[0]);
    }
}

/* ---- normal numbers ---- */

/* ln x for 2⁻⁵³ ≤ x ≤ 1 within 2 units in the last place: kernels/logarithm.c's series without
 * fused operations, which are calls in a program for any processor. */
static double logarithm_of_part(double x)
{
    static const uint64_t HALF_ROOT = 0x3fe6a09e667f3bcdu, ONE = 0x3ff0000000000000u; /* √½, 1 */
    /* The exponent goes up where the mantissa is √2 or more. */
    uint64_t pattern = float64_bits(x) + (ONE - HALF_ROOT);
    double exponent = whole(pattern >> 52) - 1023, sum = LOGARITHM_TERM[0];
    double m = float64_of_bits((pattern & 0xfffffffffffffu) + HALF_ROOT);
    double f = m - 1, s = f / (2 + f), z = s * s, halved = 0.5 * f * f;
    for (size_t i = 1; i < LOGARITHM_TERMS; i++)
        sum = sum * z + LOGARITHM_TERM[i];
    return exponent * LN2_32_BITS - ((halved - (s * (halved + sum * z) + exponent * LN2_REST)) - f);
}

void KERNEL(draw_normal)(const random_place *from, size_t n, double mean, double deviation,
                         void *out)
{
    real *to = out, number[2 * PAIRS];
    double radius[PAIRS], sine[PAIRS], cosine[PAIRS];
    random_bits drawn;
    for (size_t begin = 0; begin < n; begin += 2 * PAIRS) {
        draw_bits(from, begin / 2, &drawn);
        for (size_t i = 0; i < PAIRS; i++)
            radius[i] = sqrt(-2 * logarithm_of_part(whole((drawn.a[i] >> 11) + 1) * 0x1p-53));
        for (size_t i = 0; i < PAIRS; i++)
            sine_and_cosine_of_turn(whole(drawn.b[i] >> 11) * 0x1p-53, &sine[i], &cosine[i]);
        for (size_t i = 0; i < PAIRS; i++) {
            number[2 * i] = (real)(mean + deviation * (radius[i] * cosine[i]));
            number[2 * i + 1] = (real)(mean + deviation * (radius[i] * sine[i]));
        }
        memcpy(to + begin, number, length_of(n, begin) * sizeof number[0]);
    }
}
