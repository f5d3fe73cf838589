/* check --why: which mistake gives the numbers that differ, in lines below the document's own. */
#ifndef SELFATTN_CLI_CHECK_WHY_H
#define SELFATTN_CLI_CHECK_WHY_H

#include "cli/errata.h"
#include "cli/solve.h"

/* A document that was computed, and numbers that are not what came out. */
typedef struct unexplained {
    const solution *solved;
    const bundle *numbers; /* by stage */
    const comparison *compared;
    const errata *known;
    const char *numbers_name; /* "expected" or "actual" */
    double tol[STAGE_COUNT];
} unexplained;

bool check_explain(text *out, const unexplained *of, size_t threads, err *e);

/* A line for each erratum of the document: its misprints are known. */
void check_list_errata(text *out, const errata *known);

#endif
