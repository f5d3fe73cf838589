/* check --tap: the same lines in the Test Anything Protocol (testanything.org), version 13. */
#ifndef SELFATTN_CLI_CHECK_CHECK_TAP_H
#define SELFATTN_CLI_CHECK_CHECK_TAP_H

#include "cli/check/check_jobs.h"

typedef struct tap_count {
    size_t tests;
} tap_count;

void tap_begin(text *out);
/* A test a document, and one that fails for each that can't be checked. */
void tap_add(text *out, tap_count *counted, const checked_file *one);
/* How many tests there were. */
void tap_end(text *out, const tap_count *counted);

#endif
