/* The score functions: how a query is compared with a key.
 *
 * Each first turns all queries and all keys of a head into what it compares (q′ = q·Ws, say), then
 * compares a block of q′ rows with all k′ rows. A new one is a row in score.c. */
#ifndef SELFATTN_ATTN_SPEC_SCORE_H
#define SELFATTN_ATTN_SPEC_SCORE_H

#include "attn/spec/operation.h"
#include "kernels/kernels.h"

/* The parameters of one head; a tensor without data was not given. */
typedef struct score_parameters {
    tensor for_query; /* d_q × c: q′ = q·W */
    tensor for_key;   /* d_k × c: k′ = k·W */
    tensor vector;    /* c numbers, always there where the score has one */
    tensor shift;     /* c numbers, or one; always there where the score has one */
} score_parameters;

/* Keys of a head, as the score function takes them. */
typedef struct compared_keys {
    tensor rows;           /* k′: n × c */
    packed turned;         /* k′ᵀ, where the score function is a product */
    const key_range *seen; /* by each query: no other scores are needed */
} compared_keys;

/* How gradients go back through a score: as through a product, or through additive's tanh. A new
 * way is one here, its code in engine/back_block.c, and plainly in tests/ref/ref_backward.c. */
typedef enum score_way_back { BACK_BY_PRODUCT = 1, BACK_BY_TANH } score_way_back;

typedef struct score {
    named named;
    const char *formula; /* of one score, in the letters of the trace */
    const char *order;   /* of its operations, which is promised (selfattn-contract(7)) */
    bool is_scaled;      /* its scale is `head` unless another is given, else `none` */
    bool is_product;     /* of q′ and k′, which are packed for it */
    score_way_back back;
    operation made_by; /* of q′ and k′, then its vector and its shift where it has them */
    /* The keys of its parameters; NULL where it has no such parameter. */
    const char *for_query, *for_key, *vector, *shift;
    bool shift_is_one; /* one number a head, not one a component */
    /* As many columns as `scores` has, and keys. */
    void (*compare)(const kernels *with, const score_parameters *of, const tensor *q,
                    const compared_keys *k, tensor *scores);
} score;

extern const named_table SCORES; /* rows of `score`, the default first */

const score *score_default(void);

#endif
