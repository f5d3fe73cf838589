/* check compares what was computed with what was said of it; --why: which mistake gives the numbers
 * that differ, in lines below the document's own. */
#ifndef SELFATTN_CLI_CHECK_CHECK_WHY_H
#define SELFATTN_CLI_CHECK_CHECK_WHY_H

#include "cli/check/check_stages.h"
#include "why/why.h"

/* What is asked of layers that were computed. `steps`: of a generation; NULL: of one pass. */
why_question check_asked_of_layers(const checker *c, const stack *of,
                                   const generation_settings *steps);

/* Compares and says it; with --why also which mistake gives what differs, in its numbers or in its
 * shape, and with --tol what else would pass. `asked` has no claims yet. */
bool check_judge(checker *c, const named_stages *of, const why_question *asked, errata *known,
                 err *e);

#endif
