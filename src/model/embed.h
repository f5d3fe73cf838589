/* The rows that a stack begins with. */
#ifndef SELFATTN_MODEL_EMBED_H
#define SELFATTN_MODEL_EMBED_H

#include "model/stack.h"

/* Finds x, the rows of the tokens or of the ids, adds positions, and fills in batches, rows, width
 * and embedded. */
bool stack_embed(stack *s, err *e);

#endif
