/* The position-wise feed-forward part of a layer:
 *
 *     hidden = x·w1 + b1,  activated = activation(hidden),  output = activated·w2 + b2,
 *
 * and with a gate (w3) activated = activation(hidden) ⊙ x·w3: SwiGLU and its kin. */
#ifndef SELFATTN_MODEL_FEED_FORWARD_H
#define SELFATTN_MODEL_FEED_FORWARD_H

#include "base/threads.h"
#include "attn/engine/multiply.h"
#include "model/activation.h"
#include "model/keep.h"

typedef struct feed_forward {
    const activation *by;
    tensor w1, b1, w2, b2, w3; /* as used in x·W; borrowed; no data: not there */
    size_t width, hidden;
    packed_weights *kept; /* where its matrices stay packed; NULL: nowhere */
} feed_forward;

/* Whether there is one: any of its matrices. */
bool feed_forward_is_in(const bundle *from);
/* From the keys w1 … of `from`, for rows of so many columns. What stays for many documents is kept
 * packed in `kept`, unless that is NULL. */
bool feed_forward_read(feed_forward *f, const bundle *from, const activation *by, bool is_out_in,
                       size_t width, packed_weights *kept, err *e);
/* Bytes that it works in, for so many rows. */
bool feed_forward_memory(const feed_forward *f, const kernels *with, dtype type, size_t rows,
                         size_t threads, size_t *bytes);
/* out: n × width, of x: n × width. */
bool feed_forward_run(const feed_forward *f, const kernels *with, const tensor *x, tensor *out,
                      const keeper *keep, crew *by, err *e);

#endif
