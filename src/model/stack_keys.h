/* The keys of a stack's document besides those of attention: what layers are made of. */
#ifndef SELFATTN_MODEL_STACK_KEYS_H
#define SELFATTN_MODEL_STACK_KEYS_H

#include "tensor/bundle.h"
#include "tensor/key.h"

extern const named_table STACK_KEYS; /* at the top alone: layers, memory … */
extern const named_table
    LAYER_KEYS; /* of a layer, or (norm, activation …) of all when at the top */
extern const named_table NORM_KEYS;         /* gain, bias, eps */
extern const named_table FEED_FORWARD_KEYS; /* of an expert: w1, b1, w2 … */
extern const named_table EMBED_KEYS;        /* w, b, before */
extern const named_table HEAD_KEYS;         /* w, b, activation, norm */

/* All that may stand at the top of a document of encode, decode and generate. */
extern const key_tables STACK_DOCUMENT;

/* Refuses keys that belong to layers, in a document without any: they would say nothing. */
bool attention_keys_check(const bundle *contents, err *e);

#endif
