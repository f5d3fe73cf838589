/* The steps of a trace in their order: names for `--trace=STEP,…` and what each is about. */
#ifndef SELFATTN_TRACE_STEP_H
#define SELFATTN_TRACE_STEP_H

#include "base/named.h"

#include <stdbool.h>

typedef enum step_id {
    STEP_INPUTS,
    STEP_PARAMETERS,
    STEP_DIMENSIONS,
    STEP_POSITIONS,
    STEP_PROJECTIONS,
    STEP_NORMALIZE,
    STEP_ROPE,
    STEP_CACHE,
    STEP_SCORES,
    STEP_SCALE,
    STEP_CAP,
    STEP_MASK,
    STEP_SOFTMAX,
    STEP_STATISTICS,
    STEP_ROUND,
    STEP_WEIGHTED,
    STEP_SUM,
    STEP_CONCAT,
    STEP_JOIN,
    STEP_COUNT,
    /* Between the attentions of a stack. */
    FLOOR_EMBEDDED = STEP_COUNT,
    FLOOR_LAYER,
    FLOOR_NORM,
    FLOOR_RESIDUAL,
    FLOOR_FEED_FORWARD,
    FLOOR_ROLLOUT,
    FLOOR_OUTPUT,
    /* Of a generation, above all layers. */
    FLOOR_LOGITS,
    FLOOR_PROBABILITIES,
    FLOOR_CHOICE
} step_id;

/* What is asked for in a trace: one that is not named is left out where it does nothing. */
typedef enum step_wish { STEP_UNWANTED, STEP_IF_IT_WORKS, STEP_WANTED } step_wish;

typedef struct step_row {
    named named;
    /* The stages that it makes, which stand for it in --trace: "row_max exp row_sum weights". */
    const char *stages;
} step_row;

extern const named_table STEPS;  /* rows of `step_row`, at their step_id, before STEP_COUNT */
extern const named_table FLOORS; /* the rows after it */

/* Of any of them. */
const step_row *step_of(step_id id);

/* The step of this name, or the one that makes the stage of this name; NULL where there is
 * neither. */
const step_row *step_find(const char *name, size_t length);

#endif
