/* --header: what made a result, so that a golden file can say where it came from. */
#ifndef SELFATTN_CLI_OUT_HEADER_H
#define SELFATTN_CLI_OUT_HEADER_H

#include "cli/line/options.h"
#include "cli/run/solve.h"
#include "model/stack.h"

/* A line each: the version, the arguments, every input with its shape and a hash of its numbers. */
bool header_lines(const solution *s, const options *o, text_list *lines, err *e);
/* The same of layers, whose inputs are named by the way to them: "layers.0.wq". command: its name,
 * which stood before the arguments, or NULL. */
bool header_lines_of_stack(const stack *s, const char *command, const options *o, text_list *lines,
                           err *e);

#endif
