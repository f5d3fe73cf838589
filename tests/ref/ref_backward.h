/* The reference's own gradients of the stages from output to queries, keys and values (DESIGN.md
 * §10), in nested loops over what it computed forward; and the number that they are gradients of,
 * of which differences make the gradient of any input without a formula. */
#ifndef SELFATTN_TESTS_REF_BACKWARD_H
#define SELFATTN_TESTS_REF_BACKWARD_H

#include "ref/ref_attention.h"

/* After all forward stages. The problem must be one that has gradients: scores q·k, no rounding. */
void ref_compute_gradients(const ref_problem *p, ref_result *r);

/* Σ output_grad·output + Σ logsumexp_grad·logsumexp, or the loss that is asked for. Computes the
 * problem forward. */
long double ref_loss_of(const ref_problem *p);

#endif
