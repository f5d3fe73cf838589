/* PCG64, as NumPy has it: the XSL RR generator of O'Neill, "PCG: a family of simple fast
 * space-efficient statistically good algorithms for random number generation", 2014; seeded by her
 * "Simple portable C++ seed entropy" (2015), which NumPy calls SeedSequence. */
#ifndef SELFATTN_RANDOM_PCG64_H
#define SELFATTN_RANDOM_PCG64_H

#include <stdint.h>

/* 128 bits; C11 has no such type. */
typedef struct wide_word {
    uint64_t high, low;
} wide_word;

typedef struct pcg64 {
    wide_word state, step;
} pcg64;

void pcg64_seed(pcg64 *p, uint64_t seed);
uint64_t pcg64_next(pcg64 *p);
/* From 0 below 1, of 53 bits. */
double pcg64_part(pcg64 *p);

#endif
