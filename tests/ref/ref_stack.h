/* The independent reference of layers: the manual's LAYERS in long double, each formula as it is
 * written there, over the reference of attention (ref_attention.h).
 *
 * It shares no code with src and includes none of it. It follows no errors: the rows that go from
 * part to part are rounded to float64 where attention takes them, and compare_stacks.h says what
 * that allows. */
#ifndef SELFATTN_TESTS_REF_STACK_H
#define SELFATTN_TESTS_REF_STACK_H

#include "ref/ref_attention.h"

#include <stdint.h>

enum { REF_LAYERS_MOST = 3, REF_TIMES_MOST = 3, REF_NORMS = 4, REF_STACK_NAME = 96 };

/* {} where it is there and nothing is said. */
typedef struct ref_norm {
    bool is_there, has_eps;
    double *gain, *bias; /* NULL: not said */
    double eps;
} ref_norm;

/* As they stand in the document, in its layout; not there: w1.at NULL. */
typedef struct ref_feed_forward {
    size_t hidden;
    ref_array w1, b1, w2, b2, w3, b3;
} ref_feed_forward;

enum { REF_EXPERTS_MOST = 6 };

/* Experts in the place of a feed-forward part, which is the first of them, and those after it. */
typedef struct ref_experts {
    size_t count; /* 0: there are none */
    const char *routing;
    bool divides; /* weights, by their sum; with top-softmax nothing says so */
    size_t top, groups, top_groups, top_of_group; /* groups 0: none */
    double scale;                                 /* of weights */
    ref_array router, router_bias, choice_bias, shared_gate;
    ref_feed_forward after[REF_EXPERTS_MOST - 1], shared; /* shared.w1.at NULL: not there */
} ref_experts;

/* What is done to rows before the unembedding: norm(activation(x·w + b)). */
typedef struct ref_head {
    ref_array w, b; /* w.at NULL: there is no head */
    const char *activation;
    ref_norm norm;
} ref_head;

/* Attention's rows are those of the layer before; all else that its problem may have is used. */
typedef struct ref_layer {
    ref_problem attention, cross;
    bool has_cross;
    ref_norm norm[REF_NORMS];
    ref_feed_forward feed_forward;
    ref_experts experts;
    const char *order, *norm_kind, *activation; /* NULL: the stack's */
    double residual_scale;                      /* 0: the stack's */
} ref_layer;

/* Computes an attention's stages with mistakes, in a layer counted from 1; false: there are none to
 * be made. */
typedef bool (*ref_attend)(void *context, const ref_problem *p, size_t layer, bool is_cross,
                           ref_result *r);

/* A number in fewer digits. */
typedef double ref_keep(double value, int with);

/* A document of layers. A word that is NULL, and 0 heads, were not said. */
typedef struct ref_stack {
    bool is_float32, is_decoder, adds_sinusoids;
    const char *order, *norm_kind, *activation, *layout, *causal;
    size_t heads, offset;
    double residual_scale;                     /* 0: not said */
    double row_scale;                          /* of rows that ids look up; 0: not said */
    ref_array x, memory, embedding, positions; /* x: n × m or b × n × m */
    ref_array segment_rows;
    size_t *ids;          /* rows of the embedding that x is; NULL: x is given */
    size_t *segments;     /* of n rows; NULL: not said, and 0 */
    size_t layers, times; /* so many layers, which come so many times; 0: once */
    ref_layer layer[REF_LAYERS_MOST];
    /* What gradients begin with: ref_stack_back.h. */
    const char *loss;
    ref_array output_grad, target, labels, unembedding, unembedding_bias;
    double logits_scale, logits_softcap; /* 0: not said */
    ref_head head;
    ref_feed_forward end; /* of the order seed */
    ref_norm first, final;
    const char *mistake; /* one of REF_STACK_MISTAKES that it shall make */
    size_t mistake_in;   /* the layer, from 1, that alone makes it; 0: all */
    ref_attend attend;   /* NULL: as ever */
    void *context;       /* of that */
    ref_keep *keep;      /* what becomes of each number that a layer gives; NULL: nothing */
    int keep_as;         /* what that takes */
    bool keeps_results;  /* it is of all numbers, when they are computed */
} ref_stack;

extern const char *const REF_STACK_MISTAKES[];
extern const size_t REF_STACK_MISTAKE_COUNT;

/* A stage under its full name, in the shape in which the program gives it. */
typedef struct ref_stack_stage {
    char name[REF_STACK_NAME];
    int rank;
    size_t size[5], count;
    long double *at;
} ref_stack_stage;

typedef struct ref_stack_result {
    ref_stack_stage *stage;
    size_t count, capacity;
} ref_stack_result;

/* All layers that rows go through, and the one that the layer of this number, from 0, is. */
size_t ref_stack_depth(const ref_stack *s);
const ref_layer *ref_stack_layer(const ref_stack *s, size_t number);

void ref_stack_compute(const ref_stack *s, ref_stack_result *r);
void ref_stack_result_free(ref_stack_result *r);

/* Stack `number` of a seed, always the same one, and one that the program accepts. */
void ref_random_stack(ref_stack *s, uint64_t seed, uint64_t number);
/* The same with this order of norms, one of REF_STACK_ORDERS, which those do not have. */
void ref_random_stack_in(ref_stack *s, uint64_t seed, uint64_t number, const char *order);
enum { REF_STACK_ORDER_COUNT = 5 };
extern const char *const REF_STACK_ORDERS[REF_STACK_ORDER_COUNT];
/* Puts experts in the place of its layers' feed-forward parts. */
void ref_stack_mix(ref_stack *s, uint64_t seed, uint64_t number);
void ref_stack_free(ref_stack *s);

#endif
