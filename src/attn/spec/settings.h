/* The settings of a problem: the document's keys that are numbers and words. A new one is a row in
 * settings.c. */
#ifndef SELFATTN_ATTN_SPEC_SETTINGS_H
#define SELFATTN_ATTN_SPEC_SETTINGS_H

#include "attn/spec/problem.h"

/* Reads all of them from p->document; what is not there keeps its default. */
bool settings_read(problem *p, err *e);

#endif
