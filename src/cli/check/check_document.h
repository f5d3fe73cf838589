/* One document of check: computed, compared, reported in lines, explained or brought up to date. */
#ifndef SELFATTN_CLI_CHECK_CHECK_DOCUMENT_H
#define SELFATTN_CLI_CHECK_CHECK_DOCUMENT_H

#include "cli/check/checker.h"

/* Adds its lines. False, with the error set, where it can't be computed or compared. */
bool check_document(checker *c, document *one, err *e);

#endif
