#include "random/distribution.h"

#include <math.h>

static double knob_or(const knobs *k, knob which, double otherwise)
{
    return k->is_set[which] ? k->value[which] : otherwise;
}

/* gain·√(2 / (in + out)): Glorot and Bengio, "Understanding the difficulty of training deep
 * feedforward neural networks", 2010. */
static double xavier(const fan *of, const knobs *k)
{
    return knob_or(k, KNOB_GAIN, 1) * sqrt(2 / (double)(of->in + of->out));
}

/* gain / √fan, gain √2 for rectifiers: He, Zhang, Ren and Sun, "Delving deep into rectifiers",
 * 2015. */
static double kaiming(const fan *of, const knobs *k)
{
    return knob_or(k, KNOB_GAIN, sqrt(2)) / sqrt((double)(k->by_fan_out ? of->out : of->in));
}

/* If the inputs have deviation 1, so has a sum of `in` products with these weights. So queries,
 * keys and values have deviation 1, and so have the scaled scores. */
static double scaled(const fan *of, const knobs *k)
{
    (void)k;
    return 1 / sqrt((double)of->in);
}

/* Kaiming's law with the gain of a leaky rectifier of slope √5: the bound is 1/√in, rounded in
 * PyTorch's order. */
static double torch_linear(const fan *of, const knobs *k)
{
    double slope = sqrt(5), gain = sqrt(2 / (1 + slope * slope));
    (void)k;
    return gain / sqrt((double)of->in);
}

/* nn.MultiheadAttention keeps Wq, Wk and Wv as one matrix, three times as high. */
static double torch_mha(const fan *of, const knobs *k)
{
    const fan joined = {of->in, 3 * of->out};
    return xavier(&joined, k);
}

/* The multiple of `step` that `whole` (floor or ceil) leads to; without a step, the value. */
static double stepped(double value, double step, double (*whole)(double))
{
    return step > 0 ? whole(value / step) * step : value;
}

law distribution_law(const distribution *d, const fan *of, const knobs *k)
{
    law l = d->law;
    if (d->deviation != NULL) {
        double deviation = d->deviation(of, k), bound = l.b * deviation;
        return l.kind == LAW_NORMAL ? (law){LAW_NORMAL, 0, deviation}
                                    : (law){LAW_UNIFORM, -bound, bound};
    }
    double step = l.kind == LAW_WHOLE ? 1 : l.kind == LAW_HALVES ? 0.5 : 0;
    if ((d->takes & 1 << KNOB_VALUE) != 0)
        l.a = knob_or(k, KNOB_VALUE, l.a);
    if ((d->takes & 1 << KNOB_MEAN) != 0)
        l = (law){l.kind, knob_or(k, KNOB_MEAN, l.a), knob_or(k, KNOB_STD, l.b)};
    if ((d->takes & 1 << KNOB_LOW) != 0)
        l = (law){l.kind, stepped(knob_or(k, KNOB_LOW, l.a), step, ceil),
                  stepped(knob_or(k, KNOB_HIGH, l.b), step, floor)};
    return l;
}

enum {
    RANGE = 1 << KNOB_LOW | 1 << KNOB_HIGH,
    SPREAD = 1 << KNOB_MEAN | 1 << KNOB_STD,
    GAIN = 1 << KNOB_GAIN,
    VALUE = 1 << KNOB_VALUE
};

#define WEIGHTS_ALONE                                                                              \
    {                                                                                              \
        [ROLE_ROWS] = "gaussian", [ROLE_BIAS] = "zero", [ROLE_JOIN_BIAS] = "zero"                  \
    }

/* The end of a uniform law, in deviations: √3. */
#define TO_ITS_END                                                                                 \
    {                                                                                              \
        LAW_UNIFORM, 0, 1.7320508075688772                                                         \
    }

/* Laid out by hand: a row's words, its law, what it takes; then what others are drawn from. */
/* clang-format off */
static const distribution ROWS[] = {
    {{"gaussian", "normal, of mean --mean (0) and deviation --std (1)"},
     {LAW_NORMAL, 0, 1}, SPREAD, false, NULL, {NULL}, NULL},
    {{"uniform", "from --low (0) up to --high (1)"},
     {LAW_UNIFORM, 0, 1}, RANGE, false, NULL, {NULL}, NULL},
    {{"xavier-uniform", "uniform, ±√3·deviation of xavier-normal"},
     TO_ITS_END, GAIN, false, xavier, WEIGHTS_ALONE, NULL},
    {{"xavier-normal", "normal, deviation gain·√(2/(fan in + fan out)), gain 1"},
     {LAW_NORMAL, 0, 0}, GAIN, false, xavier, WEIGHTS_ALONE, NULL},
    {{"kaiming-uniform", "uniform, ±√3·deviation of kaiming-normal"},
     TO_ITS_END, GAIN, true, kaiming, WEIGHTS_ALONE, NULL},
    {{"kaiming-normal", "normal, deviation gain/√fan, gain √2"},
     {LAW_NORMAL, 0, 0}, GAIN, true, kaiming, WEIGHTS_ALONE, NULL},
    {{"torch-linear", "as nn.Linear begins: uniform, ±1/√(fan in), biases too"},
     TO_ITS_END, 0, false, torch_linear,
     {[ROLE_ROWS] = "gaussian", [ROLE_BIAS] = "torch-bias", [ROLE_JOIN_BIAS] = "torch-bias"}, NULL},
    {{"torch-bias", "as nn.Linear's bias begins: uniform, ±1/√(fan in)"},
     {LAW_UNIFORM, 0, 1}, 0, false, scaled, {[ROLE_ROWS] = "gaussian"}, NULL},
    {{"torch-mha", "as nn.MultiheadAttention begins, in its order"},
     TO_ITS_END, 0, false, torch_mha,
     {[ROLE_ROWS] = "gaussian", [ROLE_JOIN] = "torch-linear", [ROLE_BIAS] = "zero",
      [ROLE_JOIN_BIAS] = "torch-spent"}, "wo,bo,wq,wk,wv"},
    /* nn.MultiheadAttention draws nn.Linear's bias, and then overwrites it with 0. */
    {{"torch-spent", "0 in the place of numbers that are drawn and thrown away"},
     {LAW_SPENT, 0, 0}, 0, false, NULL, {NULL}, NULL},
    {{"scaled", "normal, deviation 1/√(fan in), so that scores are of size 1"},
     {LAW_NORMAL, 0, 0}, 0, false, scaled, WEIGHTS_ALONE, NULL},
    {{"whole", "whole numbers from --low (0) to --high (2)"},
     {LAW_WHOLE, 0, 2}, RANGE, false, NULL, {NULL}, NULL},
    {{"halves", "halves from --low (-0.5) to --high (0.5); rows are whole"},
     {LAW_HALVES, -0.5, 0.5}, RANGE, false, NULL, {[ROLE_ROWS] = "whole"}, NULL},
    {{"constant", "--value (1) everywhere"},
     {LAW_CONSTANT, 1, 0}, VALUE, false, NULL, {NULL}, NULL},
    {{"zero", "0 everywhere"}, {LAW_CONSTANT, 0, 0}, 0, false, NULL, {NULL}, NULL},
    {{"arange", "0, 1, 2, … in each matrix"}, {LAW_COUNT, 0, 0}, 0, false, NULL, {NULL}, NULL},
    {{"cos", "cos 0, cos 1, cos 2, … in each matrix"},
     {LAW_COSINE, 0, 0}, 0, false, NULL, {NULL}, NULL},
};
/* clang-format on */

const named_table DISTRIBUTIONS = NAMED_TABLE("distribution", ROWS);
