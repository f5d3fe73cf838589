/* Numbers of either type by their index, and random ones of the kinds that kernels meet. */
#ifndef SELFATTN_TESTS_KERNELS_NUMBERS_H
#define SELFATTN_TESTS_KERNELS_NUMBERS_H

#include "tensor/tensor.h"

#include <stdint.h>

typedef enum numbers {
    NUMBERS_ANY,    /* with ±0, subnormal and huge ones */
    NUMBERS_SCORES, /* with −inf, very low ones, and ties */
    NUMBERS_SHARES  /* from 0 to 1 */
} numbers;

double numbers_get(dtype type, const void *data, size_t index);
void numbers_put(dtype type, void *data, size_t index, double value);

/* In [0, 1), all 53 bits random. */
double numbers_fraction(uint64_t *state);
double numbers_next(uint64_t *state, numbers kind);

/* Equal bits; a NaN is any NaN, since only their bits leave IEEE 754 a choice. */
bool numbers_same(dtype type, const void *a, const void *b, size_t count);

/* |got − right| in ulp of the type at `right`: below the smallest normal number +0 is right by
 * definition, and next to it either is. */
long double numbers_error(dtype type, double got, long double right);

/* Room for `count` of the wider type, zeroed; to be freed with free(). */
void *numbers_room(size_t count);

#endif
