#include "random/distribution.h"

#include <math.h>

static double knob_or(const knobs *k, knob which, double otherwise)
{
    return k->is_set[which] ? k->value[which] : otherwise;
}

static law between(double bound)
{
    return (law){LAW_UNIFORM, -bound, bound};
}

static law around_zero(double deviation)
{
    return (law){LAW_NORMAL, 0, deviation};
}

static law gaussian(const fan *of, const knobs *k)
{
    (void)of;
    return (law){LAW_NORMAL, knob_or(k, KNOB_MEAN, 0), knob_or(k, KNOB_STD, 1)};
}

static law uniform(const fan *of, const knobs *k)
{
    (void)of;
    return (law){LAW_UNIFORM, knob_or(k, KNOB_LOW, 0), knob_or(k, KNOB_HIGH, 1)};
}

/* gain·√(2 / (in + out)): Glorot and Bengio, "Understanding the difficulty of training deep
 * feedforward neural networks", 2010. A uniform law of that deviation ends at √3 times it. */
static double xavier(const fan *of, const knobs *k)
{
    return knob_or(k, KNOB_GAIN, 1) * sqrt(2 / (double)(of->in + of->out));
}

static law whole(const fan *of, const knobs *k)
{
    (void)of;
    return (law){LAW_WHOLE, ceil(knob_or(k, KNOB_LOW, 0)), floor(knob_or(k, KNOB_HIGH, 2))};
}

static law halves(const fan *of, const knobs *k)
{
    (void)of;
    return (law){LAW_HALVES, ceil(2 * knob_or(k, KNOB_LOW, -0.5)) / 2,
                 floor(2 * knob_or(k, KNOB_HIGH, 0.5)) / 2};
}

/* A sum of `in` products with rows of deviation 1 has deviation 1 too: so do queries, keys and
 * values, and what is scored of them is of size 1 once it is scaled. */
static law scaled(const fan *of, const knobs *k)
{
    (void)k;
    return around_zero(1 / sqrt((double)of->in));
}

static law xavier_uniform(const fan *of, const knobs *k)
{
    return between(sqrt(3) * xavier(of, k));
}

static law xavier_normal(const fan *of, const knobs *k)
{
    return around_zero(xavier(of, k));
}

/* gain / √fan, gain √2 for rectifiers: He, Zhang, Ren and Sun, "Delving deep into rectifiers",
 * 2015. */
static double kaiming(const fan *of, const knobs *k)
{
    return knob_or(k, KNOB_GAIN, sqrt(2)) / sqrt((double)(k->by_fan_out ? of->out : of->in));
}

static law kaiming_uniform(const fan *of, const knobs *k)
{
    return between(sqrt(3) * kaiming(of, k));
}

static law kaiming_normal(const fan *of, const knobs *k)
{
    return around_zero(kaiming(of, k));
}

/* Kaiming's bound with the gain of a leaky rectifier of slope √5, which is 1/√in, but for the order
 * in which it is rounded. */
static law torch_linear(const fan *of, const knobs *k)
{
    double slope = sqrt(5), gain = sqrt(2 / (1 + slope * slope));
    (void)k;
    return between(sqrt(3) * (gain / sqrt((double)of->in)));
}

static law torch_bias(const fan *of, const knobs *k)
{
    (void)k;
    return between(1 / sqrt((double)of->in));
}

/* nn.MultiheadAttention keeps Wq, Wk and Wv as one matrix, three times as high. */
static law torch_mha(const fan *of, const knobs *k)
{
    const fan joined = {of->in, 3 * of->out};
    return xavier_uniform(&joined, k);
}

/* It draws nn.Linear's bias, and then puts 0 in its place. */
static law spent(const fan *of, const knobs *k)
{
    (void)of;
    (void)k;
    return (law){LAW_SPENT, 0, 0};
}

static law constant(const fan *of, const knobs *k)
{
    (void)of;
    return (law){LAW_CONSTANT, knob_or(k, KNOB_VALUE, 1), 0};
}

static law zero(const fan *of, const knobs *k)
{
    (void)of;
    (void)k;
    return (law){LAW_CONSTANT, 0, 0};
}

static law arange(const fan *of, const knobs *k)
{
    (void)of;
    (void)k;
    return (law){LAW_COUNT, 0, 0};
}

static law cosine(const fan *of, const knobs *k)
{
    (void)of;
    (void)k;
    return (law){LAW_COSINE, 0, 0};
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

/* Laid out by hand: a row's words, what it takes, its law; then what others are drawn from. */
/* clang-format off */
static const distribution ROWS[] = {
    {{"gaussian", "normal, of mean --mean (0) and deviation --std (1)"},
     SPREAD, false, gaussian, {NULL}, NULL},
    {{"uniform", "from --low (0) up to --high (1)"}, RANGE, false, uniform, {NULL}, NULL},
    {{"xavier-uniform", "uniform, ±√3·deviation of xavier-normal"},
     GAIN, false, xavier_uniform, WEIGHTS_ALONE, NULL},
    {{"xavier-normal", "normal, deviation gain·√(2/(fan in + fan out)), gain 1"},
     GAIN, false, xavier_normal, WEIGHTS_ALONE, NULL},
    {{"kaiming-uniform", "uniform, ±√3·deviation of kaiming-normal"},
     GAIN, true, kaiming_uniform, WEIGHTS_ALONE, NULL},
    {{"kaiming-normal", "normal, deviation gain/√fan, gain √2"},
     GAIN, true, kaiming_normal, WEIGHTS_ALONE, NULL},
    {{"torch-linear", "as nn.Linear begins: uniform, ±1/√(fan in), biases too"},
     0, false, torch_linear,
     {[ROLE_ROWS] = "gaussian", [ROLE_BIAS] = "torch-bias", [ROLE_JOIN_BIAS] = "torch-bias"}, NULL},
    {{"torch-bias", "as nn.Linear's bias begins: uniform, ±1/√(fan in)"},
     0, false, torch_bias, {[ROLE_ROWS] = "gaussian"}, NULL},
    {{"torch-mha", "as nn.MultiheadAttention begins, in its order"},
     0, false, torch_mha,
     {[ROLE_ROWS] = "gaussian", [ROLE_JOIN] = "torch-linear", [ROLE_BIAS] = "zero",
      [ROLE_JOIN_BIAS] = "torch-spent"}, "wo,bo,wq,wk,wv"},
    {{"torch-spent", "0 in the place of numbers that are drawn and thrown away"},
     0, false, spent, {NULL}, NULL},
    {{"scaled", "normal, deviation 1/√(fan in), so that scores are of size 1"},
     0, false, scaled, WEIGHTS_ALONE, NULL},
    {{"whole", "whole numbers from --low (0) to --high (2)"}, RANGE, false, whole, {NULL}, NULL},
    {{"halves", "halves from --low (-0.5) to --high (0.5); rows are whole"},
     RANGE, false, halves, {[ROLE_ROWS] = "whole"}, NULL},
    {{"constant", "--value (1) everywhere"}, VALUE, false, constant, {NULL}, NULL},
    {{"zero", "0 everywhere"}, 0, false, zero, {NULL}, NULL},
    {{"arange", "0, 1, 2, … in each matrix"}, 0, false, arange, {NULL}, NULL},
    {{"cos", "cos 0, cos 1, cos 2, … in each matrix"}, 0, false, cosine, {NULL}, NULL},
};
/* clang-format on */

const named_table DISTRIBUTIONS = NAMED_TABLE("distribution", ROWS);
