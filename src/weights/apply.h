/* What was matched in a bundle and then read from it comes under a document. */
#ifndef SELFATTN_WEIGHTS_APPLY_H
#define SELFATTN_WEIGHTS_APPLY_H

#include "weights/match.h"

/* A document that gets what it lacks. */
typedef struct applying {
    weight_match *from;
    const bundle_options *options;
    const bundle *read;
    dtype type;
    bundle *contents;
    place at; /* the bundle as a whole */
} applying;

/* The object that says how many heads there are, or the document. */
const bundle *applying_heads(const applying *a, const key_path *of);
/* --no-bias-k is of all layers, where it is a convention that found it; and gains are none where
 * queries and keys are to stay as they are. */
bool applying_leaves_out(const applying *a, const weight_source *from);

/* Adds what was read and `contents` lacks, as if a document had it; and, to `note`, what was taken
 * for what, unless the names are the document's own. */
bool weights_apply(weight_match *m, const bundle_options *w, const bundle *read, dtype type,
                   bundle *contents, text *note, err *e);

#endif
