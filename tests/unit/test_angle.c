/* Sine, cosine and frequencies of positions: published values, the C library's in long double, and
 * arguments that are hard to reduce. */
#include "unit.h"

#include "attn/spec/angle.h"

#include <math.h>

static const double POSITION_MOST = 2147483648.0;

/* The distance between a double of this size and the next. */
static long double unit_of(long double value)
{
    int exponent;
    frexpl(value, &exponent);
    return value == 0 ? ldexpl(1, -1074) : ldexpl(1, (exponent < -1021 ? -1021 : exponent) - 53);
}

/* How many units in the last place lie between them. */
static double units_between(double got, long double exact)
{
    return (double)(fabsl((long double)got - exact) / unit_of(exact));
}

typedef struct turn {
    double cosine, sine;
} turn;

static turn turn_of(double position, double frequency)
{
    turn by;
    isa_best()->table(DTYPE_F64)->angles(position, &frequency, 1, &by.cosine, &by.sine);
    return by;
}

/* sin and cos of position·frequency, whose product has more bits than a long double: what it loses
 * is put back by the first term of the series. */
static double worst_of(double position, double frequency)
{
    long double angle = (long double)position * frequency;
    long double rest = fmal(position, frequency, -angle);
    long double sine = sinl(angle), cosine = cosl(angle);
    turn got = turn_of(position, frequency);
    double of_sine = units_between(got.sine, sine + rest * cosine),
           of_cosine = units_between(got.cosine, cosine - rest * sine);
    return of_sine > of_cosine ? of_sine : of_cosine;
}

/* Abramowitz and Stegun, Handbook of Mathematical Functions, tables 4.6 and 4.8, and the digits
 * after theirs. */
static void knows_published_values(unit *u)
{
    static const struct {
        double position, sine, cosine;
    } KNOWN[] = {
        {0, 0, 1},
        {1, 0.84147098480789650665, 0.54030230586813971740},
        {2, 0.90929742682568169540, -0.41614683654714238700},
        {3, 0.14112000805986722210, -0.98999249660044545727},
        {10, -0.54402111088936981340, -0.83907152907645245226},
        {100, -0.50636564110975879366, 0.86231887228768393410},
        {1000, 0.82687954053200256026, 0.56237907629070299108},
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
        turn got = turn_of(KNOWN[i].position, 1);
        CHECK(u, units_between(got.sine, KNOWN[i].sine) <= 1);
        CHECK(u, units_between(got.cosine, KNOWN[i].cosine) <= 1);
    }
    turn none = turn_of(0, 0.1);
    CHECK(u, none.sine == 0 && !signbit(none.sine) && none.cosine == 1);
}

/* Nothing is as near to a multiple of π as the numerators of its continued fraction (OEIS A002485):
 * most of the angle cancels. */
static void reduces_what_is_nearly_a_multiple_of_pi(unit *u)
{
    static const double NUMERATORS[] = {
        3,       22,      333,     355,      103993,    104348,    208341,    312689,    833719,
        1146408, 4272943, 5419351, 80143857, 165707065, 245850922, 411557987, 1068966896};
    for (size_t i = 0; i < sizeof NUMERATORS / sizeof NUMERATORS[0]; i++) {
        CHECK(u, worst_of(NUMERATORS[i], 1) <= 1);
        CHECK(u, worst_of(NUMERATORS[i], 0.5) <= 1); /* nearly an odd multiple of π/2, or even */
    }
    /* 355 − 113·π = 3.0144353364053721…·10⁻⁵, whose cube is lost next to it */
    turn got = turn_of(355, 1);
    CHECK(u, fabs(got.sine + 3.0144353359488449e-05) <= 0x1p-68 && got.cosine < -0.9999999995);
}

/* The doubles around multiples of π/4, where the series are longest and the quarter changes. */
static void holds_around_the_quarters(unit *u)
{
    double worst = 0;
    for (int multiple = 1; multiple <= 64; multiple++) {
        double at = multiple * 0x1.921fb54442d18p-1;
        for (int step = -3; step <= 3; step++) {
            double frequency = (at + step * 0x1p-52 * at) / 64;
            double units = worst_of(64, frequency);
            worst = units > worst ? units : worst;
        }
    }
    CHECK(u, worst <= 1);
}

/* A position to 2³¹ and a frequency to 1, both of every size. */
static void holds_for_random_angles(unit *u)
{
    enum { ANGLES = 200000 };
    uint64_t state = 1;
    double worst = 0;
    for (int i = 0; i < ANGLES; i++) {
        double position = (double)(unit_random(&state) >> (33 + unit_random(&state) % 31));
        double frequency =
            ldexp((double)(unit_random(&state) >> 11), -53 - (int)(unit_random(&state) % 40));
        double units = worst_of(position, frequency);
        worst = units > worst ? units : worst;
    }
    CHECK(u, worst <= 1);
    CHECK(u, worst_of(POSITION_MOST, 1) <= 1);
    CHECK(u, worst_of(POSITION_MOST, 1 - 0x1p-53) <= 1);
    CHECK(u, worst_of(POSITION_MOST, 0x1.921fb54442d18p-1) <= 1);
}

/* For a small angle the sine is the angle, and the cosine 1 less half its square. */
static void holds_for_small_angles(unit *u)
{
    turn tiny = turn_of(1, 0x1p-60), least = turn_of(1, 0x1p-1040);
    CHECK(u, tiny.sine == 0x1p-60 && tiny.cosine == 1);
    CHECK(u, least.sine == 0x1p-1040 && least.cosine == 1);
    CHECK(u, turn_of(1, 0x1p-26).cosine == 1 - 0x1p-53);
}

/* 10000^(−2p/width) where it is a number that a reader knows. */
static void knows_round_frequencies(unit *u)
{
    CHECK(u, angle_frequency(10000, 0, 64) == 1);
    CHECK(u, angle_frequency(10000, 16, 64) == 0.01);
    CHECK(u, angle_frequency(10000, 8, 64) == 0.1);
    CHECK(u, angle_frequency(10000, 24, 64) == 0.001);
    CHECK(u, angle_frequency(4, 1, 4) == 0.5 && angle_frequency(4, 2, 4) == 0.25);
    CHECK(u, angle_frequency(1, 3, 8) == 1);
    CHECK(u, angle_frequency(0x1p40, 1, 8) == 0x1p-10);
}

/* The nearest double, but for what long double can't tell apart. */
static void rounds_frequencies(unit *u)
{
    static const double BASES[] = {1.5, 2, 10, 100, 10000, 500000, 1e6, 1e8};
    double worst = 0;
    for (size_t i = 0; i < sizeof BASES / sizeof BASES[0]; i++)
        for (size_t width = 2; width <= 258; width += 8)
            for (size_t p = 0; p < width / 2; p++) {
                long double exact = powl(BASES[i], -2 * (long double)p / (long double)width);
                double units = units_between(angle_frequency(BASES[i], p, width), exact);
                worst = units > worst ? units : worst;
            }
    CHECK(u, worst <= 0.5 + 0x1p-7);
}

UNIT(angle)
{
    knows_published_values(u);
    holds_for_small_angles(u);
    knows_round_frequencies(u);
    if (!unit_long_double_is_wide()) {
        unit_skip(u, "angles next to a long double that is no longer than a double");
        return;
    }
    reduces_what_is_nearly_a_multiple_of_pi(u);
    holds_around_the_quarters(u);
    holds_for_random_angles(u);
    rounds_frequencies(u);
}
