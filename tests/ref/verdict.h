/* What trying a property says: whether what was computed otherwise is the same, and how it is told
 * where it is not. */
#ifndef SELFATTN_TESTS_REF_VERDICT_H
#define SELFATTN_TESTS_REF_VERDICT_H

#include "tensor/tensor.h"

typedef struct verdict {
    size_t runs; /* that a property took; none: it says nothing about what was tried */
    char wrong[2304];
} verdict;

/* Notes what is wrong with the thing of this name; false. */
bool verdict_differs(verdict *v, const char *name, const char *why);
/* Says what is wrong there, of which `what` and the first word of `wrong` are the kind. Of each
 * kind the first five are told, and the rest counted. */
void verdict_tell(const char *where, const char *what, const char *wrong);
/* How many were told so far. */
size_t verdict_told(void);
/* At the end: how many more of each kind there were. */
void verdict_tell_rest(void);

/* Counts it, and tells what is wrong. */
void verdict_count(const verdict *v, bool holds, const char *where, const char *property,
                   size_t *passed, size_t *failed);

/* Each number of the part is the whole's, `first` entries further on that axis; of other axes the
 * part may have fewer. */
bool same_part(const tensor *whole, const tensor *part, int axis, size_t first);
bool same_bytes(const tensor *a, const tensor *b);

#endif
