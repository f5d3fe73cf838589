/* --trace: which steps, which row, which renderer. */
#ifndef SELFATTN_CLI_RUN_TRACE_COMMAND_H
#define SELFATTN_CLI_RUN_TRACE_COMMAND_H

#include "cli/out/output_file.h"
#include "cli/run/solve.h"
#include "trace/generation_trace.h"
#include "trace/stack_trace.h"
#include "trace/trace.h"

/* What the steps of an attention are wanted, by the words that name them; NULL: none. */
void trace_command_find_wishes(const text_list *words, step_wish wish[STEP_COUNT]);
/* The row, head and batch of --focus, from 0; those that are not there are an error. */
bool trace_command_find_focus(const solution *s, const options *o, trace_focus *focus, err *e);
/* The words of --trace and of --blank, for layers; of a generation in so many steps, else 0. */
bool trace_command_check_steps(const stack *s, size_t steps, const options *o, err *e);

/* Whether the format can take another trace after so many, and leaves cells blank as asked. */
bool trace_command_check(const options *o, size_t results, err *e);
/* Renders it into a file that is open, as that of a document among all. */
bool trace_command_write(const trace *t, const document *of, const document_reader *all,
                         const options *o, const env *world, output_file *to, err *e);

/* Whether the trace is rendered with those of all entries of its batch. */
bool trace_command_takes_entries(const trace *t, const options *o);

/* Computes the stages that are named and the trace's, and makes the trace of the steps that words
 * mean, NULL: all that do something. */
bool trace_command_make_stack(stack_trace *t, stack_solution *s, const text_list *names,
                              const text_list *asked, const options *o, const env *world, err *e);

/* The trace of a generation before its first step, whose default row is the prompt's last one, of
 * the steps that words mean as above. */
bool trace_command_begin_generation(generation_trace *t, generation *g, const text_list *asked,
                                    const options *o, err *e);

/* Whether these names want `weighted` of all rows, which the trace alone doesn't; `there` are those
 * of all stages. */
bool trace_command_wants_weighted(const text_list *there, const text_list *names);

/* What a stage's numbers come from: in the room that the way to it leads to, or NULL. */
const trace_map *trace_command_map_of(const trace *t, const char *name);

/* A note on options that say what is in a trace, where there is none. */
void trace_command_say_unused(const options *o, const env *world);

#endif
