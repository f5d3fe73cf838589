/* What the reference's own files share. */
#ifndef SELFATTN_TESTS_REF_PARTS_H
#define SELFATTN_TESTS_REF_PARTS_H

#include "ref/ref_attention.h"

/* Shall this mistake be made? */
bool ref_makes(const ref_problem *p, const char *mistake);

const precision *ref_precision(const ref_problem *p);

/* Room for a stage whose axes are these letters (b, h, g: key/value heads, q: n_q, k: n_k, r:
 * n_new, n: n_new and appended rows, v: d_v) and a last one of `width`; the axes b, h and g are in
 * its shape only where the problem has them. */
ref_number *ref_stage_new(ref_result *r, ref_stage_id id, const char *name, const char *letters,
                          size_t width);

/* What keys and values are projected from: xk, by default x; xv, by default xk. */
const ref_array *ref_rows_of_keys(const ref_problem *p);
const ref_array *ref_rows_of_values(const ref_problem *p);

/* A row that is given, n × d, b × n × d or b × h × n × d, at one column of one of its heads. */
ref_number ref_given_element(const ref_array *given, size_t heads, size_t b, size_t head, size_t i,
                             size_t column);
/* A stage of q, k or v out of rows with their heads apart (b × heads × n × width): in the layout of
 * what was given for q or k, the heads side by side where that is not of rank 4. `rows`: q, n or k,
 * the letter of n. */
void ref_keep_stage(ref_result *r, const ref_array *layout, ref_stage_id id, const char *name,
                    char rows, size_t width, const ref_number *apart);

/* How long the rows are that the weight takes. */
size_t ref_rows_of_weight(const ref_problem *p, const ref_array *w);

/* A row by its root mean square, times gains, which may be NULL. */
void ref_normalize_row(const ref_problem *p, ref_number *x, size_t width, double eps,
                       const double *gain);

/* The way back: what the row x gains, in the place of what the result does. */
void ref_normalize_row_back(const ref_problem *p, const ref_number *x, size_t width, double eps,
                            const double *gain, ref_number *dy);

/* ref_project.c: q, k and v of rows and weights. */
void ref_compute_projections(const ref_problem *p, ref_result *r);

/* ref_normalize.c: queries and keys by their root mean square; and the way back of `n` rows of each
 * head, from gradients of what came of x to those of x. */
void ref_compute_norms(const ref_problem *p, ref_result *r);
void ref_normalize_back(const ref_problem *p, const ref_sizes *s, const ref_number *x,
                        ref_input gains, size_t n, size_t width, ref_number *dy);

/* ref_positions.c: x with positions added, b × n_q × m; NULL where there are none. */
const ref_number *ref_compute_positions(const ref_problem *p, ref_result *r);
double ref_query_position(const ref_problem *p, const ref_sizes *s, size_t b, size_t i);

/* A sine or cosine of position·base^(−2p/width), of a frequency that is rounded to float64. */
ref_number ref_turn_of(long double value, long double angle);
/* ref_rope.c: queries and keys turned by their positions, and gradients of both turned back. */
void ref_compute_turns(const ref_problem *p, ref_result *r);
void ref_turn_back(const ref_problem *p, const ref_sizes *s, ref_number *q, ref_number *k);

/* ref_cache.c: keys and values after those of the cache. */
void ref_compute_cache(const ref_problem *p, ref_result *r);

/* Query head i uses key/value head ⌊i / (h/g)⌋. */
size_t ref_kv_head(const ref_problem *p, const ref_sizes *s, size_t head);
ref_number ref_scale_of(const ref_problem *p, const ref_sizes *s);

/* Ws, Wa or Ua of a head at [row][column], and va, ba or bs: `count` numbers for all heads, or as
 * many a head; `absent` where not given. */
ref_number ref_transform_element(const ref_problem *p, const ref_array *w, size_t head, size_t row,
                                 size_t column);
ref_number ref_vector_element(const ref_problem *p, ref_input which, size_t count, size_t head,
                              size_t i, long double absent);

/* Where W[row][column] of one head stands, as x·W uses it. 2-D: the heads' columns side by side;
 * 3-D: one matrix a head. */
size_t ref_weight_index(const ref_problem *p, const ref_array *w, size_t head, size_t width,
                        size_t row, size_t column);

/* Where the element of a mask or bias stands that query i and key j of a head have: an axis that it
 * lacks, or has one of, is shared. */
size_t ref_met_index(const ref_problem *p, const ref_array *a, const ref_sizes *s, size_t b,
                     size_t head, size_t i, size_t j);

/* What is added to scores, the bias or a table that it is read from, and its gradient. */
typedef struct ref_bias {
    ref_input input;
    ref_stage_id grad;
    const char *name;
} ref_bias;

/* The bias where there is no table, given or not; and which of the numbers a score has. */
const ref_bias *ref_bias_of(const ref_problem *p);
size_t ref_bias_index(const ref_problem *p, const ref_sizes *s, size_t b, size_t head, size_t i,
                      size_t j);

/* Wo[row][column] of a head as context·Wo uses it, and where it stands. */
size_t ref_wo_index(const ref_problem *p, const ref_sizes *s, size_t head, size_t row,
                    size_t column);
ref_number ref_wo_element(const ref_problem *p, const ref_sizes *s, size_t head, size_t row,
                          size_t column);

#endif
