/* Random choices, the same ones for the same start everywhere. */
#ifndef SELFATTN_TESTS_REF_DICE_H
#define SELFATTN_TESTS_REF_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

/* The next of a sequence of random bits that the state begins (SplitMix64: Steele, Lea, Flood
 * 2014). */
uint64_t dice_bits(dice *d);

/* A whole number below n. */
size_t dice_below(dice *d, size_t n);
/* In [0, 1) */
double dice_fraction(dice *d);
bool dice_chance(dice *d, double probability);
const char *dice_word(dice *d, size_t count, const char *const *words);

#endif
