/* Weights of a bundle that stay in the type of its file, and are widened where they multiply. */
#ifndef SELFATTN_WEIGHTS_NARROW_WEIGHTS_H
#define SELFATTN_WEIGHTS_NARROW_WEIGHTS_H

#include "tensor/tensor.h"

/* Makes a matrix the run's type now, unless it is the kind of key that products alone read. */
bool narrow_weights_settle(const char *key_name, dtype type, tensor *t, err *e);

#endif
