/* The ways in which one problem can be computed, each of which must give the same bytes. */
#ifndef SELFATTN_TESTS_ANSWER_WAYS_H
#define SELFATTN_TESTS_ANSWER_WAYS_H

#include "answer/hash.h"
#include "base/named.h"
#include "ref/subject.h"

/* A problem, how to compute it, and the hashes of the stages that came out. */
typedef struct trial {
    const ref_problem *problem;
    bool allows_nonfinite, wants_output_only;
    size_t threads;
    const kernels *with;
    bool has[STAGE_COUNT];
    uint64_t hash[STAGE_COUNT];
    err failure;
} trial;

typedef struct way {
    named named;
    /* False where the program refuses, with t->failure set. A problem that can't be computed in
     * this way has no hashes. */
    bool (*compute)(trial *t);
} way;

extern const named_table WAYS; /* rows of `way`, the plain one first */

#endif
