/* Names of layers, where it is known where the layers are. */
#ifndef SELFATTN_WEIGHTS_LAYER_LOOKUP_H
#define SELFATTN_WEIGHTS_LAYER_LOOKUP_H

#include "weights/conventions.h"
#include "weights/names.h"

typedef struct layer_search {
    name_index names;
    const char *file; /* as messages name it; borrowed */
    char *before;     /* layer 3 is all names behind "BEFORE3AFTER"; owned */
    char *after;      /* begins and ends with a separator; owned */
    int digits;       /* that a number has at least: 2 of layer.03 */
    bool is_one;      /* a layer without a number: all names behind BEFORE */
    size_t count;     /* of layers: 0, 1, 2, … */
    const layer_convention *by;
    const convention *attention, *cross; /* NULL: no such names */
    text name;                           /* room for the one that is looked for */
} layer_search;

/* Empties s->name; that memory lacked stays known. */
void layer_search_clear(layer_search *s);

/* Whether the layer has names behind `way`, "" or "self_attn". */
bool layer_search_has(layer_search *s, size_t layer, const char *way);
/* The name of layer `layer` that ends so behind `way` ("" or "self_attn"); NULL where it has none.
 * What was looked for is in s->name. */
const char *layer_search_name(layer_search *s, size_t layer, const char *way, const char *tail);
/* A weight or bias of attention, by whichever alternative is there; s->name is the first that is
 * not. */
const char *layer_search_weight(layer_search *s, size_t layer, const char *way,
                                const convention *by, input which);

/* Length of the name of what the layers are in, "transformer." of transformer.h.{}. */
size_t layer_search_parent(const layer_search *s);
/* One of the names, ended with one of the words, in what the layers are in, or further up where
 * `climbs`; NULL: there is none. */
indexed_name *layer_search_beside(layer_search *s, const char *names, const char *words,
                                  bool climbs);

#endif
