#include "io/element_bytes.h"

#include "io/element.h"

#include <math.h>
#include <string.h>

element_bytes element_bytes_of(const tensor *t)
{
    return (element_bytes){.of = tensor_view_of(t)};
}

/* The axis from which on elements lie one after the other: rank where not even rows do. */
static int first_dense_axis(const tensor *t)
{
    ptrdiff_t step = 1;
    int axis = t->rank;
    while (axis > 0 && t->stride[axis - 1] == step)
        step *= (ptrdiff_t)t->size[--axis];
    return axis;
}

/* How many elements lie one after the other from the index on. */
static size_t dense_count(const tensor *t, const size_t *index)
{
    size_t count = 1;
    size_t before = 0;
    for (int axis = first_dense_axis(t); axis < t->rank; axis++) {
        count *= t->size[axis];
        before = before * t->size[axis] + index[axis];
    }
    return count - before;
}

/* Moves the index on by `count` elements; false after the last. */
static bool advance(const tensor *t, size_t *index, size_t count)
{
    for (int axis = t->rank - 1; axis >= 0 && count > 0; axis--) {
        count += index[axis];
        index[axis] = count % t->size[axis];
        count /= t->size[axis];
    }
    return count == 0;
}

static const char *address(const tensor *t, const size_t *index)
{
    ptrdiff_t offset = 0;
    for (int axis = 0; axis < t->rank; axis++)
        offset += t->stride[axis] * (ptrdiff_t)index[axis];
    return (const char *)t->data + offset * (ptrdiff_t)dtype_size(t->type);
}

static void make_canonical(char *run, size_t count, dtype type)
{
    const float narrow_nan = NAN;
    const double wide_nan = (double)NAN;
    for (size_t i = 0; type == DTYPE_F32 && i < count; i++) {
        float value;
        memcpy(&value, run + i * sizeof value, sizeof value);
        if (isnan(value))
            memcpy(run + i * sizeof value, &narrow_nan, sizeof value);
    }
    for (size_t i = 0; type == DTYPE_F64 && i < count; i++) {
        double value;
        memcpy(&value, run + i * sizeof value, sizeof value);
        if (isnan(value))
            memcpy(run + i * sizeof value, &wide_nan, sizeof value);
    }
}

static void reverse_each(char *run, size_t length, size_t element)
{
    for (char *at = run; at < run + length; at += element) {
        for (size_t i = 0; i < element / 2; i++) {
            char byte = at[i];
            at[i] = at[element - 1 - i];
            at[element - 1 - i] = byte;
        }
    }
}

bool element_bytes_next(element_bytes *b)
{
    const tensor *t = &b->of;
    size_t element = dtype_size(t->type);
    b->length = 0;
    while (!b->is_done && b->length < ELEMENT_BYTES) {
        size_t count = dense_count(t, b->index), room = (ELEMENT_BYTES - b->length) / element;
        if (count > room)
            count = room;
        memcpy(b->run + b->length, address(t, b->index), count * element);
        b->length += count * element;
        b->is_done = !advance(t, b->index, count);
    }
    make_canonical(b->run, b->length / element, t->type);
    if (!element_order_is_native(t->type == DTYPE_BOOL ? ELEMENT_BOOL : ELEMENT_F32, false))
        reverse_each(b->run, b->length, element);
    return b->length > 0;
}

bool element_bytes_write(const tensor *t, sink *out, err *e)
{
    element_bytes b = element_bytes_of(t);
    while (element_bytes_next(&b)) {
        text_add(sink_text(out), b.run, b.length);
        if (!sink_spill(out, e))
            return false;
    }
    return true;
}

bool element_bytes_check(const bundle *result, const char *what, err *e)
{
    for (size_t i = 0; i < result->count; i++) {
        const entry *one = &result->entry[i];
        if (one->kind != ENTRY_TENSOR) {
            err_at(e, &one->at, "'%s' can't be written as %s, which holds matrices only", one->name,
                   what);
            return err_remedy(e, "JSON holds everything");
        }
        if (tensor_has_hole(&one->tensor)) {
            err_at(e, &one->at, "'%s' has a hole (null), and %s has no way to write one", one->name,
                   what);
            return err_remedy(e, "JSON and CSV hold it");
        }
    }
    return true;
}
