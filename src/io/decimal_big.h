/* Whole numbers of up to 2,816 bits, for the decimals that 128 bits cannot decide and for exact
 * printing.
 *
 * Nothing is allocated. The longest number that reading or printing a float64 meets has 2,588
 * bits: 54 bits × 5^1091, the halfway point next to which a number of BIG_DIGITS digits near
 * 2^-1075 is laid. Going past the end is a bug, and an assertion. */
#ifndef SELFATTN_IO_DECIMAL_BIG_H
#define SELFATTN_IO_DECIMAL_BIG_H

#include <stddef.h>
#include <stdint.h>

enum {
    BIG_LIMBS = 88,
    BIG_DIGITS = 768 /* a point halfway between two float64 has no more digits, nor has a float64 */
};

typedef struct big {
    uint32_t limb[BIG_LIMBS]; /* the least first */
    size_t count;             /* the last of them is not 0; zero has none */
} big;

void big_set(big *b, uint64_t value);
void big_times_plus(big *b, uint32_t factor, uint32_t addend);
void big_times_pow5(big *b, int power);
void big_shift_left(big *b, int bits);

/* −1, 0 or 1: a < b, a = b, a > b. */
int big_compare(const big *a, const big *b);

/* Writes its decimal digits, as characters and without a NUL, and returns how many: none for
 * zero. Uses `b` up. */
size_t big_take_digits(big *b, char digit[BIG_DIGITS]);

#endif
