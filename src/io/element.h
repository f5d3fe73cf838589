/* The types of elements that binary files store, in either byte order, as float64.
 *
 * F16 (IEEE 754 binary16), BF16 (the upper half of a float32) and F32 widen without loss; an
 * integer is exact or refused. */
#ifndef SELFATTN_IO_ELEMENT_H
#define SELFATTN_IO_ELEMENT_H

#include "io/sink.h"
#include "tensor/bundle.h"

#include <stdbool.h>
#include <stddef.h>

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
    ELEMENT_BOOL /* a byte, 0 or 1 */
} element_type;

size_t element_size(element_type type);

/* Up to this many are widened at once. */
enum { ELEMENT_RUN = 512 };

/* The `count` elements that begin at `bytes`, wherever that is aligned. Gives the index of the
 * first integer that float64 can't hold, or `count`. A BOOL is as large as its byte. */
size_t element_load(element_type type, bool is_big_endian, const char *bytes, size_t count,
                    double out[ELEMENT_RUN]);

/* True where elements in this byte order are numbers as the machine has them. */
bool element_order_is_native(element_type type, bool is_big_endian);

/* One element as a message writes it: in full where it is an integer. */
enum { ELEMENT_TEXT = 40 };
const char *element_text(element_type type, bool is_big_endian, const char *bytes,
                         char out[ELEMENT_TEXT]);

/* ---- bytes to be written ---- */

/* A tensor's elements as the bytes that binary files store: little-endian, in C order, every NaN
 * the canonical one. They come a run at a time, so that a matrix of any size needs no copy. */

enum { ELEMENT_BYTES = 8192 };

typedef struct element_bytes {
    tensor of; /* borrowed */
    size_t index[TENSOR_MAX_RANK];
    bool is_done;
    size_t length; /* of the run */
    char run[ELEMENT_BYTES];
} element_bytes;

element_bytes element_bytes_of(const tensor *t);
/* The next run; false after the last. */
bool element_bytes_next(element_bytes *b);

/* All runs, appended to what the sink has. */
bool element_bytes_write(const tensor *t, sink *out, err *e);

/* Refuses, naming `what` is written ("NPY"), what a file of matrices can't hold: texts, lists (of
 * labels too), bundles, and holes in what is expected. */
bool element_bytes_check(const bundle *result, const char *what, err *e);

#endif
