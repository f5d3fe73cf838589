/* Computing: one loop over (batch, head, block of query rows) that runs the stages in order.
 *
 * Wanting a stage changes where its blocks lie, and nothing else: the bits of every stage are the
 * same whatever else was wanted, however many threads there are. They are the same, too, when a run
 * begins at stages that are given: those of an earlier run, or numbers that stand for them. */
#ifndef SELFATTN_ATTN_ENGINE_RUN_H
#define SELFATTN_ATTN_ENGINE_RUN_H

#include "attn/plan/plan.h"
#include "attn/spec/row_choice.h"
#include "base/threads.h"

/* What besides the stages came out. */
typedef struct run_report {
    /* Rows of queries that may attend to nothing. Where there are any: the first, "weights[query
     * 2]", in a stack with the way to its stage; and what to say otherwise if their mask was meant
     * the other way round, or "". */
    size_t empty_rows;
    char first_empty[2 * ROW_NAME];
    const char *doubt;
    /* Where a thread could not be started: how many there were, and how many were wanted. */
    size_t threads, threads_wanted;
} run_report;

/* Bytes that the run will allocate: the wanted stages, and what it works in. */
bool run_memory(const plan *p, const kept_stages *w, size_t threads, size_t *bytes, err *e);

/* Adds the wanted stages to `result`. Fails for want of memory, for a stage that is not made, and
 * where finite inputs give a result beyond the type's range. */
bool run_plan(const plan *p, const kept_stages *w, size_t threads, bundle *result,
              run_report *report, err *e);

/* The same by a crew that goes on to something else; `threads` and `threads_wanted` of the report
 * are of all that it did so far. */
bool run_plan_by(const plan *p, const kept_stages *w, crew *by, bundle *result, run_report *report,
                 err *e);

/* What a run works in, kept for further runs of one plan with other numbers in the places of its
 * inputs: for a small problem, having memory costs as much as computing does. */
typedef struct run_room run_room;

run_room *run_room_new(err *e);
void run_room_free(run_room *r); /* NULL is nothing */
/* For this plan, these stages and so many threads from now on: they must stay until others are set,
 * or nothing is kept any more. */
void run_room_set(run_room *r, const plan *p, const kept_stages *w, size_t threads);
void run_room_clear(run_room *r); /* nothing is kept */

/* The same as run_plan_by, of the plan that was set, which has no cache. A stage that is in the
 * result already is written over. After a failure the room is to be cleared. */
bool run_again(run_room *r, crew *by, bundle *result, run_report *report, err *e);

/* ---- some of a problem's queries as a problem of its own (chosen_rows.c): a document that says
 * the same of them, with all keys, and where each of them stands. What computes, traces and
 * explains it knows nothing of the others, and each number has the bits that it has in the whole
 * ---- */

/* What the problem of the chosen rows borrows from. */
typedef struct chosen_rows {
    problem whole;
    bundle document;
} chosen_rows;

/* Plans them in place of the whole problem `asked`, which goes to `from`. What was to be noted of
 * the whole stays. `x`, where it is not NULL, is where the chosen rows of x will stand; else they
 * are those of the whole one's. */
bool chosen_rows_plan(plan *p, problem *asked, chosen_rows *from, const row_choice *c,
                      const tensor *x, err *e);
void chosen_rows_free(chosen_rows *from); /* after the problem */

#endif
