/* Which steps of a stack's trace a word of --trace or --blank means.
 *
 * A step is called by the way to it, layer.0.attention.softmax or layer.0.ln1. A word means it that
 * is this name, the end of it (softmax, ln1), a stage that the step makes (weights), what it is one
 * of (norm), or where it is (layer.0, attention); * stands for anything. In a generation all of
 * that may begin with step.1, and means that step alone then. */
#ifndef SELFATTN_TRACE_STACK_STEPS_H
#define SELFATTN_TRACE_STACK_STEPS_H

#include "model/stack.h"
#include "trace/trace.h"

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

#endif
