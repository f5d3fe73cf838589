/* What gradients of a stack begin with: a gradient of its output that is given, or a loss of the
 * output, or of the logits that rows make. */
#ifndef SELFATTN_MODEL_GOAL_H
#define SELFATTN_MODEL_GOAL_H

#include "attn/engine/loss.h"
#include "kernels/kernels.h"
#include "model/unembedding.h"

/* What a wrong way back does otherwise (src/why): softmax is not made less at the label, or rows
 * without one gain as others do. */
typedef enum goal_slip { GOAL_RIGHT, GOAL_WITHOUT_LABEL, GOAL_OF_ALL_ROWS } goal_slip;

typedef struct goal {
    bool is_there;      /* else nothing goes back */
    loss of;            /* in the shape of the output */
    unembedding to_ids; /* of the loss cross-entropy */
    size_t *label;      /* of each row: an id, or NO_LABEL; owned */
    size_t labels;      /* that count */
    goal_slip slip;
} goal;

#define NO_LABEL SIZE_MAX

/* Reads s->goal, once the stack's rows are known. False, at its place, where they don't fit
 * together. To be freed in any case. */
bool goal_read(stack *s, err *e);
void goal_free(goal *g);

bool goal_has_logits(const goal *g);

/* Of logits, a row each: logsumexp of the row − its logit at the label, in float64; 0 without a
 * label. */
bool goal_row_losses(const goal *g, const kernels *in64, const tensor *logits, double *of_row,
                     err *e);
/* The mean of these over rows with a label, added in the order of rows. */
bool goal_cross_entropy(const goal *g, const kernels *in64, const tensor *logits, double *number,
                        err *e);
/* Its gradient, which may take the place of the logits: (softmax of the row, at its label less 1) /
 * labels that count, rounded once; 0 in rows without one. */
bool goal_logits_grad(const goal *g, const kernels *in64, const tensor *logits, tensor *grad,
                      err *e);

#endif
