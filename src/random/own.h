/* The project's own generator, as generator.h defines it. */
#ifndef SELFATTN_RANDOM_OWN_H
#define SELFATTN_RANDOM_OWN_H

#include "random/generator.h"

/* Elements of d->type: LAW_UNIFORM or LAW_NORMAL. `first` is even. */
void own_elements(const stream *s, const draw *d, size_t first, size_t count, void *out);
void own_fill(stream *s, const draw *d, size_t first, size_t count, double *out);

#endif
