/* A generation of a document, of whose steps some stages are named, "step.3.logits", and kept. */
#ifndef SELFATTN_CLI_RUN_NAMED_STEPS_H
#define SELFATTN_CLI_RUN_NAMED_STEPS_H

#include "cli/run/generation_solve.h"

typedef struct named_steps {
    generation_solution solved;
    const bundle *names;
    size_t *step, count; /* that they are of, each once, in order */
    text_list there;     /* the names of their stages, in the order in which they are made */
    text_list wanted;    /* those to be kept */
    bundle stages;       /* that were wanted */
} named_steps;

/* Whether names are of steps. */
bool named_steps_are(const bundle *names);

/* Reads and plans as many steps as the names want. To be freed in any case, and not to be moved. */
bool named_steps_plan(named_steps *s, const document *one, const bundle *names, const options *o,
                      err *e);
/* Checks the memory, computes the steps with their trace, and keeps what was wanted. */
bool named_steps_run(named_steps *s, const options *o, const env *world, err *e);
void named_steps_free(named_steps *s);

#endif
