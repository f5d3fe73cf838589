/* A run's loop over blocks of query rows: over all of them, or over a few at a time. */
#ifndef SELFATTN_ATTN_ENGINE_RUN_BLOCKS_H
#define SELFATTN_ATTN_ENGINE_RUN_BLOCKS_H

#include "attn/engine/block.h"
#include "attn/engine/schedule.h"
#include "base/threads.h"

typedef struct run {
    block_context shared;
    size_t block_rows, block_columns, blocks; /* a block's rows and most columns, a head's blocks */
    size_t units, wave, slots;
    size_t group;       /* query heads that use one key/value head */
    size_t first, end;  /* the blocks to compute, counted over heads and batch entries */
    size_t threads;     /* at most */
    scratch *of_worker; /* NULL: there is no memory for the loop */
    schedule tasks;
} run;

/* Sets what the plan and the wanted stages decide, and all blocks to be computed. */
void run_size_blocks(run *r);

/* Memory for the loop, which `made` of `shared` must be there for, where there is none yet. Nothing
 * fails for want of memory after it. */
bool run_blocks_open(run *r, size_t threads, err *e);
void run_blocks_close(run *r); /* also where it was not opened, or not wholly */

/* Computes the blocks from `first` up to `end`; `empty` are those of their rows that may attend to
 * nothing. */
bool run_compute_blocks(run *r, crew *by, empty_rows *empty, err *e);

/* Bytes that this takes; false where an address can't hold them. */
bool run_blocks_memory(run *r, size_t threads, size_t *bytes);

#endif
