/* check --differences: gradients next to central differences in float64. */
#ifndef SELFATTN_CLI_CHECK_DIFFERENCES_H
#define SELFATTN_CLI_CHECK_DIFFERENCES_H

#include "cli/check/checker.h"

/* Compares the gradients of an attention or of layers, ours or those of `actual`, and adds the line
 * that says how it went. */
bool check_differences(checker *c, document *one, const bundle *actual, err *e);

#endif
