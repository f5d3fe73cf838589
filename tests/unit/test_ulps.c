/* Distances in units in the last place, counted by hand from the formats' own definitions, and what
 * counts as equal. */
#include "compare/measure.h"
#include "unit.h"

#include <math.h>

static void test_f64(unit *u)
{
    CHECK(u, ulps_between(NUMBER_F64, 1, 1) == 0);
    CHECK(u, ulps_between(NUMBER_F64, 1, 1 + 0x1p-52) == 1);
    CHECK(u,
          ulps_between(NUMBER_F64, 1, 1 - 0x1p-53) == 1); /* below 1 they are half as far apart */
    CHECK(u, ulps_between(NUMBER_F64, 1 + 0x1p-52, 1 - 0x1p-53) == 2);
    CHECK(u, ulps_between(NUMBER_F64, 1, 2) == (uint64_t)1 << 52);
    CHECK(u, ulps_between(NUMBER_F64, 2, 8) == (uint64_t)1 << 53);
    /* all finite numbers there are but one: from the least to the greatest, zero counted once */
    CHECK(u, ulps_between(NUMBER_F64, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023) ==
                 2 * 0x7fefffffffffffffu);
}

static void test_zero_and_subnormals(unit *u)
{
    CHECK(u, ulps_between(NUMBER_F64, 0.0, -0.0) == 0);
    CHECK(u, ulps_between(NUMBER_F64, 0, 0x1p-1074) == 1);
    CHECK(u, ulps_between(NUMBER_F64, -0x1p-1074, 0x1p-1074) == 2);
    CHECK(u, ulps_between(NUMBER_F64, -0x3p-1074, 0x2p-1074) == 5);
    /* the least normal number, and the subnormal below it */
    CHECK(u, ulps_between(NUMBER_F64, 0x1p-1022, 0x0.fffffffffffffp-1022) == 1);
    CHECK(u, ulps_between(NUMBER_F32, 0x1p-149, -0x1p-149) == 2);
    CHECK(u, ulps_between(NUMBER_F32, 0x1p-126, 0x1p-149) == ((uint64_t)1 << 23) - 1);
    CHECK(u, ulps_between(NUMBER_F16, 0x1p-14, 0x1p-24) == 1023);
    CHECK(u, ulps_between(NUMBER_F16, -0x1p-24, 0x1p-24) == 2);
    CHECK(u, ulps_between(NUMBER_BF16, 0x1p-126, 0) == 128);
    CHECK(u, ulps_between(NUMBER_BF16, 0x1p-133, -0x1p-133) == 2);
}

static void test_infinite(unit *u)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    for (number_type type = NUMBER_F64; type <= NUMBER_BF16; type++) {
        CHECK(u, ulps_between(type, inf, inf) == 0);
        CHECK(u, ulps_between(type, inf, -inf) == ULPS_INFINITE);
        CHECK(u, ulps_between(type, 1, inf) == ULPS_INFINITE);
        CHECK(u, ulps_between(type, nan, nan) == ULPS_INFINITE);
        CHECK(u, ulps_between(type, 1, nan) == ULPS_INFINITE);
    }
    CHECK(u, ulps_between(NUMBER_F32, 1e300, 1) == ULPS_INFINITE); /* too large for the type */
}

/* float16 has 10 bits after the point, bfloat16 7; 65504 and 0x1.fep127 are the largest. */
static void test_narrow(unit *u)
{
    CHECK(u, ulps_between(NUMBER_F16, 1, 1 + 0x1p-10) == 1);
    CHECK(u, ulps_between(NUMBER_F16, 1, 1 - 0x1p-11) == 1);
    CHECK(u, ulps_between(NUMBER_F16, 1, 2) == 1024);
    CHECK(u, ulps_between(NUMBER_F16, 65504, 65472) == 1);
    CHECK(u, ulps_between(NUMBER_F16, 1, -1) == 2 * 15 * 1024); /* 15 powers of two down to 0 */
    CHECK(u, ulps_between(NUMBER_BF16, 1, 1 + 0x1p-7) == 1);
    CHECK(u, ulps_between(NUMBER_BF16, 1, 1 + 0x1p-9) == 0);
    CHECK(u, ulps_between(NUMBER_BF16, 0x1.fep127, 0x1.fcp127) == 1);
    CHECK(u, ulps_between(NUMBER_F32, 1, 1 + 0x1p-23) == 1);
    CHECK(u, ulps_between(NUMBER_F32, 1, 1 + 0x1p-25) == 0);
}

