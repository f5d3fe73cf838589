/* What differs between two matrices, and by how much: small ones worked by hand, and long ones
 * whose differences were planted. */
#include "compare/measure.h"
#include "unit.h"

#include <math.h>

static tensor row_of(dtype type, size_t count, const void *data)
{
    tensor t;
    tensor_own(&t, type, 1, &count, (void *)data);
    t.owns = false;
    return t;
}

static measurement measure_rows(const tensor *a, const tensor *b, number_type type, tolerance by)
{
    return measure((measured_side){.of = a}, (measured_side){.of = b}, type, &by);
}

static measurement measure_f64(size_t count, const double *a, const double *b, tolerance by)
{
    tensor of_a = row_of(DTYPE_F64, count, a), of_b = row_of(DTYPE_F64, count, b);
    return measure_rows(&of_a, &of_b, NUMBER_F64, by);
}

/* (3, 4) and (4, 3): 24/25 */
static void test_small(unit *u)
{
    const double a[] = {3, 4}, b[] = {4, 3};
    measurement m = measure_f64(2, a, b, (tolerance){0});
    CHECK(u, m.count == 2 && m.unequal == 2 && m.different == 2 && m.first == 0);
    CHECK(u, m.first_a == 3 && m.first_b == 4);
    CHECK(u,
          m.most_absolute == 1 && m.most_relative == 1.0 / 3 && m.most_ulps == (uint64_t)1 << 51);
    CHECK(u, m.least_atol == 1 && fabs(m.least_rtol - 1.0 / 3) < 1e-15 && m.cosine == 0.96);
    m = measure_f64(2, a, b, (tolerance){.rtol = 0.25});
    CHECK(u, m.unequal == 2 && m.different == 1 && m.first == 1 && m.least_atol == 0.25);
    m = measure_f64(2, a, b, (tolerance){.atol = 1});
    CHECK(u, m.unequal == 2 && m.different == 0 && m.least_rtol == 0 && m.least_atol == 1);
    m = measure_f64(2, a, b, (tolerance){.ulps = (uint64_t)1 << 51, .has_ulps = true});
    CHECK(u, m.different == 0 && m.least_atol == 0 && m.least_rtol == 0 && m.most_absolute == 1);
    m = measure_f64(2, a, a, (tolerance){0});
    CHECK(u, m.unequal == 0 && m.most_ulps == 0 && m.cosine == 1 && m.most_absolute == 0);
}

static void test_unusual(unit *u)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const double a[] = {0.0, inf, nan, 1}, b[] = {-0.0, inf, nan, 1};
    measurement m = measure_f64(4, a, b, (tolerance){0});
    CHECK(u, m.unequal == 1 && m.different == 1 && m.first == 2 && m.most_absolute == inf);
    m = measure_f64(4, a, a, (tolerance){.atol = 1e9}); /* the same bytes, and NaN in them */
    CHECK(u, m.different == 1 && m.first == 2 && m.most_ulps == ULPS_INFINITE);
    CHECK(u, m.least_atol == inf && m.least_rtol == inf);
    m = measure_f64(4, a, b, (tolerance){.equal_nan = true});
    CHECK(u, m.unequal == 0 && m.count == 4 && m.cosine == 1);
    const double c[] = {3, inf, 4}, d[] = {4, 1, 3}; /* the finite pairs are those above */
    m = measure_f64(3, c, d, (tolerance){.rtol = 1});
    CHECK(u, m.unequal == 3 && m.different == 1 && m.first == 1 && m.cosine == 0.96);
    const double nan_and_inf[] = {nan, inf}, one_and_nan[] = {1, nan};
    m = measure_f64(2, nan_and_inf, one_and_nan, (tolerance){.equal_nan = true});
    CHECK(u, m.unequal == 2 && m.different == 2 && isnan(m.first_a) && m.first_b == 1);
    const double zero[] = {0, 0}, one[] = {0, 1};
    m = measure_f64(2, one, zero, (tolerance){0});
    CHECK(u, isnan(m.cosine) && m.most_relative == inf && m.least_rtol == inf && m.least_atol == 1);
}

