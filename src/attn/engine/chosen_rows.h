/* Some of a problem's queries as a problem of its own: a document that says the same of them, with
 * all keys, and where each of them stands. What computes, traces and explains it knows nothing of
 * the others, and each number has the bits that it has in the whole. */
#ifndef SELFATTN_ATTN_ENGINE_CHOSEN_ROWS_H
#define SELFATTN_ATTN_ENGINE_CHOSEN_ROWS_H

#include "attn/plan/plan.h"
#include "attn/spec/row_choice.h"

/* Fills `to`, which borrows from the plan's problem and its document. */
bool chosen_rows_document(bundle *to, const plan *whole, const row_choice *c, err *e);

#endif
