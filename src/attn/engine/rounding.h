/* Rounding weights by hand, as a walkthrough on paper does. */
#ifndef SELFATTN_ATTN_ENGINE_ROUNDING_H
#define SELFATTN_ATTN_ENGINE_ROUNDING_H

#include "tensor/tensor.h"

/* A weight in units of the last decimal that is kept: whole units, and a rest from 0 to below 1, as
 * the exact sum rest + lost. */
typedef struct share {
    double whole, rest, lost;
    size_t key;
} share;

/* Row by row, in to out (which may be the same), to `decimals` decimals, halves away from zero. */
void rows_round(const tensor *in, int decimals, tensor *out);

/* The same with largest remainders, so that a row which summed to 1 still does: ties go to the
 * earlier key, a row of zeros stays. `shares` has room for one a column. It is for rows that sum to
 * 1 but for rounding: one that sums to less is made to sum to 1 too, which is not rounding any
 * more. So the plan refuses it with sinks (plan_score.c), and attempt.c after mistakes that lose
 * the sum. */
void rows_round_keep_sum(const tensor *in, int decimals, tensor *out, share *shares);

#endif
