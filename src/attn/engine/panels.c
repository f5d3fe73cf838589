#include "attn/engine/panels.h"

#include "attn/engine/cache.h"
#include "attn/plan/kv_cache.h"
#include "attn/engine/multiply.h"
#include "base/mem.h"

static packed *heads_new(size_t count, size_t bytes, err *e)
{
    packed *all = mem_alloc_zeroed(count, sizeof all[0], e);
    for (size_t i = 0; all != NULL && !e->is_set && i < count; i++)
        all[i].data = mem_alloc(bytes, 1, e);
    return all;
}

static void heads_free(packed *all, size_t count)
{
    for (size_t i = 0; all != NULL && i < count; i++)
        packed_free(&all[i]);
    mem_free(all);
}

/* A stream keeps its keys and values packed, and so may who gives them. */
static const kv_cache *packed_cache(const plan *p)
{
    const kv_cache *c = p->asked->cache != NULL ? p->asked->cache : p->asked->packed;
    return c != NULL && !c->keeps_rows ? c : NULL;
}

static size_t key_bytes(const plan *p)
{
    return p->with->packed_bytes(p->compared_width, p->n_k - cache_first(p));
}

static size_t value_bytes(const plan *p)
{
    return p->with->packed_bytes(p->n_k - cache_first(p), p->v.width);
}

/* Where the score function transforms keys, each query head has its own. */
static size_t key_heads_of(const plan *p)
{
    if (!p->asked->score->is_product)
        return 0;
    return plan_has_stage(p, STAGE_K_SCORE) ? p->heads / p->kv_heads : 1;
}

/* A head's keys and values beyond this are not packed for all blocks. A third-level cache no longer
 * holds them, so that parts are faster: by a tenth at 100,000 rows of 64 numbers, where at 20,000
 * they are slower by two fifths. */
enum { SHARED_MOST = 32 << 20 };

/* A part stays in a second-level cache while the block's rows meet it. */
enum { PART_BYTES = 512 * 1024 };

/* False where an address can't hold them. */
static bool shared_memory(const plan *p, size_t *bytes)
{
    size_t of_keys;
    return size_mul(key_heads_of(p), key_bytes(p), &of_keys) &&
           size_add(of_keys, value_bytes(p), bytes);
}

static size_t part_of(const plan *p)
{
    size_t bytes;
    if (packed_cache(p) != NULL)
        return 0;
    if (p->asked->part > 0)
        return p->asked->part;
    if (shared_memory(p, &bytes) && bytes <= SHARED_MOST)
        return 0;
    size_t a_key = size_larger(p->compared_width, p->v.width) * dtype_size(p->type);
    size_t steps = PART_BYTES / (a_key * PACKED_STEP + 1);
    return steps < 1 ? PACKED_STEP : steps * PACKED_STEP;
}

bool panels_new(panels *all, const plan *p, const projected *made, size_t slots, err *e)
{
    *all = (panels){.plan = p, .made = made, .slots = slots, .part = part_of(p)};
    if (packed_cache(p) != NULL || all->part > 0)
        return true;
    all->key_heads = key_heads_of(p);
    if (all->key_heads > 0)
        all->keys = heads_new(slots * all->key_heads, key_bytes(p), e);
    if (!e->is_set)
        all->values = heads_new(slots, value_bytes(p), e);
    return !e->is_set;
}

void panels_free(panels *all)
{
    heads_free(all->keys, all->slots * all->key_heads);
    heads_free(all->values, all->slots);
    *all = (panels){0};
}

size_t panels_memory(const plan *p)
{
    size_t bytes = 0;
    if (packed_cache(p) == NULL && part_of(p) == 0)
        shared_memory(p, &bytes); /* what an address can't hold has parts */
    return bytes;
}

size_t panels_room(const plan *p)
{
    size_t part = part_of(p);
    return size_larger(p->with->packed_bytes(p->compared_width, part),
                       p->with->packed_bytes(part, p->v.width));
}

size_t panels_parts(const panels *all)
{
    return all->values == NULL ? 0 : all->key_heads + 1;
}

void panels_pack(const panels *all, size_t unit, size_t part)
{
    const plan *p = all->plan;
    size_t slot = unit % all->slots, batch = unit / p->kv_heads, head = unit % p->kv_heads;
    if (part == all->key_heads) {
        tensor v = projected_values(all->made, p, batch, head * (p->heads / p->kv_heads));
        p->with->pack(&v, &all->values[slot]);
        return;
    }
    tensor k = projected_keys(all->made, p, batch, head * (p->heads / p->kv_heads) + part);
    tensor turned = tensor_transposed(&k);
    p->with->pack(&turned, &all->keys[slot * all->key_heads + part]);
}

static size_t unit_of(const plan *p, size_t batch, size_t head)
{
    return batch * p->kv_heads + plan_kv_head(p, head);
}

static packed pack_part(const panels *all, const tensor *rows, size_t first, size_t count,
                        bool is_turned, void *room)
{
    packed part = {.data = room};
    tensor of_part = tensor_range(rows, 0, first - cache_first(all->plan), count);
    if (is_turned)
        of_part = tensor_transposed(&of_part);
    all->plan->with->pack(&of_part, &part);
    return part;
}

packed panels_keys(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                   void *room)
{
    if (all->part > 0) {
        tensor k = projected_keys(all->made, all->plan, batch, head);
        return pack_part(all, &k, first, count, true, room);
    }
    const kv_cache *c = packed_cache(all->plan);
    size_t unit = unit_of(all->plan, batch, head);
    size_t of_unit = all->key_heads <= 1 ? 0 : head % all->key_heads;
    packed keys =
        c != NULL ? c->keys[unit] : all->keys[unit % all->slots * all->key_heads + of_unit];
    first -= cache_first(all->plan);
    keys.skipped = first % PACKED_STEP;
    keys.columns -= first;
    first -= keys.skipped;
    keys.data = (char *)keys.data + all->plan->with->packed_bytes(keys.depth, first);
    return keys;
}

/* Keys are the rows of the values. */
packed panels_values(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                     void *room)
{
    if (all->part > 0) {
        tensor v = projected_values(all->made, all->plan, batch, head);
        return pack_part(all, &v, first, count, false, room);
    }
    const kv_cache *c = packed_cache(all->plan);
    size_t unit = unit_of(all->plan, batch, head);
    packed values = c != NULL ? c->values[unit] : all->values[unit % all->slots];
    first -= cache_first(all->plan);
    values.data = (char *)values.data + all->plan->with->packed_bytes(first, 1);
    return values;
}
