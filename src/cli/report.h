/* What check and diff say, a line a document; and an error as a person reads it. */
#ifndef SELFATTN_CLI_REPORT_H
#define SELFATTN_CLI_REPORT_H

#include "cli/document.h"
#include "cli/env.h"
#include "cli/errata.h"

/* "selfattn: WHERE: WHAT", and the remedy below. */
void report_error(const env *world, const err *e);

/* The line of one checked document; true where it holds. */
bool report_check(text *out, const document *one, const comparison *of, const errata *known);

/* "weights[query 1, key 2]: 0.5 and 0.46831, a difference of 0.0317 (tol 5e-06)" */
void report_element(text *out, const element *one, const char *wanted_name, const char *got_name);

#endif
