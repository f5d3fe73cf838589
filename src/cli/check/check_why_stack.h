/* check --why of a document of layers: where they first differ, and which mistake gives that. */
#ifndef SELFATTN_CLI_CHECK_CHECK_WHY_STACK_H
#define SELFATTN_CLI_CHECK_CHECK_WHY_STACK_H

#include "attn/compare.h"
#include "cli/check/check_stages.h"
#include "model/generation.h"

/* A document that was computed, and numbers that it was compared with. */
typedef struct unexplained_stack {
    const named_stages *stages;
    const stack *stack;
    const generation_settings *steps; /* of a generation; NULL: of one pass */
    const comparison *compared;
    const errata *known;
} unexplained_stack;

/* Adds its lines: of misprints that are known, and of what differs. */
bool check_explain_stack(checker *c, const unexplained_stack *of, err *e);
/* Where numbers can't be compared for their shape, which is an error all the same. */
void check_explain_stack_shape(checker *c, const unexplained_stack *of);

#endif
