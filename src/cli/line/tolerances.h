/* --tol [NAME=]T as one question: how far may this stage be off? */
#ifndef SELFATTN_CLI_LINE_TOLERANCES_H
#define SELFATTN_CLI_LINE_TOLERANCES_H

#include "cli/line/options.h"

/* What --tol NAME=T says of this name, the last one said; false where none does. */
bool tolerance_given(const options *o, const char *name, double *tol);

/* Refuses --tol NAME=T where NAME is neither an attention's stage nor in `names`. Without `names`
 * what a stack may have is let be, until they are known. */
bool tolerances_check(const options *o, const text_list *names, err *e);

#endif
