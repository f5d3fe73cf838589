/* A matrix as a binary file stores it, and how it becomes a tensor: what NPY, NPZ and safetensors
 * share.
 *
 * A format finds where the elements lie and what they are. The tensor uses these bytes in place
 * where they lie in how->map and their type, byte order, alignment and order allow it. Else it is a
 * copy: float64 is rounded once where float32 is wanted, Fortran order becomes C order, since
 * kernels read contiguous rows, and every NaN becomes the canonical one. What text may not hold
 * (NaN, a number too large for the type, a 2 in a mask) is refused here too, in the same words, at
 * the element's byte. */
#ifndef SELFATTN_IO_STORED_MATRIX_H
#define SELFATTN_IO_STORED_MATRIX_H

#include "io/format.h"

/* ---- elements ----
 *
 * The types of elements that binary files store, in either byte order, as float64.
 *
 * F16 (IEEE 754 binary16), BF16 (the upper half of a float32) and F32 widen without loss; an
 * integer is exact or refused. */

typedef enum element_type {
    ELEMENT_F64,
    ELEMENT_F32,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_I64,
    ELEMENT_I32,
    ELEMENT_I16,
    ELEMENT_I8,
    ELEMENT_U64,
    ELEMENT_U32,
    ELEMENT_U16,
    ELEMENT_U8,
    ELEMENT_BOOL, /* a byte, 0 or 1 */
    ELEMENT_TYPES
} element_type;

typedef struct element_row {
    size_t size;
    enum { IEEE_FLOAT, BRAIN_FLOAT, SIGNED_INTEGER, UNSIGNED_INTEGER } family;
    dtype as;         /* whose bytes these may be in memory; of integers only those of one byte */
    const char *name; /* as safetensors has it */
    const char *little, *big; /* as NumPy writes it in either byte order; NULL: it has no such */
} element_row;
extern const element_row ELEMENTS[ELEMENT_TYPES];

/* Up to this many are widened at once. */
enum { ELEMENT_RUN = 512 };

/* Reads `count` elements from `bytes`, which need no alignment. Returns the index of the first
 * integer that float64 can't hold, or `count`. A BOOL counts as its byte, 0 to 255.
 * Public for its test. */
size_t element_load(element_type type, bool is_big_endian, const char *bytes, size_t count,
                    double out[ELEMENT_RUN]);

/* Whether this byte order is the machine's. */
bool element_order_is_native(element_type type, bool is_big_endian);

/* ---- bytes to be written ---- */

/* A whole number of up to 8 bytes, the lowest first, as in the heads of all these files. */
uint64_t little_read(const char *at, size_t bytes);
void little_write(text *to, uint64_t number, size_t bytes);

/* A tensor's elements as the bytes that binary files store: little-endian, in C order, every NaN
 * the canonical one. They come a run at a time, so that a matrix of any size needs no copy. */

enum { ELEMENT_BYTES = 8192 };

typedef struct element_bytes {
    tensor of; /* borrowed */
    size_t index[TENSOR_MAX_RANK];
    bool is_done;
    size_t length; /* of the run */
    union {
        char run[ELEMENT_BYTES];
        float f32[ELEMENT_BYTES / 4];
        double f64[ELEMENT_BYTES / 8];
    };
} element_bytes;

/* The next run; false after the last. */
bool element_bytes_next(element_bytes *b);

/* All runs, appended to what the sink has. */
bool element_bytes_write(const tensor *t, sink *out, err *e);

/* Refuses, naming `what` is written ("NPY"), what a file of matrices can't hold: texts, lists (of
 * labels too), bundles, and holes in what is expected. */
bool element_bytes_check(const bundle *result, const char *what, err *e);

/* ---- matrices ---- */

/* All of it is borrowed. */
typedef struct stored_matrix {
    element_type type;
    const char *type_name; /* as the file names it: "<f4"; static, for it goes into entry.stored */
    bool is_big_endian, is_fortran;
    size_t axes; /* that the file says; */
    int rank;    /* as many of them as there is room for */
    size_t size[TENSOR_MAX_RANK];
    const char *bytes;
    place at; /* of the first element */
} stored_matrix;

/* Matrices that are used in place, and whose values have not been checked: a shape that does not
 * fit is then found without reading many bytes in vain. The caller keeps the bytes until they
 * are. */
typedef struct unseen {
    struct unseen_matrix *one;
    size_t count, capacity;
} unseen;

/* Checks all of them, once, and refuses what reading would have refused. */
bool unseen_look(unseen *all, err *e);
void unseen_free(unseen *all);

/* How many bytes its elements take: the format compares that with what is there before it reads.
 * Refuses, at `at`, a shape with a 0 in it, and one whose product overflows. */
bool stored_matrix_bytes(const stored_matrix *m, const place *at, size_t *bytes, err *e);

/* Adds an entry for the matrix of this name, with the kind that how->keys give it, for a format
 * that holds matrices alone (`format_name`, for messages). *added is NULL where the matrix is
 * passed over. */
bool stored_matrix_add(const read_options *how, const char *format_name, const char *name,
                       const place *at, bundle *to, entry **added, key_kind *kind, err *e);

/* Refuses, at `at`, more axes than a matrix of this kind may have. stored_matrix_read refuses them
 * too, at the first element. */
bool stored_matrix_check_axes(const stored_matrix *m, key_kind kind, const read_options *how,
                              const place *at, err *e);

/* Reads it into an entry that has its name and place already. `kind` is a matrix's, a setting's or
 * a tolerance's; a setting may be a number, true or false, a tolerance a number. With how->keys
 * NULL, true and false under a name are a mask. */
bool stored_matrix_read(const stored_matrix *m, key_kind kind, const read_options *how, entry *to,
                        err *e);

#endif
