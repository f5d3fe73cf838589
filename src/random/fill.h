/* Numbers of a matrix as elements in memory, drawn by several threads where the generator lets
 * them: a run's numbers do not depend on who draws it. */
#ifndef SELFATTN_RANDOM_FILL_H
#define SELFATTN_RANDOM_FILL_H

#include "random/generator.h"

/* Elements first, first + 1, … of d->type to `out`; in runs as stream_draw says. */
void fill_elements(stream *s, const draw *d, size_t first, size_t count, void *out, size_t threads);

#endif
