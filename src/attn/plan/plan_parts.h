/* The parts of making a plan; only plan.c calls them, in this order. Each fills its
 * fields of the plan, and checks what it fills. */
#ifndef SELFATTN_ATTN_PLAN_PLAN_PARTS_H
#define SELFATTN_ATTN_PLAN_PLAN_PARTS_H

#include "attn/plan/plan.h"

/* plan_inputs.c: q, k, v, n_q, n_k; q_gain, k_gain; past_k, past_v, past and offset; rope_width;
 * appended, bias_k, bias_v. */
bool plan_find_inputs(plan *p, err *e);
/* plan_inputs.c: wo, bo, width_out. */
bool plan_find_output(plan *p, err *e);
/* plan_score.c: compared_width, of_score; scale; key_lengths, mask, bias, sinks, slopes; and
 * notes on causality. */
bool plan_find_scores(plan *p, err *e);

/* plan_gradients.c: fills nothing; after all others. */
bool plan_find_gradients(plan *p, err *e);

/* Whether queries, keys or values are made of these rows: x, xk or xv, of which each takes the
 * nearest that is there. */
bool plan_uses_rows(const problem *asked, input rows);

/* A list that is one for all batch entries, or has a list for each: that of one of them. */
tensor plan_of_batch(const entry *of, size_t batch);

/* False, with an error and its remedy, where the document has one of `count` keys: they are parts
 * of what was not asked for, as `missing` says. */
bool plan_refuse_parts(const problem *asked, const char *const *keys, size_t count,
                       const char *missing, const char *remedy, err *e);

/* False, with an error at its place, where the run's type has no number as large as that of this
 * setting. */
bool plan_check_range(const plan *p, const char *of, const char *name, double value, err *e);

/* A line on stderr later; false when there is no memory for it. */
bool plan_note(plan *p, err *e, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "Wq is 3 x 4": an error at the input's place, with its shape and what it should have been. */
bool plan_wrong_shape(const plan *p, input which, err *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A bias or another vector as `count` numbers in a row, whichever way its rank wraps them (n, 1 ×
 * n, n × 1, h × d); of `heads`, unless that is 0, as many for each or for all: heads × count. */
bool plan_vector(const plan *p, input which, int most_rank, size_t heads, size_t count, tensor *out,
                 err *e);

/* The weight, or the score function's matrix, as it is used in x·W, its rows as many as x has
 * columns. */
bool plan_weight(const plan *p, input weight_as, const char *rows_label, size_t rows_width,
                 tensor *out, err *e);

#endif
