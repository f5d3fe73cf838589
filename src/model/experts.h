/* A mixture of experts in the place of a feed-forward part: a router says of each row which of them
 * it goes through, and what each of these counts.
 *
 *     logits = x·router + router_bias
 *     output = Σ weight[e]·expert[e](x) + shared(x)·σ(x·shared_gate),  e: the chosen, in order
 *
 * A row goes through the chosen ones alone; what the others would make of it is not computed. A
 * choice gives nothing back: an expert that no row has chosen gains zeros. */
#ifndef SELFATTN_MODEL_EXPERTS_H
#define SELFATTN_MODEL_EXPERTS_H

#include "model/feed_forward.h"
#include "model/walk.h"

/* What scores are made of logits; of ROUTED_BY_LOGITS there are none. */
typedef enum routing_kind { ROUTED_BY_SOFTMAX, ROUTED_BY_LOGITS, ROUTED_BY_SIGMOID } routing_kind;

/* How logits of all experts become weights of a few. */
typedef struct routing {
    named named; /* its help is its formula */
    routing_kind kind;
} routing;

extern const named_table ROUTINGS; /* softmax first: it is the default */

/* What a wrong mixture does otherwise (src/why). */
typedef enum mix_slip {
    MIX_RIGHT,
    MIX_BIASED_WEIGHTS, /* choice_bias stays in the scores that weights are made of */
    MIX_WEIGHS_ROWS,    /* rows are multiplied by the weight before the expert, not after it */
} mix_slip;

struct expert_mix {
    const routing *by;
    tensor router, router_bias, choice_bias; /* borrowed; no data: not there */
    size_t width, count, top;
    size_t groups, top_groups; /* 0: the choice is among all */
    size_t top_of_group;       /* of its scores, that add up to what a group counts */
    bool renormalizes;         /* weights are divided by their sum */
    double scale;              /* of weights */
    feed_forward *expert;      /* owned, `count` of them */
    bool has_shared;
    feed_forward shared;
    tensor shared_gate; /* width × 1; no data: not there */
    packed_weights *kept;
    mix_slip slip;
};

void expert_mix_free(expert_mix *m);

/* out: n × width, of x: n × width. */
bool expert_mix_run(const expert_mix *m, const kernels *with, const kernels *in64, crew *by,
                    const tensor *x, tensor *out, const keeper *keep, err *e);

/* From the gradient of what it made of x to that of x, which takes its place; what was made inside
 * is made again. `of_layer` keeps gradients of matrices, which `own`, the layer, has. */
bool expert_mix_back(const expert_mix *m, const way_back *g, const bundle *own, const tensor *x,
                     tensor *grad, const keeper *of_layer, const keeper *keep, err *e);

/* Of ROUTED_BY_LOGITS, n × count: the softmax of each row's chosen logits, in float64, before it is
 * rounded; of others 0. chosen: 1 × n × count, 1 or 0. */
bool expert_mix_shares(const expert_mix *m, const kernels *in64, const tensor *logits,
                       const tensor *chosen, tensor *shares, err *e);

/* What a layer's "experts" have of the one of this number, from 0; NULL: it is not there. */
const entry *expert_given(const bundle *experts, size_t number);

/* Is told of each stage in order, and how wide it is. False ends it. */
bool expert_mix_tell(const walk *w, const stage_way *way, const expert_mix *m);

/* The most that it works in, of so many rows, next to what goes in and out. */
size_t expert_mix_memory(const expert_mix *m, const kernels *with, dtype type, size_t rows,
                         size_t threads);
/* What the way back works in next to that. */
size_t expert_mix_back_memory(const expert_mix *m, dtype type, size_t rows);

#endif
