#include "tensor/tensor.h"

#include "base/float_bits.h"
#include "base/mem.h"
#include "tensor/narrow.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *dtype_name(dtype type)
{
    static const char *const NAMES[] = {
        [DTYPE_F32] = "f32", [DTYPE_F64] = "f64",   [DTYPE_BOOL] = "bool",
        [DTYPE_F16] = "f16", [DTYPE_BF16] = "bf16", [DTYPE_F32_ANYWHERE] = "f32"};
    return NAMES[type];
}

bool dtype_is_narrower(dtype type, dtype than)
{
    return type != DTYPE_BOOL && (dtype_size(type) < dtype_size(than) ||
                                  (type == DTYPE_F32_ANYWHERE && than == DTYPE_F32));
}

bool sizes_count(int rank, const size_t *size, size_t *count)
{
    *count = 1;
    bool has_zero = false, fits = true;
    for (int axis = 0; axis < rank; axis++) {
        has_zero = has_zero || size[axis] == 0;
        fits = fits && size_mul(*count, size[axis], count);
    }
    if (has_zero)
        *count = 0;
    return fits || has_zero;
}

size_t tensor_bytes(dtype type, int rank, const size_t *size)
{
    size_t count;
    return sizes_count(rank, size, &count) ? size_product(count, dtype_size(type)) : SIZE_MAX;
}

static bool set_shape(tensor *t, dtype type, int rank, const size_t *size, size_t *count, err *e)
{
    char shape[SHAPE_TEXT];
    *t = (tensor){.type = type, .rank = rank};
    if (!sizes_count(rank, size, count) || *count > PTRDIFF_MAX / dtype_size(type))
        return err_set(e, "a matrix of %s elements is larger than an address can hold",
                       sizes_text(rank, size, shape));
    ptrdiff_t stride = 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        t->size[axis] = size[axis];
        t->stride[axis] = stride;
        if (size[axis] > 0 && *count > 0)
            stride *= (ptrdiff_t)size[axis];
    }
    return true;
}

bool tensor_new(tensor *t, dtype type, int rank, const size_t *size, err *e)
{
    size_t count;
    if (!set_shape(t, type, rank, size, &count, e))
        return false;
    t->data = mem_alloc(count, dtype_size(type), e);
    t->owns = t->data != NULL;
    return t->owns;
}

bool tensor_new_copy(tensor *t, const tensor *of, err *e)
{
    bool done = tensor_new(t, of->type, of->rank, of->size, e);
    if (done)
        tensor_copy(of, t);
    return done;
}

bool tensor_new_in(tensor *t, dtype type, int rank, const size_t *size, const void *data,
                   mapping *in, err *e)
{
    size_t count;
    if (!set_shape(t, type, rank, size, &count, e))
        return false;
    t->data = (void *)data; /* shared bytes are only read */
    t->file = mapping_share(in);
    return true;
}

void tensor_own(tensor *t, dtype type, int rank, const size_t *size, void *data)
{
    size_t count;
    err never = {0}; /* can't fail: the data are in memory, so their size fits an address */
    set_shape(t, type, rank, size, &count, &never);
    t->data = data;
    t->owns = true;
}

void tensor_free(tensor *t)
{
    if (t->owns)
        mem_free(t->data);
    mapping_release(t->file);
    t->rank = 0;
    t->data = NULL;
    t->owns = false;
    t->file = NULL;
}

tensor tensor_view_of(const tensor *t)
{
    tensor view = *t;
    view.owns = false;
    view.file = NULL;
    return view;
}

bool tensor_borrows(const tensor *t)
{
    return !t->owns && t->file == NULL;
}

/* Written out, so that the compiler builds the result in place: it is called for every row, and
 * building a tensor elsewhere and copying it takes five times as long. */
