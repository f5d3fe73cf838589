/* What a caller wants of a run: which stages to keep, and to see how far it is.
 *
 * It stands below the run, since all its parts ask what is wanted, and a trace says what it wants
 * without running anything. */
#ifndef SELFATTN_ATTN_ENGINE_KEPT_STAGES_H
#define SELFATTN_ATTN_ENGINE_KEPT_STAGES_H

#include "attn/plan/plan.h"

#include <stdatomic.h>

/* How far a run is: another thread may look. */
typedef struct run_progress {
    atomic_size_t done, blocks; /* of so many; 0: none is computed yet */
} run_progress;

/* Which stages to keep, in the order in which the result has them. */
typedef struct kept_stages {
    stage_id stage[STAGE_COUNT];
    size_t count;
    /* `weighted` of one row only, n_k × d_v: what a trace shows of it; of all rows where there are
     * at most so `few` queries and keys. */
    bool weighted_is_one_row;
    size_t few;
    size_t batch, head, row;
    run_progress *progress; /* moved on by the run, or NULL */
} kept_stages;

bool kept_stages_has(const kept_stages *w, stage_id id);
void kept_stages_add(kept_stages *w, stage_id id); /* once, however often it is called */

/* Scores as they were before masking: of all keys, also of those that a query may not see. */
bool kept_stages_all_keys(const kept_stages *w);

/* The stage is `weighted`, and one row of it is meant. */
bool kept_stages_is_one_row(const plan *p, const kept_stages *w, stage_id id);
/* Rank and sizes of a stage as it is kept: plan_stage_shape's, unless one row is meant. */
void kept_stages_shape(const plan *p, const kept_stages *w, stage_id id, int *rank,
                       size_t size[TENSOR_MAX_RANK]);

#endif
