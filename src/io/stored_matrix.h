/* A matrix as a binary file stores it, and how it becomes a tensor: what NPY, NPZ and safetensors
 * share.
 *
 * A format finds where the elements lie and what they are. Where type, byte order, alignment and C
 * order allow, and the bytes lie in how->map, the tensor is used in place. Else it is a copy, F64
 * rounded once where float32 is wanted. What text may not hold (NaN, a number too large for the
 * type, a 2 in a mask) is refused here too, in the same words, at the element's byte. Fortran order
 * becomes C order, since kernels read contiguous rows; every NaN becomes the canonical one. */
#ifndef SELFATTN_IO_STORED_MATRIX_H
#define SELFATTN_IO_STORED_MATRIX_H

#include "io/element.h"
#include "io/format.h"

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

/* Matrices that are used in place, and whose values nobody has looked at: many bytes may be read in
 * vain where a shape doesn't fit. What they lie in stays until they are looked at. */
typedef struct unseen {
    struct unseen_matrix *one;
    size_t count, capacity;
} unseen;

/* Looks at all of them, once, and refuses what reading would have refused. */
bool unseen_look(unseen *all, err *e);
void unseen_free(unseen *all);

/* How many bytes it takes, which is for the format to compare with what is there, before it is
 * read. Refuses, at `at`, a shape with a 0 in it, and one whose product overflows. */
bool stored_matrix_bytes(const stored_matrix *m, const place *at, size_t *bytes, err *e);

/* How the matrix of this name is to be read, by how->keys: for a format (`format_name`, for
 * messages) that holds matrices alone. With *is_wanted false, it is not to be read. */
bool stored_matrix_find_kind(const read_options *how, const char *format_name, const char *name,
                             const place *at, key_kind *kind, bool *is_wanted, err *e);

/* Refuses, at `at`, more axes than a matrix of this kind may have: stored_matrix_read does it at
 * the first element. */
bool stored_matrix_check_axes(const stored_matrix *m, key_kind kind, const read_options *how,
                              const place *at, err *e);

/* Reads it into an entry that has its name and place. `kind` is one of a matrix, or a setting's, or
 * a tolerance's, which is a number, or (a setting) true or false. With how->keys NULL, true and
 * false that have a name are a mask. */
bool stored_matrix_read(const stored_matrix *m, key_kind kind, const read_options *how, entry *to,
                        err *e);

#endif
