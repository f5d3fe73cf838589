/* Mistakes in cutting rows into heads, in sharing keys among them, and in joining their results. */
#include "why/blunders.h"

/* Key/value heads go with them, so that each is shared by as many heads. */
static bool count_as(size_t right, int with, size_t *count)
{
    size_t times = (size_t)(with < 0 ? -with : with);
    *count = with == 0 ? 1 : with > 0 ? right * times : right / times;
    return with >= 0 || right % times == 0;
}

bool blunder_count_heads(attempt *a, int with, err *e)
{
    const plan *right = &a->right->plan;
    problem *p = &a->problem;
    (void)e;
    bool is_said = with < 0 && right->heads == 2; /* half of two is one */
    return right->has_heads && !is_said && count_as(right->heads, with, &p->heads) &&
           count_as(right->kv_heads, with, &p->kv_heads) && p->heads != right->heads;
}

/* A learned row, or gains: as many numbers as all heads have. */
static bool is_vector(input which)
{
    return which == INPUT_BIAS_K || which == INPUT_BIAS_V || which == INPUT_K_GAIN;
}

/* Rows as b × n × width; false where their heads lie apart. A vector is one row. */
static bool side_by_side(const tensor *given, input which, tensor *rows)
{
    if (given->rank == 4)
        return false;
    *rows = (tensor){.type = given->type, .rank = 3, .size = {1, 1, 1}, .data = given->data};
    if (is_vector(which)) {
        rows->size[2] = tensor_count(given);
        rows->stride[2] = 1;
        return true;
    }
    for (int axis = 0; axis < given->rank; axis++) {
        int to = 3 - given->rank + axis;
        rows->size[to] = given->size[axis];
        rows->stride[to] = given->stride[axis];
    }
    return true;
}

/* Other rows in the place of an input's: a batch's where it has one. */
static tensor *give_rows(attempt *a, input which, const tensor *like, size_t width, err *e)
{
    size_t size[] = {like->size[0], like->size[1], width};
    int rank = is_vector(which) ? 1 : a->problem.in[which]->rank == 2 ? 2 : 3;
    tensor *made = attempt_matrix(a, like->type, rank, size + 3 - rank, e);
    if (made != NULL)
        a->problem.in[which] = made;
    return made;
}

/* Heads apart: b × heads × n × width. */
static tensor apart_of(const tensor *given, input which, size_t heads)
{
    tensor rows;
    return side_by_side(given, which, &rows) ? plan_split_heads(&rows, heads)
                                             : tensor_view_of(given);
}

/* Columns of one head are taken from all. */
static bool interleave(attempt *a, input which, size_t heads, err *e)
{
    tensor rows, into, all;
    if (a->problem.in[which] == NULL || heads == 1)
        return true;
    if (!side_by_side(a->problem.in[which], which, &rows))
        return false;
    tensor *made = give_rows(a, which, &rows, rows.size[2], e);
    if (made == NULL || !side_by_side(made, which, &all))
        return false;
    into = plan_split_heads(&all, heads);
    size_t at[4] = {0};
    do {
        size_t old[] = {at[0], at[2], at[3] * heads + at[1]};
        tensor_set(&into, at, tensor_get(&rows, old));
    } while (tensor_next(&into, at));
    return true;
}

/* `to` heads in the place of `from`: head i is head i mod `from`. */
static bool tile(attempt *a, input which, size_t from, size_t to, err *e)
{
    if (a->problem.in[which] == NULL)
        return true;
    tensor heads = apart_of(a->problem.in[which], which, from), all;
    const tensor like = {
        .type = heads.type, .rank = 3, .size = {heads.size[0], heads.size[2], heads.size[3]}};
    tensor *made = give_rows(a, which, &like, to * heads.size[3], e);
    if (made == NULL || !side_by_side(made, which, &all))
        return false;
    for (size_t batch = 0; batch < heads.size[0]; batch++) {
        tensor into = plan_split_heads(&all, to), of_batch = tensor_at(&into, batch),
               old = tensor_at(&heads, batch);
        for (size_t head = 0; head < to; head++) {
            tensor one = tensor_at(&of_batch, head), other = tensor_at(&old, head % from);
            tensor_copy(&other, &one);
        }
    }
    return true;
}

