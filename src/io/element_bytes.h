/* A tensor's elements as the bytes that binary files store: little-endian, in C order, every NaN
 * the canonical one. They come a run at a time, so that a matrix of any size needs no copy. */
#ifndef SELFATTN_IO_ELEMENT_BYTES_H
#define SELFATTN_IO_ELEMENT_BYTES_H

#include "io/sink.h"
#include "tensor/bundle.h"

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
