/* The softmax's own steps over one row; kernels.h states each. */
#include "kernels/wide/exponent.h"
#include "kernels/wide/partials.h"

enum { MAXIMA = 4 }; /* that grow side by side: one would wait for itself */

/* With a constant `step`, no loop is left of it. */
static inline void raise_lanes(real *lane, size_t step)
{
    for (size_t l = 0; l < step; l++)
        lane[l] = lane[l + step] > lane[l] ? lane[l + step] : lane[l];
}

/* Never −0: which of two zeros came first would depend on where the row begins. */
static inline real greatest_lane(wide w)
{
    real lane[LANES];
    wide_store(lane, w);
    if (LANES > 8)
        raise_lanes(lane, 8);
    raise_lanes(lane, 4);
    raise_lanes(lane, 2);
    raise_lanes(lane, 1);
    return lane[0] + (real)0;
}

typedef struct maxima {
    wide of[MAXIMA];
} maxima;

static inline maxima maxima_none(void)
{
    wide lowest = wide_set(-(real)INFINITY);
    return (maxima){{lowest, lowest, lowest, lowest}};
}

static inline void maxima_raise(maxima *g, wide w, size_t v)
{
    g->of[v] = wide_max(w, g->of[v]);
}

static inline real maxima_greatest(maxima *g)
{
    for (size_t v = 1; v < MAXIMA; v++)
        maxima_raise(g, g->of[v], 0);
    return greatest_lane(g->of[0]);
}

void KERNEL(row_max)(const void *x, size_t n, void *max)
{
    const real *from = x;
    maxima all = maxima_none();
    size_t j = 0;
    for (; j + MAXIMA * LANES <= n; j += MAXIMA * LANES) {
        for (size_t v = 0; v < MAXIMA; v++)
            maxima_raise(&all, wide_load(from + j + v * LANES), v);
    }
    for (; j < n; j += LANES)
        maxima_raise(&all, wide_load_some(from + j, n - j, -(real)INFINITY), 0);
    *(real *)max = maxima_greatest(&all);
}

void KERNEL(scale)(const void *x, size_t n, double factor, void *out, void *max)
{
    const real *from = x;
    real *to = out;
    wide by = wide_set((real)factor);
    maxima all = maxima_none();
    size_t j = 0;
    for (; j + MAXIMA * LANES <= n; j += MAXIMA * LANES) {
        for (size_t v = 0; v < MAXIMA; v++) {
            wide scaled = wide_mul(wide_load(from + j + v * LANES), by);
            wide_store(to + j + v * LANES, scaled);
            maxima_raise(&all, scaled, v);
        }
    }
    for (; j < n; j += LANES) {
        wide_store_some(to + j, wide_mul(wide_load_some(from + j, n - j, 0), by), n - j);
        maxima_raise(&all, wide_load_some(to + j, n - j, -(real)INFINITY), 0);
    }
    *(real *)max = maxima_greatest(&all);
}

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

/* Exact for all that is not below any exponential. */
static void subtract(const real *from, size_t n, real subtrahend, real *to)
{
    for (size_t j = 0; j < n; j++)
        to[j] = from[j] - subtrahend;
}

enum { GROUP = EXP_VECTORS * LANES };

static inline void exponent_group(const exp_shift *shift, const real *from, real *to)
{
    wide one[EXP_VECTORS];
    for (size_t v = 0; v < EXP_VECTORS; v++)
        one[v] = wide_load(from + v * LANES);
    wide_exp_all(shift, one, EXP_VECTORS);
    for (size_t v = 0; v < EXP_VECTORS; v++)
        wide_store(to + v * LANES, one[v]);
}

static inline void add_group(growing *all, const real *from, size_t first)
{
    for (size_t v = 0; v < EXP_VECTORS; v++)
        growing_add(all, from + first + v * LANES, first / LANES + v);
}

/* Fewer numbers than a group; behind them are zeros. */
static void exponent_rest(const exp_shift *shift, const real *from, size_t first, size_t n,
                          real *to, growing *all)
{
    for (size_t j = first; j < n; j += LANES) {
        wide one = wide_load_some(from + j, n - j, -(real)INFINITY);
        real lane[LANES];
        wide_exp_all(shift, &one, 1);
        wide_store(lane, one);
        wide_store_some(to + j, one, n - j);
        growing_add(all, lane, j / LANES);
    }
}

/* The sum stays a group behind: what it adds is there already, and fills the places that the long
 * chain of an exponential leaves free. */
void KERNEL(row_exponent)(const void *x, size_t n, const void *max, void *out, row_total *total)
{
    const real *from = x;
    real *to = out, greatest = *(const real *)max;
    if (greatest == -(real)INFINITY) {
        *total = fill_empty_row(from, n, to);
        return;
    }
    if (greatest >= EXP_SHIFT_MOST || greatest <= -EXP_SHIFT_MOST) {
        subtract(from, n, greatest, to);
        from = to;
        greatest = 0;
    }
    exp_shift shift = exp_shift_of(greatest);
    growing all = growing_zero();
    size_t j = 0;
    for (; j + GROUP <= n; j += GROUP) {
        exponent_group(&shift, from + j, to + j);
        if (j > 0)
            add_group(&all, to, j - GROUP);
    }
    if (j > 0)
        add_group(&all, to, j - GROUP);
    exponent_rest(&shift, from, j, n, to, &all);
    partials whole = growing_store(&all);
    *total = partials_total(&whole);
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
