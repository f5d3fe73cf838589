#include "attn/cache.h"

/* out = past, then rows: b × kv_heads × n_k × width */
static bool join(projected *made, const plan *p, const tensor *past, tensor *kept, tensor *rows,
                 err *e)
{
    size_t size[] = {p->batches, p->kv_heads, p->n_k, rows->size[3]};
    tensor *all = kept->data != NULL ? kept : projected_own(made, p, 4, size, e);
    if (all == NULL)
        return false;
    tensor apart = plan_heads_apart(all, p->kv_heads);
    tensor before = tensor_range(&apart, 2, 0, p->past);
    tensor behind = tensor_range(&apart, 2, p->past, p->n_k - p->past);
    tensor_copy(past, &before);
    tensor_copy(rows, &behind);
    *rows = apart;
    return true;
}

bool cache_join(projected *made, const plan *p, tensor *kept, err *e)
{
    return p->past == 0 || (join(made, p, &p->past_k, &kept[STAGE_PRESENT_K], &made->k, e) &&
                            join(made, p, &p->past_v, &kept[STAGE_PRESENT_V], &made->v, e));
}

bool cache_owns(const plan *p, const wanted *w, stage_id id)
{
    return plan_has_stage(p, id) && !wanted_has(w, id);
}
