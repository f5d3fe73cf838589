/* selfattn run --trace: which steps, which row, which renderer. */
#ifndef SELFATTN_CLI_TRACING_H
#define SELFATTN_CLI_TRACING_H

#include "cli/outputs.h"

/* Computes what the trace and the data need, and renders the trace into `out`. */
bool tracing_run(solution *s, const options *o, env *world, const outputs *to, text *out, err *e);

#endif
