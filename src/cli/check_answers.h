/* selfattn check --answers: marks the numbers of an exercise (--blank), as its page does, and gives
 * the formula for those that are wrong; never the number. */
#ifndef SELFATTN_CLI_CHECK_ANSWERS_H
#define SELFATTN_CLI_CHECK_ANSWERS_H

#include "cli/solve.h"

/* Adds a line of how many are right, and one for each that is not. `digits`: decimals that were
 * asked for, below 0 those of a trace. */
bool check_answers(text *out, const document *one, const bundle *answers, const solution *s,
                   int digits, bool *are_right, err *e);

#endif
