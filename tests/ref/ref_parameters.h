/* The reference's own gradients of parameters: plain sums, over all rows, of what comes back to
 * them. Of weights and biases of projections, of what is added to scores, and of sinks. */
#ifndef SELFATTN_TESTS_REF_PARAMETERS_H
#define SELFATTN_TESTS_REF_PARAMETERS_H

#include "ref/ref_attention.h"

/* Of the stages that are there, with gradients; once. */
void ref_compute_parameters(const ref_problem *p, ref_result *r);

#endif
