/* Weights in the order in which products read them, kept from one problem to the next: where lines
 * of a stream have the same weights and few rows, packing takes about as long as multiplying.
 *
 * A matrix is known by where it lies. So whoever asks for one promises that it stays there, as it
 * is, until this is freed. */
#ifndef SELFATTN_ATTN_PACKED_WEIGHTS_H
#define SELFATTN_ATTN_PACKED_WEIGHTS_H

#include "kernels/kernels.h"

enum { PACKED_WEIGHTS_MOST = 64 };

typedef struct packed_weights {
    struct packed_weight {
        const kernels *with;
        tensor of; /* borrowed */
        packed as;
    } kept[PACKED_WEIGHTS_MOST];
    size_t count;
    size_t bytes_left; /* that may still be allocated: set by whoever opens it */
} packed_weights;

/* The matrix, packed, which stays until all are freed; *as is NULL where it does not fit in any
 * more. False where there is no memory for what would fit. */
bool packed_weights_find(packed_weights *all, const kernels *with, const tensor *weight,
                         const packed **as, err *e);

void packed_weights_free(packed_weights *all);

#endif
