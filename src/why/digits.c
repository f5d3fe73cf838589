/* Numbers kept in fewer digits than they have: in a narrow type, or rounded by hand. */
#include "why/blunders.h"

#include "why/rest.h"

#include <math.h>

/* Correctly rounded to `bits` of significand, ties to even; below 2^least by the fixed steps of
 * subnormal numbers, infinite from `most` on (IEEE 754 binary16: 11 bits, 2^−14, 65520; bfloat16: 8
 * bits, 2^−126). */
static double narrow(double value, int bits, int least, double most)
{
    int exponent;
    if (!isfinite(value) || value == 0)
        return value;
    frexp(value, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    double step = ldexp(1, exponent - bits + 1), rounded = rint(value / step) * step;
    return fabs(rounded) >= most ? copysign(INFINITY, value) : rounded;
}

static double power_of_ten(int decimals)
{
    double power = 1;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    return power;
}

static double by_hand(double value, int with)
{
    int decimals = with % AS_EVEN, way = with - decimals;
    double tens = power_of_ten(decimals), units = value * tens;
    if (!isfinite(value))
        return value;
    return (way == AS_EVEN ? rint(units) : way == AS_CUT ? trunc(units) : round(units)) / tens;
}

static double kept_as(double value, int with)
{
    if (with == AS_FLOAT16)
        return narrow(value, 11, -14, 65520);
    if (with == AS_BFLOAT16)
        return narrow(value, 8, -126, 0x1p128);
    return by_hand(value, with);
}

void numbers_keep_as(tensor *t, int with)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    do
        tensor_set(t, at, kept_as(tensor_get(t, at), with));
    while (tensor_next(t, at));
}

static void keep_stage_as(attempt *a, stage_id id, int with)
{
    if (a->stage[id].data != NULL)
        numbers_keep_as(&a->stage[id], with);
}

bool blunder_inputs_as(attempt *a, int with, err *e)
{
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        if (a->problem.in[which] == NULL || which == INPUT_MASK)
            continue;
        tensor *made = attempt_copy(a, a->problem.in[which], e);
        if (made == NULL)
            return false;
        numbers_keep_as(made, with);
        a->problem.in[which] = made;
    }
    return true;
}

/* What is asked from here on are views of these stages. */
bool blunder_rows_as(attempt *a, int with, err *e)
{
    (void)e;
    keep_stage_as(a, STAGE_Q, with);
    keep_stage_as(a, STAGE_K, with);
    keep_stage_as(a, STAGE_V, with);
    return true;
}

bool blunder_scores_as(attempt *a, int with, err *e)
{
    (void)e;
    keep_stage_as(a, STAGE_SCORES, with);
    return true;
}

bool blunder_masked_as(attempt *a, int with, err *e)
{
    (void)e;
    keep_stage_as(a, STAGE_MASKED, with);
    return true;
}

/* e^masked as a table of exponentials has it, without taking the maximum off first. */
bool blunder_exp_as(attempt *a, int with, err *e)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0}, keys = masked.size[3];
    double sum = 0;
    (void)e;
    do {
        if (at[3] == 0)
            sum = 0;
        for (size_t j = 0; j < keys && at[3] == 0; j++)
            sum += kept_as(exp(tensor_get(&masked, (size_t[]){at[0], at[1], at[2], j})), with);
        double own = kept_as(exp(tensor_get(&masked, at)), with);
        tensor_set(&weights, at, sum == 0 ? 0 : own / sum);
    } while (tensor_next(&weights, at));
    return true;
}

/* In the place of what the problem makes of them. */
bool blunder_weights_as(attempt *a, int with, err *e)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    if (with >= AS_KEEP_SUM && with < AS_FLOAT16) {
        if (!rest_round(a, with - AS_KEEP_SUM, true, &weights, e))
            return false;
    } else {
        numbers_keep_as(&weights, with);
    }
    a->problem.round_decimals = -1;
    return true;
}

bool blunder_context_as(attempt *a, int with, err *e)
{
    (void)e;
    keep_stage_as(a, STAGE_ATTENDED, with);
    keep_stage_as(a, STAGE_CONTEXT, with);
    return true;
}

bool blunder_output_as(attempt *a, int with, err *e)
{
    (void)e;
    keep_stage_as(a, STAGE_OUTPUT, with);
    return true;
}

bool blunder_all_as(attempt *a, int with, err *e)
{
    (void)e;
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        keep_stage_as(a, id, with);
    return true;
}
