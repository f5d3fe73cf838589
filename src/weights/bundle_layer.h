/* The layer of a bundle whose weights are wanted, and the convention of their names. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_LAYER_H
#define SELFATTN_WEIGHTS_BUNDLE_LAYER_H

#include "weights/conventions.h"

typedef struct bundle_layer {
    const convention *by;
    char *name; /* "h.0.attn.", or ""; owned */
} bundle_layer;

/* The convention that has most of its weights in `names` within `prefix`, a layer's name or what
 * several layers are in. Where none has, the document's own names behind exactly the prefix; where
 * more than one layer has, an error that lists them. `file` is for messages. */
bool bundle_layer_find(bundle_layer *found, const text_list *names, const char *file,
                       const char *prefix, err *e);

/* The name in the list that is a layer's (its first `length` bytes) for an input; NULL for none. */
const char *bundle_layer_name(const text_list *names, const convention *by, const char *layer,
                              size_t length, input which);

#endif
