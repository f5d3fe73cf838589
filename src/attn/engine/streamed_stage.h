/* A stage of n_q × n_k numbers a head that is too large to be kept: a row is computed when it
 * is asked for, from projections that are kept. The same loop gives the same bits. */
#ifndef SELFATTN_ATTN_ENGINE_STREAMED_STAGE_H
#define SELFATTN_ATTN_ENGINE_STREAMED_STAGE_H

#include "attn/plan/plan.h"

typedef struct streamed_stage streamed_stage;

/* Whether the stage can be had so: scores and what is made of them, but not with a cache that grows
 * from run to run. */
bool streamed_stage_can(const plan *p, stage_id id);

/* Projects; some `part` bytes of rows, and a block, are made at a time. Nothing that a run of the
 * plan computes without an error is refused here, but for want of memory. */
streamed_stage *streamed_stage_new(const plan *p, stage_id id, size_t part, size_t threads, err *e);
void streamed_stage_free(streamed_stage *s); /* NULL is nothing */

/* The whole stage, borrowed: only its rows from `first` on are there, `*count` of them, after this
 * has said so. Rows are counted over heads and batch entries. */
tensor streamed_stage_tensor(const streamed_stage *s);
bool streamed_stage_make(streamed_stage *s, size_t first, size_t *count, err *e);

/* Bytes that it takes. */
bool streamed_stage_memory(const plan *p, stage_id id, size_t part, size_t threads, size_t *bytes,
                           err *e);

#endif