/* Squares that float64 can't hold. */
static void test_cosine_scales(unit *u)
{
    const double a[] = {3e200, 4e200}, b[] = {4e-200, 3e-200}, c[] = {3e-320, 4e-320};
    CHECK(u, fabs(measure_f64(2, a, b, (tolerance){0}).cosine - 0.96) < 1e-15);
    CHECK(u, fabs(measure_f64(2, c, b, (tolerance){0}).cosine - 0.96) < 1e-3); /* few bits left */
    const double up[] = {0x1.8p1023, 0x1p1023}, down[] = {-0x1.8p1023, -0x1p1023};
    CHECK(u, fabs(measure_f64(2, up, down, (tolerance){0}).cosine + 1) < 1e-15);
}

static void test_text(unit *u)
{
    const double a[] = {tensor_hole(), 0.1, 0.1}, b[] = {1, 0.1, tensor_hole()};
    const float narrow[] = {1, 0.1f, 0.2f};
    const float half[] = {1, 0x1.998p-4f, 0x1.998p-4f};
    tensor text_a = row_of(DTYPE_F64, 3, a), text_b = row_of(DTYPE_F64, 3, b);
    tensor of_narrow = row_of(DTYPE_F32, 3, narrow), of_half = row_of(DTYPE_F32, 3, half);
    const tolerance none = {0};
    const measured_side side_a = {&text_a, true, false}, side_b = {&text_b, true, false};
    const measured_side unprinted_a = {&text_a, true, true}, numbers = {.of = &of_narrow};
    measurement m = measure(side_a, side_b, NUMBER_F64, &none);
    CHECK(u, m.count == 3 && m.unequal == 2 && m.first == 0 && tensor_is_hole(m.first_a));
    m = measure(side_a, side_a, NUMBER_F64, &none);
    CHECK(u, m.count == 2 && m.unequal == 0);
    m = measure(unprinted_a, side_b, NUMBER_F64, &none);
    CHECK(u, m.count == 2 && m.unequal == 1 && m.first == 2);
    m = measure(side_b, unprinted_a, NUMBER_F64, &none);
    CHECK(u, m.count == 2 && m.unequal == 1 && m.first == 2);
    m = measure(unprinted_a, numbers, NUMBER_F32, &none);
    CHECK(u, m.count == 2 && m.unequal == 1 && m.first == 2 && m.first_a == (double)0.1f);
    m = measure((measured_side){.of = &of_half}, unprinted_a, NUMBER_F16, &none);
    CHECK(u, m.count == 2 && m.unequal == 0);
    /* what was not read from text has no holes and is not rounded */
    m = measure((measured_side){.of = &text_a}, numbers, NUMBER_F32, &none);
    CHECK(u, m.count == 3 && m.unequal == 3 && m.first == 0);
    /* a hole is not a NaN */
    const double nan[] = {NAN, 0.1, 0.1};
    tensor of_nan = row_of(DTYPE_F64, 3, nan);
    const tolerance equal_nan = {.equal_nan = true};
    m = measure(side_a, (measured_side){&of_nan, true, false}, NUMBER_F64, &equal_nan);
    CHECK(u, m.count == 3 && m.unequal == 1);
    const size_t second[] = {1};
    CHECK(u, measure_value(side_a, NUMBER_F32, second) == (double)0.1f);
    CHECK(u, measure_value(side_a, NUMBER_F64, second) == 0.1);
}

/* A block of the same numbers on both sides, one of which is infinite: the cosine is that of all
 * others, 2047 of 1, and of (3, 4) and (4, 3) after them. */
static void test_same_block(unit *u)
{
    enum { SAME = 2048 };
    double a[SAME + 2], b[SAME + 2];
    for (size_t i = 0; i < SAME; i++)
        a[i] = b[i] = i > 0;
    a[0] = b[0] = (double)INFINITY;
    a[SAME] = b[SAME + 1] = 3;
    a[SAME + 1] = b[SAME] = 4;
    measurement m = measure_f64(SAME + 2, a, b, (tolerance){0});
    CHECK(u, m.unequal == 2 && m.first == SAME);
    CHECK(u, fabs(m.cosine - (SAME - 1 + 24.0) / (SAME - 1 + 25)) < 1e-15);
}

