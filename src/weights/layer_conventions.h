/* The names that libraries and models give to what a layer has beside its attention, and what such
 * names mean: a row a convention. */
#ifndef SELFATTN_WEIGHTS_LAYER_CONVENTIONS_H
#define SELFATTN_WEIGHTS_LAYER_CONVENTIONS_H

#include "base/text.h"
#include "model/parts.h"

enum { LAYER_WEIGHTS = 3 };

/* In a file a layer's names stand behind its own, as in h.0.mlp.c_fc.weight. Whether they end with
 * weight or kernel, and which way the matrices lie, is to be said by the convention of its
 * attention; a norm's end with weight, gamma or scale, and bias or beta. Several names with spaces
 * between are alternatives, in a layer first the one beside cross-attention; NULL: there is no such
 * thing. */
typedef struct layer_convention {
    named named;                       /* help: whose names they are */
    const char *attention, *cross;     /* where their names are, in one of the CONVENTIONS */
    const char *norm[NORMS_MOST];      /* ln1, ln2, ln3 */
    const char *weight[LAYER_WEIGHTS]; /* w1, w2, w3 */
    const char *final;                 /* beside the layers */
    const char *embedding, *positions, *unembedding; /* there, or further up */
    const char *first;      /* there, or further up: the norm of embedded rows */
    const char *types;      /* likewise: a row for each segment */
    size_t position_row;    /* of the first position: rows before it are padding's */
    const char *uncomputed; /* likewise: between what is looked up and the layers, and refused */
    const char *buffers;    /* in a layer, and without a part in the result */
    const char *order, *norm_kind, *activation, *causal, *scale; /* settings, unless given */
    double eps;                                                  /* of all norms; 0: not said */
    const char *open, *hint; /* a key that no file of these names has, and what to do about it */
} layer_convention;

extern const named_table LAYER_CONVENTIONS; /* the document's own names first */

const layer_convention *layer_convention_at(size_t index);
bool layer_convention_is_own(const layer_convention *row);

/* Of rows that share their names, the one of models that stand in `before` ("roberta.encoder."), or
 * whose tables of positions and of segments have so many rows; 0: there is none. */
const layer_convention *layer_convention_settle(const layer_convention *row, const char *before,
                                                size_t positions, size_t segments);

/* The n-th alternative, from 0; false behind the last, and of NULL. */
enum { LAYER_NAME = 64 };
bool layer_convention_name(const char *names, size_t n, char out[LAYER_NAME]);

/* The settings that the names imply: the document's key and its value, NULL for those that they
 * leave open. */
typedef struct implied_setting {
    const char *key, *value;
} implied_setting;

enum { IMPLIED_SETTINGS = 5 };
void layer_convention_settings(const layer_convention *row, implied_setting out[IMPLIED_SETTINGS]);

/* "attention in attn; ln1: ln_1; …": a row for help and manual. */
void layer_convention_describe(text *out, const layer_convention *row);

#endif
