#include "random/pcg64.h"

/* ---- the seed ---- */

enum { POOL = 4, SEED_WORDS = 8 };

/* Each use of a hash has a multiplier of its own, which the use before left. */
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

static uint32_t mixed(uint32_t x, uint32_t y)
{
    uint32_t both = 0xca01f9ddu * x - 0x4973f715u * y;
    return both ^ both >> 16;
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
            if (i != j)
                pool[j] = mixed(pool[j], hashed(&in, pool[i]));
    for (int i = 0; i < SEED_WORDS; i++)
        out[i] = hashed(&from, pool[i % POOL]);
}

/* ---- the generator ---- */

static const wide_word MULTIPLIER = {0x2360ed051fc65da4u, 0x4385df649fccf645u};

static wide_word add(wide_word a, wide_word b)
{
    uint64_t low = a.low + b.low;
    return (wide_word){a.high + b.high + (low < a.low), low};
}

/* The upper half of a product of 64 bits by 64. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

static wide_word multiply(wide_word a, wide_word b)
{
    uint64_t high = multiply_high(a.low, b.low) + a.high * b.low + a.low * b.high;
    return (wide_word){high, a.low * b.low};
}

static void move_on(pcg64 *p)
{
    p->state = add(multiply(p->state, MULTIPLIER), p->step);
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

uint64_t pcg64_next(pcg64 *p)
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
