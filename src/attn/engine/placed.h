/* The stages of a run in memory, each where plan/places.h has it: all of it is taken before
 * anything is computed. A stage that is asked for without a place stops the program. */
#ifndef SELFATTN_ATTN_ENGINE_PLACED_H
#define SELFATTN_ATTN_ENGINE_PLACED_H

#include "attn/plan/places.h"
#include "tensor/bundle.h"

typedef struct placed {
    stage_places where;
    /* With all their axes, no data where there are none: places in the result, and those of stages
     * that lie whole, in the result or not. `weighted` is n_k × d_v where one row of it is
     * wanted. What is the run's stays from one run of a plan to the next. */
    tensor written[STAGE_COUNT], whole[STAGE_COUNT];
} placed;

/* Gives each wanted stage its place in the result, which may have it already. */
bool placed_write(placed *to, const plan *p, const kept_stages *wanted, bundle *result, err *e);
/* Takes what the run needs for itself; what is given lies where it is. */
bool placed_open(placed *to, const plan *p, const kept_stages *wanted, err *e);
void placed_free(placed *all);

/* A stage that lies whole. */
tensor placed_at(const placed *all, stage_id id);

#endif
