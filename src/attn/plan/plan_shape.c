/* Batches and heads, how many there are and who says so; and the shapes of the stages. */
#include "attn/plan/plan_parts.h"

#include <string.h>

/* ---- batches and heads ---- */

/* The rank from which an input's first axis counts batches. */
static const struct {
    input which;
    int rank;
} BATCHED[] = {{INPUT_X, 3}, {INPUT_XK, 3}, {INPUT_XV, 3},     {INPUT_Q, 3},
               {INPUT_K, 3}, {INPUT_V, 3},  {INPUT_PAST_K, 3}, {INPUT_PAST_V, 3}};

bool plan_find_batches(plan *p, err *e)
{
    input first = INPUT_COUNT;
    for (size_t i = 0; i < sizeof BATCHED / sizeof BATCHED[0]; i++) {
        input which = BATCHED[i].which;
        const tensor *given = p->asked->in[which];
        bool is_rows = which <= INPUT_XV;
        if (given == NULL || given->rank < BATCHED[i].rank ||
            (is_rows && !plan_uses_rows(p->asked, which)))
            continue;
        if (p->has_batch && given->size[0] != p->batches)
            return plan_wrong_shape(p, which, e, "its batches are %zu, those of %s %zu",
                                    given->size[0], input_label(first), p->batches);
        first = p->has_batch ? first : which;
        p->has_batch = true;
        p->batches = given->size[0];
    }
    return true;
}

/* One source of a number of heads. */
typedef struct heads_source {
    const char *who;
    place at;
    size_t heads; /* 0: it says nothing */
} heads_source;

static heads_source heads_of_setting(const problem *asked, const char *setting, size_t heads)
{
    return (heads_source){setting, problem_place(asked, setting), heads};
}

/* A 3-D weight h × m × d, or rows b × h × n × d. */
static heads_source heads_of_input(const problem *asked, input which, int rank, int axis)
{
    const tensor *given = asked->in[which];
    size_t heads = given != NULL && given->rank == rank ? given->size[axis] : 0;
    return (heads_source){input_label(which), asked->at[which], heads};
}

/* The first of the sources, which all name the same number; one of 0 where none names any. */
static bool agree(const heads_source *source, size_t sources, heads_source *agreed, err *e)
{
    const heads_source *first = NULL;
    for (size_t i = 0; i < sources; i++) {
        const heads_source *one = &source[i];
        if (one->heads == 0)
            continue;
        if (first != NULL && one->heads != first->heads)
            return err_at(e, &one->at, "%s says %zu head%s, %s says %zu", one->who, one->heads,
                          one->heads == 1 ? "" : "s", first->who, first->heads);
        first = first == NULL ? one : first;
    }
    *agreed = first == NULL ? (heads_source){0} : *first;
    return true;
}

bool plan_find_heads(plan *p, err *e)
{
    const problem *asked = p->asked;
    const heads_source of_queries[] = {
        heads_of_setting(asked, "heads", asked->heads),
        heads_of_input(asked, INPUT_WQ, 3, 0),
        heads_of_input(asked, INPUT_Q, 4, 1),
        heads_of_input(asked, INPUT_WO, 3, 0),
    };
    const heads_source of_keys[] = {
        heads_of_setting(asked, "kv_heads", asked->kv_heads),
        heads_of_input(asked, INPUT_WK, 3, 0),
        heads_of_input(asked, INPUT_WV, 3, 0),
        heads_of_input(asked, INPUT_K, 4, 1),
        heads_of_input(asked, INPUT_V, 4, 1),
        heads_of_input(asked, INPUT_PAST_K, 4, 1),
        heads_of_input(asked, INPUT_PAST_V, 4, 1),
    };
    heads_source queries = {0}, keys = {0};
    if (!agree(of_queries, sizeof of_queries / sizeof of_queries[0], &queries, e) ||
        !agree(of_keys, sizeof of_keys / sizeof of_keys[0], &keys, e))
        return false;
    p->heads = queries.heads;
    p->kv_heads = keys.heads;
    p->has_heads = p->heads > 0 || p->kv_heads > 0;
    if (p->heads == 0)
        p->heads = p->kv_heads > 0 ? p->kv_heads : 1;
    if (p->kv_heads == 0)
        p->kv_heads = p->heads;
    if (p->heads % p->kv_heads == 0)
        return true;
    return err_at(e, &keys.at, "%s says %zu heads, not a multiple of the %zu that %s says",
                  queries.who, queries.heads, keys.heads, keys.who);
}

