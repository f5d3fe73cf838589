/* Mistakes in the matrices: turned, left out, taken for one another. */
#include "why/blunders.h"

#include <math.h>

static void swap_inputs(problem *p, input one, input other)
{
    const tensor *kept = p->in[one];
    bool is_out_in = p->is_out_in[one];
    p->in[one] = p->in[other];
    p->is_out_in[one] = p->is_out_in[other];
    p->in[other] = kept;
    p->is_out_in[other] = is_out_in;
}

/* Matrices of heads lie one below the other in Wo, and are turned as the one that they make. */
static bool turn_output(attempt *a, err *e)
{
    tensor turned = tensor_transposed(&a->right->plan.wo);
    a->problem.in[INPUT_WO] = attempt_copy(a, &turned, e);
    a->problem.is_out_in[INPUT_WO] = false;
    return a->problem.in[INPUT_WO] != NULL;
}

bool blunder_transpose(attempt *a, int with, err *e)
{
    const tensor *given = a->problem.in[with];
    if (given == NULL)
        return false;
    if (with == INPUT_WO)
        return turn_output(a, e);
    a->problem.is_out_in[with] = !a->problem.is_out_in[with];
    return true;
}

bool blunder_transpose_all(attempt *a, int with, err *e)
{
    bool is_any = false;
    for (input which = INPUT_WQ; which <= (input)with; which++) {
        if (a->problem.in[which] == NULL)
            continue;
        is_any = true;
        if (!blunder_transpose(a, (int)which, e))
            return false;
    }
    return is_any;
}

bool blunder_leave_out(attempt *a, int with, err *e)
{
    (void)e;
    bool is_there = a->problem.in[with] != NULL;
    a->problem.in[with] = NULL;
    return is_there;
}

bool blunder_leave_out_biases(attempt *a, int with, err *e)
{
    bool is_any = false;
    (void)with;
    for (input which = INPUT_BQ; which <= INPUT_BO; which++)
        is_any = blunder_leave_out(a, (int)which, e) || is_any;
    return is_any;
}

/* Every finite number, times a factor: what is −inf stays hidden. */
static bool multiply_input(attempt *a, input which, double factor, err *e)
{
    if (a->problem.in[which] == NULL)
        return false;
    tensor *made = attempt_copy(a, a->problem.in[which], e);
    size_t at[TENSOR_MAX_RANK] = {0};
    if (made == NULL)
        return false;
    do {
        double value = tensor_get(made, at);
        tensor_set(made, at, isfinite(value) ? value * factor : value);
    } while (tensor_next(made, at));
    a->problem.in[which] = made;
    return true;
}

bool blunder_negate(attempt *a, int with, err *e)
{
    return multiply_input(a, (input)with, -1, e);
}

/* The names of rows fit others. */
static void forget_names(attempt *a)
{
    a->problem.tokens = a->problem.key_tokens = NULL;
}

/* With it goes what is made of it. */
bool blunder_leave_out_keys(attempt *a, int with, err *e)
{
    a->problem.in[INPUT_XV] = NULL;
    forget_names(a);
    return a->problem.in[INPUT_X] != NULL && blunder_leave_out(a, with, e);
}

bool blunder_scale_bias(attempt *a, int with, err *e)
{
    (void)with;
    return multiply_input(a, INPUT_BIAS, a->right->plan.scale, e);
}

bool blunder_transpose_places(attempt *a, int with, err *e)
{
    const tensor *given = a->problem.in[with];
    const plan *right = &a->right->plan;
    if (given == NULL || right->n_q != plan_own_keys(right) || given->rank < 2 ||
        given->size[given->rank - 2] != right->n_q)
        return false;
    tensor turned = tensor_transposed(given);
    a->problem.in[with] = attempt_copy(a, &turned, e);
    return a->problem.in[with] != NULL;
}

/* All that makes one of q, k and v makes the other. */
bool blunder_swap_roles(attempt *a, int with, err *e)
{
    static const input OF[][3] = {{INPUT_WQ, INPUT_BQ, INPUT_Q},
                                  {INPUT_WK, INPUT_BK, INPUT_K},
                                  {INPUT_WV, INPUT_BV, INPUT_V}};
    static const int PAIR[][2] = {[SWAP_QK] = {0, 1}, [SWAP_QV] = {0, 2}, [SWAP_KV] = {1, 2}};
    (void)e;
    for (int i = 0; i < 3; i++)
        swap_inputs(&a->problem, OF[PAIR[with][0]][i], OF[PAIR[with][1]][i]);
    return true;
}

bool blunder_other_rows(attempt *a, int with, err *e)
{
    const tensor **in = a->problem.in, *x = in[INPUT_X], *xk = in[INPUT_XK], *xv = in[INPUT_XV];
    (void)e;
    forget_names(a);
    if (with == ROWS_V_OF_XK) {
        in[INPUT_XV] = NULL;
        return xv != NULL;
    }
    if (x == NULL || (xk == NULL && (xv == NULL || with != ROWS_V_OF_X)))
        return false;
    in[INPUT_XV] = with == ROWS_V_OF_X ? x : xv == NULL && with != ROWS_SWAPPED ? xk : xv;
    in[INPUT_XK] = with == ROWS_K_OF_X || with == ROWS_SWAPPED ? x : xk;
    in[INPUT_X] = with == ROWS_Q_OF_XK || with == ROWS_SWAPPED ? xk : x;
    return true;
}

/* Once they are projected. */
bool blunder_other_role(attempt *a, int with, err *e)
{
    const tensor **to = &a->problem.in[with / INPUT_COUNT],
                 *from = a->problem.in[with % INPUT_COUNT];
    bool is_possible = tensor_same_shape(*to, from) && a->right->plan.past == 0;
    (void)e;
    *to = from;
    return is_possible;
}

/* The residual connection, which is the layer's and not attention's. */
bool blunder_add_rows(attempt *a, int with, err *e)
{
    const tensor *rows = &a->plan.q.rows;
    tensor output = attempt_stage(a, STAGE_OUTPUT);
    size_t at[3] = {0};
    (void)with, (void)e;
    if (rows->data == NULL || output.rank != 3 || output.size[2] != rows->size[2])
        return false;
    do
        tensor_set(&output, at, tensor_get(&output, at) + tensor_get(rows, at));
    while (tensor_next(&output, at));
    return true;
}
