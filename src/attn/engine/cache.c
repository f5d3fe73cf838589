#include "attn/engine/project.h"

#include "base/mem.h"

#include <assert.h>

/* out = past, then rows: b × kv_heads × n_k × width */
static bool join(projected *made, const plan *p, const tensor *past, tensor *kept, tensor *rows,
                 err *e)
{
    tensor apart;
    if (!projected_place(made, p, kept, rows, p->n_k, &apart, e))
        return false;
    tensor before = tensor_range(&apart, 2, 0, p->past);
    tensor after = tensor_range(&apart, 2, p->past, p->n_k - p->past);
    tensor_copy(past, &before);
    tensor_copy(rows, &after);
    *rows = apart;
    return true;
}

/* ---- streams ---- */

/* A stream's cache before its first rows. */
static kv_cache cache_like(const plan *p)
{
    return (kv_cache){.keeps_rows = p->asked->cache != NULL && p->asked->cache->keeps_rows,
                      .keeps_all = p->asked->cache != NULL && p->asked->cache->keeps_all,
                      .type = p->type,
                      .with = p->with,
                      .batches = p->batches,
                      .heads = p->kv_heads,
                      .k_width = p->k.width,
                      .v_width = p->v.width};
}

/* Additive scores, values that may not be finite, and weighted values are computed of rows; stages
 * that have a number for each key, seen or not, of all keys. */
void cache_settle(const plan *p, const kept_stages *w)
{
    kv_cache *c = p->asked->cache;
    if (c == NULL || c->rows > 0)
        return;
    c->keeps_rows = !p->asked->score->is_product || p->asked->allow_nonfinite ||
                    kept_stages_has(w, STAGE_WEIGHTED);
    c->keeps_all = kept_stages_all_keys(w) || kept_stages_has(w, STAGE_WEIGHTED) ||
                   kept_stages_has(w, STAGE_K_SCORE);
}

/* The first key that these rows see, or later ones: neither end of what is seen moves back. */
static size_t first_seen(const plan *p)
{
    return visible_keys(p, 0, 0).first;
}

size_t cache_first(const plan *p)
{
    return p->asked->cache == NULL ? 0 : p->asked->cache->first;
}

bool cache_growth(const plan *p, size_t *bytes)
{
    const kv_cache *c = p->asked->cache;
    *bytes = 0;
    if (c == NULL)
        return true;
    kv_cache like = cache_like(p);
    return kv_cache_growth(c->rows == 0 ? &like : c, first_seen(p), p->n_k, bytes);
}

bool cache_bytes(const plan *p, size_t rows, size_t *bytes)
{
    kv_cache like = cache_like(p);
    size_t most = rows, left = p->asked->window_left;
    if (p->asked->has_window && !like.keeps_all && left < rows && rows - left > PACKED_STEP)
        most = size_larger(left + PACKED_STEP, p->n_k);
    return kv_cache_growth(&like, 0, most < rows ? most : rows, bytes);
}

/* ---- given, and packed once ---- */

/* What a row is computed of where products don't do: as cache_settle has it. */
bool cache_can_pack(const plan *p)
{
    assert(p->past == 0);
    return !plan_has_stage(p, STAGE_K_NORM) && !plan_has_stage(p, STAGE_K_ROPE) &&
           p->asked->score->is_product && !p->asked->allow_nonfinite;
}

bool cache_pack(kv_cache *c, const plan *p, const tensor *k, const tensor *v, err *e)
{
    kv_cache like = cache_like(p);
    kv_cache_begin(c, &like);
    if (!kv_cache_reserve(c, 0, p->n_k, e))
        return false;
    kv_cache_put(c, k, v);
    c->rows = p->n_k;
    return true;
}

/* ---- both ---- */

bool cache_join(projected *made, const plan *p, tensor *kept, err *e)
{
    kv_cache *c = p->asked->cache;
    if (c == NULL)
        return p->past == 0 || (join(made, p, &p->past_k, &kept[STAGE_PRESENT_K], &made->k, e) &&
                                join(made, p, &p->past_v, &kept[STAGE_PRESENT_V], &made->v, e));
    kv_cache like = cache_like(p);
    if (c->rows == 0)
        kv_cache_begin(c, &like);
    if (!kv_cache_reserve(c, first_seen(p), p->n_k, e))
        return false;
    kv_cache_put(c, &made->k, &made->v);
    if (c->keeps_rows) {
        made->k = tensor_range(&c->k, 2, 0, p->n_k - c->first);
        made->v = tensor_range(&c->v, 2, 0, p->n_k - c->first);
    }
    return true;
}
