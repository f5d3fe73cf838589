/* Philox4x32-10: a block of 128 bits that depends on nothing but a counter and a key, so that any
 * part of a sequence can be had without what comes before it (Salmon, Moraes, Dror and Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011). */
#ifndef SELFATTN_RANDOM_PHILOX_H
#define SELFATTN_RANDOM_PHILOX_H

#include <stdint.h>

void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
