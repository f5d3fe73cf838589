/* The softmax's own steps over one row; kernels.h states each. */
#include "kernels/wide/exponent.h"
#include "kernels/wide/partials.h"

enum { MAXIMA = 4 }; /* that grow side by side: a single one would wait for itself */

/* With a constant `step`, no loop is left of it. */
static inline void raise_lanes(real *lane, size_t step)
{
    for (size_t l = 0; l < step; l++)
        lane[l] = lane[l + step] > lane[l] ? lane[l + step] : lane[l];
}

/* The greatest lane of them all. Never −0: which of two zeros came first would depend on where the
 * row begins. */
static inline real greatest_of(const wide *maxima)
{
    wide all = maxima[0];
    real lane[LANES];
    for (size_t v = 1; v < MAXIMA; v++)
        all = wide_max(maxima[v], all);
    wide_store(lane, all);
    if (LANES > 8)
        raise_lanes(lane, 8);
    raise_lanes(lane, 4);
    raise_lanes(lane, 2);
    raise_lanes(lane, 1);
    return lane[0] + (real)0;
}

void KERNEL(row_max)(const void *x, size_t n, void *max)
{
    const real *from = x;
    wide lowest = wide_set(-(real)INFINITY), most[MAXIMA] = {lowest, lowest, lowest, lowest};
    size_t j = 0;
    for (; j + MAXIMA * LANES <= n; j += MAXIMA * LANES) {
        for (size_t v = 0; v < MAXIMA; v++)
            most[v] = wide_max(wide_load(from + j + v * LANES), most[v]);
    }
    for (; j < n; j += LANES)
        most[0] = wide_max(wide_load_some(from + j, n - j, -(real)INFINITY), most[0]);
    *(real *)max = greatest_of(most);
}

void KERNEL(scale)(const void *x, size_t n, double factor, void *out, void *max)
{
    const real *from = x;
    real *to = out;
    wide by = wide_set((real)factor);
    real one = n > 0 ? from[0] : 0;
    wide lowest = wide_set(-(real)INFINITY), most[MAXIMA] = {lowest, lowest, lowest, lowest};
    size_t j = 0;
    for (; j + MAXIMA * LANES <= n; j += MAXIMA * LANES) {
        for (size_t v = 0; v < MAXIMA; v++) {
            wide scaled = wide_mul(wide_load(from + j + v * LANES), by);
            wide_store(to + j + v * LANES, scaled);
            most[v] = wide_max(scaled, most[v]);
        }
    }
    for (; j < n; j += LANES) {
        wide scaled = wide_mul(wide_load_some(from + j, n - j, one), by);
        wide_store_some(to + j, scaled, n - j);
        most[0] = wide_max(scaled, most[0]);
    }
    *(real *)max = greatest_of(most);
}

/* ---- shares ---- */

static inline wide share_of(wide x, wide sum)
{
    wide share = wide_div(x, sum);
    return wide_if_less(share, wide_set(REAL_SMALLEST_NORMAL), wide_zero(), share);
}

/* A sum of 0 has terms of 0. */
static inline wide divisor_of(const row_shares *of)
{
    real sum = of->n > 0 ? *(const real *)of->sum : 0;
    return wide_set(sum == 0 ? (real)1 : sum);
}

static void divide_from(const row_shares *of, size_t first)
{
    const real *from = of->x;
    real *to = of->out;
    wide sum = divisor_of(of);
    for (size_t j = first; j < of->n; j += LANES)
        wide_store_some(to + j, share_of(wide_load_some(from + j, of->n - j, 0), sum), of->n - j);
}

void KERNEL(row_divide)(const row_shares *of)
{
    divide_from(of, 0);
}

/* ---- exponentials ---- */

enum { GROUP = EXP_VECTORS * LANES };

/* Numbers of another row that are divided meanwhile: exponentials don't use the divider. */
typedef struct passenger {
    const real *x;
    wide sum;
    real *share;
} passenger;

/* A group's exponentials, while the next group is split: each one's long chain of operations fills
 * the other's waits. Inlined, so that `parts` stays in registers. */
