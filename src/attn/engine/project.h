/* Before and after the loop over blocks: the projections x·W + b that it starts from, and
 * context·Wo + bo.
 *
 * What lies between projections and scores (positions.h, a cache) writes the next form of q,
 * k or v; project.c calls it in its order. */
#ifndef SELFATTN_ATTN_ENGINE_PROJECT_H
#define SELFATTN_ATTN_ENGINE_PROJECT_H

#include "attn/engine/placed.h"
#include "attn/plan/kv_cache.h"
#include "base/threads.h"

/* What the loop over blocks reads and writes: q, k and v in their last form, and the context. Views
 * with all axes. */
typedef struct projected {
    tensor x;                   /* with positions, b × n × m; no data: x as it is */
    tensor q_latent, kv_latent; /* what projections take, b × n × width; no data: rows */
    tensor shared;  /* b × n × width: numbers of the latent that all heads' keys end with */
    tensor q, k, v; /* b × heads × n × width; heads of k and v: kv_heads */
    tensor queries; /* q′, what the score function compares: b × h × n_q × c */
    tensor keys;    /* k′: b × kv_heads × n_k × c, or b × h × n_k × c */
    bool keys_have_all_heads;
    bool v_is_finite;
    tensor context;      /* b × h × n_q × d_v, a view of context_rows */
    tensor context_rows; /* b × n_q × h·d_v */
    bool context_is_finite;
} projected;

/* What makes one stage of a projection after the other: where its rows lie, and q, k or v in the
 * form that comes next. */
typedef struct projecting {
    const plan *plan;
    const placed *at;
    projected *made;
    crew *by;
} projecting;

/* The stage's place, b × heads × n × width: heads of the role that it is a form of. */
tensor projected_place(const projecting *with, stage_id id);
/* The same of what lies in an input too: q, k or v before later forms took its place. */
tensor projected_form(const projecting *with, stage_id id);
/* What a projection starts from, b × n × m: rows, with positions, where they were added; and what
 * its weight takes: them, or its latent. */
const tensor *projected_start(const projected *made, const projection *r);
const tensor *projected_rows(const projected *made, const projection *r);
/* A projection's weight in parts: one matrix for all heads, or one a head, or its columns, where
 * other numbers stand between those of heads. The part of what is laid out as the weight is. */
size_t projected_parts(const projection *r);
tensor projected_part(const projection *r, const tensor *weight, size_t part);
/* The product that makes the projection's latent. */
projection projected_down(const plan *p, const projection *r);
/* False, with the error set, where finite inputs gave what the type can't hold. */
bool projected_check_range(const plan *p, const char *name, const tensor *t, err *e);

/* One head's q′ (n_q × c), k′ (n_k × c) and v (n_k × d_v); in a stream, of the keys that are still
 * there. */
tensor projected_queries(const projected *made, size_t batch, size_t head);
tensor projected_keys(const projected *made, const plan *p, size_t batch, size_t head);
tensor projected_values(const projected *made, const plan *p, size_t batch, size_t head);

bool project_inputs(projected *made, const plan *p, const placed *at, crew *by, err *e);
bool project_output(projected *made, const plan *p, const placed *at, crew *by, err *e);

/* Bytes that project_inputs works in, and a stream's cache grows by, next to what is placed; and
 * those that the largest of its and project_output's products takes meanwhile, when no block is
 * computed; SIZE_MAX: more than an address can hold. */
size_t project_memory(const plan *p);
size_t project_product_memory(const plan *p, size_t threads);

/* ---- a cache: keys and values of earlier rows, and the new ones after them. What
 * attends sees one row of keys; that some came out of a cache changes no bit, since every element
 * of a key is computed from its own row alone ---- */

/* Before a stream's first rows: how they are kept, for all runs that want these stages. */
void cache_settle(const plan *p, const kept_stages *w);

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

/* ---- keys and values as products read them: packed once for all blocks of queries. Those of a
 * head that would take much memory are packed a part at a time instead, by each block that needs
 * them, into room of its own.
 *
 * A unit is one key/value head of one batch entry, with the keys that all of its query heads use.
 * There are as many slots as are in use at once; unit u lies in slot u mod slots. A stream's cache
 * holds them packed already: then there is nothing to pack, and no slot. The second loop needs them
 * turned the other way round too ---- */

typedef struct panels {
    const plan *plan;
    const projected *made;
    packed *keys;     /* k′ᵀ: one a slot, or NULL */
    packed *values;   /* v, in the second loop vᵀ: one a slot, or NULL */
    packed *key_rows; /* k′, for the second loop: one a slot, or NULL */
    bool goes_back;   /* in the second loop */
    size_t slots;
    size_t part; /* keys that a block packs at once; 0: all are packed for all blocks */
} panels;

bool panels_new(panels *all, const plan *p, const placed *at, const projected *made, size_t slots,
                err *e);
void panels_free(panels *all);

/* Bytes of one slot. */
size_t panels_memory(const plan *p);
/* Bytes of a block's room for a part. */
size_t panels_room(const plan *p);

/* A unit is packed in so many parts, each on its own. */
size_t panels_parts(const panels *all);
void panels_pack(const panels *all, size_t unit, size_t part);

/* What is packed from a column on, a multiple of PACKED_PART, or from a row on. */
packed packed_from_column(const kernels *with, const packed *all, size_t first);
packed packed_from_row(const kernels *with, const packed *all, size_t first);

/* Those of keys from `first` on, a multiple of PACKED_PART where they are packed for all blocks;
 * else `count` of them, in `room`. */
packed panels_keys(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                   void *room);
packed panels_values(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                     void *room);
/* Of the second loop: vᵀ and k′ likewise. */
packed panels_turned_values(const panels *all, size_t batch, size_t head, size_t first,
                            size_t count, void *room);
packed panels_key_rows(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                       void *room);

#endif
