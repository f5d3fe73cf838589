/* The softmax's own steps over one row; kernels.h states each. */
#include "kernels/wide/exponent.h"

enum { PARTIALS = 16 };

void KERNEL(row_max)(const void *x, size_t n, void *max)
{
    const real *from = x;
    real greatest = -(real)INFINITY;
    for (size_t j = 0; j < n; j++)
        greatest = from[j] > greatest ? from[j] : greatest;
    *(real *)max = greatest;
}

void KERNEL(row_exponent)(const void *x, size_t n, const void *max, void *out)
{
    const real *from = x;
    real *to = out, greatest = *(const real *)max;
    for (size_t j = 0; j < n; j++) {
        pair difference = two_sum(from[j], -greatest);
        /* A masked key is +0 even in a row of nothing else, where −inf − (−inf) would be NaN. */
        to[j] = from[j] == -(real)INFINITY ? (real)0 : exp_of(difference.sum, difference.rest);
    }
}

#if defined(REAL_IS_F64)

/* Float64 data: each partial is a sum without loss, whose rests are added beside it. */
typedef pair partial;

static void partial_add(partial *to, partial term)
{
    pair exact = two_sum(to->sum, term.sum);
    to->sum = exact.sum;
    to->rest = (to->rest + term.rest) + exact.rest;
}

static partial partial_of(real x)
{
    return (partial){x, 0};
}

static real partial_round(partial p)
{
    return p.sum + p.rest;
}

#else

/* Float32 data: float64 sums, rounded once at the end. */
typedef double partial;

static void partial_add(partial *to, partial term)
{
    *to += term;
}

static partial partial_of(real x)
{
    return (double)x;
}

static real partial_round(partial p)
{
    return (real)p;
}

#endif

void KERNEL(row_sum)(const void *x, size_t n, void *sum)
{
    const real *from = x;
    partial part[PARTIALS] = {partial_of(0)};
    for (size_t j = 0; j < n; j++)
        partial_add(&part[j % PARTIALS], partial_of(from[j]));
    for (size_t step = PARTIALS / 2; step > 0; step /= 2) {
        for (size_t l = 0; l < step; l++)
            partial_add(&part[l], part[l + step]);
    }
    *(real *)sum = partial_round(part[0]);
}

void KERNEL(row_divide)(const void *x, size_t n, const void *sum, void *out)
{
    const real *from = x;
    real *to = out, whole = *(const real *)sum;
    for (size_t j = 0; j < n; j++) {
        real share = whole == 0 ? (real)0 : from[j] / whole;
        to[j] = share < REAL_SMALLEST_NORMAL ? (real)0 : share;
    }
}
