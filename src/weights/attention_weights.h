/* The weights of --bundle for one attention: those of the names that were found, and how they come
 * under a document. */
#ifndef SELFATTN_WEIGHTS_ATTENTION_WEIGHTS_H
#define SELFATTN_WEIGHTS_ATTENTION_WEIGHTS_H

#include "tensor/key.h"
#include "weights/bundle_names.h"
#include "weights/wishes.h"

/* The names that are used, as the keys of a reader: memory for as many as there are KEYS; returns
 * how many. */
size_t attention_weights_rows(const bundle_names *found, key *rows);

/* Adds what was read and `contents` lacks, as if a document had it; and, to `note`, what was taken
 * for what, unless the names are the document's own. NULL: nobody is to be told. */
bool attention_weights_apply(bundle_names *found, const wishes *w, const bundle *read, dtype type,
                             bundle *contents, text *note, err *e);

#endif