static const input OF_KEYS[] = {INPUT_K,      INPUT_V,      INPUT_PAST_K,
                                INPUT_PAST_V, INPUT_BIAS_K, INPUT_BIAS_V};
enum { OF_KEYS_COUNT = sizeof OF_KEYS / sizeof OF_KEYS[0] };

bool blunder_interleave(attempt *a, int with, err *e)
{
    (void)with;
    bool done = a->plan.heads > 1 && interleave(a, INPUT_Q, a->plan.heads, e);
    for (size_t i = 0; done && i < OF_KEYS_COUNT; i++)
        done = interleave(a, OF_KEYS[i], a->plan.kv_heads, e);
    return done;
}

/* Gains that are shared by all heads stay. */
static bool tile_gains(attempt *a, err *e)
{
    const plan *p = &a->plan;
    const tensor *gains = a->problem.in[INPUT_K_GAIN];
    return gains == NULL || tensor_count(gains) == p->k.width ||
           tile(a, INPUT_K_GAIN, p->kv_heads, p->heads, e);
}

/* Query head i uses key/value head i mod g. */
bool blunder_tile(attempt *a, int with, err *e)
{
    size_t heads = a->plan.heads, kv_heads = a->plan.kv_heads;
    (void)with;
    bool done = kv_heads > 1 && kv_heads < heads && tile_gains(a, e);
    for (size_t i = 0; done && i < OF_KEYS_COUNT; i++)
        done = tile(a, OF_KEYS[i], kv_heads, heads, e);
    a->problem.heads = a->problem.kv_heads = heads;
    return done;
}

/* n × h·d numbers taken for h × n × d: row i of a head begins (head·n + i)·d numbers in. */
static bool view_as_heads(attempt *a, input which, size_t heads, err *e)
{
    tensor rows, into;
    if (!side_by_side(a->problem.in[which], which, &rows))
        return false;
    size_t n = rows.size[1], all = rows.size[2], width = all / heads, at[3] = {0};
    tensor *made = give_rows(a, which, &rows, all, e);
    if (made == NULL || !side_by_side(made, which, &into))
        return false;
    do {
        size_t from = (at[2] / width * n + at[1]) * width + at[2] % width;
        tensor_set(&into, at, tensor_get(&rows, (size_t[]){at[0], from / all, from % all}));
    } while (tensor_next(&into, at));
    return true;
}

bool blunder_view_heads(attempt *a, int with, err *e)
{
    const plan *p = &a->plan;
    (void)with;
    return p->heads > 1 && p->past == 0 && p->appended == 0 &&
           view_as_heads(a, INPUT_Q, p->heads, e) && view_as_heads(a, INPUT_K, p->kv_heads, e) &&
           view_as_heads(a, INPUT_V, p->kv_heads, e);
}

/* Which number of a batch entry's context a head's result becomes. */
static size_t joined(int with, const plan *p, size_t head, size_t i, size_t column)
{
    size_t width = p->v.width, row = i * p->heads * width;
    switch (with) {
    case JOIN_INTERLEAVED:
        return row + column * p->heads + head;
    case JOIN_VIEWED:
        return (head * p->n_q + i) * width + column;
    default:
        return row + (p->heads - 1 - head) * width + column;
    }
}

bool blunder_join(attempt *a, int with, err *e)
{
    const plan *p = &a->plan;
    tensor attended = attempt_stage(a, STAGE_ATTENDED), context = attempt_stage(a, STAGE_CONTEXT);
    size_t at[4] = {0}, all = p->heads * p->v.width;
    (void)e;
    if (p->heads == 1 || plan_keeps_heads_apart(p))
        return false;
    do {
        size_t to = joined(with, p, at[1], at[2], at[3]);
        tensor_set(&context, (size_t[]){at[0], to / all, to % all}, tensor_get(&attended, at));
    } while (tensor_next(&attended, at));
    return true;
}
