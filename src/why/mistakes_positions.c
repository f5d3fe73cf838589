/* Rotary positions, done wrong: other pairs, another base, or rows that stand elsewhere. */
#include "attn/plan/plan_parts.h"
#include "why/mistake.h"

#include <math.h>

enum { BASE_USUAL, BASE_ROOT };
enum { TURN_QUERIES, TURN_KEYS, TURN_LATE, TURN_LOCAL, TURN_BACKWARDS };

static bool pairing(attempt *a)
{
    a->problem.rope.is_interleaved = !a->problem.rope.is_interleaved;
    return a->problem.rope.is_asked;
}

static bool base(attempt *a)
{
    double *base = &a->problem.rope.base;
    *base = a->row->with == BASE_USUAL ? 10000 : sqrt(*base); /* base^(−p/width) */
    return a->problem.rope.is_asked;
}

/* Row i of the queries, and after them of the new keys. */
static double right_position(const plan *right, size_t batch, size_t i)
{
    bool is_key = i >= right->n_q;
    return is_key ? plan_key_position(right, batch, i - right->n_q)
                  : plan_query_position(right, batch, i);
}

static bool turn(attempt *a)
{
    static char name[] = "rope_positions";
    const plan *right = &a->right->plan;
    size_t size[] = {right->batches, right->n_q + right->k.n}, at[2] = {0};
    if (!a->problem.rope.is_asked)
        return false;
    /* Of products of rows that are all turned, only how far these stand from one another counts:
     * then positions counted down from the greatest one turn them backwards. */
    score_parameters changed = plan_score_parameters(right, 0);
    bool counts_distance = right->past == 0 && right->appended == 0 &&
                           right->asked->score->is_product && changed.for_query.data == NULL &&
                           changed.for_key.data == NULL;
    if (a->row->with == TURN_BACKWARDS && !counts_distance)
        return false;
    tensor *positions = attempt_matrix(a, DTYPE_F64, 2, size);
    if (positions == NULL)
        return false;
    double greatest = 0;
    do
        greatest = fmax(greatest, right_position(right, at[0], at[1]));
    while (tensor_next(positions, at));
    do {
        bool is_key = at[1] >= right->n_q;
        double own = right_position(right, at[0], at[1]);
        const double as[] = {
            [TURN_QUERIES] = is_key ? 0 : own,
            [TURN_KEYS] = is_key ? own : 0,
            [TURN_LATE] = own + !is_key,
            [TURN_LOCAL] = (double)(is_key ? at[1] - right->n_q : at[1]),
            [TURN_BACKWARDS] = greatest - own,
        };
        tensor_set(positions, at, as[a->row->with]);
    } while (tensor_next(positions, at));
    a->turned = (entry){.name = name, .kind = ENTRY_TENSOR, .tensor = tensor_view_of(positions)};
    a->problem.rope.positions = &a->turned;
    return true;
}

/* clang-format off */
static const mistake POSITION_ROWS[] = {
    {{"rope-missing", "rotary positions are left out"}, AT(ASKED, blunder_forget, FORGET_ROPE)},
    {{"rope-pairing", "rotary positions turn other pairs: half for interleaved"},
     AT(ASKED, pairing, 0)},
    {{"rope-base", "rotary positions have the base 10000"}, AT(ASKED, base, BASE_USUAL)},
    {{"rope-exponent", "rotary angles are position·base^(−p/width), not −2p"},
     AT(ASKED, base, BASE_ROOT)},
    {{"rope-backwards", "rotary positions turn the other way: −sin for sin"},
     AT(ASKED, turn, TURN_BACKWARDS)},
    {{"rope-queries-only", "queries are turned by their positions, keys are not"},
     AT(ASKED, turn, TURN_QUERIES)},
    {{"rope-keys-only", "keys are turned by their positions, queries are not"},
     AT(ASKED, turn, TURN_KEYS)},
    {{"rope-late", "queries are turned by one position too many"}, AT(ASKED, turn, TURN_LATE)},
    {{"rope-from-zero", "rotary positions of new rows begin at 0"}, AT(ASKED, turn, TURN_LOCAL)},
    {{"qk-norm-missing", "queries and keys are not normalized"},
     AT(ASKED, blunder_forget, FORGET_NORM)},
    {{"q-gain-missing", "q_gain is left out"}, AT(ASKED, blunder_leave_out, INPUT_Q_GAIN)},
    {{"k-gain-missing", "k_gain is left out"}, AT(ASKED, blunder_leave_out, INPUT_K_GAIN)},
};
/* clang-format on */

const named_table POSITION_MISTAKES = NAMED_TABLE("mistake", POSITION_ROWS);
