/* Keys and values of every head, packed once for all blocks of queries. */
#ifndef SELFATTN_ATTN_PANELS_H
#define SELFATTN_ATTN_PANELS_H

#include "attn/project.h"

typedef struct panels {
    packed *keys;   /* k′ᵀ of each key head, where the score function is a product */
    packed *values; /* v of each key/value head */
    size_t key_heads, value_heads, batches;
} panels;

bool panels_new(panels *all, const plan *p, const projected *made, size_t threads, err *e);
void panels_free(panels *all);

/* Bytes that panels_new allocates. */
bool panels_memory(const plan *p, size_t *bytes);

const packed *panels_keys(const panels *all, const plan *p, size_t batch, size_t head);
const packed *panels_values(const panels *all, const plan *p, size_t batch, size_t head);

#endif
