/* A matrix of a bundle, by its numbers. */
#ifndef SELFATTN_TESTS_UNIT_FILLED_H
#define SELFATTN_TESTS_UNIT_FILLED_H

#include "tensor/bundle.h"

/* As many numbers as the sizes ask for, each rounded to the type. */
entry *bundle_add_filled(bundle *to, const char *name, dtype type, int rank, const size_t *size,
                         const double *number);

#endif
