/* check compares what was computed with what was said of it; --why: which mistake gives the numbers
 * that differ, in lines below the document's own. */
#ifndef SELFATTN_CLI_CHECK_CHECK_WHY_H
#define SELFATTN_CLI_CHECK_CHECK_WHY_H

#include "cli/check/check_stages.h"
#include "why/why.h"

/* What is asked of layers that were computed. `steps`: of a generation; NULL: of one pass. */
why_question check_asked_of_layers(const checker *c, const stack *of,
                                   const generation_settings *steps);

/* Compares, and adds the line that says how it went. With --why, lines name the mistakes that give
 * what differs, numbers or shape; with --tol, notes tell what else would pass. `asked` has no
 * claims yet. */
bool check_judge(checker *c, const named_stages *of, const why_question *asked, errata *known,
                 err *e);

#endif
