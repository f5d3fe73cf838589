/* Philox4x32-10: a block of 128 bits that depends on nothing but a counter and a key, so that any
 * part of a sequence can be had without what comes before it (Salmon, Moraes, Dror and Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011). */
#ifndef SELFATTN_KERNELS_PHILOX_H
#define SELFATTN_KERNELS_PHILOX_H

#include <stdint.h>

enum { PHILOX_ROUNDS = 10 };

/* Here, since loops over it become vector code only where the compiler sees it. The multipliers
 * are the paper's; the key moves on by the golden ratio and by √3 − 1. */
static inline void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int i = 0; i < PHILOX_ROUNDS; i++) {
        uint64_t a = (uint64_t)0xD2511F53u * x0, b = (uint64_t)0xCD9E8D57u * x2;
        x0 = (uint32_t)(b >> 32) ^ x1 ^ k0;
        x1 = (uint32_t)b;
        x2 = (uint32_t)(a >> 32) ^ x3 ^ k1;
        x3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = x0;
    out[1] = x1;
    out[2] = x2;
    out[3] = x3;
}

#endif
