/* All mistakes, theme after theme; and those that come last: numbers under the name of another
 * stage; in fewer digits than they have, in a narrow type or rounded by hand; and a few that are
 * wrong each for itself. */
#include "why/mistake.h"

#include "why/attempt.h"

#include <math.h>

/* ---- numbers that are right and stand under another stage's name ---- */

static bool hold(attempt *a)
{
    tensor *to = &a->stage[a->row->with], *from = &a->stage[a->row->from];
    if (!tensor_same_shape(to, from))
        return false;
    tensor_copy(from, to);
    return true;
}

static bool exchange(attempt *a)
{
    tensor *one = &a->stage[a->row->with], *other = &a->stage[a->row->from];
    if (!tensor_same_shape(one, other))
        return false;
    const tensor kept = *one;
    *one = *other;
    *other = kept;
    return true;
}

/* clang-format off */
#define HOLDS(to, of) AT(OUTPUT, hold, STAGE_##to), .from = STAGE_##of

static const mistake STAGE_ROWS[] = {
    {{"scores-hold-scaled", "scores hold what is scaled"}, HOLDS(SCORES, SCALED)},
    {{"scores-hold-masked", "scores hold what is scaled and masked"}, HOLDS(SCORES, MASKED)},
    {{"scaled-holds-scores", "scaled holds scores that are not scaled"}, HOLDS(SCALED, SCORES)},
    {{"scaled-holds-masked", "scaled holds what is masked"}, HOLDS(SCALED, MASKED)},
    {{"masked-holds-scaled", "masked holds what is not masked"}, HOLDS(MASKED, SCALED)},
    {{"weights-hold-exp", "weights hold exponentials that nobody divided by their sum"},
     HOLDS(WEIGHTS, EXP)},
    {{"context-holds-output", "the context holds the output"}, HOLDS(CONTEXT, OUTPUT)},
    {{"output-holds-context", "the output holds the context"}, HOLDS(OUTPUT, CONTEXT)},
    {{"q-holds-k", "q holds k"}, HOLDS(Q, K)},
    {{"k-holds-q", "k holds q"}, HOLDS(K, Q)},
    {{"v-holds-k", "v holds k"}, HOLDS(V, K)},
    {{"qk-exchanged", "q holds k, and k holds q"}, AT(OUTPUT, exchange, STAGE_Q), .from = STAGE_K},
    {{"kv-exchanged", "k holds v, and v holds k"}, AT(OUTPUT, exchange, STAGE_K), .from = STAGE_V},
};
/* clang-format on */

static const named_table STAGE_THEME = NAMED_TABLE("mistake", STAGE_ROWS);

/* ---- numbers kept in fewer digits than they have ---- */

static double kept_as(double value, int with)
{
    if (with == AS_FLOAT16)
        return number_round(NUMBER_F16, value);
    if (with == AS_BFLOAT16)
        return number_round(NUMBER_BF16, value);
    if (!isfinite(value))
        return value;
    int decimals = with % AS_EVEN, way = with - decimals;
    double tens = 1;
    for (int i = 0; i < decimals; i++)
        tens *= 10;
    double units = value * tens;
    return (way == AS_EVEN ? rint(units) : way == AS_CUT ? trunc(units) : round(units)) / tens;
}

void numbers_scale(tensor *t, double by)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    if (t->data == NULL)
        return;
    do
        tensor_set(t, at, tensor_get(t, at) * by);
    while (tensor_next(t, at));
}

void numbers_keep_as(tensor *t, int with)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    do
        tensor_set(t, at, kept_as(tensor_get(t, at), with));
    while (tensor_next(t, at));
}

static bool inputs_as(attempt *a)
{
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        if (a->problem.in[which] == NULL || which == INPUT_MASK)
            continue;
        tensor *made = attempt_copy(a, a->problem.in[which]);
        if (made == NULL)
            return false;
        numbers_keep_as(made, a->row->with);
        a->problem.in[which] = made;
    }
    return true;
}

/* Those that are computed at this point, or with `from` STAGE_COUNT all. What is asked from rows on
 * are views of q, k and v. */
static bool stages_as(attempt *a)
{
    bool are_all = a->row->from == STAGE_COUNT;
    const point_stages *now = &POINT_STAGES[a->now];
    for (size_t i = 0; i < (are_all ? STAGE_COUNT : now->count); i++) {
        tensor *computed = &a->stage[are_all ? i : now->stage[i]];
        if (computed->data != NULL)
            numbers_keep_as(computed, a->row->with);
    }
    return true;
}

/* e^masked as a table of exponentials has it, without taking the maximum off first. */
static bool exp_as(attempt *a)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0}, keys = masked.size[3];
    double sum = 0;
    do {
        if (at[3] == 0)
            sum = 0;
        for (size_t j = 0; j < keys && at[3] == 0; j++)
            sum +=
                kept_as(exp(tensor_get(&masked, (size_t[]){at[0], at[1], at[2], j})), a->row->with);
        double own = kept_as(exp(tensor_get(&masked, at)), a->row->with);
        tensor_set(&weights, at, sum == 0 ? 0 : own / sum);
    } while (tensor_next(&weights, at));
    return true;
}

/* In the place of what the problem makes of them. */
static bool weights_as(attempt *a)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    if (a->row->with >= AS_KEEP_SUM && a->row->with < AS_FLOAT16) {
        if (!attempt_round(a, a->row->with - AS_KEEP_SUM, true, &weights))
            return false;
    } else {
        numbers_keep_as(&weights, a->row->with);
    }
    a->begun.round_decimals = -1;
    return true;
}

