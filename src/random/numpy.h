/* NumPy's two generators: RandomState(seed) and default_rng(seed). */
#ifndef SELFATTN_RANDOM_NUMPY_H
#define SELFATTN_RANDOM_NUMPY_H

#include "random/generator.h"

/* random_sample, rand and uniform; randn, standard_normal and normal. */
void numpy_legacy_begin(stream *s);
void numpy_legacy_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

/* random and uniform; standard_normal and normal. */
void numpy_begin(stream *s);
void numpy_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

#endif
