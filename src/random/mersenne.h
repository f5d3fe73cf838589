/* The Mersenne Twister MT19937 (Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally
 * equidistributed uniform pseudo-random number generator", 1998; its seeding as of 2002). */
#ifndef SELFATTN_RANDOM_MERSENNE_H
#define SELFATTN_RANDOM_MERSENNE_H

#include <stddef.h>
#include <stdint.h>

enum { MERSENNE_WORDS = 624 };

typedef struct mersenne {
    uint32_t word[MERSENNE_WORDS];
    size_t used; /* words of this turn that were given */
} mersenne;

void mersenne_seed(mersenne *m, uint32_t seed);

uint32_t mersenne_next(mersenne *m);
/* From 0 below 1, of 53 bits: the upper 27 of one word, then the upper 26 of the next. */
double mersenne_part(mersenne *m);

#endif
