/* The feed-forward part of a layer, or after the last one, and its way back. */
#ifndef SELFATTN_MODEL_FEED_FORWARD_H
#define SELFATTN_MODEL_FEED_FORWARD_H

#include "model/gradient.h"
#include "model/stack.h"

/* out: n × width, of x: n × width. */
bool feed_forward_run(const feed_forward *p, const kernels *with, crew *by, const tensor *x,
                      tensor *out, const keeper *keep, err *e);

/* From the gradient of what it made of x to that of x, which takes its place; its hidden numbers
 * are computed again. `of_weights` keeps gradients of its matrices, which `own` has. */
bool feed_forward_back(const feed_forward *p, const way_back *g, const bundle *own, const tensor *x,
                       tensor *grad, const keeper *of_weights, const keeper *keep, err *e);

/* Bytes of its hidden numbers, the gate's, and what products with its weights work in. */
size_t feed_forward_memory(const feed_forward *p, const kernels *with, dtype type, size_t rows,
                           size_t threads);
/* Bytes of its hidden numbers on the way back, of so many rows. */
size_t feed_forward_back_memory(const feed_forward *p, dtype type, size_t rows);

#endif