tensor tensor_at(const tensor *t, size_t index)
{
    _Static_assert(TENSOR_MAX_RANK == 5, "as many axes move as there are");
    const size_t *n = t->size;
    const ptrdiff_t *step = t->stride;
    return (tensor){.type = t->type,
                    .rank = t->rank - 1,
                    .size = {n[1], n[2], n[3], n[4], 0},
                    .stride = {step[1], step[2], step[3], step[4], 0},
                    .data = (char *)t->data +
                            step[0] * (ptrdiff_t)index * (ptrdiff_t)dtype_size(t->type)};
}

tensor tensor_transposed(const tensor *t)
{
    tensor view = tensor_view_of(t);
    int row = t->rank - 2, column = t->rank - 1;
    view.size[row] = t->size[column];
    view.size[column] = t->size[row];
    view.stride[row] = t->stride[column];
    view.stride[column] = t->stride[row];
    return view;
}

tensor tensor_range(const tensor *t, int axis, size_t first, size_t count)
{
    const size_t *n = t->size;
    const ptrdiff_t *step = t->stride;
    ptrdiff_t skip = step[axis] * (ptrdiff_t)first * (ptrdiff_t)dtype_size(t->type);
    return (tensor){.type = t->type,
                    .rank = t->rank,
                    .size = {axis == 0 ? count : n[0], axis == 1 ? count : n[1],
                             axis == 2 ? count : n[2], axis == 3 ? count : n[3],
                             axis == 4 ? count : n[4]},
                    .stride = {step[0], step[1], step[2], step[3], step[4]},
                    .data = (char *)t->data + skip};
}

size_t tensor_count(const tensor *t)
{
    size_t count = 1;
    for (int axis = 0; axis < t->rank; axis++)
        count *= t->size[axis];
    return count;
}

static ptrdiff_t offset_of(const tensor *t, const size_t *index)
{
    ptrdiff_t offset = 0;
    for (int axis = 0; axis < t->rank; axis++)
        offset += t->stride[axis] * (ptrdiff_t)index[axis];
    return offset;
}

static double element_at(const tensor *t, ptrdiff_t offset)
{
    const char *at = (const char *)t->data + offset * (ptrdiff_t)dtype_size(t->type);
    uint16_t half; /* of a file, at any address */
    float one;
    switch (t->type) {
    case DTYPE_F32:
        return (double)((const float *)t->data)[offset];
    case DTYPE_F64:
        return ((const double *)t->data)[offset];
    case DTYPE_F16:
        memcpy(&half, at, sizeof half);
        return (double)narrow_f16(half);
    case DTYPE_BF16:
        memcpy(&half, at, sizeof half);
        return (double)narrow_bf16(half);
    case DTYPE_F32_ANYWHERE:
        memcpy(&one, at, sizeof one);
        return (double)one;
    default:
        return ((const unsigned char *)t->data)[offset];
    }
}

double tensor_get(const tensor *t, const size_t *index)
{
    return element_at(t, offset_of(t, index));
}

void tensor_set(tensor *t, const size_t *index, double value)
{
    ptrdiff_t offset = offset_of(t, index);
    switch (t->type) {
    case DTYPE_F32:
        ((float *)t->data)[offset] = (float)value;
        return;
    case DTYPE_F64:
        ((double *)t->data)[offset] = value;
        return;
    default:
        ((unsigned char *)t->data)[offset] = value != 0;
    }
}

bool tensor_next(const tensor *t, size_t *index)
{
    for (int axis = t->rank - 1; axis >= 0; axis--) {
        if (++index[axis] < t->size[axis])
            return true;
        index[axis] = 0;
    }
    return false;
}

size_t tensor_get_run(const tensor *t, const size_t *index, double out[TENSOR_RUN])
{
    const ptrdiff_t offset = offset_of(t, index), step = t->rank == 0 ? 0 : t->stride[t->rank - 1];
    const size_t left = t->rank == 0 ? 1 : t->size[t->rank - 1] - index[t->rank - 1];
    const size_t count = left < TENSOR_RUN ? left : TENSOR_RUN;
    for (size_t i = 0; t->type == DTYPE_F32 && i < count; i++)
        out[i] = (double)((const float *)t->data)[offset + step * (ptrdiff_t)i];
    for (size_t i = 0; t->type != DTYPE_F32 && i < count; i++)
        out[i] = element_at(t, offset + step * (ptrdiff_t)i);
    return count;
}

