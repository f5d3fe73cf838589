/* What of a bundle is which key of a document of layers: by the conventions that were found, and by
 * --map. */
#ifndef SELFATTN_WEIGHTS_LAYER_SOURCES_H
#define SELFATTN_WEIGHTS_LAYER_SOURCES_H

#include "weights/layer_source.h"

/* `map` is --map's pairs. To be freed in any case. */
bool layer_sources_find(layer_sources *all, layer_search *s, const text_list *map, err *e);

/* --map says what this key is. */
bool layer_sources_map(const layer_sources *all, const layer_path *to);

/* Says that it is not there, with the names that are nearest. */
bool layer_sources_refuse(const layer_search *s, const layer_source *missing, err *e);

#endif
