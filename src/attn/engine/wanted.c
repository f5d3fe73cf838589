#include "attn/engine/wanted.h"

bool wanted_has(const wanted *w, stage_id id)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->stage[i] == id)
            return true;
    }
    return false;
}

void wanted_add(wanted *w, stage_id id)
{
    if (!wanted_has(w, id))
        w->stage[w->count++] = id;
}

bool wanted_all_keys(const wanted *w)
{
    return wanted_has(w, STAGE_SCORES) || wanted_has(w, STAGE_SCALED) ||
           wanted_has(w, STAGE_CAPPED);
}

bool wanted_is_one_row(const wanted *w, stage_id id)
{
    return id == STAGE_WEIGHTED && w->weighted_is_one_row;
}

bool wanted_shape(const plan *p, const wanted *w, stage_id id, int *rank,
                  size_t size[TENSOR_MAX_RANK], err *e)
{
    if (!plan_stage_shape(p, id, rank, size, e))
        return false;
    if (wanted_is_one_row(w, id)) {
        *rank = 2;
        size[0] = p->n_k;
        size[1] = p->v.width;
    }
    return true;
}
