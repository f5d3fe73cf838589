/* The blocks of the second loop: from the gradient of what a head attended to back to its scores,
 * and on to its queries, keys and values. */
#ifndef SELFATTN_ATTN_ENGINE_BACK_BLOCK_H
#define SELFATTN_ATTN_ENGINE_BACK_BLOCK_H

#include "attn/engine/block.h"

/* All blocks of a head, which `at` is as one, in the order of its queries. Fails as block_weights
 * does. */
bool back_block_head(const block_context *of, block *at, scratch *in);

/* What a thread works in besides; part of its scratch. */
bool scratch_back_new(scratch_back *s, const plan *p, size_t rows, size_t columns, err *e);
void scratch_back_free(scratch_back *s);
size_t scratch_back_memory(const plan *p, size_t rows, size_t columns);

#endif
