/* Stages of a document by their names, next to what somebody says of them. */
#ifndef SELFATTN_CLI_CHECK_CHECK_STAGES_H
#define SELFATTN_CLI_CHECK_CHECK_STAGES_H

#include "cli/check/checker.h"
#include "cli/check/errata.h"
#include "cli/run/work.h"

typedef struct named_stages {
    const document *document;
    const text_list *there; /* the names of all, in the order in which they are made */
    const bundle *numbers;  /* what is said of them */
    const bundle *computed;
    const row_choice *rows; /* that both are of; NULL: all */
} named_stages;

/* Wants those that are compared, before anything is computed. What a document expects must be
 * there, and so must what its errata and tolerances are about; of another's result, what is. */
bool check_stages_want(const checker *c, const named_stages *of, work *w, errata *known, err *e);

/* Compares what was computed, and adds the line that says it, or records it. */
bool check_stages_compare(checker *c, const named_stages *of, errata *known, comparison *found,
                          err *e);

/* Whether --why has something to explain: numbers that were not recorded. */
bool check_stages_explains(const checker *c, const comparison *found);

/* --why: where they first differ, where more than one is compared; a line that tells the one before
 * it, which agrees. */
void check_stages_place(text *out, const named_stages *of, const char *first);

#endif
