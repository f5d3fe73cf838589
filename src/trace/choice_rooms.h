/* The rooms above a generation's layers: how the last row of the output becomes the next id. */
#ifndef SELFATTN_TRACE_CHOICE_ROOMS_H
#define SELFATTN_TRACE_CHOICE_ROOMS_H

#include "model/generation.h"
#include "trace/floors.h"

enum { CHOICE_ROOMS = 3 };

typedef struct choice_shown {
    const generation *of;
    const text_list *ids;         /* their names */
    const text_list *last, *next; /* the names of the row that was last, and of the id chosen */
} choice_shown;

/* Of the step that f is of, whose result has logits, and with a temperature tempered and
 * exponentials: 1 × ids each. */
bool choice_rooms(floors *f, const choice_shown *of);

#endif
