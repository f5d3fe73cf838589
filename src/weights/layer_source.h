/* Names of a bundle, each with the key of a document of layers that it is for. */
#ifndef SELFATTN_WEIGHTS_LAYER_SOURCE_H
#define SELFATTN_WEIGHTS_LAYER_SOURCE_H

#include "weights/layer_lookup.h"
#include "weights/names.h"

typedef struct layer_source {
    layer_path to;
    const char *name; /* in the bundle; NULL: it is not there, and nothing can do without it */
    char *wanted;     /* what was looked for then; owned */
    bool may_lack;    /* then because it is only there in layer `has`, from 0 */
    size_t has;
    bool is_cut;          /* by the convention of its attention */
    input which;          /* of attention, where it is cut */
    weight_layout layout; /* of what has one of its own; else the convention's */
    bool is_mapped;
} layer_source;

typedef struct layer_sources {
    layer_source *item;
    size_t count, capacity;
} layer_sources;

/* One more: of a name, which is taken then, or of NULL. */
layer_source *layer_sources_add(layer_sources *all, layer_search *s, const layer_path *to,
                                const char *name, err *e);

void layer_sources_free(layer_sources *all);

/* "layers.0.cross.wq" */
void layer_source_write_path(text *out, const layer_path *p);

#endif
