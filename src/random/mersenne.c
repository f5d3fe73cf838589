#include "random/mersenne.h"

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
