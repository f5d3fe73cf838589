/* Names that look most like one that is not there, for the second line of an error. */
#ifndef SELFATTN_WEIGHTS_NEAREST_NAMES_H
#define SELFATTN_WEIGHTS_NEAREST_NAMES_H

#include "base/err.h"

#include <stddef.h>

enum { NEAREST_MOST = 3 };

/* To be filled by looking at all names, one after the other; begins with `wanted` alone. */
typedef struct nearest_names {
    const char *wanted;
    const char *name[NEAREST_MOST]; /* the nearest first; borrowed */
    size_t distance[NEAREST_MOST], count;
} nearest_names;

void nearest_names_look(nearest_names *n, const char *name);

/* "nearest: a, b and c; INSTEAD", or either of them alone. */
void nearest_names_suggest(const nearest_names *n, const char *instead, err *e);

#endif
