/* The softmax's own steps over one row; kernels.h states each. */
#include "kernels/wide/exponent.h"

enum { PARTIALS = 16 };

/* The lanes' greatest, joined by the tree s = 8, 4, 2, 1, so that the sign of a zero is one answer
 * too. */
static real greatest_lane(wide w)
{
    real lane[LANES];
    wide_store(lane, w);
    for (size_t step = LANES / 2; step > 0; step /= 2) {
        for (size_t l = 0; l < step; l++)
            lane[l] = lane[l + step] > lane[l] ? lane[l + step] : lane[l];
    }
    return lane[0];
}

void KERNEL(row_max)(const void *x, size_t n, void *max)
{
    const real *from = x;
    wide greatest = wide_set(-(real)INFINITY);
    for (size_t j = 0; j < n; j += LANES)
        greatest = wide_max(wide_load_some(from + j, n - j, -(real)INFINITY), greatest);
    *(real *)max = greatest_lane(greatest);
}

/* A row of nothing but −inf, where −inf − (−inf) would be NaN: its exponentials are +0. */
static void fill_empty_row(const real *from, size_t n, real *to)
{
    for (size_t j = 0; j < n; j++)
        to[j] = from[j] == -(real)INFINITY ? (real)0 : (real)NAN;
}

void KERNEL(row_exponent)(const void *x, size_t n, const void *max, void *out)
{
    const real *from = x;
    real *to = out, greatest = *(const real *)max;
    if (greatest == -(real)INFINITY) {
        fill_empty_row(from, n, to);
        return;
    }
    wide minus_max = wide_set(-greatest);
    for (size_t j = 0; j < n; j += LANES) {
        wide_pair difference = wide_two_sum(wide_load_some(from + j, n - j, 0), minus_max);
        wide_store_some(to + j, wide_exp(difference.sum, difference.rest), n - j);
    }
}

#if defined(REAL_IS_F64)

/* Float64 data: each partial is a sum without loss, whose rests are added beside it. Key j is in
 * lane j mod 8 of vector (j / 8) mod 2. */
static void add_partials(wide_pair *to, wide sum, wide rest)
{
    wide_pair exact = wide_two_sum(to->sum, sum);
    to->sum = exact.sum;
    to->rest = wide_add(wide_add(to->rest, rest), exact.rest);
}

void KERNEL(row_sum)(const void *x, size_t n, void *sum)
{
    const real *from = x;
    wide_pair part[PARTIALS / LANES] = {{wide_zero(), wide_zero()}, {wide_zero(), wide_zero()}};
    for (size_t j = 0; j < n; j += LANES)
        add_partials(&part[j / LANES % 2], wide_load_some(from + j, n - j, 0), wide_zero());
    add_partials(&part[0], part[1].sum, part[1].rest);
    real high[LANES], low[LANES];
    wide_store(high, part[0].sum);
    wide_store(low, part[0].rest);
    for (size_t step = LANES / 2; step > 0; step /= 2) {
        for (size_t l = 0; l < step; l++) {
            pair exact = two_sum(high[l], high[l + step]);
            high[l] = exact.sum;
            low[l] = (low[l] + low[l + step]) + exact.rest;
        }
    }
    *(real *)sum = high[0] + low[0];
}

#else

/* Float32 data: float64 sums, rounded once at the end. */
void KERNEL(row_sum)(const void *x, size_t n, void *sum)
{
    const real *from = x;
    double part[PARTIALS] = {0};
    sums all = sums_zero();
    for (size_t j = 0; j < n; j += LANES)
        sums_add(&all, wide_load_some(from + j, n - j, 0));
    sums_store(&all, part);
    for (size_t step = PARTIALS / 2; step > 0; step /= 2) {
        for (size_t l = 0; l < step; l++)
            part[l] += part[l + step];
    }
    *(real *)sum = (real)part[0];
}

#endif

void KERNEL(row_divide)(const void *x, size_t n, const void *sum, void *out)
{
    const real *from = x;
    real *to = out, whole = *(const real *)sum;
    wide by = wide_set(whole == 0 ? (real)1 : whole); /* a sum of 0 has terms of 0 */
    for (size_t j = 0; j < n; j += LANES) {
        wide share = wide_div(wide_load_some(from + j, n - j, 0), by);
        share = wide_if_less(share, wide_set(REAL_SMALLEST_NORMAL), wide_zero(), share);
        wide_store_some(to + j, share, n - j);
    }
}
