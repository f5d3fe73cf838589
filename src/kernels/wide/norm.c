/* A row brought to one size, by its deviations from its mean or by its numbers themselves;
 * kernels.h states both. Everything is float64 until the result is rounded to the type: plain loops
 * that the compiler turns into this instruction set's vectors. */
#include "kernels/wide/partials.h"

/* A number of the row minus the row's mean. The mean of float64 data has a rest that float64 loses:
 * with it, equal numbers have a deviation of exactly 0. */
static inline double deviation(real x, twofold mean)
{
#if defined(REAL_IS_F64)
    return (x - mean.high) - mean.low;
#else
    return (double)x - mean.high;
#endif
}

static row_total sum_of(const real *x, size_t n)
{
    growing g = growing_zero();
    size_t j = 0;
    for (; j + PARTIALS <= n; j += PARTIALS) {
        for (size_t l = 0; l < PARTIALS; l += LANES)
            growing_add(&g, x + j + l, l / LANES);
    }
    partials p = growing_store(&g);
    for (size_t l = 0; j + l < n; l++)
        partials_add(&p, l, (double)x[j + l], 0);
    return partials_total(&p);
}

/* The sum of the squared deviations. */
static double sum_of_squares(const real *x, size_t n, twofold mean)
{
    partials p = {{0}, {0}};
    size_t j = 0;
    for (; j + PARTIALS <= n; j += PARTIALS) {
        for (size_t l = 0; l < PARTIALS; l++) {
            double d = deviation(x[j + l], mean);
            partials_add(&p, l, d * d, 0);
        }
    }
    for (size_t l = 0; j + l < n; l++) {
        double d = deviation(x[j + l], mean);
        partials_add(&p, l, d * d, 0);
    }
    row_total total = partials_total(&p);
    return isfinite(total.sum) ? total.sum + total.rest : total.sum; /* ∞ has no rest */
}

/* A root of 0 makes every quotient 0. */
static void finish(const real *x, size_t n, twofold mean, double root, const real *gain,
                   const real *bias, real *out)
{
    for (size_t j = 0; j < n; j++) {
        double value = root == 0 ? 0 : deviation(x[j], mean) / root;
        if (gain != NULL)
            value *= (double)gain[j];
        if (bias != NULL)
            value += (double)bias[j];
        out[j] = (real)value;
    }
}

bool KERNEL(row_norm)(const void *x, size_t n, const void *gain, const void *bias, double eps,
                      void *out)
{
    row_total sum = sum_of(x, n);
    double count = (double)n, mean = sum.sum / count;
    twofold middle = {mean, (fma(-mean, count, sum.sum) + sum.rest) / count};
    double squares = sum_of_squares(x, n, middle);
    finish(x, n, middle, sqrt(squares / count + eps), gain, bias, out);
    return n == 0 || isfinite(squares);
}

bool KERNEL(row_rms_norm)(const void *x, size_t n, const void *gain, double eps, void *out)
{
    double squares = sum_of_squares(x, n, (twofold){0, 0});
    finish(x, n, (twofold){0, 0}, sqrt(squares / (double)n + eps), gain, NULL, out);
    return isfinite(squares);
}
