/* Where the layers of a bundle are, and by which conventions they are named. Numbers are not looked
 * at. */
#ifndef SELFATTN_WEIGHTS_LAYER_SEARCH_H
#define SELFATTN_WEIGHTS_LAYER_SEARCH_H

#include "weights/layer_lookup.h"

/* The layers that `prefix` says, with {} for the number, or the only ones behind it, or where none
 * are numbered the only layer. `names` and `file` must outlive the result, which is to be freed in
 * any case. */
bool layer_search_find(layer_search *s, const text_list *names, const char *file,
                       const char *prefix, err *e);
void layer_search_free(layer_search *s);

/* The number of the layer that a name belongs to; false: to none. */
bool layer_search_number(const layer_search *s, const indexed_name *one, size_t *number);

/* "transformer.h.{}", as --prefix takes it. */
void layer_search_write_place(text *out, const layer_search *s);

#endif
