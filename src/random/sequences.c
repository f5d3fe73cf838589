#include "random/sequences.h"

#include "base/float_bits.h"
#include "kernels/logarithm.h"

#include <math.h>

/* ---- MT19937 ---- */

enum { N = MERSENNE_WORDS, M = 397 };

void mersenne_seed(mersenne *m, uint32_t seed)
{
    m->word[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        m->word[i] = 1812433253u * (m->word[i - 1] ^ m->word[i - 1] >> 30) + i;
    m->used = N;
}

uint32_t mersenne_next(mersenne *m)
{
    for (size_t i = 0; m->used == N && i < N; i++) {
        uint32_t y = (m->word[i] & 0x80000000u) | (m->word[(i + 1) % N] & 0x7fffffffu);
        m->word[i] = m->word[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    m->used = m->used == N ? 0 : m->used;
    uint32_t y = m->word[m->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double mersenne_part(mersenne *m)
{
    uint32_t high = mersenne_next(m) >> 5, low = mersenne_next(m) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* ---- PCG64's seed ---- */

enum { POOL = 4, SEED_WORDS = 8 };

/* Each use of a hash has its own multiplier, computed by the use before it. */
typedef struct hash {
    uint32_t multiplier, step;
} hash;

static uint32_t hashed(hash *h, uint32_t value)
{
    value ^= h->multiplier;
    h->multiplier *= h->step;
    value *= h->multiplier;
    return value ^ value >> 16;
}

/* SeedSequence(seed).generate_state(8): 32 bits each. */
static void seed_sequence(uint64_t seed, uint32_t out[SEED_WORDS])
{
    hash in = {0x43b0d7e5u, 0x931e8875u}, from = {0x8b51f9ddu, 0x58f38dedu};
    uint32_t pool[POOL] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int i = 0; i < POOL; i++)
        pool[i] = hashed(&in, pool[i]);
    for (int i = 0; i < POOL; i++)
        for (int j = 0; j < POOL; j++)
            if (i != j) {
                uint32_t both = 0xca01f9ddu * pool[j] - 0x4973f715u * hashed(&in, pool[i]);
                pool[j] = both ^ both >> 16;
            }
    for (int i = 0; i < SEED_WORDS; i++)
        out[i] = hashed(&from, pool[i % POOL]);
}

/* ---- PCG64 ---- */

static const wide_word MULTIPLIER = {0x2360ed051fc65da4u, 0x4385df649fccf645u};

static wide_word add(wide_word a, wide_word b)
{
    uint64_t low = a.low + b.low;
    return (wide_word){a.high + b.high + (low < a.low), low};
}

static void move_on(pcg64 *p)
{
    /* The state times the multiplier: of a product of 64 bits by 64 the upper half as well. */
    wide_word a = p->state, b = MULTIPLIER;
    uint64_t a_low = (uint32_t)a.low, a_high = a.low >> 32, b_low = (uint32_t)b.low,
             b_high = b.low >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    uint64_t high =
        (a_high * b_high + (middle >> 32) + (other >> 32)) + a.high * b.low + a.low * b.high;
    p->state = add((wide_word){high, a.low * b.low}, p->step);
}

void pcg64_seed(pcg64 *p, uint64_t seed)
{
    uint32_t word[SEED_WORDS];
    uint64_t pair[SEED_WORDS / 2];
    seed_sequence(seed, word);
    for (int i = 0; i < SEED_WORDS / 2; i++)
        pair[i] = word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
    p->step = (wide_word){pair[2] << 1 | pair[3] >> 63, pair[3] << 1 | 1};
    p->state = (wide_word){0, 0};
    move_on(p);
    p->state = add(p->state, (wide_word){pair[0], pair[1]});
    move_on(p);
}

static uint64_t pcg64_next(pcg64 *p)
{
    move_on(p);
    uint64_t folded = p->state.high ^ p->state.low;
    unsigned turn = (unsigned)(p->state.high >> 58);
    return folded >> turn | folded << (-turn & 63);
}

double pcg64_part(pcg64 *p)
{
    return (double)(pcg64_next(p) >> 11) * 0x1p-53;
}

/* ---- normal numbers ---- */

enum { LAST = ZIGGURAT_LAYERS - 1, TERMS = 14 };

/* Where the tail begins, and the area of each layer, for 256 layers. */
static const double TAIL = 3.6541528853610088, AREA = 0.0049286732339746553;

/* e^(−y), 0 ≤ y < 700: 2⁻ⁿ·e^r with |r| ≤ ln2/2, whose series leaves less than 2⁻⁵⁶. */
static double exponential_of_minus(double y)
{
    double n = floor(y / LN2_32_BITS + 0.5), r = (n * LN2_32_BITS - y) + n * LN2_REST, sum = 1;
    for (int i = TERMS; i > 0; i--)
        sum = 1 + sum * r / i;
    return sum * float64_of_bits((uint64_t)(1023 - (int)n) << 52);
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

double ziggurat_normal(const ziggurat *z, pcg64 *p)
{
    for (;;) {
        uint64_t bits = pcg64_next(p), part = bits >> 9 & 0xfffffffffffffu;
        unsigned layer = bits & (ZIGGURAT_LAYERS - 1);
        double x = (double)part * z->width[layer];
        if (part < z->inside[layer])
            return bits >> 8 & 1 ? -x : x;
        if (layer == 0)
            return part >> 8 & 1 ? -tail_number(p) : tail_number(p);
        /* Outside of the part that lies wholly under the curve, the point is compared with the
         * curve. */
        double top = z->height[layer - 1], below = z->height[layer];
        double height = (top - below) * pcg64_part(p) + below;
        if (height < exponential_of_minus(0.5 * x * x))
            return bits >> 8 & 1 ? -x : x;
    }
}
