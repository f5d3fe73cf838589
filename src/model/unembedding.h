/* What makes logits of a stack's rows: weights with a column an id, and a bias; a factor of what
 * these give, and a softcap of that. */
#ifndef SELFATTN_MODEL_UNEMBEDDING_H
#define SELFATTN_MODEL_UNEMBEDDING_H

#include "model/gradient.h"
#include "model/stages.h"

typedef struct stack stack;
struct walk;

typedef struct unembedding {
    tensor weight, bias;   /* m × ids, as used in x·W, and a number an id; borrowed */
    const char *tied_to;   /* what the weight is, turned; NULL: it was given */
    double scale, softcap; /* 1: no factor; 0: no softcap */
    /* What the way back takes for them: the same, but where it is made wrongly (src/why). */
    double back_scale, back_softcap;
    tensor words; /* a vocab that it is: a row a word; owned */
} unembedding;

/* That which is given, or what ids or words look up, turned. To be freed in any case. */
bool unembedding_find(unembedding *u, const stack *s, err *e);
/* logits, n × ids, of n rows. Where a factor or a softcap changes them, the products that they are
 * made of are kept too, and what the factor made of these. */
bool unembedding_run(const unembedding *u, const kernels *with, const tensor *rows, tensor *logits,
                     const keeper *keep, crew *by, err *e);
/* What the product alone makes: "logits", or where these are changed after it "logits.product". */
const char *unembedding_product(const unembedding *u);
/* In place, from the gradient of logits to that of the products. */
bool unembedding_back(const unembedding *u, const way_back *g, const tensor *logits, tensor *grad,
                      const keeper *keep, err *e);
/* Of each stage that logits are made by, and of their gradients. */
bool unembedding_tell(const unembedding *u, const struct walk *w);
bool unembedding_tell_back(const unembedding *u, const struct walk *w);
void unembedding_free(unembedding *u);

#endif
