/* Mistakes in cutting rows into heads, in sharing keys among them, in joining their results, and in
 * the layout of their arrays. */
#include "why/mistake.h"

#include "why/attempt.h"

enum { JOIN_INTERLEAVED, JOIN_VIEWED, JOIN_REVERSED, JOIN_TILED, JOIN_LAYOUT };

/* Key/value heads go with them, so that each is shared by as many heads. */
static bool count_as(size_t right, int with, size_t *count)
{
    size_t times = (size_t)(with < 0 ? -with : with);
    *count = with == 0 ? 1 : with > 0 ? right * times : right / times;
    return with >= 0 || right % times == 0;
}

static bool count_heads(attempt *a)
{
    const plan *right = &a->right->plan;
    problem *p = &a->problem;
    bool is_said = a->row->with < 0 && right->heads == 2; /* half of two is one */
    return right->has_heads && !is_said && count_as(right->heads, a->row->with, &p->heads) &&
           count_as(right->kv_heads, a->row->with, &p->kv_heads) && p->heads != right->heads;
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
static tensor *give_rows(attempt *a, input which, const tensor *like, size_t width)
{
    size_t size[] = {like->size[0], like->size[1], width};
    int rank = is_vector(which) ? 1 : a->problem.in[which]->rank == 2 ? 2 : 3;
    tensor *made = attempt_matrix(a, like->type, rank, size + 3 - rank);
    if (made != NULL)
        a->problem.in[which] = made;
    return made;
}

/* Which number of a batch entry's joined rows is number `at` of a head: by joining the heads, or by
 * cutting the rows, wrongly. */
static size_t joined(int with, const size_t *size, const size_t *at)
{
    size_t heads = size[1], width = size[3], row = at[2] * heads * width;
    const size_t as[] = {
        [JOIN_INTERLEAVED] = row + at[3] * heads + at[1],
        [JOIN_VIEWED] = (at[1] * size[2] + at[2]) * width + at[3],
        [JOIN_REVERSED] = row + (heads - 1 - at[1]) * width + at[3],
    };
    return as[with];
}

/* `to` heads in the place of `from`: each has others' numbers, or tiled head i is head i mod
 * `from`. */
static bool regroup(attempt *a, input which, size_t from, size_t to)
{
    bool is_tiled = a->row->with == JOIN_TILED;
    size_t at[4] = {0};
    tensor rows, all;
    if (a->problem.in[which] == NULL || from == 1)
        return true;
    tensor heads = tensor_view_of(a->problem.in[which]);
    if (side_by_side(&heads, which, &rows))
        heads = plan_split_heads(&rows, from);
    else if (!is_tiled)
        return false;
    size_t width = heads.size[3], joined_width = from * width;
    const tensor like = {
        .type = heads.type, .rank = 3, .size = {heads.size[0], heads.size[2], width}};
    tensor *made = give_rows(a, which, &like, to * width);
    if (made == NULL)
        return false;
    side_by_side(made, which, &all);
    tensor into = plan_split_heads(&all, to);
    do {
        size_t number = is_tiled ? 0 : joined(a->row->with, into.size, at);
        size_t column = number % joined_width;
        const size_t tiled[] = {at[0], at[1] % from, at[2], at[3]},
                     old[] = {at[0], column / width, number / joined_width, column % width};
        tensor_set(&into, at, tensor_get(&heads, is_tiled ? tiled : old));
    } while (tensor_next(&into, at));
    return true;
}

static const input OF_KEYS[] = {INPUT_K,      INPUT_V,      INPUT_PAST_K,
                                INPUT_PAST_V, INPUT_BIAS_K, INPUT_BIAS_V};
enum { OF_KEYS_COUNT = sizeof OF_KEYS / sizeof OF_KEYS[0] };

static bool split_heads(attempt *a)
{
    const plan *p = &a->plan;
    bool is_new = p->past == 0 && p->appended == 0;
    bool done = p->heads > 1 && (is_new || a->row->with != JOIN_VIEWED) &&
                regroup(a, INPUT_Q, p->heads, p->heads);
    for (size_t i = 0; done && i < OF_KEYS_COUNT; i++)
        done = regroup(a, OF_KEYS[i], p->kv_heads, p->kv_heads);
    return done;
}

/* Query head i uses key/value head i mod g. Gains that are shared by all heads stay. */
static bool tile_heads(attempt *a)
{
    size_t heads = a->plan.heads, kv_heads = a->plan.kv_heads;
    const tensor *gains = a->problem.in[INPUT_K_GAIN];
    bool done = kv_heads > 1 && kv_heads < heads;
    if (done && gains != NULL && tensor_count(gains) != a->plan.k.width)
        done = regroup(a, INPUT_K_GAIN, kv_heads, heads);
    for (size_t i = 0; done && i < OF_KEYS_COUNT; i++)
        done = regroup(a, OF_KEYS[i], kv_heads, heads);
    a->problem.heads = a->problem.kv_heads = heads;
    return done;
}

/* ---- arrays of heads, b × h × n × d, that a kernel takes for b × n × h × d: the same numbers, of
 * which others are each row's ---- */

/* Where number `column` of row `i` of a head lies in n × h × d, as a place in h × n × d. */
static void rows_first(const size_t *size, const size_t *at, size_t *from)
{
    size_t flat = (at[2] * size[1] + at[1]) * size[3] + at[3];
    from[0] = at[0];
    from[1] = flat / (size[2] * size[3]);
    from[2] = flat / size[3] % size[2];
    from[3] = at[3];
}

/* One of rank 2 or 3 is n × h·d as it should be. */
static bool read_layout(attempt *a)
{
    static const input ROWS[] = {INPUT_Q, INPUT_K, INPUT_V};
    const plan *p = &a->plan;
    if (p->heads == 1 || p->past > 0 || p->appended > 0 || !plan_keeps_heads_apart(p))
        return false;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const tensor *given = a->problem.in[ROWS[i]];
        size_t at[4] = {0}, from[4];
        if (given->rank != 4)
            continue;
        tensor *made = attempt_matrix(a, given->type, 4, given->size);
        if (made == NULL)
            return false;
        do {
            rows_first(given->size, at, from);
            tensor_set(made, at, tensor_get(given, from));
        } while (tensor_next(made, at));
        a->problem.in[ROWS[i]] = made;
    }
    return true;
}

