/* The average over heads, as torch's average_attn_weights gives it. */
#ifndef SELFATTN_ATTN_ENGINE_AVERAGE_H
#define SELFATTN_ATTN_ENGINE_AVERAGE_H

#include "tensor/tensor.h"

/* Replaces axis `heads` by its average: a chain of additions in head order from the first head,
 * then one division, each rounded to the type. */
bool tensor_average(tensor *t, int heads, err *e);

#endif
