/* An error as one text, for comparing: "FILE:LINE:COL: what", and after a | the remedy where there
 * is one. */
#ifndef SELFATTN_TESTS_SAID_H
#define SELFATTN_TESTS_SAID_H

#include "base/err.h"

/* Borrowed until the next call. "" for no error. */
const char *said(const err *e);

#endif
