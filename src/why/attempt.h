/* An attention computed with mistakes in it, and its stages, to be read and altered. */
#ifndef SELFATTN_WHY_ATTEMPT_H
#define SELFATTN_WHY_ATTEMPT_H

#include "why/mistake.h"

/* Nothing is computed yet. Of `weighted`, which is large, and the entropy, which takes logarithms,
 * nothing is made: they are kept only where they are asked for. `asked_for` and `right` may be
 * NULL. */
void attempt_open(attempt *a, const problem *asked, const kernels *with, size_t threads,
                  const kept_stages *asked_for, const attempt *right);
/* Computes with these mistakes, none for the right numbers. False without an error where one of
 * them can't be made in this problem; an error means that memory is missing. To be freed in any
 * case, and not to be moved. */
bool attempt_make(attempt *a, const mistake *const *made, size_t count, err *e);
void attempt_free(attempt *a);

/* In place, of all masked scores what each row's logsumexp makes weights of. */
void attempt_exponents(const attempt *a, tensor *masked, const tensor *logsumexp);
/* Computes gradients once more, as the way back is asked and with what it is given by now. */
bool attempt_back(attempt *a, const stage_id *wanted, size_t count);

/* A copy that the way back is given in the place of what this was, or would be, as a view with all
 * axes; no data: memory is missing. */
tensor attempt_give(attempt *a, stage_id id, const tensor *of);
/* These stages, as far as they are there, times `by`. */
void attempt_scale(attempt *a, const stage_id *id, size_t count, double by);

/* What rows of these stages are as q_rope and k_rope, were they queries and keys; without norms. */
bool attempt_turn(attempt *a, stage_id q, stage_id k, bundle *made);

/* A stage with all its axes, to be read and altered. */
tensor attempt_stage(const attempt *a, stage_id id);
/* A matrix that lasts as long as the attempt, numbers not set. NULL where memory is missing. */
tensor *attempt_matrix(attempt *a, dtype type, int rank, const size_t *size);
/* A copy, in C order. */
tensor *attempt_copy(attempt *a, const tensor *of);
/* Weights in place, b × h × n_q × n_k, to so many decimals; false without an error where rows that
 * are to sum to 1 are far from it. */
bool attempt_round(attempt *a, int decimals, bool keeps_sum, tensor *weights);

#endif
