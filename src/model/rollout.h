/* Attention rollout (Abnar and Zuidema, Quantifying attention flow in transformers, 2020, section
 * 3): how much of each row that goes out of the layers comes from each row that goes in,
 *
 *     rollout = A_L · … · A_1,  A = ½·W + ½·I,
 *
 * where W is a self-attention's mean over its heads, and I stands for the residual. */
#ifndef SELFATTN_MODEL_ROLLOUT_H
#define SELFATTN_MODEL_ROLLOUT_H

#include "base/threads.h"
#include "kernels/kernels.h"

/* Puts the next layer's W, b·n × n, before the product so far, which has no data before the first
 * one. Takes W. */
bool rollout_add(tensor *rollout, tensor *w, const kernels *with, crew *by, err *e);

#endif
