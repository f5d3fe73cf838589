#include "io/element.h"

#include "base/float_bits.h"
#include "io/number_write.h"
#include "tensor/narrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum family { IEEE_FLOAT, BRAIN_FLOAT, SIGNED_INTEGER, UNSIGNED_INTEGER } family;

static const struct {
    size_t size;
    family family;
} TYPES[] = {
    [ELEMENT_F64] = {8, IEEE_FLOAT},        [ELEMENT_F32] = {4, IEEE_FLOAT},
    [ELEMENT_F16] = {2, IEEE_FLOAT},        [ELEMENT_BF16] = {2, BRAIN_FLOAT},
    [ELEMENT_I64] = {8, SIGNED_INTEGER},    [ELEMENT_I32] = {4, SIGNED_INTEGER},
    [ELEMENT_I16] = {2, SIGNED_INTEGER},    [ELEMENT_I8] = {1, SIGNED_INTEGER},
    [ELEMENT_U64] = {8, UNSIGNED_INTEGER},  [ELEMENT_U32] = {4, UNSIGNED_INTEGER},
    [ELEMENT_U16] = {2, UNSIGNED_INTEGER},  [ELEMENT_U8] = {1, UNSIGNED_INTEGER},
    [ELEMENT_BOOL] = {1, UNSIGNED_INTEGER},
};

size_t element_size(element_type type)
{
    return TYPES[type].size;
}

bool element_order_is_native(element_type type, bool is_big_endian)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return TYPES[type].size == 1 || is_big_endian == (first == 0);
}

/* ---- bytes to bits: one loop a width, without a branch that depends on the element ---- */

static void gather(element_type type, bool is_big_endian, const char *at, size_t count,
                   uint64_t *bits)
{
    bool swaps = !element_order_is_native(type, is_big_endian);
    switch (TYPES[type].size) {
    case 1:
        for (size_t i = 0; i < count; i++)
            bits[i] = (unsigned char)at[i];
        return;
    case 2:
        for (size_t i = 0; i < count; i++) {
            uint16_t one;
            memcpy(&one, at + i * sizeof one, sizeof one);
            bits[i] = swaps ? __builtin_bswap16(one) : one;
        }
        return;
    case 4:
        for (size_t i = 0; i < count; i++) {
            uint32_t one;
            memcpy(&one, at + i * sizeof one, sizeof one);
            bits[i] = swaps ? __builtin_bswap32(one) : one;
        }
        return;
    default:
        memcpy(bits, at, count * sizeof bits[0]);
        for (size_t i = 0; swaps && i < count; i++)
            bits[i] = __builtin_bswap64(bits[i]);
    }
}

/* ---- bits to float64 ---- */

static void widen_floats(element_type type, const uint64_t *bits, size_t count, double *out)
{
    for (size_t i = 0; type == ELEMENT_F32 && i < count; i++)
        out[i] = (double)float32_of_bits((uint32_t)bits[i]);
    for (size_t i = 0; type == ELEMENT_BF16 && i < count; i++)
        out[i] = (double)narrow_bf16((uint16_t)bits[i]);
    for (size_t i = 0; type == ELEMENT_F16 && i < count; i++)
        out[i] = (double)narrow_f16((uint16_t)bits[i]);
    if (type == ELEMENT_F64)
        memcpy(out, bits, count * sizeof out[0]);
}

/* Shifting a negative number right keeps its sign with every compiler that builds this. */
static int64_t extend_sign(uint64_t bits, size_t size)
{
    unsigned unused = 64 - 8 * (unsigned)size;
    return (int64_t)(bits << unused) >> unused;
}

/* True where the bits from the first 1 to the last are at most the 53 of a float64. */
static bool is_exact(uint64_t magnitude)
{
    return magnitude >> 53 == 0 || magnitude >> __builtin_ctzll(magnitude) >> 53 == 0;
}

size_t element_load(element_type type, bool is_big_endian, const char *bytes, size_t count,
                    double out[ELEMENT_RUN])
{
    uint64_t bits[ELEMENT_RUN];
    size_t i = 0;
    gather(type, is_big_endian, bytes, count, bits);
    switch (TYPES[type].family) {
    case UNSIGNED_INTEGER:
        for (; i < count && is_exact(bits[i]); i++)
            out[i] = (double)bits[i];
        return i;
    case SIGNED_INTEGER:
        for (; i < count; i++) {
            int64_t value = extend_sign(bits[i], TYPES[type].size);
            if (!is_exact(value < 0 ? 0 - (uint64_t)value : (uint64_t)value))
                break;
            out[i] = (double)value;
        }
        return i;
    default:
        widen_floats(type, bits, count, out);
        return count;
    }
}

const char *element_text(element_type type, bool is_big_endian, const char *bytes,
                         char out[ELEMENT_TEXT])
{
    uint64_t bits;
    double value;
    gather(type, is_big_endian, bytes, 1, &bits);
    switch (TYPES[type].family) {
    case UNSIGNED_INTEGER:
        snprintf(out, ELEMENT_TEXT, "%" PRIu64, bits);
        return out;
    case SIGNED_INTEGER:
        snprintf(out, ELEMENT_TEXT, "%" PRId64, extend_sign(bits, TYPES[type].size));
        return out;
    default:
        widen_floats(type, &bits, 1, &value);
        if (type == ELEMENT_F64)
            number_write_f64(value, out);
        else
            number_write_f32((float)value, out);
        return out;
    }
}

/* ---- bytes to be written ---- */

element_bytes element_bytes_of(const tensor *t)
{
    return (element_bytes){.of = tensor_view_of(t)};
}

/* How many elements lie one after the other from the index on. */
static size_t dense_count(const tensor *t, const size_t *index)
{
    /* The axis from which on they do: rank where not even rows do. */
    int axis = t->rank;
    ptrdiff_t step = 1;
    while (axis > 0 && t->stride[axis - 1] == step)
        step *= (ptrdiff_t)t->size[--axis];
    size_t count = 1, before = 0;
    for (; axis < t->rank; axis++) {
        count *= t->size[axis];
        before = before * t->size[axis] + index[axis];
    }
    return count - before;
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

bool element_bytes_next(element_bytes *b)
{
    const tensor *t = &b->of;
    size_t element = dtype_size(t->type);
    b->length = 0;
    while (!b->is_done && b->length < ELEMENT_BYTES) {
        size_t count = dense_count(t, b->index), room = (ELEMENT_BYTES - b->length) / element;
        if (count > room)
            count = room;
        ptrdiff_t offset = 0;
        for (int axis = 0; axis < t->rank; axis++)
            offset += t->stride[axis] * (ptrdiff_t)b->index[axis];
        memcpy(b->run + b->length, (const char *)t->data + offset * (ptrdiff_t)element,
               count * element);
        b->length += count * element;
        /* The index moves on by as many; what the first axis can't take is beyond the last. */
        for (int axis = t->rank - 1; axis >= 0 && count > 0; axis--) {
            count += b->index[axis];
            b->index[axis] = count % t->size[axis];
            count /= t->size[axis];
        }
        b->is_done = count > 0;
    }
    make_canonical(b->run, b->length / element, t->type);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ /* files are little-endian */
    for (char *at = b->run; at < b->run + b->length; at += element) {
        for (size_t i = 0; i < element / 2; i++) {
            char byte = at[i];
            at[i] = at[element - 1 - i];
            at[element - 1 - i] = byte;
        }
    }
#endif
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
