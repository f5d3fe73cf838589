/* Where each stage of a run lies: decided once, for what is wanted and all that it is made of. What
 * a run allocates is the sum of it, and nothing else places a stage.
 *
 * A stage is needed where it is wanted or a needed one takes it (stage.h), and the context always
 * is: whether a run leaves its type's range does not depend on what is wanted. It lies whole where
 * it is written, or where something takes it whole: a projection or a rule. Else its blocks lie in
 * scratch, which stages share.
 *
 * A run may begin at stages that are given: they are not made, and what only they take is not
 * needed. */
#ifndef SELFATTN_ATTN_PLAN_PLACES_H
#define SELFATTN_ATTN_PLAN_PLACES_H

#include "attn/plan/plan.h"

typedef enum stage_home {
    HOME_NONE,   /* it is not there, or nothing needs it */
    HOME_INPUT,  /* an input's rows are the stage, or numbers that are given, as they lie */
    HOME_BLOCK,  /* in scratch, a block at a time */
    HOME_RUN,    /* whole, in memory of the run's own */
    HOME_RESULT, /* whole, in the result */
} stage_home;

typedef struct stage_shape {
    int rank;
    size_t size[TENSOR_MAX_RANK];
} stage_shape;

typedef struct stage_place {
    stage_home home;
    bool is_written;   /* the result has the stage; what lies elsewhere is copied there */
    bool is_given;     /* and needed */
    stage_id in;       /* of HOME_RESULT, the stage in whose place: itself, or output for context */
    stage_shape whole; /* of HOME_RUN: what it takes */
    stage_shape written; /* of what is written: what the result has */
} stage_place;

typedef struct stage_places {
    stage_place of[STAGE_COUNT];
    /* Those that are needed, in their order: all that a run has to do with. */
    stage_id needed[STAGE_COUNT];
    size_t count;
} stage_places;

/* Of stages that are made. */
void places_find(stage_places *to, const plan *p, const kept_stages *wanted);

/* Whether the run makes the stage. */
static inline bool places_make(const stage_places *of, stage_id id)
{
    return of->of[id].home != HOME_NONE && !of->of[id].is_given;
}

/* Whether a stage that is whole, a gradient of queries, keys or values, is gathered of blocks of
 * the other, which need not be whole. */
bool places_gathers(const plan *p, stage_id id, stage_id taken);

/* Bytes of all that is whole, in the result and not; SIZE_MAX: more than an address can hold. */
size_t places_memory(const stage_places *of, const plan *p);

#endif