static inline __attribute__((always_inline)) void exponent_group(const exp_shift *shift,
                                                                 const real *from, real *to,
                                                                 exp_parts *parts,
                                                                 const passenger *beside)
{
    wide done[EXP_VECTORS];
    for (size_t v = 0; v < EXP_VECTORS; v++) {
        done[v] = wide_exp_join(parts[v]);
        parts[v] = wide_exp_split(shift, wide_load(from + GROUP + v * LANES));
        if (beside != NULL)
            wide_store(beside->share + v * LANES,
                       share_of(wide_load(beside->x + v * LANES), beside->sum));
    }
    for (size_t v = 0; v < EXP_VECTORS; v++)
        wide_store(to + v * LANES, done[v]);
}

/* The sum follows one group later, so that it never waits for an exponential. */
static inline void add_group_before(growing *all, const real *from, size_t end)
{
    for (size_t j = end < GROUP ? end : end - GROUP; j < end; j += LANES)
        growing_add(all, from + j, j / LANES);
}

void KERNEL(row_exponent)(const void *x, size_t n, const void *max, void *out, row_total *total,
                          const row_shares *beside)
{
    static const row_shares none;
    const real *from = x;
    real *to = out, greatest = *(const real *)max;
    size_t whole = n / GROUP * GROUP, divided = 0, j = 0;
    if (beside == NULL)
        beside = &none;
    if (greatest == -(real)INFINITY) {
        /* A row of nothing but −inf, where −inf − (−inf) would be NaN: its exponentials are +0. */
        *total = (row_total){0, 0};
        for (; j < n; j++) {
            to[j] = from[j] == greatest ? (real)0 : (real)NAN;
            total->sum += to[j];
        }
        divide_from(beside, 0);
        return;
    }
    if (greatest >= EXP_SHIFT_MOST || greatest <= -EXP_SHIFT_MOST) {
        /* Exact wherever the exponential is not +0. */
        for (size_t k = 0; k < n; k++)
            to[k] = from[k] - greatest;
        from = to;
        greatest = 0;
    }
    exp_shift shift = exp_shift_of(greatest);
    growing all = growing_zero();
    if (whole > 0) { /* as many groups of `beside` as there are before the last one */
        exp_parts parts[EXP_VECTORS];
        size_t last = whole - GROUP, of_beside = beside->n / GROUP * GROUP;
        divided = of_beside < last ? of_beside : last;
        passenger other = {beside->x, divisor_of(beside), beside->out};
        for (size_t v = 0; v < EXP_VECTORS; v++)
            parts[v] = wide_exp_split(&shift, wide_load(from + v * LANES));
        for (; j < divided; j += GROUP, other.x += GROUP, other.share += GROUP) {
            exponent_group(&shift, from + j, to + j, parts, &other);
            add_group_before(&all, to, j);
        }
        for (; j < last; j += GROUP) {
            exponent_group(&shift, from + j, to + j, parts, NULL);
            add_group_before(&all, to, j);
        }
        for (size_t v = 0; v < EXP_VECTORS; v++)
            wide_store(to + j + v * LANES, wide_exp_join(parts[v]));
        add_group_before(&all, to, j);
        add_group_before(&all, to, whole);
    }
    for (j = whole; j < n; j += LANES) { /* less than a group; after it are zeros */
        wide one = wide_load_some(from + j, n - j, -(real)INFINITY);
        real lane[LANES];
        one = wide_exp_join(wide_exp_split(&shift, one));
        wide_store(lane, one);
        wide_store_some(to + j, one, n - j);
        growing_add(&all, lane, j / LANES);
    }
    partials of_row = growing_store(&all);
    *total = partials_total(&of_row);
    divide_from(beside, divided);
}

/* ---- the way back ---- */

void KERNEL(row_back)(const void *x, size_t n, const void *weights, const void *delta,
                      double factor, void *masked, void *out)
{
    const real *from = x, *share = weights;
    real *first = masked, *to = out;
    wide less = wide_set(*(const real *)delta), by = wide_set((real)factor);
    for (size_t j = 0; j < n; j += LANES) {
        wide apart = wide_sub(wide_load_some(from + j, n - j, 0), less);
        wide made = wide_mul(wide_load_some(share + j, n - j, 0), apart);
        made = wide_add(made, wide_zero());
        wide_store_some(first + j, made, n - j);
        wide_store_some(to + j, wide_add(wide_mul(made, by), wide_zero()), n - j);
    }
}
