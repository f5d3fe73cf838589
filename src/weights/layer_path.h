/* The way to a key of a document of layers, as names in a bundle and --map write it:
 * layers.0.cross.wq, ln_f.gain, embedding. */
#ifndef SELFATTN_WEIGHTS_LAYER_PATH_H
#define SELFATTN_WEIGHTS_LAYER_PATH_H

#include "tensor/bundle.h"
#include "tensor/key.h"

typedef struct layer_path {
    bool is_in_layer;
    size_t layer;      /* from 0 */
    const key *object; /* ln1, cross, ln_f …; NULL: it is no object's */
    const key *key;
} layer_path;

/* False where there is no such key; a / may stand for each point. */
bool layer_path_read(layer_path *p, const char *way, size_t length);

/* The same behind a layer's name: "cross.wq". */
bool layer_path_read_within(layer_path *p, size_t layer, const char *way, size_t length);

/* The object that has the key, or NULL where it is not there. */
const bundle *layer_path_find(const layer_path *p, const bundle *document);

/* The same, made where it is not there. NULL with the error set when there is no memory. */
bundle *layer_path_make(const layer_path *p, bundle *document, place at, err *e);

#endif
