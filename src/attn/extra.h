/* The terms of a softmax that are no keys: a sink is a logit that takes its share of the weight and
 * has no value.
 *
 * They are added after the tree of the keys' partial sums, one rounding each, so that a key's place
 * does not depend on them. */
#ifndef SELFATTN_ATTN_EXTRA_H
#define SELFATTN_ATTN_EXTRA_H

#include "attn/plan.h"

/* The row's maximum, where an extra term is greater: that. */
void extra_raise_maximum(const plan *p, size_t head, void *maximum);
/* sum + exp(sink − maximum), rounded once. */
void extra_add_to_sum(const plan *p, size_t head, const void *maximum, void *sum);

/* exp(sink − maximum) */
double extra_sink_term(const plan *p, size_t head, double maximum);

#endif
