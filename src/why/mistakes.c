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
