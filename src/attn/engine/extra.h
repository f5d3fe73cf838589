/* The terms of a softmax that are not keys of the sequence: appended rows, and a sink, a logit that
 * takes its share of the weight and has no value.
 *
 * They are added after the keys' total, in this order and without loss, before it is rounded: so a
 * key's place does not depend on them, nor their bits on how many keys there are. */
#ifndef SELFATTN_ATTN_ENGINE_EXTRA_H
#define SELFATTN_ATTN_ENGINE_EXTRA_H

#include "attn/plan/plan.h"

/* The row's maximum, where an extra term is greater: that. */
void extra_raise_maximum(const plan *p, size_t head, void *maximum);
/* Exponentials of the appended rows' scores, p->appended of them, which are added to the total, and
 * then that of the sink. */
void extra_exponent(const plan *p, size_t head, const void *scores, const void *maximum, void *out,
                    row_total *total);

/* exp(sink − maximum) */
double extra_sink_term(const plan *p, size_t head, double maximum);

#endif
