/* The program as the reference's tests see it: a random problem becomes a document, is planned, and
 * run. */
#ifndef SELFATTN_TESTS_REF_SUBJECT_H
#define SELFATTN_TESTS_REF_SUBJECT_H

#include "attn/plan/kv_cache.h"
#include "attn/engine/run.h"
#include "ref/ref_attention.h"

/* How to run it: all zero is all stages, in one thread, by the best kernels. */
typedef struct subject_way {
    size_t threads;
    const kept_stages *wants; /* these stages, where they are made; NULL: all that are */
    bool allows_nonfinite;
    const kernels *with;    /* instead of the best of this machine */
    const row_choice *rows; /* these queries alone, of the plan of all; NULL: all */
    size_t part;            /* keys that a block packs at once; 0: all */
    kv_cache *cache;        /* of a stream, whose next line this is; NULL: of none */
    void (*before)(void);   /* called before the run, to spoil what it should not depend on */
} subject_way;

typedef struct subject {
    bundle document;
    problem asked;
    chosen_rows chosen;
    plan decided;
    bundle result;
    run_report report;
    err failure;
} subject;

/* False, with `failure` set, when the program refuses. To be freed in any case. */
bool subject_run(subject *s, const ref_problem *p, const subject_way *way);
void subject_free(subject *s);

#endif
