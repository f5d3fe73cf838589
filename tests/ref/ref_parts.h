/* What the reference's own files share. */
#ifndef SELFATTN_TESTS_REF_PARTS_H
#define SELFATTN_TESTS_REF_PARTS_H

#include "ref/ref_attention.h"

/* Shall this mistake be made? */
bool ref_makes(const ref_problem *p, const char *mistake);

const precision *ref_precision(const ref_problem *p);

/* Room for a stage whose axes are these letters (b, h, g: key/value heads, q: n_q, k: n_k, r: n_k
 * without appended rows, v: d_v) and a last one of `width`; the axes b, h and g are in its shape
 * only where the problem has them. */
ref_number *ref_stage_new(ref_result *r, ref_stage_id id, const char *name, const char *letters,
                          size_t width);

/* What keys and values are projected from: xk, by default x; xv, by default xk. */
const ref_array *ref_rows_of_keys(const ref_problem *p);
const ref_array *ref_rows_of_values(const ref_problem *p);

/* Query head i uses key/value head ⌊i / (h/g)⌋. */
size_t ref_kv_head(const ref_problem *p, const ref_sizes *s, size_t head);

#endif
