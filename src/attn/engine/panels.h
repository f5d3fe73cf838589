/* Keys and values as products read them: packed once for all blocks of queries. Those of a head
 * that would take much memory are packed a part at a time instead, by each block that needs them,
 * into room of its own.
 *
 * A unit is one key/value head of one batch entry, with the keys of all query heads that use it.
 * There are as many slots as are in use at once; unit u lies in slot u mod slots. A stream's cache
 * holds them packed already: then there is nothing to pack, and no slot. */
#ifndef SELFATTN_ATTN_ENGINE_PANELS_H
#define SELFATTN_ATTN_ENGINE_PANELS_H

#include "attn/engine/project.h"

typedef struct panels {
    const plan *plan;
    const projected *made;
    packed *keys; /* k′ᵀ: `key_heads` a slot; NULL where the score function is not a product */
    packed *values; /* v: one a slot */
    size_t slots, key_heads;
    size_t part; /* keys that a block packs at once; 0: all are packed for all blocks */
} panels;

bool panels_new(panels *all, const plan *p, const projected *made, size_t slots, err *e);
void panels_free(panels *all);

/* Bytes of one slot. */
size_t panels_memory(const plan *p);
/* Bytes of a block's room for a part. */
size_t panels_room(const plan *p);

/* A unit is packed in so many parts, each on its own. */
size_t panels_parts(const panels *all);
void panels_pack(const panels *all, size_t unit, size_t part);

/* Those of keys from `first` on, a multiple of PACKED_PART where they are packed for all blocks;
 * else `count` of them, in `room`. */
packed panels_keys(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                   void *room);
packed panels_values(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                     void *room);

#endif
