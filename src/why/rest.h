/* What comes after the weights, once they or the context were altered: products of the engine. */
#ifndef SELFATTN_WHY_REST_H
#define SELFATTN_WHY_REST_H

#include "why/attempt.h"

/* Weights in place, b × h × n_q × n_k, to so many decimals; false without an error where rows that
 * are to sum to 1 are far from it. */
bool rest_round(attempt *a, int decimals, bool keeps_sum, tensor *weights, err *e);

/* rounded, where the problem still asks for it, weighted, attended, context and output. */
bool rest_of_weights(attempt *a, err *e);
/* output = context·Wo + bo. */
bool rest_of_context(attempt *a, err *e);

#endif
