/* A cache: keys and values of earlier rows, and the new ones after them.
 *
 * What attends sees one row of keys; that some came out of a cache changes no bit, since every
 * element of a key is computed from its own row alone. */
#ifndef SELFATTN_ATTN_ENGINE_CACHE_H
#define SELFATTN_ATTN_ENGINE_CACHE_H

#include "attn/plan/kv_cache.h"
#include "attn/engine/project.h"
#include "attn/engine/kept_stages.h"

/* Before a stream's first rows: how they are kept, for all runs that want these stages. */
void cache_settle(const plan *p, const kept_stages *w);
/* Puts past_k and past_v before made->k and made->v, where there is a cache; or in a stream, these
 * after those of earlier lines: then they stay alone in made, unless the stream keeps rows. */
bool cache_join(projected *made, const plan *p, tensor *kept, err *e);

/* In a stream, the first key that is still there: no row sees one before it. */
size_t cache_first(const plan *p);

/* Bytes that a stream's cache grows by; false where an address can't hold so many. */
bool cache_growth(const plan *p, size_t *bytes);
/* Bytes that a stream's cache takes in all once so many rows have come; those after the plan's own
 * come one by one. Likewise. */
bool cache_bytes(const plan *p, size_t rows, size_t *bytes);

/* Whether keys and values are compared and summed as they are given, so that they can be packed for
 * more runs than one. */
bool cache_can_pack(const plan *p);
/* Packs them, b × kv_heads × n_k × width each, into an empty cache. */
bool cache_pack(kv_cache *c, const plan *p, const tensor *k, const tensor *v, err *e);

#endif
