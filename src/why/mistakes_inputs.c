/* Mistakes in the matrices: turned, left out, taken for one another. */
#include "why/mistake.h"

#include "why/attempt.h"

enum { SWAP_QK, SWAP_QV, SWAP_KV };
enum { ROWS_V_OF_X, ROWS_K_OF_X, ROWS_V_OF_XK, ROWS_Q_OF_XK, ROWS_SWAPPED };

/* Of mistakes in inputs: all from `from`, which X never is, to `with`; or that one alone. */
static int first_of(const mistake *row)
{
    return row->from > 0 ? row->from : row->with;
}

/* Matrices of heads lie one below the other in Wo, and are turned as the one that they make. */
bool blunder_transpose(attempt *a)
{
    problem *p = &a->problem;
    bool is_any = false;
    for (int which = first_of(a->row); which <= a->row->with; which++) {
        if (p->in[which] == NULL)
            continue;
        is_any = true;
        p->is_out_in[which] = which != INPUT_WO && !p->is_out_in[which];
        if (which != INPUT_WO)
            continue;
        tensor turned = tensor_transposed(&a->right->plan.wo);
        p->in[which] = attempt_copy(a, &turned);
        if (p->in[which] == NULL)
            return false;
    }
    return is_any;
}

bool blunder_leave_out(attempt *a)
{
    bool is_any = false;
    for (int which = first_of(a->row); which <= a->row->with; which++) {
        is_any = is_any || a->problem.in[which] != NULL;
        a->problem.in[which] = NULL;
    }
    return is_any;
}

/* The names of rows fit others. */
static void forget_names(attempt *a)
{
    a->problem.tokens = a->problem.key_tokens = NULL;
}

/* With it goes what is made of it. */
static bool leave_out_keys(attempt *a)
{
    a->problem.in[INPUT_XV] = NULL;
    forget_names(a);
    return a->problem.in[INPUT_X] != NULL && blunder_leave_out(a);
}

/* All that makes one of q, k and v makes the other. */
static bool swap_roles(attempt *a)
{
    static const input OF[][3] = {{INPUT_WQ, INPUT_BQ, INPUT_Q},
                                  {INPUT_WK, INPUT_BK, INPUT_K},
                                  {INPUT_WV, INPUT_BV, INPUT_V}};
    static const int PAIR[][2] = {[SWAP_QK] = {0, 1}, [SWAP_QV] = {0, 2}, [SWAP_KV] = {1, 2}};
    problem *p = &a->problem;
    for (int i = 0; i < 3; i++) {
        input one = OF[PAIR[a->row->with][0]][i], other = OF[PAIR[a->row->with][1]][i];
        const tensor *kept = p->in[one];
        bool is_out_in = p->is_out_in[one];
        p->in[one] = p->in[other];
        p->is_out_in[one] = p->is_out_in[other];
        p->in[other] = kept;
        p->is_out_in[other] = is_out_in;
    }
    return true;
}

