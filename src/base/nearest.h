/* How far spellings are from each other, and which of many names is nearest to one that is not
 * there: what "did you mean" offers. Names are offered one after the other, so they need not be in
 * one table. */
#ifndef SELFATTN_BASE_NEAREST_H
#define SELFATTN_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* How many single-letter edits (a swap of neighbours counts as one) lead from one spelling to the
 * other; none where only case, '_' and '-' differ, as in W_Q and wq. */
size_t spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* So many edits a name may be away from what was written, and still be what was meant: one slip in
 * a short name, a third of the letters in a long one. With more, names that share most of their
 * letters, as those of layers do, would be offered for each other. */
size_t spelling_reach(size_t length);

typedef struct nearest {
    const char *wanted; /* borrowed */
    size_t length;
    size_t below;      /* a name at fewer edits than this becomes the nearest */
    const char *found; /* that one, borrowed; NULL: none is near */
    bool by_letters;   /* of two as near: the first by letters, else the first seen */
} nearest;

/* `reach`: the edits that a name may be away, as spelling_reach says unless there is a reason. */
nearest nearest_to(const char *wanted, size_t length, size_t reach);

/* True where the name is near, and nearer than all before it: it is `found` then. */
bool nearest_is_nearer(nearest *n, const char *name);

#endif
