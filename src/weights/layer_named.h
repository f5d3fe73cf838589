/* What of a bundle is which key of a document of layers, by a row of the conventions: in each layer
 * and beside them. */
#ifndef SELFATTN_WEIGHTS_LAYER_NAMED_H
#define SELFATTN_WEIGHTS_LAYER_NAMED_H

#include "weights/layer_source.h"

/* What a layer lacks, and needs or others have, is among them without a name. */
bool layer_named_find(layer_sources *all, layer_search *s, err *e);

#endif
