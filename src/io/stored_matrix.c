#include "io/stored_matrix.h"

#include "base/float_bits.h"
#include "base/mem.h"
#include "io/number_write.h"
#include "tensor/narrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- elements ---- */

/* clang-format off */
const element_row ELEMENTS[ELEMENT_TYPES] = {
    [ELEMENT_F64] = {8, IEEE_FLOAT, DTYPE_F64, "F64", "<f8", ">f8"},
    [ELEMENT_F32] = {4, IEEE_FLOAT, DTYPE_F32, "F32", "<f4", ">f4"},
    [ELEMENT_F16] = {2, IEEE_FLOAT, DTYPE_F16, "F16", "<f2", ">f2"},
    [ELEMENT_BF16] = {2, BRAIN_FLOAT, DTYPE_BF16, "BF16", NULL, NULL},
    [ELEMENT_I64] = {8, SIGNED_INTEGER, DTYPE_BOOL, "I64", "<i8", ">i8"},
    [ELEMENT_I32] = {4, SIGNED_INTEGER, DTYPE_BOOL, "I32", "<i4", ">i4"},
    [ELEMENT_I16] = {2, SIGNED_INTEGER, DTYPE_BOOL, "I16", "<i2", ">i2"},
    [ELEMENT_I8] = {1, SIGNED_INTEGER, DTYPE_BOOL, "I8", "|i1", "|i1"},
    [ELEMENT_U64] = {8, UNSIGNED_INTEGER, DTYPE_BOOL, "U64", "<u8", ">u8"},
    [ELEMENT_U32] = {4, UNSIGNED_INTEGER, DTYPE_BOOL, "U32", "<u4", ">u4"},
    [ELEMENT_U16] = {2, UNSIGNED_INTEGER, DTYPE_BOOL, "U16", "<u2", ">u2"},
    [ELEMENT_U8] = {1, UNSIGNED_INTEGER, DTYPE_BOOL, "U8", "|u1", "|u1"},
    [ELEMENT_BOOL] = {1, UNSIGNED_INTEGER, DTYPE_BOOL, "BOOL", "|b1", "|b1"},
};
/* clang-format on */

static const bool IS_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

bool element_order_is_native(element_type type, bool is_big_endian)
{
    return ELEMENTS[type].size == 1 || is_big_endian == IS_BIG_ENDIAN;
}

/* ---- bytes to bits: one loop a width, without a branch that depends on the element ---- */

/* Called with a constant size, so that each copy is one move. Big-endian bytes end up at the upper
 * end of 64 bits. */
static inline void gather_of(size_t size, bool is_big_endian, const char *at, size_t count,
                             uint64_t *bits)
{
    bool swaps = is_big_endian != IS_BIG_ENDIAN;
    unsigned unused = is_big_endian ? 64 - 8 * (unsigned)size : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t one = 0;
        memcpy(&one, at + i * size, size);
        bits[i] = (swaps ? __builtin_bswap64(one) : one) >> unused;
    }
}

