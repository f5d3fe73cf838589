/* Least, greatest and mean of numbers that come one after the other, and how many are not finite.
 *
 * The sum is one chain of float64 additions in the order of the index (C order for a tensor), so
 * the mean is the same on every machine. NaN, infinities and holes are counted, and take no part
 * in the rest. Nothing is copied: a tensor's elements are looked at where they lie. */
#ifndef SELFATTN_TENSOR_STATISTICS_H
#define SELFATTN_TENSOR_STATISTICS_H

#include "tensor/tensor.h"

typedef struct statistics {
    size_t finite, nan, infinite, holes; /* how many there were */
    double least, greatest, sum;         /* of the finite ones; 0 where there are none */
} statistics;

void statistics_add(statistics *to, double value);
void statistics_add_tensor(statistics *to, const tensor *t);
/* Adds the statistics of the numbers that come after these. */
void statistics_join(statistics *to, const statistics *after);

/* sum / finite; NaN if no number is finite. */
double statistics_mean(const statistics *of);

#endif
