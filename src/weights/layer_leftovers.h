/* What a bundle has within its layers, or between them and what is looked up, and nothing is read
 * from. */
#ifndef SELFATTN_WEIGHTS_LAYER_LEFTOVERS_H
#define SELFATTN_WEIGHTS_LAYER_LEFTOVERS_H

#include "weights/layer_search.h"

/* False with the error set for the first name of a layer that is not taken, unless it is known to
 * have no part in the result. `contents` is the document: rows that it has are not looked up. */
bool layer_leftovers_check(layer_search *s, const bundle *contents, err *e);

/* "inv_freq, position_ids, …": what has no part in any layer, for help and manual. */
void layer_leftovers_describe(text *out);

#endif