static void gather(element_type type, bool is_big_endian, const char *at, size_t count,
                   uint64_t *bits)
{
    if (ELEMENTS[type].size == 1)
        gather_of(1, is_big_endian, at, count, bits);
    else if (ELEMENTS[type].size == 2)
        gather_of(2, is_big_endian, at, count, bits);
    else if (ELEMENTS[type].size == 4)
        gather_of(4, is_big_endian, at, count, bits);
    else
        gather_of(8, is_big_endian, at, count, bits);
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
    switch (ELEMENTS[type].family) {
    case UNSIGNED_INTEGER:
        for (; i < count && is_exact(bits[i]); i++)
            out[i] = (double)bits[i];
        return i;
    case SIGNED_INTEGER:
        for (; i < count; i++) {
            int64_t value = extend_sign(bits[i], ELEMENTS[type].size);
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

/* ---- bytes to be written ---- */

uint64_t little_read(const char *at, size_t bytes)
{
    uint64_t number = 0;
    while (bytes-- > 0)
        number = number << 8 | (unsigned char)at[bytes];
    return number;
}

void little_write(text *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        text_add(to, &(char){(char)(number >> 8 * i & 255)}, 1);
}

bool element_bytes_next(element_bytes *b)
{
    const tensor *t = &b->of;
    size_t element = dtype_size(t->type);
    b->length = 0;
    while (!b->is_done && b->length < ELEMENT_BYTES) {
        /* How many elements are contiguous from the index on: those of the last axes that have no
         * gaps; none if even rows have gaps. */
        int dense = t->rank;
        ptrdiff_t step = 1, offset = 0;
        while (dense > 0 && t->stride[dense - 1] == step)
            step *= (ptrdiff_t)t->size[--dense];
        size_t count = 1, before = 0, room = (ELEMENT_BYTES - b->length) / element;
        for (; dense < t->rank; dense++) {
            count *= t->size[dense];
            before = before * t->size[dense] + b->index[dense];
        }
        count = count - before > room ? room : count - before;
        for (int axis = 0; axis < t->rank; axis++)
            offset += t->stride[axis] * (ptrdiff_t)b->index[axis];
        memcpy(b->run + b->length, (const char *)t->data + offset * (ptrdiff_t)element,
               count * element);
        b->length += count * element;
        /* Moves the index on by as many; a carry out of the first axis means the end. */
        for (int axis = t->rank - 1; axis >= 0 && count > 0; axis--) {
            count += b->index[axis];
            b->index[axis] = count % t->size[axis];
            count /= t->size[axis];
        }
        b->is_done = count > 0;
    }
    for (size_t i = 0; t->type == DTYPE_F32 && i < b->length / element; i++)
        b->f32[i] = isnan(b->f32[i]) ? NAN : b->f32[i];
    for (size_t i = 0; t->type == DTYPE_F64 && i < b->length / element; i++)
        b->f64[i] = isnan(b->f64[i]) ? (double)NAN : b->f64[i];
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
    element_bytes b = {.of = tensor_view_of(t)};
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

/* ---- matrices ---- */

/* One matrix on its way into a tensor. */
typedef struct matrix_job {
    const stored_matrix *from;
    key_kind kind;
    dtype type; /* of the tensor */
    bool allow_nonfinite;
    size_t count, bytes;
} matrix_job;

struct unseen_matrix {
    stored_matrix from;
    matrix_job as;
    mapping *in;
};

/* ---- elements that can't be read ---- */

/* Without a value, the element is an integer that float64 can't hold. The words are those of
 * csv_cells.c. */
static bool refuse(const matrix_job *j, size_t number, const double *value, err *e)
{
    static const char *const AXES[] = {"column", "row", "matrix", "block", "batch"};
    const stored_matrix *m = j->from;
    size_t offset = number * ELEMENTS[m->type].size, index[TENSOR_MAX_RANK];
    place at = m->at;
    at.byte += offset;
    /* The element as a message writes it: in full where it is an integer. */
    char found[NUMBER_TEXT + 160];
    uint64_t bits;
    double wide;
    gather(m->type, m->is_big_endian, m->bytes + offset, 1, &bits);
    size_t length = 0;
    switch (ELEMENTS[m->type].family) {
    case UNSIGNED_INTEGER:
        length = (size_t)snprintf(found, sizeof found, "%" PRIu64, bits);
        break;
    case SIGNED_INTEGER:
        length = (size_t)snprintf(found, sizeof found, "%" PRId64,
                                  extend_sign(bits, ELEMENTS[m->type].size));
        break;
    default:
        widen_floats(m->type, &bits, 1, &wide);
        length = m->type == ELEMENT_F64 ? number_write_f64(wide, found)
                                        : number_write_f32((float)wide, found);
    }
    /* Adds where it is: " in row 2, column 3". */
    for (int i = 0; i < m->rank; i++) {
        int axis = m->is_fortran ? i : m->rank - 1 - i;
        index[axis] = number % m->size[axis];
        number /= m->size[axis];
    }
    for (int axis = 0; axis < m->rank; axis++)
        length +=
            (size_t)snprintf(found + length, sizeof found - length, "%s%s %zu",
                             axis == 0 ? " in " : ", ", AXES[m->rank - 1 - axis], index[axis] + 1);
    if (value == NULL) {
        err_at(e, &at, "%s has more digits than float64 holds", found);
        return err_remedy(e, "all integers up to 9007199254740992 (2^53) are read, and of larger "
                             "ones those that float64 holds exactly");
    }
    if (j->type == DTYPE_BOOL || m->type == ELEMENT_BOOL)
        return err_at(e, &at, "%s is neither true (1) nor false (0)", found);
    if (isfinite(*value)) {
        err_at(e, &at, "%s is too large for float32, whose largest number is 3.4028235e38", found);
        return err_remedy(e, "--dtype f64 holds larger numbers");
    }
    err_at(e, &at, "%s %s", found,
           j->kind == KEY_BIAS ? "can't be a bias: finite numbers and -inf can"
                               : "is not a finite number");
    return err_remedy(e, "--allow-nonfinite lets it through");
}

/* ---- values ---- */

/* From here on, float32 rounds to infinity: its largest number plus half a unit in its last
 * place. */
static const double TOO_LARGE_F32 = 0x1.ffffffp127;

static bool is_allowed(const matrix_job *j, double value)
{
    if (j->type == DTYPE_BOOL || j->from->type == ELEMENT_BOOL)
        return value == 0 || value == 1;
    if (isfinite(value))
        return j->type == DTYPE_F64 || fabs(value) < TOO_LARGE_F32;
    return read_takes_nonfinite(j->kind, j->allow_nonfinite, value);
}

/* `count` values from number `first` on, checked; every NaN is the canonical one. */
static bool load_run(const matrix_job *j, size_t first, size_t count, double out[ELEMENT_RUN],
                     err *e)
{
    const stored_matrix *m = j->from;
    const char *bytes = m->bytes + first * ELEMENTS[m->type].size;
    size_t loaded = element_load(m->type, m->is_big_endian, bytes, count, out), i = 0;
    /* True if all can be stored as they are: one loop without a branch. */
    double limit = j->type == DTYPE_F32 ? TOO_LARGE_F32 : (double)INFINITY;
    bool are_ordinary = loaded == count && j->type != DTYPE_BOOL && m->type != ELEMENT_BOOL;
    for (size_t k = 0; k < loaded; k++)
        are_ordinary &= fabs(out[k]) < limit;
    if (are_ordinary)
        return true;
    for (; i < loaded && is_allowed(j, out[i]); i++) {
        if (isnan(out[i]))
            out[i] = (double)NAN;
    }
    return i == count || refuse(j, first + i, i < loaded ? &out[i] : NULL, e);
}

/* Converts all elements in the order of the file, and stores them if `to` is given; sets *has_nan
 * if that is given. */
static bool convert(const matrix_job *j, char *to, bool *has_nan, err *e)
{
    double run[ELEMENT_RUN];
    for (size_t first = 0; first < j->count; first += ELEMENT_RUN) {
        size_t left = j->count - first, count = left < ELEMENT_RUN ? left : ELEMENT_RUN;
        if (!load_run(j, first, count, run, e))
            return false;
        for (size_t i = 0; has_nan != NULL && i < count; i++)
            *has_nan = *has_nan || isnan(run[i]);
        if (to == NULL)
            continue;
        char *at = to + first * dtype_size(j->type);
        for (size_t i = 0; j->type == DTYPE_F32 && i < count; i++) {
            float narrow = (float)run[i];
            memcpy(at + i * sizeof narrow, &narrow, sizeof narrow);
        }
        if (j->type == DTYPE_F64)
            memcpy(at, run, count * sizeof run[0]);
        for (size_t i = 0; j->type == DTYPE_BOOL && i < count; i++)
            at[i] = run[i] != 0;
    }
    return true;
}

/* ---- bytes that are the tensor's already ---- */

/* Narrow floats, and those of DTYPE_F32_ANYWHERE, are read at any address. */
static bool is_aligned(const matrix_job *j)
{
    bool is_anywhere =
        j->type == DTYPE_F16 || j->type == DTYPE_BF16 || j->type == DTYPE_F32_ANYWHERE;
    return is_anywhere || (uintptr_t)j->from->bytes % dtype_size(j->type) == 0;
}

/* Whether all are finite, at the speed of memory; other elements that are not aligned are looked at
 * one by one. */
static bool is_finite(const matrix_job *j)
{
    size_t ignored[TENSOR_MAX_RANK];
    if (!is_aligned(j))
        return false;
    if (j->type == DTYPE_F16 || j->type == DTYPE_BF16) {
        /* An exponent of all ones is infinite or NaN. */
        uint16_t ones = j->type == DTYPE_F16 ? 0x7c00u : 0x7f80u, wrong = 0;
        for (size_t i = 0; i < j->count; i++) {
            uint16_t bits;
            memcpy(&bits, j->from->bytes + i * sizeof bits, sizeof bits);
            wrong |= (bits & ones) == ones;
        }
        return wrong == 0;
    }
    if (j->type == DTYPE_F32_ANYWHERE) {
        uint32_t ones = 0x7f800000u, wrong = 0;
        for (size_t i = 0; i < j->count; i++) {
            uint32_t bits;
            memcpy(&bits, j->from->bytes + i * sizeof bits, sizeof bits);
            wrong |= (bits & ones) == ones;
        }
        return wrong == 0;
    }
    tensor all = {.type = j->type,
                  .rank = 1,
                  .size = {j->count},
                  .stride = {1},
                  .data = (void *)j->from->bytes};
    return tensor_is_finite(&all, ignored);
}

/* Whether the values can stay as they are; false, without an error, if one has to change. */
static bool has_good_values(const matrix_job *j, err *e)
{
    bool has_nan = false;
    return (j->type != DTYPE_BOOL && is_finite(j)) || (convert(j, NULL, &has_nan, e) && !has_nan);
}

static bool is_in_place(const matrix_job *j, const mapping *map)
{
    /* An address before the mapping wraps round to a large number. */
    uintptr_t after = (uintptr_t)j->from->bytes - (map == NULL ? 0 : (uintptr_t)map->bytes);
    return map != NULL && after <= map->length && j->bytes <= map->length - after && is_aligned(j);
}

/* ---- values that are looked at later ---- */

static bool put_off(const matrix_job *j, const read_options *how, err *e)
{
    unseen *all = how->later;
    struct unseen_matrix *larger =
        mem_grow(all->one, all->count, &all->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    all->one = larger;
    larger[all->count++] =
        (struct unseen_matrix){.from = *j->from, .as = *j, .in = mapping_share(how->map)};
    return true;
}

void unseen_free(unseen *all)
{
    for (size_t i = 0; i < all->count; i++)
        mapping_release(all->one[i].in);
    mem_free(all->one);
    *all = (unseen){0};
}

bool unseen_look(unseen *all, err *e)
{
    for (size_t i = 0; i < all->count; i++) {
        struct unseen_matrix *one = &all->one[i];
        one->as.from = &one->from;
        if (!has_good_values(&one->as, e))
            return false;
    }
    unseen_free(all);
    return true;
}

/* ---- the order of the axes ---- */

typedef struct transposition {
    const char *from;
    char *to;
    size_t rows, columns;
    size_t from_step; /* elements from one column to the next; rows are neighbours there */
    size_t to_step;   /* elements from one row to the next */
} transposition;

/* Transposes squares whose lines, read and written, stay in a first-level cache. Called with a
 * constant size, so that each copy is one move. */
static inline void transpose(const transposition *t, size_t element)
{
    enum { SIDE = 16 };
    for (size_t row = 0; row < t->rows; row += SIDE) {
        size_t last_row = t->rows - row < SIDE ? t->rows : row + SIDE;
        for (size_t column = 0; column < t->columns; column += SIDE) {
            size_t last = t->columns - column < SIDE ? t->columns : column + SIDE;
            for (size_t i = row; i < last_row; i++) {
                for (size_t k = column; k < last; k++)
                    memcpy(t->to + (i * t->to_step + k) * element,
                           t->from + (k * t->from_step + i) * element, element);
            }
        }
    }
}

/* Fills a new tensor of rank 2 or more from elements of its type that lie in Fortran order at
 * `from`, wherever that is aligned. The first axis and the last are transposed, for each index of
 * those between. */
static void fortran_reorder(const char *from, tensor *to)
{
    size_t element = dtype_size(to->type), step[TENSOR_MAX_RANK], index[TENSOR_MAX_RANK] = {0};
    int last = to->rank - 1;
    step[0] = 1;
    for (int axis = 1; axis <= last; axis++)
        step[axis] = step[axis - 1] * to->size[axis - 1];
    transposition t = {.rows = to->size[0],
                       .columns = to->size[last],
                       .from_step = step[last],
                       .to_step = (size_t)to->stride[0]};
    tensor between = tensor_at(to, 0);
    between.rank--;
    do {
        size_t skip_from = 0, skip_to = 0;
        for (int axis = 0; axis < between.rank; axis++) {
            skip_from += index[axis] * step[axis + 1];
            skip_to += index[axis] * (size_t)between.stride[axis];
        }
        t.from = from + skip_from * element;
        t.to = (char *)to->data + skip_to * element;
        if (element == 4)
            transpose(&t, 4);
        else if (element == 8)
            transpose(&t, 8);
        else
            transpose(&t, 1);
    } while (tensor_next(&between, index));
}

/* ---- the tensor ---- */

static bool make_tensor(const matrix_job *j, const read_options *how, tensor *out, err *e)
{
    const stored_matrix *m = j->from;
    int longer = 0;
    for (int axis = 0; axis < m->rank; axis++)
        longer += m->size[axis] > 1;
    /* If at most one axis is longer than 1, both orders are the same. Values that are looked at
     * later can't be changed: each is right as it is, or is refused. */
    bool is_native = element_order_is_native(m->type, m->is_big_endian);
    bool is_in_order = !m->is_fortran || longer < 2;
    bool waits = is_in_order && how->later != NULL && !j->allow_nonfinite &&
                 j->type != DTYPE_BOOL && (j->kind == KEY_MATRIX || j->kind == KEY_BIAS);
    /* Narrower floats stay as they are, in place, if all are finite, and so do those that are not
     * aligned. */
    const element_row *row = &ELEMENTS[m->type];
    matrix_job narrow = *j;
    narrow.type = row->as;
    if (row->as == DTYPE_F32 && !is_aligned(&narrow))
        narrow.type = DTYPE_F32_ANYWHERE;
    if (is_in_order && is_native && how->keeps_narrow && j->kind == KEY_MATRIX &&
        dtype_is_narrower(narrow.type, j->type) && is_in_place(&narrow, how->map) &&
        (waits ? put_off(&narrow, how, e) : is_finite(&narrow)))
        return tensor_new_in(out, narrow.type, m->rank, m->size, m->bytes, how->map, e);

    /* Whether the bytes are the tensor's already. */
    bool is_same = is_native && j->type == row->as && dtype_size(j->type) == row->size;
    bool may_be_bad = !how->keeps_bits || j->type == DTYPE_BOOL;
    bool is_good =
        is_same && (!may_be_bad || (waits && is_in_place(j, how->map) ? put_off(j, how, e)
                                                                      : has_good_values(j, e)));
    if (e->is_set)
        return false;
    if (is_good && is_in_place(j, how->map) && is_in_order)
        return tensor_new_in(out, j->type, m->rank, m->size, m->bytes, how->map, e);

    if (!tensor_new(out, j->type, m->rank, m->size, e))
        return false;
    bool done = true;
    if (is_good && !is_in_order) {
        fortran_reorder(m->bytes, out);
    } else if (is_good) {
        memcpy(out->data, m->bytes, j->bytes);
    } else if (is_in_order) {
        done = convert(j, out->data, NULL, e);
    } else {
        char *converted = mem_alloc(j->count, dtype_size(j->type), e);
        done = converted != NULL && convert(j, converted, NULL, e);
        if (done)
            fortran_reorder(converted, out);
        mem_free(converted);
    }
    if (!done)
        tensor_free(out);
    return done;
}

bool stored_matrix_check_axes(const stored_matrix *m, key_kind kind, const read_options *how,
                              const place *at, err *e)
{
    bool is_number = kind == KEY_SETTING || kind == KEY_TOL;
    char shape[SHAPE_TEXT];
    size_t most = (size_t)read_most_rank(how, kind);
    if (m->axes > most)
        return err_at(e, at, "the matrix has %zu axes, and at most %zu are read", m->axes, most);
    return !is_number || m->rank == 0 ||
           err_at(e, at, "%s numbers stand where one number is wanted",
                  sizes_text(m->rank, m->size, shape));
}

bool stored_matrix_bytes(const stored_matrix *m, const place *at, size_t *bytes, err *e)
{
    size_t count;
    char shape[SHAPE_TEXT];
    if (!sizes_count(m->rank, m->size, &count) || !size_mul(count, ELEMENTS[m->type].size, bytes) ||
        *bytes > PTRDIFF_MAX)
        return err_at(e, at, "a matrix of %s elements is larger than an address can hold",
                      sizes_text(m->rank, m->size, shape));
    return count > 0 || err_at(e, at, "the matrix is %s; a matrix has at least one number",
                               sizes_text(m->rank, m->size, shape));
}

bool stored_matrix_add(const read_options *how, const char *format_name, const char *name,
                       const place *at, bundle *to, entry **added, key_kind *kind, err *e)
{
    bool is_wanted;
    *added = NULL;
    if (!read_find_kind(how, name, strlen(name), at, kind, &is_wanted, e) || !is_wanted)
        return !e->is_set;
    bool is_held = how->keys == NULL || *kind == KEY_MATRIX || *kind == KEY_BIAS ||
                   *kind == KEY_MASK || *kind == KEY_EXPECTED || *kind == KEY_SETTING ||
                   *kind == KEY_TOL;
    if (!is_held)
        return err_at(e, at, "'%s' is not a matrix, and %s holds nothing else", name, format_name);
    *added = bundle_add(to, name, strlen(name), *at, e);
    return *added != NULL;
}

bool stored_matrix_read(const stored_matrix *m, key_kind kind, const read_options *how, entry *to,
                        err *e)
{
    bool is_named = to->name != NULL && to->name[0] != '\0';
    bool takes_truths = how->takes_truths || (how->keys == NULL && is_named);
    if (m->type == ELEMENT_BOOL && takes_truths && kind != KEY_MASK)
        kind = KEY_TRUTHS;
    matrix_job j = {.from = m, .kind = kind, .allow_nonfinite = how->allow_nonfinite};
    bool wants_numbers = kind == KEY_MATRIX || kind == KEY_BIAS || kind == KEY_TOL;
    if (!stored_matrix_check_axes(m, kind, how, &m->at, e) ||
        !stored_matrix_bytes(m, &m->at, &j.bytes, e))
        return false;
    if (m->type == ELEMENT_BOOL && wants_numbers && !how->keeps_types)
        return err_at(e, &m->at, "the elements are true and false, where numbers are wanted");
    /* If types are kept: the narrowest one that holds all elements. */
    bool is_narrow = m->type == ELEMENT_F32 || ELEMENTS[m->type].size < 4;
    if (kind == KEY_MASK || kind == KEY_TRUTHS || kind == KEY_SETTING || kind == KEY_TOL)
        j.type = kind == KEY_MASK || kind == KEY_TRUTHS ? DTYPE_BOOL : DTYPE_F64;
    else if (!how->keeps_types)
        j.type = kind == KEY_EXPECTED ? DTYPE_F64 : how->type;
    else
        j.type = m->type == ELEMENT_BOOL ? DTYPE_BOOL : is_narrow ? DTYPE_F32 : DTYPE_F64;
    j.count = j.bytes / ELEMENTS[m->type].size;
    to->stored = m->type_name;
    to->kind = ENTRY_TENSOR;
    if (!make_tensor(&j, how, &to->tensor, e) || kind != KEY_SETTING || m->type != ELEMENT_BOOL)
        return !e->is_set;
    const char *word = tensor_get(&to->tensor, NULL) != 0 ? "true" : "false";
    tensor_free(&to->tensor);
    to->kind = ENTRY_TEXT;
    to->text = mem_copy_text(word, strlen(word), e);
    return to->text != NULL;
}
