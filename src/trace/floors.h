/* What the steps between the attentions of a stack are written with. */
#ifndef SELFATTN_TRACE_FLOORS_H
#define SELFATTN_TRACE_FLOORS_H

#include "trace/build.h"
#include "trace/stack_trace.h"

typedef enum floor_step {
    FLOOR_EMBEDDED,
    FLOOR_LAYER,
    FLOOR_NORM,
    FLOOR_SUM,
    FLOOR_FEED_FORWARD,
    FLOOR_ROLLOUT,
    FLOOR_OUTPUT
} floor_step;

/* Rows that go on, and what the trace calls them. */
typedef struct floor_rows {
    const char *name;
    tensor values; /* of the focus's batch, n × m */
} floor_rows;

typedef struct floors {
    stack_trace *out;
    const stack *stack;
    const bundle *result;
    trace_focus focus;
    bool is_full;
    const bool *asked;
    err *e;
    stage_way way;     /* to the stages of the layer */
    const char *place; /* "layer 1, ", or "" */
    builder b;         /* of the step that is being made */
} floors;

/* Begins a step: a trace of its own, named by the place and `name`. */
bool floors_begin(floors *f, floor_step step, const char *name);
/* A stage of the layer. */
floor_rows floors_rows(const floors *f, const char *name);
/* All of them, with the focus's row marked. */
void floors_show(floors *f, const floor_rows *rows);
/* The first number of a vector, however it lies. */
tensor floors_first(const tensor *vector);

/* floor_steps.c: a step each. */
bool floors_norm(floors *f, const norm *n, const floor_rows *of, const char *name);
bool floors_sum(floors *f, const floor_rows *a, const floor_rows *b, const char *name);
bool floors_feed_forward(floors *f, const feed_forward *by, const floor_rows *of);

#endif
