/* The project's own generator, as generator.h defines it. */
#ifndef SELFATTN_RANDOM_OWN_H
#define SELFATTN_RANDOM_OWN_H

#include "random/generator.h"

void own_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

#endif
