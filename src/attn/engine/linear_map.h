/* a·W + b: what weights and a bias do to rows. */
#ifndef SELFATTN_ATTN_ENGINE_LINEAR_MAP_H
#define SELFATTN_ATTN_ENGINE_LINEAR_MAP_H

#include "attn/engine/packed_weights.h"
#include "base/threads.h"

typedef struct linear_map {
    const tensor *weight, *bias; /* no bias: NULL, or no data */
    packed_weights *kept;        /* where the weight stays packed; NULL: nowhere */
} linear_map;

/* c = a·W + b. *is_finite stays true where all of c is; NULL: nobody asks. */
bool linear_map_apply(const linear_map *m, const kernels *with, const tensor *a, tensor *c,
                      bool *is_finite, crew *by, err *e);

#endif
