#include "attn/engine/kept_stages.h"

bool kept_stages_has(const kept_stages *w, stage_id id)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->stage[i] == id)
            return true;
    }
    return false;
}

void kept_stages_add(kept_stages *w, stage_id id)
{
    if (!kept_stages_has(w, id))
        w->stage[w->count++] = id;
}

bool kept_stages_all_keys(const kept_stages *w)
{
    return kept_stages_has(w, STAGE_SCORES) || kept_stages_has(w, STAGE_SCALED) ||
           kept_stages_has(w, STAGE_CAPPED);
}

bool kept_stages_is_one_row(const plan *p, const kept_stages *w, stage_id id)
{
    return id == STAGE_WEIGHTED && w->weighted_is_one_row && (p->n_q > w->few || p->n_k > w->few);
}

void kept_stages_shape(const plan *p, const kept_stages *w, stage_id id, int *rank,
                       size_t size[TENSOR_MAX_RANK])
{
    plan_stage_shape(p, id, rank, size);
    if (kept_stages_is_one_row(p, w, id)) {
        *rank = 2;
        size[0] = p->n_k;
        size[1] = p->v.width;
    }
}
