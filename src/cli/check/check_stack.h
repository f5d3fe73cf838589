/* check of a document of layers: its stack computed, and compared with what it expects. */
#ifndef SELFATTN_CLI_CHECK_CHECK_STACK_H
#define SELFATTN_CLI_CHECK_CHECK_STACK_H

#include "cli/check/checker.h"

/* Whether it is one. */
bool check_is_stack(const document *one);

/* Adds its line. It is computed as decode does it where it has a memory, else as encode does. */
bool check_stack(checker *c, const document *one, const bundle *numbers, err *e);

#endif