bool tensor_next_run(const tensor *t, size_t *index, size_t count)
{
    if (t->rank > 0)
        index[t->rank - 1] += count - 1;
    return tensor_next(t, index);
}

double tensor_greatest(const tensor *t)
{
    size_t at[TENSOR_MAX_RANK] = {0}, count;
    double greatest = 0, run[TENSOR_RUN];
    do {
        count = tensor_get_run(t, at, run);
        for (size_t i = 0; i < count; i++) {
            double size = fabs(run[i]);
            greatest = size > greatest && size <= DBL_MAX ? size : greatest;
        }
    } while (tensor_next_run(t, at, count));
    return greatest;
}

tensor tensor_flat(const tensor *t)
{
    return (tensor){
        .type = t->type, .rank = 1, .size = {tensor_count(t)}, .stride = {1}, .data = t->data};
}

tensor tensor_seen_as(const tensor *t, const tensor *view, const tensor *of)
{
    tensor like = *view;
    like.type = t->type;
    like.data = t->data;
    like.owns = false;
    like.file = NULL;
    for (int axis = 0; axis < view->rank; axis++) {
        like.stride[axis] = 0;
        for (int one = 0; one < of->rank && view->stride[axis] != 0; one++) {
            if (of->stride[one] == view->stride[axis])
                like.stride[axis] = t->stride[one];
        }
    }
    return like;
}

void tensor_copy(const tensor *from, tensor *to)
{
    size_t bytes = dtype_size(from->type);
    bool is_widened = from->type != to->type;
    if (from->rank == 0 && is_widened) {
        tensor_set(to, NULL, tensor_get(from, NULL));
        return;
    }
    if (from->rank == 0) {
        memcpy(to->data, from->data, bytes);
        return;
    }
    if (from->rank == 1 && !is_widened && from->stride[0] == 1 && to->stride[0] == 1) {
        memcpy(to->data, from->data, from->size[0] * bytes);
        return;
    }
    if (from->rank > 1 || !is_widened) {
        for (size_t i = 0; i < from->size[0]; i++) {
            tensor part = tensor_at(from, i), into = tensor_at(to, i);
            tensor_copy(&part, &into);
        }
        return;
    }
    for (size_t i = 0; i < from->size[0]; i++) {
        double value = element_at(from, from->stride[0] * (ptrdiff_t)i);
        ptrdiff_t at = to->stride[0] * (ptrdiff_t)i;
        if (to->type == DTYPE_F64)
            ((double *)to->data)[at] = value;
        else
            ((float *)to->data)[at] = (float)value;
    }
}

bool tensor_widen(tensor *t, dtype type, err *e)
{
    tensor wide;
    if (!dtype_is_narrower(t->type, type))
        return true;
    if (!tensor_new(&wide, type, t->rank, t->size, e))
        return false;
    tensor_copy(t, &wide);
    tensor_free(t);
    *t = wide;
    return true;
}

/* Elements that are judged at a time: a constant, so that compilers use vectors. */
enum { FINITE_CHUNK = 256 };

static bool all_finite_f32(const float *at, size_t n)
{
    uint32_t sums = 0;
    for (size_t i = 0; i < n; i++)
        sums |= float32_past_range(at[i]);
    return sums >> 31 == 0;
}

static bool all_finite_f64(const double *at, size_t n)
{
    uint64_t sums = 0;
    for (size_t i = 0; i < n; i++)
        sums |= float64_past_range(at[i]);
    return sums >> 63 == 0;
}

/* Whole results go through here, in rows without gaps: those are fast. Other rows are judged number
 * by number. */
