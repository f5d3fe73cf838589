/* Weights that were matched become keys of a document. */
#ifndef SELFATTN_WEIGHTS_APPLY_H
#define SELFATTN_WEIGHTS_APPLY_H

#include "weights/weights.h"

/* The gains of normalized queries and keys stand next to the weights of a layer. By the names of a
 * convention that has such, they are those of an RMS norm, and the same for all heads.
 *
 * Nothing says that queries and keys stay as they are. `in` is the object of the attention and
 * `top` the document; NULL: there is none. */
bool gains_are_wanted(const bundle_options *w, const bundle *in, const bundle *top);

/* ---- applying ---- */

/* Adds what was read and `contents` lacks, as if a document had it; and, to `note`, what was taken
 * for what, unless the names are the document's own. */
bool weights_apply(weight_match *m, const bundle_options *w, const bundle *read, dtype type,
                   bundle *contents, text *note, err *e);

#endif
