/* The numbers of an attempt: the stages that were computed, and matrices that stand in their
 * place. */
#ifndef SELFATTN_WHY_ATTEMPT_NUMBERS_H
#define SELFATTN_WHY_ATTEMPT_NUMBERS_H

#include "attn/engine/run.h"

enum { ATTEMPT_MATRICES = 3 * INPUT_COUNT };

typedef struct attempt attempt;
struct attempt {
    const attempt *right; /* without mistakes, with all its stages; NULL in itself */
    problem problem;      /* what is asked from here on */
    const kernels *with;
    size_t threads;
    bool keeps_weighted; /* next to which every n_q × n_k stage is small */
    struct problem begun;
    plan plan;                 /* of `begun`, what was asked at first */
    tensor stage[STAGE_COUNT]; /* no data: not there */
    tensor made[ATTEMPT_MATRICES];
    size_t made_count;
    entry turned; /* where rows stand, which a mistake moves; its numbers are in `made` */
};

/* A stage with all its axes, to be read and altered. */
tensor attempt_stage(const attempt *a, stage_id id);
/* Values as they are summed, those of a cache and appended rows among them: b × g × n_k × d_v. */
tensor attempt_values(const attempt *a);

/* A matrix that lasts as long as the attempt, numbers not set. NULL where memory is missing. */
tensor *attempt_matrix(attempt *a, dtype type, int rank, const size_t *size, err *e);
/* A copy, in C order. */
tensor *attempt_copy(attempt *a, const tensor *of, err *e);

#endif
