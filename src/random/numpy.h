/* NumPy's generators: rows of the table in generator.c. */
#ifndef SELFATTN_RANDOM_NUMPY_H
#define SELFATTN_RANDOM_NUMPY_H

#include "random/generator.h"

/* NumPy's RandomState(seed): random_sample, rand and uniform; randn, standard_normal and normal. */
void numpy_legacy_begin(stream *s);
void numpy_legacy_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

/* NumPy's default_rng(seed): random and uniform; standard_normal and normal. */
void numpy_begin(stream *s);
void numpy_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

#endif
