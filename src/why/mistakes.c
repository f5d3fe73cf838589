/* All mistakes, theme after theme; and those of copying: numbers under the name of another stage,
 * and a few that are wrong each for itself. */
#include "why/mistake.h"

/* ---- numbers that are right and stand under another stage's name ---- */

static bool fit(const tensor *one, const tensor *other)
{
    return one->data != NULL && other->data != NULL && tensor_same_shape(one, other);
}

static bool hold(attempt *a)
{
    tensor *to = &a->stage[a->row->with], *from = &a->stage[a->row->from];
    if (!fit(to, from))
        return false;
    tensor_copy(from, to);
    return true;
}

static bool exchange(attempt *a)
{
    tensor *one = &a->stage[a->row->with], *other = &a->stage[a->row->from];
    if (!fit(one, other))
        return false;
    const tensor kept = *one;
    *one = *other;
    *other = kept;
    return true;
}

/* clang-format off */
static const mistake STAGE_ROWS[] = {
    {{"scores-hold-scaled", "scores hold what is scaled"},
     AT(OUTPUT, hold, STAGE_SCORES), .from = STAGE_SCALED},
    {{"scores-hold-masked", "scores hold what is scaled and masked"},
     AT(OUTPUT, hold, STAGE_SCORES), .from = STAGE_MASKED},
    {{"scaled-holds-scores", "scaled holds scores that are not scaled"},
     AT(OUTPUT, hold, STAGE_SCALED), .from = STAGE_SCORES},
    {{"scaled-holds-masked", "scaled holds what is masked"},
     AT(OUTPUT, hold, STAGE_SCALED), .from = STAGE_MASKED},
    {{"masked-holds-scaled", "masked holds what is not masked"},
     AT(OUTPUT, hold, STAGE_MASKED), .from = STAGE_SCALED},
    {{"weights-hold-exp", "weights hold exponentials that nobody divided by their sum"},
     AT(OUTPUT, hold, STAGE_WEIGHTS), .from = STAGE_EXP},
    {{"context-holds-output", "the context holds the output"},
     AT(OUTPUT, hold, STAGE_CONTEXT), .from = STAGE_OUTPUT},
    {{"output-holds-context", "the output holds the context"},
     AT(OUTPUT, hold, STAGE_OUTPUT), .from = STAGE_CONTEXT},
    {{"q-holds-k", "q holds k"}, AT(OUTPUT, hold, STAGE_Q), .from = STAGE_K},
    {{"k-holds-q", "k holds q"}, AT(OUTPUT, hold, STAGE_K), .from = STAGE_Q},
    {{"v-holds-k", "v holds k"}, AT(OUTPUT, hold, STAGE_V), .from = STAGE_K},
    {{"qk-exchanged", "q holds k, and k holds q"}, AT(OUTPUT, exchange, STAGE_Q), .from = STAGE_K},
    {{"kv-exchanged", "k holds v, and v holds k"}, AT(OUTPUT, exchange, STAGE_K), .from = STAGE_V},
};
/* clang-format on */

const named_table STAGE_MISTAKES = NAMED_TABLE("mistake", STAGE_ROWS);

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
    &STAGE_MISTAKES,
    &DIGIT_MISTAKES,
    NULL,
};

const named_table MISTAKES = {.what = "mistake", .parts = THEMES};

const mistake *mistake_at(size_t index)
{
    return (const mistake *)(const void *)named_row(&MISTAKES, index);
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
