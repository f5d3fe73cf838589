/* Angles of positions. Their frequencies come from the project's own powers: the same operations
 * everywhere, so the same bits; of libm only fma is used, which is exact. */
#ifndef SELFATTN_ATTN_SPEC_ANGLE_H
#define SELFATTN_ATTN_SPEC_ANGLE_H

#include "kernels/kernels.h"

/* Angles of positions from here on would not be known to the last bit (kernels.h). */
extern const double ANGLE_POSITION_MOST;

/* base^(−2p/width) rounded to float64, base from 1. */
double angle_frequency(double base, size_t p, size_t width);
/* ln x of an x above 0, rounded to float64. */
double angle_logarithm(double x);

#endif
