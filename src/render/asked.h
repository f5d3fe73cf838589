/* What an exercise asks for (--blank), and which parts of the page would give it away.
 *
 * The numbers that the asked steps make are left empty in the tables of these steps. A step that
 * makes something of them, or shows one, is closed, and so is each that goes on with such a step.
 * It waits for its questions: the asked steps that it goes on with. The script opens it once all
 * its questions are right; the page holds its numbers, and the right answers, in a form that is not
 * readable at a glance.
 *
 * The page of an exam (--exam) has none of these numbers, and never opens a step. */
#ifndef SELFATTN_RENDER_ASKED_H
#define SELFATTN_RENDER_ASKED_H

#include "render/renderer.h"
#include "trace/trace.h"

#define ASKED_SIGN "□"
/* Said in front of a formula that helps, on the page and by check --answers. */
#define ASKED_HINT "it comes from"

/* A step with numbers to fill in. */
typedef struct asked_question {
    size_t room;
    step_id step;
} asked_question;

typedef struct asked {
    const trace *whole;
    size_t room;   /* the room that is being written */
    bool *is_made; /* for each map of each room: an asked step makes it */
    asked_question *question;
    size_t questions;
    bool *waits; /* for each step of each room and each question: the step waits for it */
    const render_options *how;
} asked;

/* Whether one of the words means this step of this room. */
bool asked_step(const text_list *words, const trace *whole, const trace_room *room, step_id step);
/* Refuses a word that means no step with numbers to fill in; `said_by` is the option or key that
 * has the words. */
bool asked_check(const text_list *words, const char *said_by, const trace *whole, err *e);

/* Finds what how->blank asks for. `how` and `whole` must outlive `a`; asked_end is due also where
 * this fails. */
bool asked_begin(asked *a, const trace *whole, const render_options *how, err *e);
void asked_end(asked *a);

/* Three questions about a map of the room that is being written; with `a` NULL all are false.
 * Whether its numbers are to be filled in: */
bool asked_makes(const asked *a, const trace_map *map);
/* whether they must not be seen: */
bool asked_hides(const asked *a, const trace_map *map);
/* whether they must not be seen, but the script needs them. */
bool asked_tells(const asked *a, const trace_map *map);
/* Whether some of these numbers, of this room or of an earlier one, must not be seen. */
bool asked_hides_matrix(const asked *a, const tensor *matrix);

/* Whether the step waits for this question. */
bool asked_waits(const asked *a, size_t room, step_id step, size_t question);
/* Whether it waits for any, and asks for nothing itself: then it is closed, and not shown. */
bool asked_leaves_out(const asked *a, size_t room, step_id step);

/* Whether the page has a cell to fill in for this head, row and column of a map that is asked for:
 * it has no cell for some numbers of large matrices and of many heads. */
bool asked_has_cell(const asked *a, size_t room, const trace_map *map, const size_t cell[3]);
/* Whether a file of answers has a place for the map. It has one for each stage, but not for what a
 * trace made for itself, nor for a layer's x, which is another stage by a second name. */
bool asked_is_stage(const trace_room *room, const trace_map *map);

#endif
