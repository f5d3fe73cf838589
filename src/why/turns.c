/* Rotary positions, done wrong: other pairs, another base, or rows that stand elsewhere. */
#include "attn/plan_parts.h"
#include "why/blunders.h"

#include <math.h>

bool blunder_pairing(attempt *a, int with, err *e)
{
    (void)with, (void)e;
    a->problem.rope.is_interleaved = !a->problem.rope.is_interleaved;
    return a->problem.rope.is_asked;
}

bool blunder_base(attempt *a, int with, err *e)
{
    double *base = &a->problem.rope.base;
    (void)e;
    *base = with == BASE_USUAL ? 10000 : sqrt(*base); /* base^(−p/width) */
    return a->problem.rope.is_asked;
}

/* Row i of the queries, and behind them of the new keys. */
static double position_as(const plan *right, size_t batch, size_t i, int with)
{
    bool is_key = i >= right->n_q;
    size_t row = is_key ? i - right->n_q : i;
    if (with == TURN_LOCAL)
        return (double)row;
    if (with == (is_key ? TURN_QUERIES : TURN_KEYS))
        return 0;
    return is_key ? plan_key_position(right, batch, row)
                  : plan_query_position(right, batch, row) + (with == TURN_LATE);
}

bool blunder_turn(attempt *a, int with, err *e)
{
    static char name[] = "rope_positions";
    const plan *right = &a->right->plan;
    size_t size[] = {right->batches, right->n_q + right->k.n}, at[2] = {0};
    if (!a->problem.rope.is_asked)
        return false;
    tensor *positions = attempt_matrix(a, DTYPE_F64, 2, size, e);
    if (positions == NULL)
        return false;
    do
        tensor_set(positions, at, position_as(right, at[0], at[1], with));
    while (tensor_next(positions, at));
    a->turned = (entry){.name = name, .kind = ENTRY_TENSOR, .tensor = tensor_view_of(positions)};
    a->problem.rope.positions = &a->turned;
    return true;
}
