/* What an exercise asks for (--blank), so that nobody reads it off the same page.
 *
 * The numbers that the asked steps make are left empty in the tables of these steps. What goes on
 * with them is closed: a step that makes something of them, or shows one, is left out, and so on
 * from there. It has its questions, the steps that it waits for. A sheet's script opens it once all
 * of these are right, and has its numbers, and those that it compares with, as nobody reads them.
 *
 * The page of an exam (--exam) has none of these numbers, and opens nothing. */
#ifndef SELFATTN_RENDER_ASKED_H
#define SELFATTN_RENDER_ASKED_H

#include "render/renderer.h"
#include "trace/trace.h"

#define ASKED_SIGN "□"
/* What stands before a formula that helps: on the page, and of a file of answers. */
#define ASKED_HINT "it comes from"

/* A step with numbers to fill in. */
typedef struct asked_question {
    size_t room;
    step_id step;
} asked_question;

typedef struct asked {
    const trace *whole;
    size_t room;   /* that is being written */
    bool *is_made; /* of all rooms' maps: an asked step makes it */
    asked_question *question;
    size_t questions;
    bool *waits; /* of each step of each room, shown or not: for which questions */
    const render_options *how;
} asked;

/* Whether one of the words means the step of the room. */
bool asked_step(const text_list *words, const trace *whole, const trace_room *room, step_id step);
/* Refuses a word that means no step with numbers to fill in; `said_by` is what says them. */
bool asked_check(const text_list *words, const char *said_by, const trace *whole, err *e);

/* What `how` asks for by `blank`, which outlives it. To be ended also where this fails. */
bool asked_begin(asked *a, const trace *whole, const render_options *how, err *e);
void asked_end(asked *a);

/* Of the room that is being written; `a` may be NULL, then nothing is asked. All of the map is to
 * be filled in; it is not to be seen; and it is not, but the page's script gets its numbers. */
bool asked_makes(const asked *a, const trace_map *map);
bool asked_hides(const asked *a, const trace_map *map);
bool asked_tells(const asked *a, const trace_map *map);
/* Whether some of these numbers, of this room or of one before it, are not to be seen. */
bool asked_hides_matrix(const asked *a, const tensor *matrix);

/* Whether the step goes on with what the question asks for. */
bool asked_waits(const asked *a, size_t room, step_id step, size_t question);
/* Whether it does so with any, and asks for nothing itself: then nothing of it is shown. */
bool asked_leaves_out(const asked *a, size_t room, step_id step);

/* Whether the page has a cell to fill in for a number of a map that is asked for, at this head, row
 * and column: of large matrices it leaves some out, and of many heads. */
bool asked_has_cell(const asked *a, size_t room, const trace_map *map, const size_t cell[3]);
/* Whether a file of answers has a place for the map: a stage, and not what a trace made for itself,
 * nor what a layer calls its x, which is a stage by another name. */
bool asked_is_stage(const trace_room *room, const trace_map *map);

#endif
