/* Gradients of what a stack is made of, each in its own shape, where it is wanted: its name is the
 * key's and "_grad". */
#ifndef SELFATTN_MODEL_GRADIENT_H
#define SELFATTN_MODEL_GRADIENT_H

#include "attn/engine/norms.h"
#include "base/threads.h"
#include "model/stages.h"

/* Rows that a parameter gains from. */
typedef struct row_span {
    size_t first, count;
    bool is_some; /* false: all rows, as it should be */
} row_span;

/* What gains from rows; norms' biases count as gains. */
typedef enum gainer { GAINER_NORM, GAINER_BIAS, GAINER_WEIGHT, GAINER_TABLE, GAINERS } gainer;

/* Who computes them. */
typedef struct way_back {
    const kernels *with, *in64;
    crew *by;
    dtype type;
    bool allow_nonfinite;
    const row_span *gained; /* by gainer */
} way_back;

/* Those of the rows that this gains from. */
tensor gradient_rows(const way_back *g, gainer of, const tensor *rows);

/* "w1" → "w1_grad" */
typedef struct gradient_name {
    char text[STAGE_NAME];
} gradient_name;
gradient_name gradient_of(const char *of_key);

/* Zeros in the shape of `of`, in which a gradient is gathered; and into the result with it, unless
 * it is beyond the type's range. */
bool gradient_open(const way_back *g, const tensor *of, tensor *grad, err *e);
/* Zeros, of what no row used; nothing where `own` has none. */
bool gradient_of_unused(const way_back *g, const keeper *keep, const bundle *own,
                        const char *of_key, err *e);
bool gradient_keep(const way_back *g, const keeper *keep, const char *of_key, tensor *grad, err *e);

/* False, with the error set, where it is not finite. */
bool gradient_check_range(const way_back *g, const keeper *keep, const char *name,
                          const tensor *grad, err *e);

/* Of a matrix W, which `own` has under the key and rows x·W used as `view`: xᵀ·dy, a chain over
 * rows for each number. */
bool gradient_of_weight(const way_back *g, const keeper *keep, const bundle *own,
                        const char *of_key, const tensor *view, const tensor *x, const tensor *dy,
                        err *e);
/* Of what is added to each row: the sum of rows, in their order. Nothing where `own` has none. */
bool gradient_of_bias(const way_back *g, gainer of, const keeper *keep, const bundle *own,
                      const char *of_key, const tensor *dy, err *e);
/* Of a norm's gain and bias, and of x, which takes the place of dy; `own` is the norm's object, or
 * NULL. */
bool gradient_of_norm(const way_back *g, const keeper *keep, const bundle *own, const norm *by,
                      const tensor *x, tensor *dy, err *e);

#endif
