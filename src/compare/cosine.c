/* The cosine between two matrices (declared in compare/blocks_of_two.h). */
#include "compare/blocks_of_two.h"

#include <math.h>
#include <string.h>

/* Term i goes to partial sum i mod LANES, so that terms need not wait for each other; the order is
 * the same on every machine. */
enum { LANES = 4 };

typedef struct sums {
    double aa[LANES], bb[LANES], ab[LANES];
} sums;

static double joined(const double lane[LANES])
{
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

static sums products_of(const double *a, const double *b)
{
    sums of = {{0}, {0}, {0}};
    for (size_t i = 0; i < BLOCK; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            double x = a[i + lane], y = b[i + lane];
            of.aa[lane] += x * x;
            of.bb[lane] += y * y;
            of.ab[lane] += x * y;
        }
    }
    return of;
}

/* The same where both sides are one. */
static sums squares_of(const double *value)
{
    sums of = {{0}, {0}, {0}};
    for (size_t i = 0; i < BLOCK; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++)
            of.aa[lane] += value[i + lane] * value[i + lane];
    }
    memcpy(of.bb, of.aa, sizeof of.bb);
    memcpy(of.ab, of.aa, sizeof of.ab);
    return of;
}

static void scale_by(double *value, double scale)
{
    for (size_t i = 0; i < BLOCK && scale != 1; i++)
        value[i] *= scale;
}

static void fill_up(double *value, size_t count)
{
    for (size_t i = count; i < BLOCK; i++)
        value[i] = 0;
}

/* What the numbers of each side are multiplied by first: powers of two. */
typedef struct scales {
    double a, b;
} scales;

/* Sums that are not finite have met what is none, or squares too large for float64. */
static sums block_products(blocks_of_two *w, size_t first, const scales *by)
{
    double *a = w->value_a, *b = w->value_b;
    size_t count = blocks_count(w, first);
    fill_up(a, count);
    fill_up(b, count);
    blocks_load_a(w, first, count);
    scale_by(a, by->a);
    if (by->a == by->b && blocks_are_same(w, first, count)) {
        sums of = squares_of(a);
        if (isfinite(joined(of.aa)))
            return of;
    }
    blocks_load_b(w, first, count);
    scale_by(b, by->b);
    sums of = products_of(a, b);
    if (isfinite(joined(of.aa)) && isfinite(joined(of.bb)))
        return of;
    /* What is not a number on one side counts on neither. */
    for (size_t i = 0; i < BLOCK; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i]))
            a[i] = b[i] = 0;
    }
    return products_of(a, b);
}

static sums sum_products(blocks_of_two *w, const scales *by)
{
    sums all = {{0}, {0}, {0}};
    for (size_t first = 0; first < w->total; first += BLOCK) {
        sums of = block_products(w, first, by);
        for (size_t lane = 0; lane < LANES; lane++) {
            all.aa[lane] += of.aa[lane];
            all.bb[lane] += of.bb[lane];
            all.ab[lane] += of.ab[lane];
        }
    }
    return all;
}

/* Squares that float64 holds with all their digits. */
static bool is_ordinary(const double lane[LANES])
{
    return joined(lane) > 0x1p-900 && joined(lane) < 0x1p900;
}

static double largest_finite(const double *value, size_t count, double largest)
{
    for (size_t i = 0; i < count; i++) {
        double magnitude = fabs(value[i]);
        if (magnitude > largest && magnitude < (double)INFINITY)
            largest = magnitude;
    }
    return largest;
}

/* A power of two that brings the largest number near 1. */
static double scale_of(double largest)
{
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1, -exponent < 1000 ? -exponent : 1000);
}

static scales find_scales(blocks_of_two *w)
{
    double largest_a = 0, largest_b = 0;
    for (size_t first = 0; first < w->total; first += BLOCK) {
        size_t count = blocks_count(w, first);
        blocks_load_a(w, first, count);
        blocks_load_b(w, first, count);
        largest_a = largest_finite(w->value_a, count, largest_a);
        largest_b = largest_finite(w->value_b, count, largest_b);
    }
    return (scales){scale_of(largest_a), scale_of(largest_b)};
}

double blocks_cosine(blocks_of_two *w)
{
    const scales none = {1, 1};
    sums of = sum_products(w, &none);
    if (!is_ordinary(of.aa) || !is_ordinary(of.bb)) { /* numbers near 1e200, or near 1e-200 */
        scales found = find_scales(w);
        of = sum_products(w, &found);
    }
    double aa = joined(of.aa), bb = joined(of.bb);
    return aa == 0 || bb == 0 ? (double)NAN : joined(of.ab) / sqrt(aa) / sqrt(bb);
}
