/* The bounds and deviations of initial weights, from their formulas with easy numbers. */
#include "unit.h"

#include "random/distribution.h"

#include <math.h>
#include <string.h>

static law law_of(const char *name, const fan *of, const knobs *k)
{
    const named *row = named_find(&DISTRIBUTIONS, name, strlen(name));
    return distribution_law((const distribution *)(const void *)row, of, k);
}

static bool is_near(double got, double wanted)
{
    return fabs(got - wanted) <= 4e-16 * fabs(wanted);
}

static bool is_between(law got, double bound)
{
    return got.kind == LAW_UNIFORM && is_near(got.a, -bound) && is_near(got.b, bound);
}

static bool is_around_zero(law got, double deviation)
{
    return got.kind == LAW_NORMAL && got.a == 0 && is_near(got.b, deviation);
}

/* in 4, out 28: 2/32 = 1/16; in 16: 1/√16. */
UNIT(distribution)
{
    static const fan WIDE = {4, 28}, TALL = {16, 9};
    const knobs none = {.by_fan_out = false};
    knobs half = {.by_fan_out = true};
    half.is_set[KNOB_GAIN] = true;
    half.value[KNOB_GAIN] = 0.5;
    CHECK(u, is_around_zero(law_of("xavier-normal", &WIDE, &none), 0.25));
    CHECK(u, is_around_zero(law_of("xavier-normal", &WIDE, &half), 0.125));
    CHECK(u, is_between(law_of("xavier-uniform", &WIDE, &none), 0.25 * 1.7320508075688772));
    CHECK(u, is_around_zero(law_of("kaiming-normal", &TALL, &none), 1.4142135623730951 / 4));
    CHECK(u, is_around_zero(law_of("kaiming-normal", &TALL, &half), 0.5 / 3));
    CHECK(u, is_between(law_of("kaiming-uniform", &TALL, &none), 2.4494897427831781 / 4));
    CHECK(u, is_between(law_of("torch-linear", &TALL, &none), 0.25));
    CHECK(u, is_between(law_of("torch-bias", &TALL, &none), 0.25));
}