static bool other_rows(attempt *a)
{
    const tensor **in = a->problem.in, *x = in[INPUT_X], *xk = in[INPUT_XK], *xv = in[INPUT_XV];
    forget_names(a);
    int with = a->row->with;
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
static bool other_role(attempt *a)
{
    const tensor **to = &a->problem.in[a->row->with], *from = a->problem.in[a->row->from];
    bool is_possible = tensor_same_shape(*to, from) && a->right->plan.past == 0;
    *to = from;
    return is_possible;
}

/* The residual connection, which is the layer's and not attention's. */
static bool add_rows(attempt *a)
{
    const tensor *rows = &a->plan.q.rows;
    tensor output = attempt_stage(a, STAGE_OUTPUT);
    size_t at[3] = {0};
    if (rows->data == NULL || output.size[2] != rows->size[2])
        return false;
    do
        tensor_set(&output, at, tensor_get(&output, at) + tensor_get(rows, at));
    while (tensor_next(&output, at));
    return true;
}

bool blunder_forget(attempt *a)
{
    problem *p = &a->problem;
    int with = a->row->with;
    p->has_window = p->has_window && with != FORGET_WINDOW;
    p->has_alibi = p->has_alibi && with != FORGET_ALIBI;
    p->adds_zero = p->adds_zero && with != FORGET_ZERO;
    p->normalizes = p->normalizes && with != FORGET_NORM;
    p->softcap = with == FORGET_SOFTCAP ? 0 : p->softcap;
    p->clip = with == FORGET_CLIP ? 0 : p->clip;
    p->key_lengths = with == FORGET_LENGTHS ? NULL : p->key_lengths;
    p->rope = with == FORGET_ROPE ? (rope_settings){0} : p->rope;
    if (with == FORGET_ROPE_FACTOR)
        p->rope.attention_factor = 1;
    if (with == FORGET_NORM)
        p->in[INPUT_Q_GAIN] = p->in[INPUT_K_GAIN] = NULL;
    if (with != FORGET_OFFSET)
        return true;
    p->has_offset = p->causal != CAUSAL_LOWER_RIGHT;
    p->offset = 0;
    return p->has_offset;
}

/* clang-format off */
static const mistake WEIGHT_ROWS[] = {
    {{"wq-transposed", "the transpose of Wq is used"}, AT(ASKED, blunder_transpose, INPUT_WQ)},
    {{"wk-transposed", "the transpose of Wk is used"}, AT(ASKED, blunder_transpose, INPUT_WK)},
    {{"wv-transposed", "the transpose of Wv is used"}, AT(ASKED, blunder_transpose, INPUT_WV)},
    {{"wo-transposed", "the transpose of Wo is used"}, AT(ASKED, blunder_transpose, INPUT_WO)},
    {{"qkv-transposed", "the transposes of Wq, Wk and Wv are used"},
     AT(ASKED, blunder_transpose, INPUT_WV), .from = INPUT_WQ},
    {{"weights-transposed", "all weights are transposed"},
     AT(ASKED, blunder_transpose, INPUT_WO), .from = INPUT_WQ},
    {{"wq-missing", "without Wq"}, AT(ASKED, blunder_leave_out, INPUT_WQ)},
    {{"wk-missing", "without Wk"}, AT(ASKED, blunder_leave_out, INPUT_WK)},
    {{"wv-missing", "without Wv"}, AT(ASKED, blunder_leave_out, INPUT_WV)},
    {{"wo-missing", "without Wo"}, AT(ASKED, blunder_leave_out, INPUT_WO)},
    {{"biases-missing", "all biases are left out"},
     AT(ASKED, blunder_leave_out, INPUT_BO), .from = INPUT_BQ},
    {{"bq-missing", "bq is left out"}, AT(ASKED, blunder_leave_out, INPUT_BQ)},
    {{"bk-missing", "bk is left out"}, AT(ASKED, blunder_leave_out, INPUT_BK)},
    {{"bv-missing", "bv is left out"}, AT(ASKED, blunder_leave_out, INPUT_BV)},
    {{"bo-missing", "bo is left out"}, AT(ASKED, blunder_leave_out, INPUT_BO)},
    {{"qk-swapped", "queries and keys are swapped"}, AT(ASKED, swap_roles, SWAP_QK)},
    {{"qv-swapped", "queries and values are swapped"}, AT(ASKED, swap_roles, SWAP_QV)},
    {{"kv-swapped", "keys and values are swapped"}, AT(ASKED, swap_roles, SWAP_KV)},
};
/* clang-format on */

const named_table WEIGHT_MISTAKES = NAMED_TABLE("mistake", WEIGHT_ROWS);

/* clang-format off */
static const mistake INPUT_ROWS[] = {
    {{"xk-missing", "xk is left out: keys and values are made of x"},
     AT(ASKED, leave_out_keys, INPUT_XK)},
    {{"values-from-x", "values are made of x, not of their own input"},
     AT(ASKED, other_rows, ROWS_V_OF_X)},
    {{"values-from-xk", "values are made of xk, not of xv"}, AT(ASKED, other_rows, ROWS_V_OF_XK)},
    {{"keys-from-x", "keys are made of x, not of xk"}, AT(ASKED, other_rows, ROWS_K_OF_X)},
    {{"queries-from-xk", "queries are made of xk, not of x"}, AT(ASKED, other_rows, ROWS_Q_OF_XK)},
    {{"inputs-swapped", "x and xk are swapped"}, AT(ASKED, other_rows, ROWS_SWAPPED)},
    {{"values-are-keys", "keys are summed in the place of values"},
     AT(ROWS, other_role, INPUT_V), .from = INPUT_K},
    {{"queries-are-keys", "keys are compared with keys, in the place of queries"},
     AT(ROWS, other_role, INPUT_Q), .from = INPUT_K},
    {{"keys-are-queries", "queries are compared with queries, in the place of keys"},
     AT(ROWS, other_role, INPUT_K), .from = INPUT_Q},
    {{"values-are-queries", "queries are summed in the place of values"},
     AT(ROWS, other_role, INPUT_V), .from = INPUT_Q},
    {{"residual-added", "the input rows are added to the output"}, AT(OUTPUT, add_rows, 0)},
};
/* clang-format on */

const named_table INPUT_MISTAKES = NAMED_TABLE("mistake", INPUT_ROWS);
