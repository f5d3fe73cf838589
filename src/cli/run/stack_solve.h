/* A stack of a document, read and computed: what encode, decode and check share. */
#ifndef SELFATTN_CLI_RUN_STACK_SOLVE_H
#define SELFATTN_CLI_RUN_STACK_SOLVE_H

#include "cli/in/document.h"
#include "cli/line/env.h"
#include "model/generation.h"
#include "model/stack.h"
#include "trace/generation_trace.h"

typedef struct stack_solution {
    place at; /* of the document */
    stack stack;
    text_list there;  /* the names of its stages */
    text_list wanted; /* names of those to be kept, in which * stands for anything */
    bundle stages;    /* those that were wanted */
    row_choice rows;  /* that its stages are written of; nothing: of all */
    bundle all;       /* then those of all rows */
    size_t house;     /* bytes of the trace that will be made of them; 0: of none */
} stack_solution;

/* Reads and plans it. To be freed in any case, and not to be moved. */
bool stack_solution_plan(stack_solution *s, const document *one, bool is_decoder, const options *o,
                         err *e);
/* Refuses a name that no stage has; * in it stands for anything. */
bool stack_solution_check(const stack_solution *s, const char *name, err *e);
/* Checks the memory against --max-memory, says the notes, and computes these stages. */
bool stack_solution_run(stack_solution *s, const text_list *emit, const options *o,
                        const env *world, err *e);
void stack_solution_free(stack_solution *s);

/* How many threads a stack uses, of a generation too. */
size_t stack_threads(const stack *s, const options *o, const env *world);

/* A generation of a document, opened and computed: what generate and check share. */

typedef struct generation_solution {
    generation of;
    generation_trace trace; /* where it is traced; then the generation keeps all stages */
    bool is_traced;
    double *number; /* drawn before, one a step */
    /* Of whose steps some stages are named, "step.3.logits", and kept: */
    const bundle *names;
    size_t *step, steps; /* that they are of, each once, in order */
    text_list there;     /* the names of their stages, in the order in which they are made */
    text_list wanted;    /* those to be kept */
    bundle stages;       /* that were wanted */
} generation_solution;

/* What is done with each step, or NULL. */
typedef struct step_listener {
    bool (*hear)(void *context, const generation *g, err *e);
    void *context;
} step_listener;

/* Refuses a seed that nothing is drawn from. */
bool generation_check_seed(const options *o, err *e);
/* Reads and plans it for so many steps, drawn as --temperature and --seed say, into one that is
 * zeroed. To be freed in any case, and not to be moved. */
bool generation_solution_open(generation_solution *s, const document *one, size_t steps,
                              bool is_traced, const options *o, err *e);
/* Checks the memory against --max-memory: for the prompt, and then for all steps and the house of
 * their trace, which is begun after it. */
bool generation_solution_check(const generation_solution *s, const options *o, const env *world,
                               err *e);
/* Computes all steps, and says the notes. Of `weighted`, a traced one keeps the row in focus, or
 * all rows where `all_weighted` asks for them. */
bool generation_solution_run(generation_solution *s, bool all_weighted, const step_listener *each,
                             const options *o, const env *world, err *e);
void generation_solution_free(generation_solution *s);

/* Whether names are of steps. */
bool named_steps_are(const bundle *names);

/* Reads and plans as many steps as the names want. To be freed in any case, and not to be moved. */
bool named_steps_plan(generation_solution *s, const document *one, const bundle *names,
                      const options *o, err *e);
/* Checks the memory, computes the steps with their trace, and keeps what was wanted. */
bool named_steps_run(generation_solution *s, const options *o, const env *world, err *e);

#endif
