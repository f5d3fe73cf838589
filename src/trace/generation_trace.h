/* The trace of a generation: a house of as many stacks as there are steps, one on top of the other.
 *
 * The first one is the prompt's; each of the others has the one row that came last, with the keys
 * and values of all rows before out of the cache. Above its layers a step has rooms of its own, by
 * which an id is chosen: logits, probabilities where there is a temperature, the choice. All
 * numbers are those that the generation computed. */
#ifndef SELFATTN_TRACE_GENERATION_TRACE_H
#define SELFATTN_TRACE_GENERATION_TRACE_H

#include "model/generation.h"
#include "trace/stack_trace.h"

/* What is kept of a step, since the trace borrows it; of the names only the lists are owned. */
typedef struct kept_step {
    bundle result;
    text_list rows, keys, last, next; /* of its rows, of all so far, of the last, of the next */
} kept_step;

typedef struct generation_trace_settings {
    trace_focus focus; /* its row is one of the prompt */
    bool is_full;
    const text_list *asked; /* words that mean steps; NULL: all that do something */
} generation_trace_settings;

typedef struct generation_trace {
    stack_trace made;
    generation_trace_settings how;
    generation *of;
    char **name; /* of each row, the prompt's first */
    size_t names;
    text_list ids; /* names of the ids */
    kept_step *step;
    size_t steps;
} generation_trace;

/* Bytes of the house that it begins with; SIZE_MAX where no size holds them. */
size_t generation_trace_begin_memory(const generation *g);
/* Of a generation that keeps all stages and plans, before its first step. To be freed in any case,
 * and not to be moved; the generation must outlive it. */
bool generation_trace_begin(generation_trace *t, generation *g,
                            const generation_trace_settings *how, err *e);
/* The step that was just done, whose stages it takes. After the last one stack_trace_end makes a
 * whole of t->made, which can be rendered. */
bool generation_trace_add(generation_trace *t, err *e);
void generation_trace_free(generation_trace *t);

#endif
