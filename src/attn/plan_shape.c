/* The shapes of the stages. */
#include "attn/plan_parts.h"

#include <string.h>

/* A stage whose tensor has the layout in which q, k or v came (rank 4), or NULL. */
static const tensor *came_with_heads(const plan *p, stage_id id)
{
    input which = id == STAGE_Q   ? INPUT_Q
                  : id == STAGE_K ? INPUT_K
                  : id == STAGE_V ? INPUT_V
                                  : INPUT_COUNT;
    const tensor *given = which == INPUT_COUNT ? NULL : p->asked->in[which];
    return given != NULL && given->rank == 4 ? given : NULL;
}

static bool is_context(const plan *p, stage_id id)
{
    return id == STAGE_CONTEXT || (id == STAGE_OUTPUT && p->wo.data == NULL);
}

bool plan_keeps_heads_apart(const plan *p)
{
    const tensor *q = p->asked->in[INPUT_Q];
    return q != NULL && q->rank == 4;
}

/* All axes that the stage can have in this problem, b and h among them. */
static const char *all_axes(const plan *p, stage_id id)
{
    if (came_with_heads(p, id) != NULL)
        return id == STAGE_Q ? "bhqd" : id == STAGE_K ? "bhkd" : "bhke";
    return is_context(p, id) && plan_keeps_heads_apart(p) ? "bhqe" : stage_row(id)->axes;
}

static size_t axis_size(const plan *p, stage_id id, char letter)
{
    const projection *of = id == STAGE_Q ? &p->q : id == STAGE_K ? &p->k : &p->v;
    switch (letter) {
    case 'b':
        return p->batches;
    case 'h':
        return id == STAGE_K || id == STAGE_V ? p->kv_heads : p->heads;
    case 'q':
        return p->n_q;
    case 'k':
        return id == STAGE_XK || id == STAGE_XV ? plan_own_keys(p) : p->n_k;
    case 't':
        return p->asked->top;
    case 'd':
        return of->width;
    case 'e':
        return p->v.width;
    case 'Q':
    case 'K':
    case 'V':
        return of->heads * of->width;
    case 'c':
        return p->compared_width;
    case 'C':
        return p->heads * p->v.width;
    case 'O':
        return p->width_out;
    case 'm':
        return p->q.rows.size[2];
    case 'M':
        return p->k.rows.size[2];
    case 'N':
        return p->v.rows.size[2];
    default:
        return 1;
    }
}

bool plan_has_stage(const plan *p, stage_id id)
{
    switch (id) {
    case STAGE_X:
        return p->q.rows.data != NULL;
    case STAGE_XK:
        return p->k.rows.data != NULL;
    case STAGE_XV:
        return p->v.rows.data != NULL;
    case STAGE_Q_SCORE:
        return plan_score_parameters(p, 0).for_query.data != NULL;
    case STAGE_K_SCORE:
        return plan_score_parameters(p, 0).for_key.data != NULL;
    case STAGE_TOP:
        return p->asked->top > 0;
    case STAGE_CAPPED:
        return p->asked->softcap > 0;
    case STAGE_ROUNDED:
        return p->asked->round_decimals >= 0;
    default:
        return true;
    }
}

/* q, k, v and what follows them keep the batch and the heads that q, k or v came with: then these
 * are not the axes of the table. */
static bool has_axis(const plan *p, stage_id id, const char *axes, char letter)
{
    bool came_with_all = axes != stage_row(id)->axes;
    return came_with_all || (letter == 'b' ? p->has_batch : letter == 'h' ? p->has_heads : true);
}

void plan_find_axes(plan *p)
{
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        const char *axes = all_axes(p, id);
        char *to = p->axes[id];
        for (const char *letter = axes; *letter != '\0'; letter++) {
            if (has_axis(p, id, axes, *letter))
                *to++ = *letter;
        }
        *to = '\0';
    }
}

bool plan_stage_shape(const plan *p, stage_id id, int *rank, size_t size[TENSOR_MAX_RANK], err *e)
{
    const stage *row = stage_row(id);
    if (!plan_has_stage(p, id))
        return err_set(e, "there is no stage %s here: it needs %s", row->key.named.name,
                       row->made_by);
    *rank = (int)strlen(p->axes[id]);
    for (int axis = 0; axis < *rank; axis++)
        size[axis] = axis_size(p, id, p->axes[id][axis]);
    return true;
}

tensor plan_all_axes(const plan *p, stage_id id, const tensor *of)
{
    const char *axes = all_axes(p, id);
    tensor full = tensor_view_of(of);
    full.rank = (int)strlen(axes);
    for (int axis = 0, from = 0; axis < full.rank; axis++) {
        bool is_here = has_axis(p, id, axes, axes[axis]);
        full.size[axis] = is_here ? of->size[from] : 1;
        full.stride[axis] = is_here ? of->stride[from] : 0;
        from += is_here;
    }
    return full;
}
