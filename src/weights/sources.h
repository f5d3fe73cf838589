/* What each key is read from, and what is said where that is not there. */
#ifndef SELFATTN_WEIGHTS_SOURCES_H
#define SELFATTN_WEIGHTS_SOURCES_H

#include "weights/weights.h"

/* The names that are used, as the keys of a reader, sorted: memory for as many as there are
 * sources; returns how many. */
size_t weight_match_rows(const weight_match *m, key *rows);

/* Says that no name is known as that of a weight. Returns false. */
bool weight_match_refuse(const weight_match *m, const char *prefix, err *e);
/* Says what is not there, with the names that are nearest. Returns false. */
bool weight_match_refuse_missing(const weight_match *m, const weight_source *missing, err *e);

/* What each key is read from, where it is known where layers are; `map` is --map's pairs. */
bool weight_sources_find(weight_match *m, const text_list *map, err *e);

/* The key of an attention: `object` is "" or "cross". */
key_path match_path(const weight_match *m, size_t layer, const char *object, const char *key_name);
/* Whether it is --map that says what the key is read from; m->name takes the key. */
bool match_is_mapped(weight_match *m, const key_path *to);

/* The index of a model in several files (model.safetensors.index.json), given as a bundle: by the
 * names that are there. */
bool bundle_index_is(const text_list *names);
/* Says that it is an index, and which file has the weights of the attention, or of the layers, that
 * the options ask for. `read` is all of it. Returns false. */
bool bundle_index_refuse(const bundle *read, const char *file, const bundle_options *w,
                         bool is_of_layers, err *e);

#endif
