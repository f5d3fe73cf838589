#include "compare/measure.h"

#include <string.h>

/* ---- tolerances ---- */

bool tolerance_admits(const tolerance *t, number_type type, double a, double b)
{
    if (a == b)
        return true;
    if (isnan(a) && isnan(b))
        return t->equal_nan;
    if (!isfinite(a) || !isfinite(b))
        return false;
    return is_close(t->atol, t->rtol, a, b) || (t->has_ulps && ulps_between(type, a, b) <= t->ulps);
}

/* Both start from the quotient or difference, which rounding may have made a little too small. */

double tolerance_least_atol(const tolerance *t, double a, double b)
{
    if (is_close(0, t->rtol, a, b))
        return 0;
    double atol = fabs(a - b) - t->rtol * fabs(b);
    while (!is_close(atol, t->rtol, a, b))
        atol = nextafter(atol, (double)INFINITY);
    return atol;
}

double tolerance_least_rtol(const tolerance *t, double a, double b)
{
    if (is_close(t->atol, 0, a, b))
        return 0;
    if (b == 0)
        return (double)INFINITY;
    double rtol = (fabs(a - b) - t->atol) / fabs(b);
    while (!is_close(t->atol, rtol, a, b))
        rtol = nextafter(rtol, (double)INFINITY);
    return rtol;
}

/* ---- two matrices of one shape, walked a block at a time ---- */

/* Elements of a block: with both as float64, 32 KB, which the nearest cache holds. Loops over whole
 * blocks have this constant, so that compilers use vectors. */
enum { BLOCK = 2048 };

typedef struct blocks_of_two {
    measured_side a, b;
    number_type type;
    size_t total;
    bool may_be_same; /* equal bytes mean equal numbers */
    double value_a[BLOCK], value_b[BLOCK];
} blocks_of_two;

static bool is_contiguous(const tensor *t)
{
    ptrdiff_t expected = 1;
    for (int axis = t->rank - 1; axis >= 0; axis--) {
        if (t->size[axis] > 1 && t->stride[axis] != expected)
            return false;
        expected *= (ptrdiff_t)t->size[axis];
    }
    return true;
}

static void widen_f32(const float *from, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (double)from[i];
}

/* Whether a side may hold numbers that the type can't. */
static bool needs_rounding(measured_side from, number_type type)
{
    bool is_narrow = type == NUMBER_F64 || (type == NUMBER_F32 && from.of->type == DTYPE_F32);
    return from.is_text && !is_narrow;
}

/* A number too large for the type stays as it is: rounded, it would equal an infinity. */
static double rounded_to(number_type type, double value)
{
    double rounded = number_round(type, value);
    return isfinite(rounded) ? rounded : value;
}

/* Reads elements, and rounds them if they are text. */
static void load(measured_side of, number_type type, size_t first, size_t count, double *out)
{
    const tensor *t = of.of;
    if (!is_contiguous(t)) {
        size_t index[TENSOR_MAX_RANK], left = first;
        for (int axis = t->rank - 1; axis >= 0; axis--) {
            index[axis] = left % t->size[axis];
            left /= t->size[axis];
        }
        for (size_t i = 0; i < count; i++) {
            out[i] = tensor_get(t, index);
            tensor_next(t, index);
        }
    } else if (t->type == DTYPE_F64) {
        memcpy(out, (const double *)t->data + first, count * sizeof out[0]);
    } else if (t->type == DTYPE_F32) {
        const float *from = (const float *)t->data + first;
        if (count == BLOCK)
            widen_f32(from, BLOCK, out);
        else
            widen_f32(from, count, out);
    } else {
        const unsigned char *from = (const unsigned char *)t->data + first;
        for (size_t i = 0; i < count; i++)
            out[i] = from[i];
    }
    for (size_t i = 0; needs_rounding(of, type) && i < count; i++)
        out[i] = rounded_to(type, out[i]);
}

static bool has_nan_f32(const float *at, size_t count)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found |= at[i] != at[i];
    return found != 0;
}