/* What attention gives, joined so; or, where nothing joins it, in the other layout. */
static bool join(attempt *a)
{
    const plan *p = &a->plan;
    tensor attended = attempt_stage(a, STAGE_ATTENDED), context = attempt_stage(a, STAGE_CONTEXT);
    size_t at[4] = {0}, to[4], all = p->heads * p->v.width;
    bool is_layout = a->row->with == JOIN_LAYOUT;
    if (p->heads == 1 || plan_keeps_heads_apart(p) != is_layout ||
        (is_layout && p->wo.data != NULL))
        return false;
    do {
        if (is_layout) {
            rows_first(attended.size, at, to);
        } else {
            size_t number = joined(a->row->with, attended.size, at);
            to[0] = at[0];
            to[1] = number / all;
            to[2] = number % all;
        }
        tensor_set(&context, to, tensor_get(&attended, at));
    } while (tensor_next(&attended, at));
    return true;
}

/* clang-format off */
static const mistake HEAD_ROWS[] = {
    {{"heads-one", "there is one head"}, AT(ASKED, count_heads, 0)},
    {{"heads-half", "there are half as many heads"}, AT(ASKED, count_heads, -2)},
    {{"heads-twice", "there are twice as many heads"}, AT(ASKED, count_heads, 2)},
    {{"heads-interleaved", "heads are split by interleaving columns"},
     AT(ROWS, split_heads, JOIN_INTERLEAVED)},
    {{"heads-viewed", "heads are split by reshaping, without a transpose"},
     AT(ROWS, split_heads, JOIN_VIEWED)},
    {{"kv-tiled", "key/value heads are tiled: head i uses i mod g"},
     AT(ROWS, tile_heads, JOIN_TILED)},
    {{"concat-interleaved", "heads are joined by interleaving columns"},
     AT(CONTEXT, join, JOIN_INTERLEAVED)},
    {{"concat-viewed", "heads are joined by reshaping, without a transpose"},
     AT(CONTEXT, join, JOIN_VIEWED)},
    {{"concat-reversed", "heads are joined from the last to the first"},
     AT(CONTEXT, join, JOIN_REVERSED)},
    {{"heads-interleaved-both", "heads are split and joined by interleaving columns"},
     .at[POINT_ROWS] = split_heads, .at[POINT_CONTEXT] = join, .with = JOIN_INTERLEAVED},
    {{"heads-viewed-both", "heads are split and joined by reshaping"},
     .at[POINT_ROWS] = split_heads, .at[POINT_CONTEXT] = join, .with = JOIN_VIEWED},
    {{"layout-inputs", "q, k and v are taken for n × h × d, not h × n × d"},
     AT(ROWS, read_layout, 0)},
    {{"layout-output", "the output is written as n × h × d, not h × n × d"},
     AT(CONTEXT, join, JOIN_LAYOUT)},
    {{"layout-both", "inputs and output are n × h × d, not h × n × d"},
     .at[POINT_ROWS] = read_layout, .at[POINT_CONTEXT] = join, .with = JOIN_LAYOUT},
};
/* clang-format on */

const named_table HEAD_MISTAKES = NAMED_TABLE("mistake", HEAD_ROWS);
