/* Where the stages of a stack go: --emit, --output and --write, which name them by the way to
 * them. */
#ifndef SELFATTN_CLI_STACK_STACK_OUTPUTS_H
#define SELFATTN_CLI_STACK_STACK_OUTPUTS_H

#include "cli/output_file.h"

typedef struct stack_output {
    output_file to;
    text_list stages; /* names, in which * stands for anything */
} stack_output;

typedef struct stack_outputs {
    const options *given;
    const documents *documents;
    stack_output *output; /* the data, where there are any, then one a --write */
    size_t count;
    bool traces;
    output_file trace;
} stack_outputs;

/* Refuses what can't be had of layers, wherever it would go. */
bool stack_outputs_check(const options *o, err *e);

bool stack_outputs_plan(stack_outputs *to, const options *o, const documents *from, err *e);

/* All names that are wanted anywhere. */
bool stack_outputs_names(const stack_outputs *to, text_list *names, err *e);
/* header: what made them, a line each; or NULL. */
bool stack_outputs_write(stack_outputs *to, const bundle *result, const text_list *header,
                         const document *one, err *e);
bool stack_outputs_close(stack_outputs *to, bool done, err *e);

#endif
