#include "compare/blocks_of_two.h"

#include <math.h>
#include <string.h>

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

static void load_scattered(const tensor *t, size_t first, size_t count, double *out)
{
    size_t index[TENSOR_MAX_RANK];
    for (int axis = t->rank - 1; axis >= 0; axis--) {
        index[axis] = first % t->size[axis];
        first /= t->size[axis];
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = tensor_get(t, index);
        tensor_next(t, index);
    }
}

static void widen_f32(const float *from, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (double)from[i];
}

static void load(const tensor *t, size_t first, size_t count, double *out)
{
    if (!is_contiguous(t)) {
        load_scattered(t, first, count, out);
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
}

/* Whether what was read may be none of the type. */
static bool needs_rounding(measured_side from, number_type type)
{
    bool is_narrow = type == NUMBER_F64 || (type == NUMBER_F32 && from.of->type == DTYPE_F32);
    return from.is_text && !is_narrow;
}

/* What is too large for the type stays what it is, lest it equal an infinity. */
static double rounded_to(number_type type, double value)
{
    double rounded = number_round(type, value);
    return isfinite(rounded) ? rounded : value;
}

static void load_side(measured_side from, number_type type, size_t first, size_t count, double *out)
{
    load(from.of, first, count, out);
    if (!needs_rounding(from, type))
        return;
    for (size_t i = 0; i < count; i++)
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

void blocks_begin(blocks_of_two *w, measured_side a, measured_side b, number_type type)
{
    w->a = a;
    w->b = b;
    w->type = type;
    w->total = tensor_count(a.of);
    w->may_be_same =
        w->a.of->type == w->b.of->type && is_contiguous(w->a.of) && is_contiguous(w->b.of);
}

size_t blocks_count(const blocks_of_two *w, size_t first)
{
    size_t left = w->total - first;
    return left < BLOCK ? left : BLOCK;
}

void blocks_load_a(blocks_of_two *w, size_t first, size_t count)
{
    load_side(w->a, w->type, first, count, w->value_a);
}

void blocks_load_b(blocks_of_two *w, size_t first, size_t count)
{
    load_side(w->b, w->type, first, count, w->value_b);
}

bool blocks_are_same(const blocks_of_two *w, size_t first, size_t count)
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

double measure_value(measured_side from, number_type type, const size_t *index)
{
    double value = tensor_get(from.of, index);
    return needs_rounding(from, type) ? rounded_to(type, value) : value;
}
