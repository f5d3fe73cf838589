/* The weights in a bundle under a document: which names of the bundle are which keys (match.c,
 * sources.c), what else it has that would change the result (refused.c), and how what was read
 * comes under the document (apply.c).
 *
 * The names themselves show the attentions that there are: whatever stands before names that one
 * convention calls weights. One attention is the one that has most of them. A layer is what an
 * attention stands in, by a row of LAYER_CONVENTIONS, and layers are what differs by a number; one
 * attention is a layer that has no other part. Then each key has the name that the row gives it,
 * or that --map does. */
#ifndef SELFATTN_WEIGHTS_WEIGHTS_H
#define SELFATTN_WEIGHTS_WEIGHTS_H

#include "weights/conventions.h"

/* A key, and the name that it is read from. */
typedef struct weight_source {
    key_path to;
    const char *name; /* in the bundle; NULL: it is not there, and nothing can do without it */
    char *wanted;     /* what was looked for then; owned */
    bool may_lack;    /* then because it is only there in layer `has`, from 0 */
    bool is_of_other; /* this layer has none by config.json, whatever others have */
    size_t has;
    bool is_cut;          /* by the convention of its attention */
    bool is_tied;         /* by config.json it is the embedding, and nothing is made of it */
    bool is_stacked;      /* it is one expert's of those that the name holds */
    input which;          /* of attention; INPUT_COUNT: none */
    weight_layout layout; /* of what has one of its own; else the convention's */
    size_t mapped;        /* the --map that says so, from 1; 0: none does */
} weight_source;

typedef struct weight_match {
    bool is_alone;           /* one attention, whose keys are those at the top of a document */
    bool is_document;        /* it has "layers", and is read as one: nothing else is found then */
    const char *file;        /* as messages name it; borrowed */
    const text_list *listed; /* borrowed, in the order of the file */
    const model_config *config; /* of the model; borrowed; NULL: none is there */
    name_index names;
    char *before;   /* layer 3 is all names after "BEFORE3AFTER"; owned */
    char *after;    /* begins and ends with a separator; owned */
    int digits;     /* that a number has at least: 2 of layer.03 */
    bool is_one;    /* a layer without a number: all names after BEFORE */
    size_t count;   /* of layers: 0, 1, 2, … */
    size_t experts; /* of each layer, where the names have some */
    const layer_convention *by;
    const convention *attention, *cross; /* NULL: no such names */
    weight_source *source;
    size_t sources, capacity;
    text_list mapped; /* keys that --map gives, as key_path_write writes them */
    text name;        /* room for the one that is looked for */
} weight_match;

/* ---- gains ---- */

/* ---- an index of files ---- */

#endif
