/* The head of a masked model, between the output and the unembedding, and its way back:
 *
 *     hidden = x·w + b,  activated = activation(hidden),  norm = norm(activated),
 *
 * where x are the rows of the output. Without an activation the norm is of hidden; so OPT's
 * project_out is a head without either. */
#ifndef SELFATTN_MODEL_HEAD_H
#define SELFATTN_MODEL_HEAD_H

#include "model/gradient.h"
#include "model/parts.h"

extern const char HEAD[];           /* its key, and the way to its stages */
extern const char HEAD_NORM_NAME[]; /* "head.norm" */

typedef struct logits_head {
    const activation *by; /* NULL: none */
    tensor w, b;          /* as used in x·w; borrowed; b without data: 0 */
    bool has_norm;
    norm norm;
    size_t width; /* of its rows, which the unembedding takes */
} logits_head;

/* Its rows, n × width each; owned. */
typedef struct head_rows {
    tensor hidden, activated, norm; /* activated or norm without data: there is none */
} head_rows;

/* Of x, n × m; kept by the keeper of the stack. To be freed in any case. */
bool head_run(const logits_head *h, const kernels *with, crew *by, const tensor *x,
              bool allow_nonfinite, head_rows *made, const keeper *keep, err *e);
void head_rows_free(head_rows *of);
/* What the norm takes, and what the unembedding does. */
const tensor *head_normed(const head_rows *of);
const tensor *head_made(const head_rows *of);
/* What the unembedding takes, as a stage. */
const char *head_made_name(const logits_head *h);

/* From the gradient of what it made of x, n × width, to that of x, n × m. `own` has its keys. */
bool head_back(const logits_head *h, const way_back *g, const bundle *own, const tensor *x,
               const head_rows *made, tensor *grad, tensor *of_x, const keeper *keep, err *e);

/* Bytes of its rows, and of what goes back through them. */
size_t head_memory(const logits_head *h, dtype type, size_t rows);

#endif
