/* The parts of making a plan; only plan.c calls them, in this order. Each fills its
 * fields of the plan, and checks what it fills. */
#ifndef SELFATTN_ATTN_PLAN_PLAN_PARTS_H
#define SELFATTN_ATTN_PLAN_PLAN_PARTS_H

#include "attn/plan/plan.h"

/* plan_shape.c: has_batch, batches, has_heads, heads, kv_heads. */
bool plan_find_batches(plan *p, err *e);
bool plan_find_heads(plan *p, err *e);

/* plan_project.c: q, k, v, n_q, n_k; wo, bo, width_out. */
/* Whether queries, keys or values are made of these rows: x, xk or xv, of which each takes the
 * nearest that is there. */
bool plan_uses_rows(const problem *asked, input rows);
bool plan_find_projections(plan *p, err *e);
bool plan_find_output(plan *p, err *e);

/* plan_project.c: q_gain, k_gain. */
bool plan_find_gains(plan *p, err *e);

/* plan_positions.c: one place a query, where offset is a list; none before the one before it. */
bool plan_check_places(const plan *p, err *e);

/* A list that is one for all batch entries, or has a list for each: that of one of them. */
tensor plan_of_batch(const entry *of, size_t batch);

/* plan_keys.c: past_k, past_v, past; n_k and offset with them. Of a line of a stream the problem
 * brings the cache. */
bool plan_find_cache(plan *p, err *e);

/* plan_positions.c: what adding them asks; rope_width, and where rows stand. */
bool plan_find_positions(plan *p, err *e);
bool plan_find_rope(plan *p, err *e);

/* plan_keys.c: appended, bias_k, bias_v; n_k grows by them. */
bool plan_find_appended(plan *p, err *e);

/* plan_score.c: compared_width, ones, zeros; scale. */
bool plan_find_score(plan *p, err *e);
bool plan_find_scale(plan *p, err *e);

/* plan_mask.c: mask, bias; sinks; key_lengths; causality and its notes. */
bool plan_find_masks(plan *p, err *e);
bool plan_find_key_lengths(plan *p, err *e);
bool plan_find_causality(plan *p, err *e);

/* plan_score.c: slopes. */
bool plan_find_slopes(plan *p, err *e);

/* plan_shape.c: axes. */
void plan_find_axes(plan *p);

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

/* q, k or v, or what goes before them, with its heads apart: b × heads × n × width. */
bool plan_view_apart(const plan *p, input which, size_t heads, tensor *out, err *e);

/* A bias or another vector as `count` numbers in a row, whichever way its rank wraps them (n, 1 ×
 * n, n × 1, h × d). */
bool plan_vector(const plan *p, input which, size_t count, tensor *out, err *e);

#endif
