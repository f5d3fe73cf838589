#include "why/mistake.h"

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