/* One pair of numbers, as measure takes them. */
static void test_one_pair(unit *u)
{
    const double nan = (double)NAN, hole = tensor_hole();
    const measured_side number = {0}, text = {.is_text = true, .has_unprinted = true};
    const tolerance exact = {0}, equal_nan = {.equal_nan = true};
    CHECK(u, measure_is_same(number, number, &exact, 2, 2));
    CHECK(u, !measure_is_same(number, number, &exact, 2, 3));
    CHECK(u, measure_is_same(text, number, &exact, hole, 3)); /* not printed */
    CHECK(u, !measure_is_same(number, number, &exact, nan, nan));
    CHECK(u, measure_is_same(number, number, &equal_nan, nan, nan));
}

enum { LONG = 10007 };

/* Differences at the edges of blocks, in each type, with and without gaps between the numbers. */
static void test_long(unit *u, dtype type)
{
    static const size_t AT[] = {0, 2047, 2048, 4095, 8191, 8192, 10000, LONG - 1};
    enum { PLANTED = sizeof AT / sizeof AT[0] };
    tensor a, b;
    err e = {0};
    if (!tensor_new(&a, type, 2, (size_t[]){LONG, 1}, &e))
        return;
    if (CHECK(u, tensor_new(&b, type, 2, (size_t[]){LONG, 1}, &e))) {
        for (size_t i = 0; i < LONG; i++) {
            tensor_set(&a, (size_t[]){i, 0}, (double)(i % 2));
            tensor_set(&b, (size_t[]){i, 0}, (double)(i % 2));
        }
        for (size_t i = PLANTED; i > 0; i--) {
            tensor_set(&b, (size_t[]){AT[i - 1], 0}, AT[i - 1] % 2 == 0);
            measurement m = measure_rows(&a, &b, NUMBER_F64, (tolerance){0});
            CHECK(u, m.count == LONG && m.different == PLANTED - i + 1 && m.first == AT[i - 1]);
            CHECK(u, m.most_absolute == 1);
        }
        /* of LONG numbers 5003 are 1; three of them became 0, and five others 1 */
        double cosine = measure_rows(&a, &b, NUMBER_F64, (tolerance){0}).cosine;
        CHECK(u, fabs(cosine - 5000 / sqrt(5003.0 * 5005)) < 1e-12);
        tensor gaps = b;
        gaps.stride[0] = 0; /* one number over and over */
        measurement m = measure_rows(&gaps, &gaps, NUMBER_F64, (tolerance){0});
        CHECK(u, m.count == LONG && m.unequal == 0);
        m = measure_rows(&a, &gaps, NUMBER_F64, (tolerance){0});
        CHECK(u, m.different == 5004 && m.first == 0);
    }
    tensor_free(&a);
    tensor_free(&b);
}

static void test_align(unit *u)
{
    double data[6] = {0};
    tensor a, b, view_a, view_b;
    tensor_own(&a, DTYPE_F64, 4, (size_t[]){1, 1, 2, 3}, data);
    tensor_own(&b, DTYPE_F64, 2, (size_t[]){2, 3}, data);
    CHECK(u, measure_align(&a, &b, &view_a, &view_b) && view_a.rank == 2 && view_b.rank == 2);
    CHECK(u, measure_align(&b, &a, &view_a, &view_b) && view_a.rank == 2 && !view_a.owns);
    tensor_own(&b, DTYPE_F64, 3, (size_t[]){1, 2, 3}, data);
    CHECK(u, measure_align(&a, &b, &view_a, &view_b) && view_b.rank == 3);
    tensor_own(&b, DTYPE_F64, 3, (size_t[]){2, 1, 3}, data);
    CHECK(u, !measure_align(&a, &b, &view_a, &view_b));
    tensor_own(&a, DTYPE_F64, 3, (size_t[]){2, 3, 1}, data);
    tensor_own(&b, DTYPE_F64, 2, (size_t[]){2, 3}, data);
    CHECK(u, !measure_align(&a, &b, &view_a, &view_b));
    tensor_own(&a, DTYPE_F64, 2, (size_t[]){1, 1}, data);
    tensor_own(&b, DTYPE_F64, 0, NULL, data);
    CHECK(u, measure_align(&a, &b, &view_a, &view_b) && view_a.rank == 0);
}

UNIT(measure)
{
    test_small(u);
    test_unusual(u);
    test_cosine_scales(u);
    test_text(u);
    test_same_block(u);
    test_one_pair(u);
    test_long(u, DTYPE_F64);
    test_long(u, DTYPE_F32);
    test_long(u, DTYPE_BOOL);
    test_align(u);
}
