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

static const distribution ROWS[] = {
    {{"gaussian", "normal, of mean --mean (0) and deviation --std (1)"},
     SPREAD,
     false,
     NULL,
     NULL,
     gaussian},
    {{"uniform", "from --low (0) up to --high (1)"}, RANGE, false, NULL, NULL, uniform},
    {{"xavier-uniform", "uniform, ±√3·deviation of xavier-normal"},
     GAIN,
     false,
     "gaussian",
     "zero",
     xavier_uniform},
    {{"xavier-normal", "normal, deviation gain·√(2/(fan in + fan out)), gain 1"},
     GAIN,
     false,
     "gaussian",
     "zero",
     xavier_normal},
    {{"kaiming-uniform", "uniform, ±√3·deviation of kaiming-normal"},
     GAIN,
     true,
     "gaussian",
     "zero",
     kaiming_uniform},
    {{"kaiming-normal", "normal, deviation gain/√fan, gain √2"},
     GAIN,
     true,
     "gaussian",
     "zero",
     kaiming_normal},
    {{"torch-linear", "as nn.Linear begins: uniform, ±1/√(fan in), biases too"},
     0,
     false,
     "gaussian",
     "torch-bias",
     torch_linear},
    {{"torch-bias", "as nn.Linear's bias begins: uniform, ±1/√(fan in)"},
     0,
     false,
     "gaussian",
     NULL,
     torch_bias},
    {{"constant", "--value (1) everywhere"}, VALUE, false, NULL, NULL, constant},
    {{"zero", "0 everywhere"}, 0, false, NULL, NULL, zero},
    {{"arange", "0, 1, 2, … in each matrix"}, 0, false, NULL, NULL, arange},
    {{"cos", "cos 0, cos 1, cos 2, … in each matrix"}, 0, false, NULL, NULL, cosine},
};

const named_table DISTRIBUTIONS = NAMED_TABLE("distribution", ROWS);
