/* What makes logits of a stack's rows: weights with a column an id, and a bias; a factor of what
 * these give, and a softcap of that. */
#ifndef SELFATTN_MODEL_UNEMBEDDING_H
#define SELFATTN_MODEL_UNEMBEDDING_H

#include "base/threads.h"
#include "kernels/kernels.h"
#include "tensor/bundle.h"

typedef struct stack stack;

typedef struct unembedding {
    tensor weight, bias;   /* m × ids, as used in x·W, and a number an id; borrowed */
    const char *tied_to;   /* what the weight is, turned; NULL: it was given */
    double scale, softcap; /* 1: no factor; 0: no softcap */
    tensor words;          /* a vocab that it is: a row a word; owned */
} unembedding;

/* That which is given, or what ids or words look up, turned. To be freed in any case. */
bool unembedding_find(unembedding *u, const stack *s, err *e);
/* logits, n × ids, of n rows. */
bool unembedding_run(const unembedding *u, const kernels *with, const tensor *rows, tensor *logits,
                     crew *by, err *e);
void unembedding_free(unembedding *u);

#endif
