/* What goes through the layers of the reference (ref_stack.h): rows, the stages that are kept of
 * them, and the mistake that is to be made. Within the reference alone. */
#ifndef SELFATTN_TESTS_REF_FLOW_H
#define SELFATTN_TESTS_REF_FLOW_H

#include "ref/ref_stack.h"

/* b·n rows of one width. */
typedef struct rows {
    size_t n, width;
    long double *at;
} rows;

/* What goes through the layers. */
typedef struct flow {
    const ref_stack *stack;
    ref_stack_result *result;
    size_t batches; /* 0: no axis */
    size_t n;       /* rows of an entry */
    size_t layer;   /* that is computed, from 1; 0: none is */
    rows given;     /* to that layer */
    rows x;         /* what the next part is given */
    rows rollout;   /* of the layers so far; at NULL: there is none */
    bool has_rollout;
    char way[REF_STACK_NAME];
} flow;

rows rows_new(size_t n, size_t width);
rows rows_copy(const rows *of);

/* Whether this mistake is to be made here; the same of one that names a part, "no cross". */
bool flow_makes(const flow *f, const char *mistake);
bool flow_makes_of(const flow *f, const char *before, const char *part, const char *after);

/* The factor of what a part of this layer adds. */
long double flow_residual_scale(const flow *f);

/* Keeps rows as a stage of this name, numbers of any shape, and a stage of attention as one of this
 * part. */
void flow_keep(const flow *f, const char *name, const rows *of);
void flow_keep_array(const flow *f, const char *name, int rank, const size_t *size,
                     const long double *at);
void flow_keep_stage(const flow *f, const char *part, const ref_stage *one);

/* x·W + b; and x through a feed-forward part, whose stages are kept but for its output, or not. */
rows flow_product(const rows *x, const ref_array *w, const ref_array *b, bool is_out_in);
rows flow_through(flow *f, const ref_feed_forward *by, const char *activation, const rows *x,
                  bool keeps);

/* ref_mixture.c: what a layer's experts make of f->x, in its place. */
void flow_mix(flow *f, const ref_layer *l, const char *activation);

/* ref_embed.c: the rows that a stack begins with. */
void flow_embed(flow *f);

#endif
