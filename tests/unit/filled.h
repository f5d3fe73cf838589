/* A matrix of a bundle, by its numbers; and one that takes no memory. */
#ifndef SELFATTN_TESTS_UNIT_FILLED_H
#define SELFATTN_TESTS_UNIT_FILLED_H

#include "tensor/bundle.h"

/* As many numbers as the sizes ask for, each rounded to the type. */
entry *bundle_add_filled(bundle *to, const char *name, dtype type, int rank, const size_t *size,
                         const double *number);

/* Zeros that all lie in one place: rows of them may be more than there are addresses. */
tensor rows_in_one_place(dtype type, size_t rows, size_t columns);

#endif
