/* selfattn check --answers: marks the numbers of an exercise (--blank), as its page does, and gives
 * the formula for those that are wrong; never the number. */
#ifndef SELFATTN_CLI_CHECK_CHECK_ANSWERS_H
#define SELFATTN_CLI_CHECK_CHECK_ANSWERS_H

#include "cli/check/check_stages.h"
#include "trace/trace.h"

/* Adds a line of how many are right, and one for each that is not, with the formula that the trace
 * has for it. */
bool check_answers(checker *c, const named_stages *of, const trace *made, err *e);

#endif
