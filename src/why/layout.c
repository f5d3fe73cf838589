/* Arrays of heads, b × h × n × d, that a kernel takes for b × n × h × d: the same numbers, of which
 * others are each row's. */
#include "why/blunders.h"

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
static bool read_rows_first(attempt *a, input which, err *e)
{
    const tensor *given = a->problem.in[which];
    size_t at[4] = {0}, from[4];
    if (given->rank != 4)
        return true;
    tensor *made = attempt_matrix(a, given->type, 4, given->size, e);
    if (made == NULL)
        return false;
    do {
        rows_first(given->size, at, from);
        tensor_set(made, at, tensor_get(given, from));
    } while (tensor_next(made, at));
    a->problem.in[which] = made;
    return true;
}

bool blunder_read_layout(attempt *a, int with, err *e)
{
    const plan *p = &a->plan;
    (void)with;
    return p->heads > 1 && p->past == 0 && p->appended == 0 && plan_keeps_heads_apart(p) &&
           read_rows_first(a, INPUT_Q, e) && read_rows_first(a, INPUT_K, e) &&
           read_rows_first(a, INPUT_V, e);
}

bool blunder_write_layout(attempt *a, int with, err *e)
{
    const plan *p = &a->plan;
    (void)with, (void)e;
    if (p->heads == 1 || !plan_keeps_heads_apart(p) || p->wo.data != NULL || p->bo.data != NULL)
        return false;
    tensor attended = attempt_stage(a, STAGE_ATTENDED), context = attempt_stage(a, STAGE_CONTEXT);
    size_t at[4] = {0}, to[4];
    do {
        rows_first(attended.size, at, to);
        tensor_set(&context, to, tensor_get(&attended, at));
    } while (tensor_next(&attended, at));
    return true;
}
