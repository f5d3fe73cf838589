/* The distance of two numbers in units in the last place of a type.
 *
 * The numbers of a type are counted in their order, −0 and +0 as one; so the distance is exact
 * across powers of two, through zero, and among subnormals. Values that the type can't hold are
 * rounded to it first: a distance of 0 means "the same number of that type". */
#ifndef SELFATTN_COMPARE_ULPS_H
#define SELFATTN_COMPARE_ULPS_H

#include <stdint.h>

/* From fine to coarse, so that a coarser type has a larger value. */
typedef enum number_type { NUMBER_F64, NUMBER_F32, NUMBER_F16, NUMBER_BF16 } number_type;

const char *number_type_name(number_type type);

/* The nearest number of the type, ties to even; infinity where it is too large. */
double number_round(number_type type, double value);

/* The distance between a finite number and an infinity, and from a NaN to anything. */
#define ULPS_INFINITE UINT64_MAX

uint64_t ulps_between(number_type type, double a, double b);

#endif
