/* The index of a model in several files (model.safetensors.index.json), given as a bundle: which of
 * the files hold what was wanted of it. */
#ifndef SELFATTN_WEIGHTS_BUNDLE_INDEX_H
#define SELFATTN_WEIGHTS_BUNDLE_INDEX_H

#include "tensor/bundle.h"
#include "weights/wishes.h"

/* By the names that are there. */
bool bundle_index_is(const text_list *names);

/* Says that it is an index, and which file has the weights of the layer, or of the layers, that the
 * options ask for. `read` is all of it. Returns false. */
bool bundle_index_refuse(const bundle *read, const char *file, const wishes *w, bool is_of_layers,
                         err *e);

#endif
