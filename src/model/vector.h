/* The vectors of a stack besides its matrices: gains and biases. */
#ifndef SELFATTN_MODEL_VECTOR_H
#define SELFATTN_MODEL_VECTOR_H

#include "tensor/bundle.h"

/* A view of so many numbers, a row or a column; no data where `from` has none of this name. `of` is
 * whose it is, where the name alone doesn't say that: the gain of "ln1"; else NULL. */
bool vector_read(const bundle *from, const char *name, const char *of, size_t count, tensor *out,
                 err *e);

#endif