static bool has_nan_f64(const double *at, size_t count)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found |= at[i] != at[i];
    return found != 0;
}

/* How many elements are left from `first` on: at most a block. */
static size_t blocks_count(const blocks_of_two *w, size_t first)
{
    size_t left = w->total - first;
    return left < BLOCK ? left : BLOCK;
}

/* Whether both sides have the same bytes, and no NaN among them. Most blocks do, and are compared
 * at the speed of memory. */
static bool blocks_are_same(const blocks_of_two *w, size_t first, size_t count)
{
    if (!w->may_be_same)
        return false;
    size_t size = dtype_size(w->a.of->type);
    const char *a = (const char *)w->a.of->data + first * size;
    const char *b = (const char *)w->b.of->data + first * size;
    if (memcmp(a, b, count * size) != 0)
        return false;
    if (w->a.of->type == DTYPE_F32)
        return !(count == BLOCK ? has_nan_f32((const void *)a, BLOCK)
                                : has_nan_f32((const void *)a, count));
    if (w->a.of->type == DTYPE_F64)
        return !(count == BLOCK ? has_nan_f64((const void *)a, BLOCK)
                                : has_nan_f64((const void *)a, count));
    return true;
}

/* ---- the cosine between them ---- */

/* Term i goes to partial sum i mod LANES, so that additions need not wait for each other, and the
 * order is the same on every machine. */
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

/* The sums when both sides are the same. */
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

/* Powers of two by which the numbers of each side are multiplied first. */
typedef struct scales {
    double a, b;
} scales;

