#include "compare/blocks_of_two.h"

#include <math.h>

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

/* Both begin with the quotient or difference, which rounding may have left a little too small. */

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

/* No NaN, hence no hole either, and nothing apart: one loop without a branch. */
static bool is_equal(const blocks_of_two *w, size_t count)
{
    unsigned apart = 0;
    for (size_t i = 0; i < count; i++)
        apart |= !(w->value_a[i] == w->value_b[i]);
    return apart == 0;
}

/* ---- numbers that differ ---- */

/* Gives whether they are tolerated. */
static bool add_finite(number_type type, const tolerance *by, double a, double b, measurement *m)
{
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
        return true;
    /* A tolerance that is enough so far is kept: it is tried before a larger one is looked for. */
    if (!is_close(m->least_atol, by->rtol, a, b))
        m->least_atol = tolerance_least_atol(by, a, b);
    if (!is_close(by->atol, m->least_rtol, a, b))
        m->least_rtol = tolerance_least_rtol(by, a, b);
    return is_close(by->atol, by->rtol, a, b);
}

static void add_unequal(number_type type, const tolerance *by, size_t number, double a, double b,
                        measurement *m)
{
    m->unequal++;
    if (!isfinite(a) || !isfinite(b)) {
        m->most_absolute = m->most_relative = (double)INFINITY;
        m->least_atol = m->least_rtol = (double)INFINITY;
        m->most_ulps = ULPS_INFINITE;
    } else if (add_finite(type, by, a, b, m)) {
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

/* Nobody says what would have to be there. */
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

static void add_block(const blocks_of_two *w, const tolerance *by, size_t first, size_t count,
                      measurement *m)
{
    if (is_equal(w, count))
        return;
    for (size_t i = 0; i < count; i++) {
        double a = w->value_a[i], b = w->value_b[i];
        if (a == b)
            continue;
        if (is_left_out(w->a, w->b, a, b))
            m->count--;
        else if (!are_equal_nans(by, a, b))
            add_unequal(w->type, by, first + i, a, b, m);
    }
}

measurement measure(measured_side a, measured_side b, number_type type, const tolerance *by)
{
    blocks_of_two w;
    measurement m = {.cosine = 1};
    blocks_begin(&w, a, b, type);
    m.count = w.total;
    for (size_t first = 0; first < w.total; first += BLOCK) {
        size_t count = blocks_count(&w, first);
        if (blocks_are_same(&w, first, count))
            continue;
        blocks_load_a(&w, first, count);
        blocks_load_b(&w, first, count);
        add_block(&w, by, first, count, &m);
    }
    if (m.unequal > 0)
        m.cosine = blocks_cosine(&w);
    return m;
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
