/* What gradients begin with: a number made of all outputs, and how it grows with each of them. */
#ifndef SELFATTN_ATTN_ENGINE_LOSS_H
#define SELFATTN_ATTN_ENGINE_LOSS_H

#include "attn/spec/problem.h"

/* All have the axes of the output. */
typedef struct loss {
    loss_kind kind;
    tensor target; /* of LOSS_SQUARE */
    tensor given;  /* the gradient, where it is given; no data: it is not, */
    bool is_ones;  /* or is 1 everywhere */
} loss;

/* What one number of the output adds to it: half a square, the number, or where its gradient is
 * given, the number times that. */
double loss_term(const loss *by, const tensor *output, const size_t *index);

/* Sum, mean, or half the sum of the squares of output − target: one chain in float64, in index
 * order. */
double loss_of(const loss *by, const tensor *output);

/* The gradient of the output: as it is given, 1, 1 / count, or output − target. */
void loss_grad(const loss *by, const tensor *output, const tensor *grad);

#endif
