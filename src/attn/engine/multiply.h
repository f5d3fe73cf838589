/* One matrix product a·b + bias from beginning to end: packing, and rows of a, or columns of b,
 * split over the crew. b may be of a narrower type. */
#ifndef SELFATTN_ATTN_ENGINE_MULTIPLY_H
#define SELFATTN_ATTN_ENGINE_MULTIPLY_H

#include "base/threads.h"
#include "kernels/kernels.h"
#include "tensor/bundle.h"

/* c = a·b, and the bias added to each row where there is one (data not NULL). False when there is
 * no memory to pack b in. */
bool multiply(const kernels *with, const tensor *a, const tensor *b, const tensor *bias, tensor *c,
              crew *by, err *e);

/* The same for chains that have come as far as c: c + a·b. */
bool multiply_on(const kernels *with, const tensor *a, const tensor *b, const tensor *c, crew *by,
                 err *e);

/* Bytes that it allocates at most, for so many rows of a. */
size_t multiply_memory(const kernels *with, size_t rows, size_t depth, size_t columns,
                       size_t threads);

/* ---- weights that stay ---- */

/* Weights in the order in which products read them, kept from one document to the next: where lines
 * of a stream have the same weights and few rows, packing takes longer than multiplying.
 *
 * A matrix is recognised by its address. The caller promises that it stays there, unchanged, until
 * this is freed. */
typedef struct packed_weight packed_weight;

/* A product of rows with a weight that stays. Where one document is computed again and again with
 * one thing changed in it, most products are of the same rows as they were. */
typedef struct kept_product kept_product;

typedef struct packed_weights {
    packed_weight *kept;
    size_t count, room;
    size_t bytes;          /* that they take */
    size_t most;           /* that they may take; the caller sets it */
    kept_product *product; /* those that were asked for last, so many at most: */
    size_t products, products_most;
    size_t asked;       /* for products, so often */
    const bundle *only; /* of other weights none is kept: they are changed ones; NULL: of all */
} packed_weights;

/* The matrix, packed, until all are freed; as->data is NULL where it does not fit in any more.
 * False when it would fit, but memory is missing. Public for its test. */
bool packed_weights_find(packed_weights *all, const kernels *with, const tensor *weight, packed *as,
                         err *e);

/* Frees all, and keeps none from now on, where so many bytes are not left for them. */
void packed_weights_yield(packed_weights *all, size_t left);

void packed_weights_free(packed_weights *all);

/* a·W + b: what weights and a bias do to rows. */
typedef struct linear_map {
    const tensor *weight, *bias; /* no bias: NULL, or no data */
    packed_weights *kept;        /* where the weight stays packed; NULL: nowhere */
} linear_map;

/* c = a·W + b. *is_finite becomes false where a number of c is not finite; it may be NULL. */
bool linear_map_apply(const linear_map *m, const kernels *with, const tensor *a, tensor *c,
                      bool *is_finite, crew *by, err *e);

#endif
