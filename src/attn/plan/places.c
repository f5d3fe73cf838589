#include "attn/plan/places.h"

#include "base/mem.h"

#include <assert.h>

/* q, k or v is given, or is the rows that it would be projected from, and nothing is appended. */
static bool lies_in_input(const plan *p, stage_id id)
{
    const stage *row = stage_row(id);
    const projection *of = plan_role(p, id);
    if (row->by == STAGE_IS_ROWS)
        return row->takes[0] == STAGE_COUNT;
    return (id == STAGE_Q || id == STAGE_K || id == STAGE_V) && of->weight.data == NULL &&
           of->bias.data == NULL && (of == &p->q || p->appended == 0);
}

/* The stage in whose place of the result a whole one lies; STAGE_COUNT: in none. The context has
 * its heads side by side, as products with Wo take them; without Wo it is the output. */
static stage_id place_in_result(const stage_places *to, const plan *p, stage_id id)
{
    bool is_context = id == STAGE_CONTEXT || id == STAGE_CONTEXT_GRAD;
    if (is_context && plan_keeps_heads_apart(p))
        return STAGE_COUNT;
    if (to->of[id].is_written)
        return id;
    bool is_output = id == STAGE_CONTEXT && p->wo.data == NULL;
    return is_output && to->of[STAGE_OUTPUT].is_written ? STAGE_OUTPUT : STAGE_COUNT;
}

bool places_gathers(const plan *p, stage_id id, stage_id taken)
{
    bool is_of_score = id == STAGE_Q_SCORE_GRAD || id == STAGE_K_SCORE_GRAD ||
                       id == STAGE_BS_GRAD || id == STAGE_VA_GRAD || id == STAGE_BA_GRAD;
    bool is_added = id == plan_bias_gradient(p) || id == STAGE_SLOPES_GRAD;
    return (is_of_score || is_added || plan_role(p, id) != NULL) &&
           stage_row(taken)->by == STAGE_BY_BLOCK_BACK;
}

void places_find(stage_places *to, const plan *p, const kept_stages *wanted)
{
    bool is_needed[STAGE_COUNT] = {[STAGE_CONTEXT] = true};
    bool is_whole[STAGE_COUNT] = {[STAGE_CONTEXT] = true};
    stage_id last = STAGE_CONTEXT;
    *to = (stage_places){0};
    for (size_t i = 0; i < wanted->count; i++) {
        stage_id id = wanted->stage[i];
        assert(plan_has_stage(p, id));
        to->of[id].is_written = is_needed[id] = true;
        last = id > last ? id : last;
    }
    /* Stages take earlier ones: what takes a stage is known when its turn comes. */
    for (stage_id id = last + 1; id-- > 0;) {
        const stage *row = stage_row(id);
        stage_place *one = &to->of[id];
        if (!is_needed[id])
            continue;
        one->is_given = kept_stages_is_given(wanted, id);
        assert(!one->is_given || row->by == STAGE_BY_PROJECTION || row->is_door ||
               kept_stages_is_given(wanted, STAGE_CONTEXT));
        for (size_t i = 0; !one->is_given && row->takes[i] != STAGE_COUNT; i++) {
            stage_id taken = plan_stand_in(p, row->takes[i]);
            if (taken == STAGE_COUNT)
                continue;
            is_needed[taken] = true;
            is_whole[taken] =
                is_whole[taken] || (row->by == STAGE_BY_RULE && !places_gathers(p, id, taken));
        }
        bool is_view = one->is_given || lies_in_input(p, id);
        bool is_by_block = row->by == STAGE_BY_BLOCK || row->by == STAGE_BY_BLOCK_BACK;
        bool is_of_block = is_by_block && !is_whole[id] && !one->is_written;
        one->in = place_in_result(to, p, id);
        /* Products take the context's heads side by side, however they are given. */
        if (is_view && !(id == STAGE_CONTEXT && plan_keeps_heads_apart(p)))
            one->home = HOME_INPUT;
        else if (is_of_block)
            one->home = HOME_BLOCK;
        else
            one->home = one->in != STAGE_COUNT ? HOME_RESULT : HOME_RUN;
        if (one->home == HOME_RUN)
            plan_whole_shape(p, id, &one->whole.rank, one->whole.size);
        if (one->is_written)
            kept_stages_shape(p, wanted, id, &one->written.rank, one->written.size);
    }
    for (stage_id id = 0; id <= last; id++) {
        if (is_needed[id])
            to->needed[to->count++] = id;
    }
    /* What blocks make is made of what is given, or all of it of inputs. */
    for (stage_id given = 0; wanted->given != NULL && given < STAGE_COUNT; given++) {
        bool begins = to->of[given].is_given && stage_row(given)->by == STAGE_BY_BLOCK;
        for (stage_id id = 0; begins && id < STAGE_COUNT; id++)
            assert(!places_make(to, id) || stage_row(id)->by != STAGE_BY_BLOCK ||
                   plan_is_made_of(p, id, given));
    }
    assert(wanted->given == NULL || p->asked->cache == NULL);
}

size_t places_memory(const stage_places *of, const plan *p)
{
    size_t all = 0;
    for (size_t i = 0; i < of->count; i++) {
        const stage_place *one = &of->of[of->needed[i]];
        const stage_shape *whole = &one->whole, *written = &one->written;
        if (one->home == HOME_RUN)
            all = size_sum(all, tensor_bytes(p->type, whole->rank, whole->size));
        if (one->is_written)
            all = size_sum(all, tensor_bytes(p->type, written->rank, written->size));
    }
    return all;
}