static bool row_is_finite(const tensor *row)
{
    bool is_plain = row->stride[0] == 1 && (row->type == DTYPE_F32 || row->type == DTYPE_F64);
    const float *narrow = row->data;
    const double *wide = row->data;
    for (size_t i = 0; is_plain && i < row->size[0]; i += FINITE_CHUNK) {
        size_t left = row->size[0] - i;
        bool is_whole = left >= FINITE_CHUNK;
        if (!(row->type == DTYPE_F32 ? (is_whole ? all_finite_f32(narrow + i, FINITE_CHUNK)
                                                 : all_finite_f32(narrow + i, left))
              : is_whole             ? all_finite_f64(wide + i, FINITE_CHUNK)
                                     : all_finite_f64(wide + i, left)))
            return false;
    }
    return is_plain;
}

static bool find_nonfinite(const tensor *t, size_t *index)
{
    if (t->rank == 1 && row_is_finite(t))
        return false;
    for (index[0] = 0; t->rank > 0 && index[0] < t->size[0]; index[0]++) {
        tensor part = tensor_at(t, index[0]);
        if (t->rank == 1 ? !isfinite(tensor_get(&part, NULL)) : find_nonfinite(&part, index + 1))
            return true;
    }
    return t->rank == 0 && !isfinite(tensor_get(t, NULL));
}

bool tensor_is_finite(const tensor *t, size_t index[TENSOR_MAX_RANK])
{
    memset(index, 0, TENSOR_MAX_RANK * sizeof index[0]);
    /* Axes without gaps between them count as one long row: a small matrix may have more rows than
     * numbers in a row. The stride of an axis of size 1 does not matter. */
    size_t count = 1;
    int axis = t->rank;
    while (axis > 0 && (t->size[axis - 1] == 1 || t->stride[axis - 1] == (ptrdiff_t)count))
        count *= t->size[--axis];
    tensor row = {.type = t->type, .rank = 1, .size = {count}, .stride = {1}, .data = t->data};
    return (axis == 0 && row_is_finite(&row)) || !find_nonfinite(t, index);
}

bool tensor_same_shape(const tensor *a, const tensor *b)
{
    return a->rank == b->rank && memcmp(a->size, b->size, (size_t)a->rank * sizeof a->size[0]) == 0;
}

const char *sizes_text(int rank, const size_t *size, char out[SHAPE_TEXT])
{
    size_t length = 0;
    snprintf(out, SHAPE_TEXT, "a number");
    for (int axis = 0; axis < rank; axis++) {
        const char *join = axis == 0 ? "" : " x ";
        length += (size_t)snprintf(out + length, SHAPE_TEXT - length, "%s%zu", join, size[axis]);
    }
    if (rank == 1)
        snprintf(out + length, SHAPE_TEXT - length, " long");
    return out;
}

const char *tensor_shape_text(const tensor *t, char out[SHAPE_TEXT])
{
    return sizes_text(t->rank, t->size, out);
}

bool tensor_suggest_row(const tensor *list, err *e)
{
    enum { MOST_SHOWN = 4 };
    char row[32 * MOST_SHOWN] = "";
    size_t count = list->rank == 1 ? list->size[0] : 0, length = 0;
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++)
        length += (size_t)snprintf(row + length, sizeof row - length, "%s%g", i == 0 ? "" : ", ",
                                   tensor_get(list, &i));
    if (count > 0)
        err_remedy(e, "one row is [[%s%s]]", row, count > MOST_SHOWN ? ", …" : "");
    return false;
}

/* A quiet NaN whose payload begins with "ho" and fits float32's: narrowed and widened again, it is
 * the same. */
static const uint64_t HOLE_BITS = 0x7ff8686f60000000;

double tensor_hole(void)
{
    double hole;
    memcpy(&hole, &HOLE_BITS, sizeof hole);
    return hole;
}

bool tensor_is_hole(double value)
{
    return memcmp(&value, &HOLE_BITS, sizeof value) == 0;
}

bool tensor_has_hole(const tensor *t)
{
    size_t index[TENSOR_MAX_RANK];
    if (t->type != DTYPE_F64 || tensor_is_finite(t, index))
        return false;
    do {
        if (tensor_is_hole(tensor_get(t, index)))
            return true;
    } while (tensor_next(t, index));
    return false;
}