/* Sums that are not finite met a number that is not finite, or a square too large for float64. */
static sums block_products(blocks_of_two *w, size_t first, const scales *by)
{
    double *a = w->value_a, *b = w->value_b;
    size_t count = blocks_count(w, first);
    fill_up(a, count);
    fill_up(b, count);
    load(w->a, w->type, first, count, w->value_a);
    scale_by(a, by->a);
    if (by->a == by->b && blocks_are_same(w, first, count)) {
        sums of = squares_of(a);
        if (isfinite(joined(of.aa)))
            return of;
    }
    load(w->b, w->type, first, count, w->value_b);
    scale_by(b, by->b);
    sums of = products_of(a, b);
    if (isfinite(joined(of.aa)) && isfinite(joined(of.bb)))
        return of;
    /* A pair with a number that is not finite counts on neither side. */
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

/* Whether float64 holds these squares with all their digits. */
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

/* Σab / √(Σa²·Σb²) over finite pairs; a NaN where one side is all zeros. */
static double blocks_cosine(blocks_of_two *w)
{
    const scales none = {1, 1};
    sums of = sum_products(w, &none);
    if (!is_ordinary(of.aa) || !is_ordinary(of.bb)) { /* numbers near 1e200, or near 1e-200 */
        double largest_a = 0, largest_b = 0;
        for (size_t first = 0; first < w->total; first += BLOCK) {
            size_t count = blocks_count(w, first);
            load(w->a, w->type, first, count, w->value_a);
            load(w->b, w->type, first, count, w->value_b);
            largest_a = largest_finite(w->value_a, count, largest_a);
            largest_b = largest_finite(w->value_b, count, largest_b);
        }
        const scales found = {scale_of(largest_a), scale_of(largest_b)};
        of = sum_products(w, &found);
    }
    return joined(of.ab) / sqrt(joined(of.aa)) / sqrt(joined(of.bb));
}

/* ---- numbers that differ ---- */

static void add_unequal(number_type type, const tolerance *by, size_t number, double a, double b,
                        measurement *m)
{
    m->unequal++;
    if (!isfinite(a) || !isfinite(b)) {
        m->most_absolute = m->most_relative = (double)INFINITY;
        m->least_atol = m->least_rtol = (double)INFINITY;
        m->most_ulps = ULPS_INFINITE;
    } else {
        double absolute = fabs(a - b);
        double relative = b == 0 ? (double)INFINITY : absolute / fabs(b);
        uint64_t ulps = ulps_between(type, a, b);
        if (absolute > m->most_absolute)
            m->most_absolute = absolute;
        if (relative > m->most_relative)
            m->most_relative = relative;
        if (ulps > m->most_ulps)
            m->most_ulps = ulps;
        if (by->has_ulps && ulps <= by->ulps)
            return;
        /* The tolerance so far is kept if it is enough: trying it costs less than finding the
         * least. */
        if (!is_close(m->least_atol, by->rtol, a, b))
            m->least_atol = tolerance_least_atol(by, a, b);
        if (!is_close(by->atol, m->least_rtol, a, b))
            m->least_rtol = tolerance_least_rtol(by, a, b);
        if (is_close(by->atol, by->rtol, a, b))
            return;
    }
    if (m->different++ == 0) {
        m->first = number;
        m->first_a = a;
        m->first_b = b;
    }
}

static bool is_hole(measured_side from, double value)
{
    return from.is_text && tensor_is_hole(value);
}

/* A hole is left out if both sides have one, or if its side did not write all numbers down. */
static bool is_left_out(measured_side from_a, measured_side from_b, double a, double b)
{
    bool is_hole_a = is_hole(from_a, a), is_hole_b = is_hole(from_b, b);
    return (is_hole_a && (is_hole_b || from_a.has_unprinted)) ||
           (is_hole_b && from_b.has_unprinted);
}

static bool are_equal_nans(const tolerance *by, double a, double b)
{
    return by->equal_nan && isnan(a) && isnan(b) && tensor_is_hole(a) == tensor_is_hole(b);
}

measurement measure(measured_side a, measured_side b, number_type type, const tolerance *by)
{
    blocks_of_two w;
    measurement m = {.cosine = 1};
    w.a = a;
    w.b = b;
    w.type = type;
    w.total = tensor_count(a.of);
    w.may_be_same = a.of->type == b.of->type && is_contiguous(a.of) && is_contiguous(b.of);
    m.count = w.total;
    for (size_t first = 0; first < w.total; first += BLOCK) {
        size_t count = blocks_count(&w, first);
        if (blocks_are_same(&w, first, count))
            continue;
        load(a, type, first, count, w.value_a);
        load(b, type, first, count, w.value_b);
        /* The fast case: no NaN, hence no hole either, and no two numbers too far apart. One loop
         * without a branch. */
        unsigned apart = 0;
        for (size_t i = 0; i < count; i++)
            apart |= !(w.value_a[i] == w.value_b[i]);
        for (size_t i = 0; apart != 0 && i < count; i++) {
            double one = w.value_a[i], other = w.value_b[i];
            if (one == other)
                continue;
            if (is_left_out(a, b, one, other))
                m.count--;
            else if (!are_equal_nans(by, one, other))
                add_unequal(type, by, first + i, one, other, &m);
        }
    }
    if (m.unequal > 0)
        m.cosine = blocks_cosine(&w);
    return m;
}

double measure_value(measured_side from, number_type type, const size_t *index)
{
    double value = tensor_get(from.of, index);
    return needs_rounding(from, type) ? rounded_to(type, value) : value;
}

bool measure_is_same(measured_side a, measured_side b, const tolerance *by, double value_a,
                     double value_b)
{
    return value_a == value_b || is_left_out(a, b, value_a, value_b) ||
           are_equal_nans(by, value_a, value_b);
}

bool measure_align(const tensor *a, const tensor *b, tensor *view_a, tensor *view_b)
{
    *view_a = tensor_view_of(a);
    *view_b = tensor_view_of(b);
    tensor *longer = a->rank > b->rank ? view_a : view_b;
    int rank = a->rank < b->rank ? a->rank : b->rank;
    while (longer->rank > rank && longer->size[0] == 1)
        *longer = tensor_at(longer, 0);
    return tensor_same_shape(view_a, view_b);
}
