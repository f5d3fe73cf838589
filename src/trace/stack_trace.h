/* The trace of a stack: a house whose floors are the layers.
 *
 * Each attention is a room with the steps that a problem of one attention has; what is between them
 * (norms, sums, feed-forward parts) has steps here. No two steps of the house have one name. */
#ifndef SELFATTN_TRACE_STACK_TRACE_H
#define SELFATTN_TRACE_STACK_TRACE_H

#include "model/generation.h"
#include "trace/trace.h"

/* Out of a run that kept all stages; everything is borrowed from stack and result, which must
 * outlive it. `asked` are words that mean steps; NULL: all that do something. To be freed in any
 * case. */
bool stack_trace_make(trace *t, const stack *s, const bundle *result, trace_focus focus,
                      bool is_full, const text_list *asked, err *e);
/* Bytes that it takes at least; SIZE_MAX where no size holds them. */
size_t stack_trace_least(const stack *s);

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

/* What is kept of a step; of the names only the lists are owned. */
typedef struct kept_step {
    bundle result;
    text_list rows, keys, last, next; /* of its rows, of all so far, of the last, of the next */
} kept_step;

typedef struct generation_trace_settings {
    trace_focus focus; /* its row is one of the prompt */
    bool is_full;
    const text_list *asked; /* words that mean steps; NULL: all that do something */
} generation_trace_settings;

/* What the trace of a generation borrows, which grows with it. */
typedef struct kept_generation {
    trace *made;
    generation_trace_settings how;
    generation *of;
    char **name; /* of each row, the prompt's first */
    size_t names;
    trace_choices choices;
    kept_step *step;
    size_t steps;
} kept_generation;

/* Bytes that a trace of all steps takes at least; SIZE_MAX where no size holds them. */
size_t generation_trace_least(const generation *g);
/* Begins the trace of a generation that keeps all stages and plans, before its first step.
 * Generation and trace must outlive what is kept, and that must be freed after the trace, in any
 * case; it is not to be moved. */
bool generation_trace_begin(kept_generation *t, trace *made, generation *g,
                            const generation_trace_settings *how, err *e);
/* The step that was just done, whose stages it takes. */
bool generation_trace_add(kept_generation *t, err *e);
void kept_generation_free(kept_generation *t);

#endif
