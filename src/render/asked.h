/* What an exercise asks for (--blank), so that nobody reads it off the same page.
 *
 * The numbers that the asked steps make are left empty in the tables of these steps. Wherever else
 * they would stand there is □: in the worked lines of other steps, and in what a later step hands
 * on as it is, to the digits that are shown. What else is made of them is shown, so that there is
 * something to compare with.
 *
 * The page of an exam (--exam) has neither the numbers, which its script compares with otherwise,
 * nor anything that is made of them: the steps that make it are left out. */
#ifndef SELFATTN_RENDER_ASKED_H
#define SELFATTN_RENDER_ASKED_H

#include "render/renderer.h"
#include "trace/trace.h"

#define ASKED_SIGN "□"
/* What stands before a formula that helps: on the page, and of a file of answers. */
#define ASKED_HINT "it comes from"

typedef struct asked {
    const trace *whole;
    size_t room;     /* that is being written */
    bool *is_made;   /* of all rooms' maps: an asked step makes it */
    bool *is_hidden; /* the same, and in an exam those that are made of it */
    int digits;
    bool is_exam;
} asked;

/* Where the numbers of a matrix lie among those of the trace. */
typedef struct asked_numbers {
    const asked *of;
    map_cell first;
    bool is_turned;
} asked_numbers;

/* Whether one of the words means the step of the room. */
bool asked_step(const text_list *words, const trace *whole, const trace *room, step_id step);
/* Refuses a word that means no step with numbers to fill in; `said_by` is what says them. */
bool asked_check(const text_list *words, const char *said_by, const trace *whole, err *e);

bool asked_begin(asked *a, const trace *whole, const render_options *how, err *e);
void asked_end(asked *a);

/* All of the map is to be filled in; and whether the page's script gets its numbers. */
bool asked_makes(const asked *a, const trace_map *map);
bool asked_tells(const asked *a, const trace_map *map);
/* Whether an exam has nothing of the step: it is made of what is asked for, or comes after it and
 * does not say what it is made of. */
bool asked_leaves_out(const asked *a, const trace *room, step_id step);

/* Of a matrix, a vector or a number in this room; `a` may be NULL, then nothing is asked. */
asked_numbers asked_find(const asked *a, const tensor *matrix);
/* Of a head of the room's map. */
asked_numbers asked_of_map(const asked *a, const trace_map *map, size_t head);
bool asked_hides(const asked_numbers *numbers, size_t row, size_t column);
/* One of the row's numbers in so many columns. */
bool asked_hides_any(const asked_numbers *numbers, size_t row, size_t columns);

#endif
