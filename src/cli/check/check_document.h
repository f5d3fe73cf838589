/* Checks one document: computes it and compares the numbers. */
#ifndef SELFATTN_CLI_CHECK_CHECK_DOCUMENT_H
#define SELFATTN_CLI_CHECK_CHECK_DOCUMENT_H

#include "cli/check/checker.h"

/* Adds its lines. False, with the error set, where it can't be computed or compared. */
bool check_document(checker *c, document *one, err *e);

/* The tolerance of a stage: --tol, else the document's one or the stage's, else the default. */
double check_tolerance(const checker *c, const named_stages *of, const char *name);

#endif
