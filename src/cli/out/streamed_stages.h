/* Stages that are too large to be kept: their rows are computed (attn/engine/streamed_stage) as
 * writers of text come to them. */
#ifndef SELFATTN_CLI_OUT_STREAMED_STAGES_H
#define SELFATTN_CLI_OUT_STREAMED_STAGES_H

#include "attn/engine/streamed_stage.h"
#include "io/streamed_rows.h"

typedef struct streamed_stages {
    stage_id id[STAGE_COUNT];
    size_t numbers[STAGE_COUNT]; /* of each that was added; unused once they are split */
    streamed_stage *stage[STAGE_COUNT];
    size_t count;
    size_t part;        /* bytes of a stage that are made at a time */
    streamed_rows rows; /* for the writers */
} streamed_stages;

/* True, and added, where the stage may be one of those: it takes more than 64 KB. */
bool streamed_stages_add(streamed_stages *all, const plan *p, stage_id id);
/* Those of more numbers than that, with the least room; the others are to be kept. */
void streamed_stages_split(const streamed_stages *all, size_t most_numbers, streamed_stages *above,
                           kept_stages *others);
/* They take as many bytes more, if that is of use. */
void streamed_stages_widen(streamed_stages *all, size_t bytes);
/* The memory that they take together, while nothing else is computed. */
bool streamed_stages_memory(const streamed_stages *all, const plan *p, size_t threads,
                            size_t *bytes, err *e);
/* Makes them ready, and adds them to `result`, borrowed. `all` stays where it is from now on. */
bool streamed_stages_start(streamed_stages *all, const plan *p, size_t threads, bundle *result,
                           err *e);
void streamed_stages_free(streamed_stages *all);

#endif
