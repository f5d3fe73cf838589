/* What stands beside the weights of a layer's attention in a bundle, would change the result and is
 * not computed. */
#ifndef SELFATTN_CLI_LAYER_REFUSALS_H
#define SELFATTN_CLI_LAYER_REFUSALS_H

#include "cli/layer_sources.h"
#include "cli/options.h"

/* False with the error set for the first such name of which neither --map nor an option nor the
 * document says what is done about it. */
bool layer_refusals_check(layer_search *s, const layer_sources *all, const options *o,
                          const bundle *contents, err *e);

#endif
