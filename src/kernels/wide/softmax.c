/* The softmax's own steps over one row; kernels.h states each. */
#include "kernels/wide/exponent.h"

enum {
    PARTIALS = 16,
    MAXIMA = 4 /* that grow side by side: one would wait for itself */
};

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
    wide lowest = wide_set(-(real)INFINITY);
    wide greatest[MAXIMA] = {lowest, lowest, lowest, lowest};
    size_t j = 0;
    for (; j + MAXIMA * LANES <= n; j += MAXIMA * LANES) {
        for (size_t v = 0; v < MAXIMA; v++)
            greatest[v] = wide_max(wide_load(from + j + v * LANES), greatest[v]);
    }
    for (; j < n; j += LANES)
        greatest[0] = wide_max(wide_load_some(from + j, n - j, -(real)INFINITY), greatest[0]);
    for (size_t v = 1; v < MAXIMA; v++)
        greatest[0] = wide_max(greatest[v], greatest[0]);
    *(real *)max = greatest_lane(greatest[0]);
}

/* ---- the row's sum ---- */

#if defined(REAL_IS_F64)

/* Float64 data: each partial is a sum without loss, whose rests are added beside it. Key j is in
 * lane j mod 8 of vector (j / 8) mod 2. */
typedef struct partials {
    wide_pair part[PARTIALS / LANES];
} partials;

static inline partials partials_zero(void)
{
    return (partials){{{wide_zero(), wide_zero()}, {wide_zero(), wide_zero()}}};
}

static inline void add_pair(wide_pair *to, wide sum, wide rest)
{
    wide_pair exact = wide_two_sum(to->sum, sum);
    to->sum = exact.sum;
    to->rest = wide_add(wide_add(to->rest, rest), exact.rest);
}

static inline void partials_add(partials *to, wide w, size_t vector)
{
    add_pair(&to->part[vector % (PARTIALS / LANES)], w, wide_zero());
}

static row_total partials_total(partials p)
{
    add_pair(&p.part[0], p.part[1].sum, p.part[1].rest);
    real high[LANES], low[LANES];
    wide_store(high, p.part[0].sum);
    wide_store(low, p.part[0].rest);
    for (size_t step = LANES / 2; step > 0; step /= 2) {
        for (size_t l = 0; l < step; l++) {
            pair exact = two_sum(high[l], high[l + step]);
            high[l] = exact.sum;
            low[l] = (low[l] + low[l + step]) + exact.rest;
        }
    }
    return (row_total){high[0], low[0]};
}

#else

/* Float32 data: float64 sums. */
typedef sums partials;

static inline partials partials_zero(void)
{
    return sums_zero();
}

static inline void partials_add(partials *to, wide w, size_t vector)
{
    (void)vector;
    sums_add(to, w);
}

static row_total partials_total(partials p)
{
    double part[PARTIALS];
    sums_store(&p, part);
    for (size_t step = PARTIALS / 2; step > 0; step /= 2) {
        for (size_t l = 0; l < step; l++)
            part[l] += part[l + step];
    }
    return (row_total){part[0], 0};
}

#endif

/* ---- exponentials ---- */

/* A row of nothing but −inf, where −inf − (−inf) would be NaN: its exponentials are +0. */
static row_total fill_empty_row(const real *from, size_t n, real *to)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        to[j] = from[j] == -(real)INFINITY ? (real)0 : (real)NAN;
        sum += to[j];
    }
    return (row_total){sum, 0};
}

/* `count` vectors of keys from x on, less the maximum. */
static inline __attribute__((always_inline)) void exponent_all(const wide *x, wide minus_max,
                                                               wide *out, size_t count)
{
    wide hi[EXP_VECTORS], lo[EXP_VECTORS];
    for (size_t v = 0; v < count; v++) {
        wide_pair difference = wide_two_sum(x[v], minus_max);
        hi[v] = difference.sum;
        lo[v] = difference.rest;
    }
    wide_exp_all(hi, lo, out, count);
}

void KERNEL(row_exponent)(const void *x, size_t n, const void *max, void *out, row_total *total)
{
    const real *from = x;
    real *to = out, greatest = *(const real *)max;
    if (greatest == -(real)INFINITY) {
        *total = fill_empty_row(from, n, to);
        return;
    }
    wide minus_max = wide_set(-greatest), one[EXP_VECTORS];
    partials all = partials_zero();
    size_t j = 0;
    for (; j + EXP_VECTORS * LANES <= n; j += EXP_VECTORS * LANES) {
        for (size_t v = 0; v < EXP_VECTORS; v++)
            one[v] = wide_load(from + j + v * LANES);
        exponent_all(one, minus_max, one, EXP_VECTORS);
        for (size_t v = 0; v < EXP_VECTORS; v++) {
            wide_store(to + j + v * LANES, one[v]);
            partials_add(&all, one[v], j / LANES + v);
        }
    }
    for (; j < n; j += LANES) {
        one[0] = wide_load_some(from + j, n - j, -(real)INFINITY);
        exponent_all(one, minus_max, one, 1);
        wide_store_some(to + j, one[0], n - j);
        partials_add(&all, one[0], j / LANES);
    }
    *total = partials_total(all);
}

/* ---- shares ---- */

void KERNEL(row_divide)(const void *x, size_t n, const void *sum, void *out)
{
    const real *from = x;
    real *to = out, whole = *(const real *)sum;
    wide by = wide_set(whole == 0 ? (real)1 : whole); /* a sum of 0 has terms of 0 */
    for (size_t j = 0; j < n; j += LANES) {
        wide share = wide_div(wide_load_some(from + j, n - j, 0), by);
        share = wide_zero_if_less(share, wide_set(REAL_SMALLEST_NORMAL), share);
        wide_store_some(to + j, share, n - j);
    }
}
