/* What somebody says about the weights in a bundle, besides the bundle and the document. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_OPTIONS_H
#define SELFATTN_WEIGHTS_BUNDLE_OPTIONS_H

#include "tensor/bundle.h"

/* Borrows all but `removed`, which its maker owns; what it borrows lasts as long as the command
 * line. */
typedef struct bundle_options {
    const char *prefix; /* where the layer is, or the layers, with {}; "" where nobody says it */
    const char *layout; /* "in-out" or "out-in"; NULL: the names tell */
    text_list map;      /* NAME=KEY */
    text_list removed;  /* keys that are to be left out */
} bundle_options;

static inline bool bundle_options_remove(const bundle_options *w, const char *key_name)
{
    return text_list_find(&w->removed, key_name) != NULL;
}

/* An option or the document gives the key, or the option leaves it out. `in` and `top` are the
 * objects that may have it; NULL: there is none. */
static inline bool bundle_options_decide(const bundle_options *w, const bundle *in,
                                         const bundle *top, const char *key_name)
{
    return bundle_options_remove(w, key_name) ||
           (in != NULL && bundle_find(in, key_name) != NULL) ||
           (top != NULL && bundle_find(top, key_name) != NULL);
}

#endif
