/* The keys and values of a stream: those of all lines so far, kept from one run to the next.
 *
 * Rows that no later one can see go, by whole PACKED_STEPs, so that those that stay lie in panels
 * as before; `first` counts them. Room grows by doubling, so that a row is copied a few times at
 * most however long the stream gets.
 * Rows are kept in the order in which products read them, one panel after the other, so that
 * decoding reads each key and each value once and writes nothing but the new ones; or plainly,
 * where something needs them as rows. Rows that a run put after the others count from the moment
 * that it is done: of a run that failed nothing stays. */
#ifndef SELFATTN_ATTN_PLAN_KV_CACHE_H
#define SELFATTN_ATTN_PLAN_KV_CACHE_H

#include "kernels/kernels.h"

typedef struct kv_cache {
    bool keeps_rows; /* k and v, not keys and values: settled before the first ones */
    bool keeps_all;  /* also those that no later row sees: likewise */
    bool has_places; /* the rows so far said where they stand (rope_positions) */
    dtype type;
    const kernels *with;
    size_t batches, heads, k_width, v_width;
    size_t rows;           /* so far */
    size_t first, room;    /* rows from `first` on are there; so many there is memory for */
    packed *keys, *values; /* one a head of each batch entry: unit batch·heads + head */
    tensor k, v;           /* b × heads × room × width */
} kv_cache;

/* `count` of them with `bytes` of memory each; NULL with the error set where memory is missing. */
packed *packed_list_new(size_t count, size_t bytes, err *e);
void packed_list_free(packed *all, size_t count); /* NULL is nothing */

/* As `like`, which holds nothing; what a failed run may have left goes. */
void kv_cache_begin(kv_cache *c, const kv_cache *like);
/* Room for so many rows, of which those from `seen` on stay; also where memory is missing. */
bool kv_cache_reserve(kv_cache *c, size_t seen, size_t rows, err *e);
/* Bytes that reserving them would allocate; false where an address can't hold so many. */
bool kv_cache_growth(const kv_cache *c, size_t seen, size_t rows, size_t *bytes);

/* Puts new keys and values (b × heads × n × width) after those that are there, for which there is
 * room; they count when `rows` says so. */
void kv_cache_put(kv_cache *c, const tensor *k, const tensor *v);

void kv_cache_free(kv_cache *c);

#endif
