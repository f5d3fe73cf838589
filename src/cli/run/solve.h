/* One document computed: problem, plan, run. What run, check and the trace share. */
#ifndef SELFATTN_CLI_RUN_SOLVE_H
#define SELFATTN_CLI_RUN_SOLVE_H

#include "attn/engine/chosen_rows.h"
#include "attn/engine/run.h"
#include "attn/engine/streamed_stage.h"
#include "cli/in/document.h"
#include "io/format.h"

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

#endif
