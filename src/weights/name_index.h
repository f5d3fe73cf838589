/* The names in a bundle in their order, so that one of many thousands is found at once. A / is a
 * point here, and a variable's :0 at the end is no part of a name. */
#ifndef SELFATTN_WEIGHTS_NAME_INDEX_H
#define SELFATTN_WEIGHTS_NAME_INDEX_H

#include "tensor/bundle.h"

typedef struct indexed_name {
    const char *name; /* borrowed */
    size_t length;    /* without :0 */
    bool is_taken;    /* something is read from it */
} indexed_name;

typedef struct name_index {
    indexed_name *item;
    size_t count;
} name_index;

/* Of names that outlive it. To be freed in any case. */
bool name_index_make(name_index *x, const text_list *names, err *e);
void name_index_free(name_index *x);

/* NULL: there is none. */
indexed_name *name_index_find(const name_index *x, const char *name);

/* Those that begin so stand one after the other from here on; `count` where none does. */
size_t name_index_first(const name_index *x, const char *beginning);
bool name_begins(const indexed_name *one, const char *beginning, size_t length);

bool name_is_separator(char c);

#endif
