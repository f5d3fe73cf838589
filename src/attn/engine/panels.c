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

bool panels_new(panels *all, const plan *p, const projected *made, size_t slots, err *e)
{
    *all = (panels){.plan = p, .made = made, .slots = slots};
    if (packed_cache(p) != NULL)
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

bool panels_memory(const plan *p, size_t *bytes)
{
    size_t of_keys;
    *bytes = 0;
    if (packed_cache(p) != NULL)
        return true;
    return size_mul(key_heads_of(p), key_bytes(p), &of_keys) &&
           size_add(of_keys, value_bytes(p), bytes);
}

size_t panels_parts(const panels *all)
{
    return packed_cache(all->plan) != NULL ? 0 : all->key_heads + 1;
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

packed panels_keys(const panels *all, size_t batch, size_t head, size_t first)
{
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
packed panels_values(const panels *all, size_t batch, size_t head, size_t first)
{
    const kv_cache *c = packed_cache(all->plan);
    size_t unit = unit_of(all->plan, batch, head);
    packed values = c != NULL ? c->values[unit] : all->values[unit % all->slots];
    first -= cache_first(all->plan);
    values.data = (char *)values.data + all->plan->with->packed_bytes(first, 1);
    return values;
}
