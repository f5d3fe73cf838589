/* A stack as it runs: its stages, what they take, and the run. */
#ifndef SELFATTN_MODEL_STACK_RUN_H
#define SELFATTN_MODEL_STACK_RUN_H

#include "model/stack.h"

/* Bytes that computing these stages will allocate. */
bool stack_memory(const stack *s, const text_list *emit, size_t threads, size_t *bytes, err *e);

/* Whether it may have so many bytes, and packed weights what is left of `most`. The error says what
 * they are for: " for the prompt", or "". */
bool stack_check_memory(const stack *s, size_t bytes, size_t most, const char *of_what, err *e);

/* Bytes of these stages themselves; SIZE_MAX where they are more than an address can hold. */
bool stack_stages_memory(const stack *s, const text_list *emit, size_t *bytes, err *e);

/* Bytes that the caches of a stack that goes on take, when they have so many rows. */
bool stack_cache_memory(const stack *s, size_t rows, size_t *bytes, err *e);

/* Multiply-adds, about. */
double stack_operations(const stack *s);

/* Whether what comes from which row can be followed through its layers: each self-attention is over
 * the rows that go in, and their sum with what it makes goes on. */
bool stack_has_rollout(const stack *s);

/* The names of all stages, in the order in which they are made. */
bool stack_stage_names(const stack *s, text_list *names, err *e);

/* Adds the stages that `emit` names to `result`. */
bool stack_run(const stack *s, const text_list *emit, crew *by, bundle *result, run_report *report,
               err *e);

#endif
