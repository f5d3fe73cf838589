/* Stages that are too large to be kept: their rows are computed (attn/engine/row_stage) as writers
 * of text come to them. */
#ifndef SELFATTN_CLI_OUT_SUPPLIED_H
#define SELFATTN_CLI_OUT_SUPPLIED_H

#include "attn/engine/row_stage.h"
#include "io/row_supply.h"

typedef struct supplied {
    stage_id id[STAGE_COUNT];
    size_t numbers[STAGE_COUNT]; /* of each that was added; unused once they are split */
    row_stage *stage[STAGE_COUNT];
    size_t count;
    size_t part;     /* bytes of a stage that are made at a time */
    row_supply rows; /* for the writers */
} supplied;

/* True, and added, where the stage may be one of those: it takes more than 64 KB. */
bool supplied_add(supplied *all, const plan *p, stage_id id);
/* Those of more numbers than that, with the least room; the others are to be kept. */
void supplied_split(const supplied *all, size_t most_numbers, supplied *above, wanted *others);
/* They take as many bytes more, if that is of use. */
void supplied_widen(supplied *all, size_t bytes);
/* The memory that they take together, while nothing else is computed. */
bool supplied_memory(const supplied *all, const plan *p, size_t threads, size_t *bytes, err *e);
/* Makes them ready, and adds them to `result`, borrowed. `all` stays where it is from now on. */
bool supplied_start(supplied *all, const plan *p, size_t threads, bundle *result, err *e);
void supplied_free(supplied *all);

#endif
