/* What a row of weights comes to, on request, computed in float64 in the order of the keys and
 * rounded once; and the average over heads. */
#ifndef SELFATTN_ATTN_ENGINE_STATISTICS_H
#define SELFATTN_ATTN_ENGINE_STATISTICS_H

#include "tensor/tensor.h"

/* ln Σ exp(masked) = maximum + ln sum; −∞ where the sum is 0. */
double statistics_logsumexp(double maximum, double sum);
/* −Σⱼ w·ln w in nats, a weight of 0 adding nothing: one chain of fused multiply-adds. */
double statistics_entropy(const tensor *weights, size_t row);
/* top[row][t] = the key with the t-th greatest weight, from 0, ties to the earlier key; −1 where no
 * more weights are above 0. Column 0 of the weights is key `first`. */
void statistics_top(const tensor *weights, size_t row, size_t first, tensor *top);

/* The average over heads, as torch's average_attn_weights gives it, in the place of axis `heads`: a
 * chain of additions in head order from the first head,
 * then one division, each rounded to the type. */
bool tensor_average(tensor *t, int heads, err *e);

#endif