static void test_round(unit *u)
{
    CHECK(u, number_round(NUMBER_F64, 0.1) == 0.1);
    CHECK(u, number_round(NUMBER_F32, 0.1) == 0x1.99999ap-4);
    CHECK(u, number_round(NUMBER_F16, 0.1) == 0x1.998p-4);
    CHECK(u, number_round(NUMBER_BF16, 0.1) == 0x1.9ap-4);
    CHECK(u, number_round(NUMBER_F16, 1 + 0x1p-11) == 1); /* ties to even, both ways */
    CHECK(u, number_round(NUMBER_F16, 1 + 0x3p-11) == 1 + 0x1p-9);
    CHECK(u,
          number_round(NUMBER_F16, -0x1p-25) == 0 && signbit(number_round(NUMBER_F16, -0x1p-25)));
    CHECK(u, number_round(NUMBER_F16, 0x3p-25) == 0x1p-23);
    CHECK(u, number_round(NUMBER_F16, 65519) == 65504);
    CHECK(u, number_round(NUMBER_F16, 65520) == (double)INFINITY);
    CHECK(u, number_round(NUMBER_F16, -1e9) == -(double)INFINITY);
    CHECK(u, number_round(NUMBER_BF16, 0x1.ffp127) == (double)INFINITY);
    CHECK(u, number_round(NUMBER_BF16, 0x1.fefffp127) == 0x1.fep127);
    CHECK(u, number_round(NUMBER_F16, 1e-320) == 0);
    CHECK(u, isnan(number_round(NUMBER_F16, (double)NAN)));
}

static void test_tolerance(unit *u)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const tolerance none = {0}, half = {.atol = 0.5}, part = {.rtol = 0.25};
    const tolerance both = {.atol = 0.5, .rtol = 0.25}, two = {.ulps = 2, .has_ulps = true};
    const tolerance with_nan = {.atol = 0.5, .equal_nan = true};
    CHECK(u, tolerance_admits(&none, NUMBER_F64, 0.0, -0.0));
    CHECK(u, !tolerance_admits(&none, NUMBER_F64, 1, 1 + 0x1p-52));
    CHECK(u, tolerance_admits(&half, NUMBER_F64, 1, 1.5) &&
                 tolerance_admits(&half, NUMBER_F64, 1.5, 1));
    CHECK(u, !tolerance_admits(&half, NUMBER_F64, 1, 1.5 + 0x1p-52));
    /* a quarter of b: 4 is near 5, as 1 ≤ 1.25, and 5 is near 4; 3 is near 4, 4 not near 3 */
    CHECK(u,
          tolerance_admits(&part, NUMBER_F64, 4, 5) && tolerance_admits(&part, NUMBER_F64, 5, 4));
    CHECK(u,
          tolerance_admits(&part, NUMBER_F64, 3, 4) && !tolerance_admits(&part, NUMBER_F64, 4, 3));
    CHECK(u, tolerance_admits(&both, NUMBER_F64, 2.5, 4) &&
                 !tolerance_admits(&both, NUMBER_F64, 2.25, 4));
    CHECK(u, tolerance_admits(&two, NUMBER_F32, 1, 1 + 0x1p-22));
    CHECK(u, !tolerance_admits(&two, NUMBER_F32, 1, 1 + 0x3p-23));
    CHECK(u, tolerance_admits(&half, NUMBER_F64, inf, inf) &&
                 !tolerance_admits(&half, NUMBER_F64, inf, -inf));
    CHECK(u, !tolerance_admits(&part, NUMBER_F64, 1, inf) &&
                 !tolerance_admits(&part, NUMBER_F64, inf, 1));
    CHECK(u, !tolerance_admits(&half, NUMBER_F64, nan, nan) &&
                 !tolerance_admits(&half, NUMBER_F64, nan, 1));
    CHECK(u, tolerance_admits(&with_nan, NUMBER_F64, nan, nan));
    CHECK(u, !tolerance_admits(&with_nan, NUMBER_F64, nan, 1) &&
                 !tolerance_admits(&with_nan, NUMBER_F64, 1, nan));
}

static void test_least(unit *u)
{
    const tolerance none = {0}, half = {.atol = 0.5}, part = {.rtol = 0.25};
    CHECK(u, tolerance_least_atol(&none, 3, 4) == 1 && tolerance_least_rtol(&none, 3, 4) == 0.25);
    CHECK(u, tolerance_least_atol(&part, 2, 4) == 1 && tolerance_least_rtol(&half, 2, 4) == 0.375);
    CHECK(u, tolerance_least_atol(&part, 3, 4) == 0 && tolerance_least_rtol(&half, 3.5, 4) == 0);
    CHECK(u, tolerance_least_rtol(&none, 1, 0) == (double)INFINITY);
    CHECK(u, tolerance_least_atol(&none, 1, 0) == 1);
}

/* What is said to be enough is enough, and the number below is not. */
static void test_least_is_least(unit *u)
{
    uint64_t state = 8;
    size_t wrong = 0;
    for (int i = 0; i < 20000; i++) {
        double a = ldexp((double)(unit_random(&state) >> 11), (int)(unit_random(&state) % 60) - 80);
        double b =
            -ldexp((double)(unit_random(&state) >> 11), (int)(unit_random(&state) % 60) - 80);
        const tolerance by = {.atol = fabs(a) / 3, .rtol = 0.125};
        double atol = tolerance_least_atol(&by, a, b), rtol = tolerance_least_rtol(&by, a, b);
        wrong += !is_close(atol, by.rtol, a, b) || !is_close(by.atol, rtol, a, b);
        wrong +=
            atol > 0 && is_close(atol * (1 - 0x1p-50), by.rtol, a, b) && by.rtol * fabs(b) < atol;
    }
    CHECK(u, wrong == 0);
}

UNIT(ulps)
{
    test_f64(u);
    test_zero_and_subnormals(u);
    test_infinite(u);
    test_narrow(u);
    test_round(u);
    test_tolerance(u);
    test_least(u);
    test_least_is_least(u);
}
