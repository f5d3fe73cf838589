/* What stands beside the weights of a layer's attention in a bundle, would change the result and is
 * not computed. */
#ifndef SELFATTN_WEIGHTS_LAYER_REFUSALS_H
#define SELFATTN_WEIGHTS_LAYER_REFUSALS_H

#include "weights/layer_sources.h"
#include "weights/wishes.h"

/* False with the error set for the first such name of which neither --map nor an option nor the
 * document says what is done about it. */
bool layer_refusals_check(layer_search *s, const layer_sources *all, const wishes *w,
                          const bundle *contents, err *e);

#endif
