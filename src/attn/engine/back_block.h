/* The blocks of the second loop: from the gradient of what a head attended to back to its scores,
 * and on to its queries, keys and values. */
#ifndef SELFATTN_ATTN_ENGINE_BACK_BLOCK_H
#define SELFATTN_ATTN_ENGINE_BACK_BLOCK_H

#include "attn/engine/block.h"
#include "attn/engine/schedule.h"

/* A block's place in the order in which blocks add to what they share. */
typedef struct turns {
    schedule *of;
    const task *by;
} turns;

/* All of a block. Fails as block_weights does, and where the schedule is stopped before the block
 * has its turn. */
bool back_block_compute(const block_context *of, block *at, scratch *in, const turns *my);

/* What a thread works in besides; part of its scratch. */
bool scratch_back_new(scratch_back *s, const plan *p, size_t rows, size_t columns, err *e);
void scratch_back_free(scratch_back *s);
size_t scratch_back_memory(const plan *p, size_t rows, size_t columns);

#endif
