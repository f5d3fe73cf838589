/* One matrix product a·b + bias from beginning to end: packing, and rows of a, or columns of b,
 * split over the crew. b may be of a narrower type. */
#ifndef SELFATTN_ATTN_ENGINE_MULTIPLY_H
#define SELFATTN_ATTN_ENGINE_MULTIPLY_H

#include "base/threads.h"
#include "kernels/kernels.h"

/* c = a·b, and the bias added to each row where there is one (data not NULL). False when there is
 * no memory to pack b in. */
bool multiply(const kernels *with, const tensor *a, const tensor *b, const tensor *bias, tensor *c,
              crew *by, err *e);

/* Whether b is packed for this a: for one row it is read as it lies. */
bool multiply_packs(const tensor *a);

/* The same where more is known, or wanted. */
typedef struct multiply_extras {
    packed ready;    /* b, which then needs no packing; no data: it does */
    bool *is_finite; /* stays true where all of c is, as is seen best while c is made; or NULL */
} multiply_extras;

bool multiply_with(const kernels *with, const tensor *a, const tensor *b, const tensor *bias,
                   tensor *c, const multiply_extras *extras, crew *by, err *e);

/* Bytes that they allocate at most, for so many rows of a. */
size_t multiply_memory(const kernels *with, size_t rows, size_t depth, size_t columns,
                       size_t threads);

void packed_free(packed *p);

#endif
