/* The way back, from a gradient of the output to those of all that it was made of.
 *
 * After the output, a second loop goes over all blocks of queries. Each makes its weights again, by
 * what made them before, and from them the gradients of scores. What blocks add to, such as the
 * gradients of keys and values, is one chain over the queries for each number: blocks compute side
 * by side, and add in turns, one after the other. So neither threads nor the size of blocks change
 * a bit. Then rules make the rest, each of stages that are whole. */
#ifndef SELFATTN_ATTN_ENGINE_BACKWARD_H
#define SELFATTN_ATTN_ENGINE_BACKWARD_H

#include "attn/engine/block.h"

/* A run needs the second loop, and something of the way back. */
bool backward_has_blocks(const plan *p, const stage_places *where);
bool backward_is_needed(const stage_places *where);

/* What the second loop begins with: the loss, and gradients of the output and the context. */
bool backward_begin(const projecting *with, err *e);
/* Where it gathers; `to` is to be closed in any case. */
bool backward_open(gathered *to, const projecting *with, err *e);
void backward_close(gathered *to);
/* What comes after it. False also where a gradient leaves the type's range. */
bool backward_end(const gathered *from, const projecting *with, err *e);

/* Bytes that all of it works in, but for a thread's scratch. */
size_t backward_memory(const plan *p, const stage_places *where);

#endif
