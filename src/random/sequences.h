/* The sequences of bits that other libraries' generators are made of, and NumPy's normal
 * numbers. */
#ifndef SELFATTN_RANDOM_SEQUENCES_H
#define SELFATTN_RANDOM_SEQUENCES_H

#include <stddef.h>
#include <stdint.h>

/* The Mersenne Twister MT19937 (Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally
 * equidistributed uniform pseudo-random number generator", 1998; its seeding as of 2002). */
enum { MERSENNE_WORDS = 624 };

typedef struct mersenne {
    uint32_t word[MERSENNE_WORDS];
    size_t used; /* words of this turn that were given */
} mersenne;

void mersenne_seed(mersenne *m, uint32_t seed);

uint32_t mersenne_next(mersenne *m);
/* From 0 below 1, of 53 bits: the upper 27 of one word, then the upper 26 of the next. */
double mersenne_part(mersenne *m);

/* PCG64, as NumPy has it: the XSL RR generator of O'Neill, "PCG: a family of simple fast
 * space-efficient statistically good algorithms for random number generation", 2014; seeded by her
 * "Simple portable C++ seed entropy" (2015), which NumPy calls SeedSequence. */

/* 128 bits; C11 has no such type. */
typedef struct wide_word {
    uint64_t high, low;
} wide_word;

typedef struct pcg64 {
    wide_word state, step;
} pcg64;

void pcg64_seed(pcg64 *p, uint64_t seed);
/* From 0 below 1, of 53 bits. */
double pcg64_part(pcg64 *p);

/* Normal numbers by the ziggurat of 256 layers, in the form and with the bits that NumPy's
 * default_rng gives them (Marsaglia and Tsang, "The ziggurat method for generating random
 * variables", 2000; Doornik, "An improved ziggurat method to generate normal random samples",
 * 2005). */
enum { ZIGGURAT_LAYERS = 256 };

/* Layer i reaches to x = 2⁵²·width[i], and lies below the curve up to inside[i]·width[i]. */
typedef struct ziggurat {
    uint64_t inside[ZIGGURAT_LAYERS];
    double width[ZIGGURAT_LAYERS];
    double height[ZIGGURAT_LAYERS]; /* e^(−x²/2) */
} ziggurat;

/* From the layers' equal areas. NumPy's own tables were rounded on another way: these are as near
 * as 10⁻¹³ of them, which no float32 made from them shows. */
void ziggurat_build(ziggurat *z);

double ziggurat_normal(const ziggurat *z, pcg64 *p);

#endif
