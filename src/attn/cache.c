#include "attn/cache.h"

/* out = past, then rows: b × kv_heads × n_k × width */
static bool join(projected *made, const plan *p, const tensor *past, tensor *kept, tensor *rows,
                 err *e)
{
    tensor apart;
    if (!projected_place(made, p, kept, rows, p->n_k, &apart, e))
        return false;
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
