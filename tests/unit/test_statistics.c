/* Statistics of numbers: what counts, what doesn't, and the order of the sum. Worked by hand. */
#include "unit.h"

#include "tensor/statistics.h"

#include <math.h>

static statistics of_numbers(const double *number, size_t count)
{
    statistics s = {0};
    for (size_t i = 0; i < count; i++)
        statistics_add(&s, number[i]);
    return s;
}

static void counts_what_is_no_number(unit *u)
{
    const double numbers[] = {NAN, 4, -HUGE_VAL, tensor_hole(), -2, HUGE_VAL, 1, NAN};
    statistics s = of_numbers(numbers, sizeof numbers / sizeof numbers[0]);
    CHECK(u, s.finite == 3 && s.nan == 2 && s.infinite == 2 && s.holes == 1);
    CHECK(u, s.least == -2 && s.greatest == 4 && statistics_mean(&s) == 1);
}

static void knows_nothing_of_none(unit *u)
{
    const double numbers[] = {NAN, HUGE_VAL};
    statistics s = of_numbers(numbers, 2);
    CHECK(u, s.finite == 0 && s.least == 0 && s.greatest == 0 && isnan(statistics_mean(&s)));
}

/* 1 is lost next to 2⁵³ when it is added to it, and not when it comes after its negative. */
static void adds_in_order(unit *u)
{
    const double lost[] = {0x1p53, 1, -0x1p53}, kept[] = {0x1p53, -0x1p53, 1};
    CHECK(u, of_numbers(lost, 3).sum == 0);
    CHECK(u, of_numbers(kept, 3).sum == 1);
}

static void joins(unit *u)
{
    const double first[] = {3, NAN, 5}, second[] = {-1, HUGE_VAL}, none[] = {NAN};
    statistics s = of_numbers(none, 1), of_first = of_numbers(first, 3),
               of_second = of_numbers(second, 2), of_none = of_numbers(none, 1);
    statistics_join(&s, &of_first);
    CHECK(u, s.finite == 2 && s.nan == 2 && s.least == 3 && s.greatest == 5 && s.sum == 8);
    statistics_join(&s, &of_second);
    statistics_join(&s, &of_none);
    CHECK(u, s.finite == 3 && s.nan == 3 && s.infinite == 1);
    CHECK(u, s.least == -1 && s.greatest == 5 && s.sum == 7);
}

/* Every type, and views whose elements don't lie one after the other. */
static void looks_at_tensors(unit *u)
{
    float narrow[] = {1, 2, 3, 4, 5, 0.5f};
    double wide[] = {-1, 7};
    unsigned char truth[] = {1, 0, 1, 1};
    tensor matrix = {
        .type = DTYPE_F32, .rank = 2, .size = {2, 3}, .stride = {3, 1}, .data = narrow};
    tensor turned = tensor_transposed(&matrix), part = tensor_range(&turned, 0, 1, 2);
    tensor vector = {.type = DTYPE_F64, .rank = 1, .size = {4}, .stride = {0}, .data = wide + 1};
    tensor number = {.type = DTYPE_F64, .rank = 0, .data = wide};
    tensor mask = {.type = DTYPE_BOOL, .rank = 1, .size = {4}, .stride = {1}, .data = truth};
    tensor empty = {.type = DTYPE_F32, .rank = 2, .size = {0, 3}, .stride = {3, 1}};
    statistics s[6] = {0};
    const tensor *of[] = {&matrix, &part, &vector, &number, &mask, &empty};
    for (int i = 0; i < 6; i++)
        statistics_add_tensor(&s[i], of[i]);
    CHECK(u, s[0].finite == 6 && s[0].least == 0.5 && s[0].greatest == 5 && s[0].sum == 15.5);
    CHECK(u, s[1].finite == 4 && s[1].least == 0.5 && s[1].greatest == 5 && s[1].sum == 10.5);
    CHECK(u, s[2].finite == 4 && s[2].least == 7 && s[2].sum == 28);
    CHECK(u, s[3].finite == 1 && s[3].least == -1);
    CHECK(u, s[4].finite == 4 && statistics_mean(&s[4]) == 0.75);
    CHECK(u, s[5].finite == 0);
}

UNIT(statistics)
{
    counts_what_is_no_number(u);
    knows_nothing_of_none(u);
    adds_in_order(u);
    joins(u);
    looks_at_tensors(u);
}
