/* The loop over blocks of query rows, of all heads and batch entries: over all of them, or over a
 * few at a time. */
#ifndef SELFATTN_ATTN_ENGINE_LOOP_H
#define SELFATTN_ATTN_ENGINE_LOOP_H

#include "attn/engine/block.h"
#include "attn/engine/run.h"
#include "attn/engine/schedule.h"

struct run_room {
    block_context shared;
    size_t block_rows, block_columns, blocks; /* a block's rows and most columns, a head's blocks */
    size_t units, wave, slots;
    size_t group;       /* query heads that use one key/value head */
    bool goes_back;     /* in the second loop: back_block.h computes the blocks */
    size_t first, end;  /* the blocks to compute, counted over heads and batch entries */
    size_t threads;     /* at most */
    scratch *of_worker; /* NULL: the loop's memory is not allocated */
    schedule tasks;
};

/* What the plan and the wanted stages decide, and all blocks to be computed. */
void loop_begin(run_room *r, const plan *p, const kept_stages *w, size_t threads);
/* How many units are packed at once, for so many threads. */
void loop_size(run_room *r, size_t threads);
/* Memory for the loop, which `made` of `shared` must be there for, where there is none yet. Nothing
 * fails for want of memory after it. */
bool loop_open(run_room *r, size_t threads, err *e);
void loop_close(run_room *r);

/* Computes the blocks from `first` up to `end`; `empty` are those of their rows that may attend to
 * nothing. */
bool loop_compute(run_room *r, crew *by, empty_rows *empty, err *e);
/* The second loop, after the first, over all blocks. */
bool loop_go_back(run_room *r, crew *by, err *e);

#endif
