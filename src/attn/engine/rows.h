/* Rows of scores and weights, one after the other: the terms of a softmax that are not keys of the
 * sequence, and what a row of weights comes to. */
#ifndef SELFATTN_ATTN_ENGINE_ROWS_H
#define SELFATTN_ATTN_ENGINE_ROWS_H

#include "attn/plan/plan.h"

/* ---- extra terms of a softmax: appended rows, and a sink, a logit that takes its share of the
 * weight and has no value. They are added after the keys' total, in this order and without loss,
 * before it is rounded: so a key's place does not depend on them, nor their bits on how many keys
 * there are ---- */

/* The row's maximum, where an extra term is greater: that. */
void extra_raise_maximum(const plan *p, size_t head, void *maximum);
/* Exponentials of the appended rows' scores, p->appended of them, which are added to the total, and
 * then that of the sink. */
void extra_exponent(const plan *p, size_t head, const void *scores, const void *maximum, void *out,
                    row_total *total);

/* exp(sink − maximum) */
double extra_sink_term(const plan *p, size_t head, double maximum);

/* ---- on request, computed in float64 in the order of the keys and rounded once ---- */

/* ln Σ exp(masked) = maximum + ln sum; −∞ where the sum is 0. */
double statistics_logsumexp(double maximum, double sum);
/* −Σⱼ w·ln w in nats, a weight of 0 adding nothing: one chain of fused multiply-adds. */
double statistics_entropy(const tensor *weights, size_t row);
/* top[row][t] = the key with the t-th greatest weight, from 0, ties to the earlier key; −1 where no
 * more weights are above 0. Column 0 of the weights is key `first`. */
void statistics_top(const tensor *weights, size_t row, size_t first, tensor *top);

/* The average over heads, as torch's average_attn_weights gives it, in the place of axis `heads`: a
 * chain of additions in head order from the first head, then one division, each rounded to the
 * type. */
bool tensor_average(tensor *t, int heads, err *e);

/* What goes back through a cap: to = from · (1 − (capped / most)²), in float64 and rounded once,
 * each 0 as +0. `most` is what the cap was in the type: of another one the share could be above 1,
 * and the slope below 0. */
void rows_uncap(dtype type, double most, const void *from, const void *capped, size_t n, void *to);

/* ---- rounding weights by hand, as a walkthrough on paper does (rounding.c) ---- */

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
