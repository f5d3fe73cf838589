/* The layers of --bundle: what encode and decode find in it, and how it comes under a document. */
#ifndef SELFATTN_WEIGHTS_LAYER_WEIGHTS_H
#define SELFATTN_WEIGHTS_LAYER_WEIGHTS_H

#include "weights/layer_sources.h"
#include "weights/wishes.h"

typedef struct layer_weights {
    bool is_document; /* it has "layers", and is read as one; there are no sources then */
    layer_search search;
    layer_sources sources;
} layer_weights;

/* To be freed in any case. `names` and `file` must outlive it. */
bool layer_weights_find(layer_weights *g, const text_list *names, const char *file, const wishes *w,
                        err *e);
void layer_weights_free(layer_weights *g);

/* The names that are used, as the keys of a reader: memory for as many as there are sources;
 * returns how many. */
size_t layer_weights_rows(const layer_weights *g, key *rows);

/* Adds what was read and `contents` lacks, as if a document had it; and, to `note`, what was taken
 * for what, unless the names are the document's own. */
bool layer_weights_apply(layer_weights *g, const wishes *w, const bundle *read, dtype type,
                         bundle *contents, text *note, err *e);

#endif
