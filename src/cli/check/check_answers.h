/* selfattn check --answers: marks the numbers of an exercise (--blank), as its page does, and gives
 * the formula for those that are wrong; never the number. */
#ifndef SELFATTN_CLI_CHECK_CHECK_ANSWERS_H
#define SELFATTN_CLI_CHECK_CHECK_ANSWERS_H

#include "cli/check/checker.h"
#include "trace/trace.h"

typedef struct exercise {
    const document *document;
    const bundle *answers, *computed; /* by stage; what was computed in the order of the stages */
    const trace *trace;               /* for the formulas */
} exercise;

/* What a stage's numbers come from: in the room that the way to it leads to, or NULL. */
const trace_map *check_map_of(const trace *t, const char *name);

/* Adds a line of how many are right, and one for each that is not. */
bool check_answers(checker *c, const exercise *of, err *e);

#endif