/* clang-format off */
#define ROW(name, help, point, make, as) \
    {{name, help}, .at[point] = make, .with = as, .is_of_digits = true}

#define NARROW_ROWS(type, as) \
    ROW(type "-inputs", "inputs are rounded to " type, POINT_ASKED, inputs_as, as), \
    ROW(type "-rows", "q, k and v are rounded to " type, POINT_ROWS, stages_as, as), \
    ROW(type "-scores", "scores are rounded to " type, POINT_SCORES, stages_as, as), \
    ROW(type "-masked", "scaled and masked scores are rounded to " type, \
        POINT_MASKED, stages_as, as), \
    ROW(type "-weights", "weights are rounded to " type, POINT_WEIGHTS, weights_as, as), \
    ROW(type "-context", "the context is rounded to " type, POINT_CONTEXT, stages_as, as), \
    ROW(type "-output", "the output is rounded to " type, POINT_OUTPUT, stages_as, as), \
    {{type "-throughout", "inputs and every stage are rounded to " type}, \
     .at = {[POINT_ASKED] = inputs_as, [POINT_ROWS] = stages_as, [POINT_SCORES] = stages_as, \
            [POINT_WEIGHTS] = weights_as, [POINT_CONTEXT] = stages_as, \
            [POINT_OUTPUT] = stages_as}, \
     .with = as, .is_of_digits = true}, \
    {{type "-stored", "results are rounded to " type " when all is computed"}, \
     .at[POINT_OUTPUT] = stages_as, .with = as, .from = STAGE_COUNT, .is_of_digits = true}

#define WEIGHTS_ROWS(n, decimals) \
    ROW("weights-rounded-" #n, "weights are rounded to " decimals, \
        POINT_WEIGHTS, weights_as, n + AS_AWAY), \
    ROW("weights-keep-sum-" #n, "weights are rounded to " decimals " so that rows sum to 1", \
        POINT_WEIGHTS, weights_as, n + AS_KEEP_SUM), \
    ROW("weights-even-" #n, "weights are rounded to " decimals ", halves to even", \
        POINT_WEIGHTS, weights_as, n + AS_EVEN), \
    ROW("weights-cut-" #n, "weights are cut off after " decimals, \
        POINT_WEIGHTS, weights_as, n + AS_CUT)

#define ROUNDED(n, decimals, name, what, point, make) \
    ROW(name "-rounded-" #n, what " rounded to " decimals, point, make, n + AS_AWAY)
#define ROUNDED_ROWS(...) \
    ROUNDED(1, "1 decimal", __VA_ARGS__), ROUNDED(2, "2 decimals", __VA_ARGS__), \
    ROUNDED(3, "3 decimals", __VA_ARGS__), ROUNDED(4, "4 decimals", __VA_ARGS__)

static const mistake DIGIT_ROWS[] = {
    NARROW_ROWS("float16", AS_FLOAT16),
    NARROW_ROWS("bfloat16", AS_BFLOAT16),
    WEIGHTS_ROWS(1, "1 decimal"),
    WEIGHTS_ROWS(2, "2 decimals"),
    WEIGHTS_ROWS(3, "3 decimals"),
    WEIGHTS_ROWS(4, "4 decimals"),
    ROUNDED_ROWS("rows", "q, k and v are", POINT_ROWS, stages_as),
    ROUNDED_ROWS("scores", "scores are", POINT_SCORES, stages_as),
    ROUNDED_ROWS("scaled", "scaled scores are", POINT_MASKED, stages_as),
    ROUNDED_ROWS("exp", "exponentials are", POINT_WEIGHTS, exp_as),
    ROUNDED_ROWS("context", "the context is", POINT_CONTEXT, stages_as),
};
/* clang-format on */

static const named_table DIGIT_THEME = NAMED_TABLE("mistake", DIGIT_ROWS);

/* ---- all ---- */

/* The more common first: of mistakes that explain numbers equally well, the first is named. */
static const named_table *const THEMES[] = {
    &WEIGHT_MISTAKES,
    &SCALE_MISTAKES,
    &SOFTMAX_MISTAKES,
    &MASK_MISTAKES,
    &BEND_MISTAKES,
    &POSITION_MISTAKES,
    &HEAD_MISTAKES,
    &INPUT_MISTAKES,
    &STAGE_THEME,
    &DIGIT_THEME,
    NULL,
};

const named_table FORWARD_MISTAKES = {.what = "mistake", .parts = THEMES};

static const named_table *const WAYS[] = {&FORWARD_MISTAKES, &BACK_MISTAKES, &PARAMETER_MISTAKES,
                                          NULL};

const named_table MISTAKES = {.what = "mistake", .parts = WAYS};

const mistake *mistake_at(const named_table *of, size_t index)
{
    return (const mistake *)(const void *)named_row(of, index);
}

/* ---- misprints ---- */

static const named MISPRINT_ROWS[] = {
    {"misprint", "a few numbers are wrong, and stand among right ones"},
};

const named_table MISPRINTS = NAMED_TABLE("copying mistake", MISPRINT_ROWS);

/* A mistake spreads: where most numbers are right, these were badly copied. One in so many. */
enum { MISPRINTED_MOST = 4 };

const named *misprint_of(const comparison *c)
{
    bool is_likely = c->different <= c->numbers / MISPRINTED_MOST && !c->has_wrong_line;
    return is_likely ? &MISPRINT_ROWS[0] : NULL;
}
