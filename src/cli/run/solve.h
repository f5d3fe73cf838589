/* A document read, planned and computed, by its kind: one attention (solve.c), layers, or steps of
 * a generation (stack_solve.c). work.h makes one of these three. */
#ifndef SELFATTN_CLI_RUN_SOLVE_H
#define SELFATTN_CLI_RUN_SOLVE_H

#include "attn/engine/chosen_rows.h"
#include "attn/engine/run.h"
#include "cli/in/document.h"
#include "cli/line/env.h"
#include "io/format.h"
#include "model/generation.h"
#include "model/stack.h"
#include "trace/generation_trace.h"

/* ---- one attention ---- */

/* Stages that are too large to be kept: their rows are computed as writers of text come to
 * them. */
typedef struct streamed_stages {
    stage_id id[STAGE_COUNT];
    size_t numbers[STAGE_COUNT]; /* of each that was added; unused once they are split */
    streamed_stage *stage[STAGE_COUNT];
    size_t count;
    size_t part;        /* bytes of a stage that are made at a time */
    streamed_rows rows; /* for the writers */
} streamed_stages;

typedef struct solution {
    place at; /* of the document */
    problem problem;
    plan plan;
    row_choice rows; /* that are computed alone; then they are a document of their own, and */
    bundle chosen;   /* the problem is of it; */
    problem whole;   /* the whole one, which it borrows from */
    kept_stages wanted;
    bundle stages;
    run_report report;
    bool is_begun;            /* by solution_run_in: all was checked */
    streamed_stages streamed; /* the wanted stages that are computed while they are written */
} solution;

/* Reads and checks everything; nothing is computed. The document must outlive the solution. */
bool solution_plan(solution *s, const document *one, const options *o, err *e);
/* Adds stages to what is wanted; one that is not made is an error. */
bool solution_want(solution *s, const stage_id *ids, size_t count, err *e);
/* Adds a stage whose rows may be computed while it is written, where it should not be kept; false:
 * it is too small for that, or can't be had so. Its writer needs `streamed_rows`. */
bool solution_want_rows(solution *s, stage_id id);
/* Checks the memory against --max-memory, computes, and says the notes on world->err. */
bool solution_run(solution *s, const options *o, env *world, err *e);
/* The same for a small document of many, by one thread, in room that is set for it; nothing is
 * said. It may be called again once other numbers have come into the document's matrices. */
bool solution_run_in(solution *s, run_room *in, crew *alone, const options *o, err *e);
/* How many threads that uses. */
size_t solution_threads(const solution *s, const options *o, const env *world);
/* Whether that said, or would have said, anything but for --quiet. */
bool solution_has_notes(const solution *s);
/* Whether starting threads for it would cost more than they bring. Planned is enough. */
bool solution_is_small(const solution *s);
void solution_free(solution *s);

/* ---- layers ---- */

typedef struct stack_solution {
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
/* Refuses a name that none of the stages has; * in it stands for anything. */
bool stack_check_name(const text_list *there, const char *name, err *e);
/* Checks the memory against --max-memory, says the notes, and computes these stages. */
bool stack_solution_run(stack_solution *s, const text_list *emit, const options *o,
                        const env *world, err *e);
void stack_solution_free(stack_solution *s);

/* How many threads a stack uses, of a generation too. */
size_t stack_threads(const stack *s, const options *o, const env *world);

/* ---- steps of a generation ---- */

/* Who is told of each step when it is done. */
typedef struct step_listener {
    bool (*hear)(void *context, const generation *g, err *e); /* NULL: nobody */
    void *context;
} step_listener;

typedef struct generation_solution {
    generation of;
    step_listener each;
    generation_trace trace; /* where it is traced; then the generation keeps all stages */
    bool is_traced;
    double *number;         /* drawn before, one a step */
    text_list there;        /* the names of its stages, in the order in which they are made */
    text_list wanted;       /* those to be kept, in which * stands for anything */
    bundle stages;          /* that were wanted */
    document whole;         /* for a picture: all rows as a document, */
    stack_solution decoded; /* decoded at once, */
    stack_trace drawn;      /* and its trace */
} generation_solution;

/* Refuses a seed that nothing is drawn from. */
bool generation_check_seed(const options *o, err *e);
/* Reads and plans it for --length steps, drawn as --temperature and --seed say. To be freed in any
 * case, and not to be moved. */
bool generation_solution_plan(generation_solution *s, const document *one, const options *o,
                              err *e);
/* Finds the names of its stages, where that was not done. */
bool generation_solution_list(generation_solution *s, err *e);
/* Checks the memory against --max-memory, for the prompt and then for all steps; computes them, and
 * says the notes. */
bool generation_solution_run(generation_solution *s, const options *o, const env *world, err *e);
/* The same with a trace, of the steps that words mean, NULL: all that do something; keeps what is
 * wanted. */
bool generation_solution_show(generation_solution *s, const text_list *asked, const options *o,
                              const env *world, err *e);
/* After it: decodes the whole sequence, for a trace without steps. */
bool generation_solution_decode(generation_solution *s, const document *one, const options *o,
                                const env *world, err *e);
void generation_solution_free(generation_solution *s);

/* How many steps names like "step.3.logits" are of; 0: they are of none. */
bool named_steps(const bundle *names, size_t *steps, err *e);

#endif
