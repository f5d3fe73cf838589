/* selfattn check of a generation: a document of layers that is about steps, "step.0.logits". */
#ifndef SELFATTN_CLI_CHECK_CHECK_GENERATION_H
#define SELFATTN_CLI_CHECK_CHECK_GENERATION_H

#include "cli/check/checker.h"

/* Whether these numbers are. */
bool check_is_generation(const bundle *numbers);

/* Adds its line. It is computed as generate does it, for as many steps as the numbers are about:
 * each step has the stages of its layers, logits, and the id that is its choice. */
bool check_generation(checker *c, const document *one, const bundle *numbers, err *e);

#endif