/* ---- shapes of stages ---- */

const projection *plan_role(const plan *p, stage_id id)
{
    switch (id) {
    case STAGE_Q:
    case STAGE_Q_NORM:
    case STAGE_Q_ROPE:
        return &p->q;
    case STAGE_K:
    case STAGE_K_NORM:
    case STAGE_K_ROPE:
    case STAGE_PRESENT_K:
        return &p->k;
    case STAGE_V:
    case STAGE_PRESENT_V:
        return &p->v;
    default:
        return NULL;
    }
}

bool plan_keeps_heads_apart(const plan *p)
{
    const tensor *q = p->asked->in[INPUT_Q];
    return q != NULL && q->rank == 4;
}

/* All axes that the stage can have in this problem, b and h among them. Those of a role that came
 * with all of its axes (rank 4) have its layout, present_v that of k. */
static const char *all_axes(const plan *p, stage_id id)
{
    const projection *role = plan_role(p, id), *like = id == STAGE_PRESENT_V ? &p->k : role;
    const tensor *given = like == NULL ? NULL : p->asked->in[like->given_as];
    bool is_context = id == STAGE_CONTEXT || (id == STAGE_OUTPUT && p->wo.data == NULL);
    if (given != NULL && given->rank == 4)
        return role == &p->q ? "bhqd" : role == &p->k ? "bhkd" : "bhke";
    return is_context && plan_keeps_heads_apart(p) ? "bhqe" : stage_row(id)->axes;
}

static size_t axis_size(const plan *p, stage_id id, char letter)
{
    const projection *of = plan_role(p, id);
    switch (letter) {
    case 'b':
        return p->batches;
    case 'h':
        return of == NULL ? p->heads : of->heads;
    case 'q':
        return p->n_q;
    case 'k':
        /* Keys and values of the sequence come first alone, then with what is appended to them; a
         * cache's come in last. */
        return id == STAGE_XK || id == STAGE_XV                               ? p->k.n
               : of != NULL && id != STAGE_PRESENT_K && id != STAGE_PRESENT_V ? p->k.n + p->appended
                                                                              : p->n_k;
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
    case STAGE_X_POS:
        return p->asked->adds_positions;
    case STAGE_XK:
        return p->k.rows.data != NULL;
    case STAGE_XV:
        return p->v.rows.data != NULL;
    case STAGE_Q_NORM:
    case STAGE_K_NORM:
        return p->asked->normalizes;
    case STAGE_Q_ROPE:
    case STAGE_K_ROPE:
        return p->rope_width > 0;
    case STAGE_PRESENT_K:
    case STAGE_PRESENT_V:
        return p->past_k.data != NULL;
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

bool plan_check_stage(const plan *p, stage_id id, err *e)
{
    const stage *row = stage_row(id);
    bool is_of_cache = id == STAGE_PRESENT_K || id == STAGE_PRESENT_V;
    if (plan_has_stage(p, id))
        return true;
    if (is_of_cache && p->asked->cache != NULL)
        return err_set(e, "there is no stage %s here: a stream keeps its cache itself",
                       row->key.named.name);
    return err_set(e, "there is no stage %s here: it needs %s", row->key.named.name, row->made_by);
}

void plan_stage_shape(const plan *p, stage_id id, int *rank, size_t size[TENSOR_MAX_RANK])
{
    *rank = (int)strlen(p->axes[id]);
    for (int axis = 0; axis < *rank; axis++)
        size[axis] = axis_size(p, id, p->axes[id][axis]);
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

tensor plan_of_head(const tensor *all, size_t batch, size_t head)
{
    tensor of_batch = tensor_at(all, batch);
    return tensor_at(&of_batch, head);
}
