#include "random/philox.h"

#include <string.h>

enum { ROUNDS = 10 };

/* The paper's multipliers; the key moves on by the golden ratio and by √3 − 1. */
static const uint64_t MULTIPLIER_0 = 0xD2511F53, MULTIPLIER_1 = 0xCD9E8D57;
static const uint32_t STEP_0 = 0x9E3779B9, STEP_1 = 0xBB67AE85;

void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t x[4], k0 = key[0], k1 = key[1];
    memcpy(x, counter, sizeof x);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = MULTIPLIER_0 * x[0], b = MULTIPLIER_1 * x[2];
        x[0] = (uint32_t)(b >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)b;
        x[2] = (uint32_t)(a >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)a;
        k0 += STEP_0;
        k1 += STEP_1;
    }
    memcpy(out, x, sizeof x);
}
