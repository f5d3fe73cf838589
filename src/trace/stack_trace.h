/* The trace of a stack: one house, whose floors are the layers.
 *
 * Each attention is a trace of its own, by the same steps as a problem of one attention has; what
 * is between them (norms, sums, feed-forward parts) has steps here. The whole borrows their steps,
 * so that a renderer sees one trace, and no two of its steps have one name. */
#ifndef SELFATTN_TRACE_STACK_TRACE_H
#define SELFATTN_TRACE_STACK_TRACE_H

#include "model/generation.h"
#include "trace/trace.h"

typedef struct stack_trace {
    trace whole; /* its steps belong to the parts */
    trace *part;
    size_t parts, rooms; /* that are made, and that there is space for */
} stack_trace;

/* Out of a run that kept all stages; everything is borrowed from stack and result, which must
 * outlive it. `asked` are words that mean steps; NULL: all that do something. To be freed in any
 * case. */
bool stack_trace_make(stack_trace *t, const stack *s, const bundle *result, trace_focus focus,
                      bool is_full, const text_list *asked, err *e);
/* The same in parts, for one that has rooms of more than one run: how many those of a stack are at
 * most, an empty house with room for so many, and its steps once all rooms are made, or again once
 * there are more. */
size_t stack_trace_rooms(const stack *s);
/* Bytes of the empty house; SIZE_MAX where no size holds them. */
size_t stack_trace_memory(size_t rooms);
bool stack_trace_begin(stack_trace *t, const bundle *document, trace_focus focus, size_t rooms,
                       err *e);
bool stack_trace_end(stack_trace *t, err *e);

void stack_trace_free(stack_trace *t);

/* ---- stack_steps.c ---- */

/* Which steps of a stack's trace a word of --trace or --blank means.
 *
 * A step is called by the way to it, layer.0.attention.softmax or layer.0.ln1. A word means it that
 * is this name, the end of it (softmax, ln1), a stage that the step makes (weights), what it is one
 * of (norm), or where it is (layer.0, attention); * stands for anything. In a generation all of
 * that may begin with step.1, and means that step alone then. */

/* Says what a room of the layer makes for the stack besides its own stages: an attention
 * mean_weights, the last room the layer's output. */
void stack_place_find_more(trace_place *at, const layer *of);
/* Whether one of the words names that. */
bool stack_words_name_more(const text_list *words, const trace_place *at);

/* What the words want of a step of the room that is there, whatever floor it is on. */
step_wish stack_step_wish(const text_list *words, const trace_place *at, step_id id);

/* Refuses a word that means none of the stack's steps; of a generation in so many steps, 0: none,
 * also those of each of them, step.0.logits and step.0.layer.0.ln1. */
bool stack_steps_check(const stack *s, size_t steps, const text_list *words, err *e);

/* ---- generation_trace.c ---- */

/* The trace of a generation: a house of as many stacks as there are steps, one on top of the other.
 *
 * The first one is the prompt's; each of the others has the one row that came last, with the keys
 * and values of all rows before out of the cache. Above its layers a step has rooms of its own, by
 * which an id is chosen: logits, probabilities where there is a temperature, the choice. All
 * numbers are those that the generation computed. */

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
