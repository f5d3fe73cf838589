/* A typed array of rank 0 to 5 with strides: every matrix in the program is one.
 *
 * A tensor that `owns` its data frees them. One with a `file` uses a part of that file. A view
 * borrows, and must not outlive what it was made of. Strides count elements, so a transposed or
 * broadcast (stride 0) tensor is a view, never a copy. Rank 5 is there for `weighted` with a batch
 * and heads; inputs stop at 4. */
#ifndef SELFATTN_TENSOR_TENSOR_H
#define SELFATTN_TENSOR_TENSOR_H

#include "base/err.h"
#include "base/mapping.h"

enum { TENSOR_MAX_RANK = 5, TENSOR_MAX_INPUT_RANK = 4 };

/* F16 and BF16 are weights that lie in a file: nothing is computed in them. */
typedef enum dtype {
    DTYPE_F32,
    DTYPE_F64,
    DTYPE_BOOL,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_F32_ANYWHERE /* in a file, at an address that is no multiple of 4 */
} dtype;

/* The bytes of an element. Inline, since it is asked for at every row. */
static inline size_t dtype_size(dtype type)
{
    static const unsigned char SIZES[] = {
        [DTYPE_F32] = 4, [DTYPE_F64] = 8,  [DTYPE_BOOL] = 1,
        [DTYPE_F16] = 2, [DTYPE_BF16] = 2, [DTYPE_F32_ANYWHERE] = 4};
    return SIZES[type];
}

/* Whether every number of `type` is one of `than` too, stored in fewer bytes, or anywhere. */
bool dtype_is_narrower(dtype type, dtype than);
const char *dtype_name(dtype type);

typedef struct tensor {
    dtype type;
    int rank;
    size_t size[TENSOR_MAX_RANK];
    ptrdiff_t stride[TENSOR_MAX_RANK];
    void *data;
    bool owns;
    mapping *file; /* that holds the data, read-only; or NULL */
} tensor;

/* A new tensor with C-order strides; its data is not set. */
bool tensor_new(tensor *t, dtype type, int rank, const size_t *size, err *e);
/* A new tensor that has the numbers of another. */
bool tensor_new_copy(tensor *t, const tensor *of, err *e);
/* A new tensor whose data are bytes of a mapped file, which hold such elements already: read-only.
 * `in` gets one more user. */
bool tensor_new_in(tensor *t, dtype type, int rank, const size_t *size, const void *data,
                   mapping *in, err *e);
/* A new tensor of data that came from mem_alloc; the tensor owns them from now on. */
void tensor_own(tensor *t, dtype type, int rank, const size_t *size, void *data);
void tensor_free(tensor *t);

/* The same data, borrowed. */
tensor tensor_view_of(const tensor *t);
bool tensor_borrows(const tensor *t);
/* Entry `index` of the first axis, borrowed: one rank less. */
tensor tensor_at(const tensor *t, size_t index);
/* The last two axes swapped, borrowed. */
tensor tensor_transposed(const tensor *t);

/* `count` entries from `first` on of one axis, borrowed. */
tensor tensor_range(const tensor *t, int axis, size_t first, size_t count);
/* Numbers that lie one after the other, in one row; borrowed. */
tensor tensor_flat(const tensor *t);
/* A tensor of the shape of another one, seen as `view` sees that: turned, split, an axis of stride
 * 0 for what is shared. */
tensor tensor_seen_as(const tensor *t, const tensor *view, const tensor *of);
/* Copies the elements into another tensor of the same shape and of the same or a wider type.
 * Strides may differ. */
void tensor_copy(const tensor *from, tensor *to);
/* Replaces a tensor of a narrower type by a copy in this one. */
bool tensor_widen(tensor *t, dtype type, err *e);

/* Number of elements; it can't overflow in a tensor that exists. */
size_t tensor_count(const tensor *t);
/* The same for sizes that come from outside; false where the product overflows. */
bool sizes_count(int rank, const size_t *size, size_t *count);
/* The bytes of such a tensor; SIZE_MAX if they are more than an address can hold. */
size_t tensor_bytes(dtype type, int rank, const size_t *size);

/* One element of any type as a float64; `index` has `rank` entries. */
double tensor_get(const tensor *t, const size_t *index);
void tensor_set(tensor *t, const size_t *index, double value);

/* Moves `index` on in C order, from zeros; false after the last one. */
bool tensor_next(const tensor *t, size_t *index);

/* The same for many at a time, along the last axis: the elements from the index on, how many they
 * are, and what comes `count` after the index. */
enum { TENSOR_RUN = 64 };
size_t tensor_get_run(const tensor *t, const size_t *index, double out[TENSOR_RUN]);
bool tensor_next_run(const tensor *t, size_t *index, size_t count);

/* The greatest of all finite elements, without their signs; 0 where there are none. */
double tensor_greatest(const tensor *t);

/* False with the index of the first element, in C order, that is infinite or NaN. */
bool tensor_is_finite(const tensor *t, size_t index[TENSOR_MAX_RANK]);

bool tensor_same_shape(const tensor *a, const tensor *b);

/* "3 x 4", as messages write shapes; "3 long" for rank 1, "a number" for rank 0. */
enum { SHAPE_TEXT = 128 };
const char *sizes_text(int rank, const size_t *size, char out[SHAPE_TEXT]);
const char *tensor_shape_text(const tensor *t, char out[SHAPE_TEXT]);

/* Adds to an error about a list how it would be written as one row: "[[1, 2]]". Adds nothing for
 * other ranks. Returns false. */
bool tensor_suggest_row(const tensor *list, err *e);

/* What `null` in an expected matrix is read as: "not printed there". It is a NaN that no arithmetic
 * makes, so that a real NaN is never taken for it. A float32 can hold it too. */
double tensor_hole(void);
bool tensor_is_hole(double value);
/* Looks at float64 only: a float32 tensor has holes only if its reader was asked for them, to
 * compare. */
bool tensor_has_hole(const tensor *t);

#endif
