/* A trace's numbers computed once more in Python, from its maps: a notebook's cell for each step.
 *
 * A map that has an origin is its operation's spelling in NumPy (operation_list.h), of its operands
 * as arrays, rows × columns or head × rows × columns; one that comes from outside, or whose
 * operation or operands have no such form, is its numbers. What is computed is compared with the
 * numbers that are shown, so that a cell fails where they are others. */
#ifndef SELFATTN_RENDER_PYTHON_CODE_H
#define SELFATTN_RENDER_PYTHON_CODE_H

#include "render/renderer.h"

typedef struct python_code {
    const trace *of;
    const render_options *how;
    bool *is_there; /* for each map of the house: a cell before has made it */
} python_code;

/* There is no code of more numbers than a reader looks through. To be freed in any case. */
bool python_begin(python_code *c, const trace *of, const render_options *how, err *e);
void python_end(python_code *c);

/* Whether there is code. */
bool python_is_written(const python_code *c);

/* The imports, and what the other cells call. */
void python_add_beginning(text *out);

/* Adds the code of a step, nothing where it makes no numbers. What of it no cell before has, comes
 * first. */
void python_add_step(const python_code *c, const trace_room *room, const trace_step *step,
                     text *out);

#endif
