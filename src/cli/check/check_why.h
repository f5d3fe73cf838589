/* check compares what was computed with what was said of it; --why: which mistake gives the numbers
 * that differ, in lines below the document's own. */
#ifndef SELFATTN_CLI_CHECK_CHECK_WHY_H
#define SELFATTN_CLI_CHECK_CHECK_WHY_H

#include "cli/check/check_stages.h"
#include "why/why.h"

/* Compares what the work computed, and adds the line that says how it went. With --why, lines name
 * the mistakes that give what differs, numbers or shape; with --tol, notes tell what else would
 * pass. */
bool check_judge(checker *c, const named_stages *of, const work *w, errata *known, err *e);

#endif
