/* --trace: which steps, which row, which renderer. */
#ifndef SELFATTN_CLI_TRACING_H
#define SELFATTN_CLI_TRACING_H

#include "cli/outputs.h"
#include "cli/stack/stack_outputs.h"
#include "cli/stack/stack_solve.h"
#include "trace/generation_trace.h"
#include "trace/stack_trace.h"
#include "trace/trace.h"

/* Computes what the trace and the data need, and makes the trace, which is to be freed in any
 * case. */
bool tracing_run(trace *t, solution *s, const options *o, env *world, const outputs *to, err *e);

/* The same of a stack, for the stages that are named and the trace. */
bool tracing_run_stack(stack_trace *t, stack_solution *s, const text_list *names, const options *o,
                       const env *world, const stack_outputs *to, err *e);

/* Renders it into a file that is open, as that of a document among all. */
bool tracing_write(const trace *t, const place *of, const documents *all, const options *o,
                   const env *world, output_file *to, err *e);

/* Computes the stages that are named and the trace's, and makes the trace of the steps that words
 * mean, NULL: all that do something. */
bool tracing_make_stack(stack_trace *t, stack_solution *s, const text_list *names,
                        const text_list *asked, const options *o, const env *world, err *e);

/* The trace of a generation before its first step, whose default row is the prompt's last one, of
 * the steps that words mean as above; and written, behind its last step. */
bool tracing_begin_generation(generation_trace *t, generation *g, const text_list *asked,
                              const options *o, err *e);
bool tracing_write_generation(generation_trace *t, const options *o, const env *world,
                              output_file *to, err *e);

/* Whether these names want `weighted` of all rows, which the trace alone doesn't; `there` are those
 * of all stages. */
bool tracing_wants_weighted(const text_list *there, const text_list *names);

/* A note on options that say what is in a trace, where there is none. */
void tracing_say_unused(const options *o, const env *world);

/* The row, head and batch of --focus, from 0; those that are not there are an error. */
bool tracing_find_focus(const solution *s, const options *o, trace_focus *focus, err *e);

#endif
