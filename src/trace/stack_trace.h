/* The trace of a stack: one house, whose floors are the layers.
 *
 * Each attention is a trace of its own, by the same steps as a problem of one attention has; what
 * is between them (norms, sums, feed-forward parts) has steps here. The whole borrows their steps,
 * so that a renderer sees one trace, and no two of its steps have one name. */
#ifndef SELFATTN_TRACE_STACK_TRACE_H
#define SELFATTN_TRACE_STACK_TRACE_H

#include "model/stack.h"
#include "trace/trace.h"

typedef struct stack_trace {
    trace whole; /* its steps belong to the parts */
    trace *part;
    size_t parts, rooms; /* that are made, and that there is space for */
} stack_trace;

/* Out of a run that kept all stages; everything is borrowed from stack and result, which must
 * outlive it. `asked` are words that mean steps; NULL: all that do something. To be freed in any
 * case. */
bool stack_trace_make(stack_trace *t, const stack *s, const bundle *result, trace_focus focus,
                      bool is_full, const text_list *asked, err *e);
/* The same in parts, for one that has rooms of more than one run: how many those of a stack are at
 * most, an empty house with room for so many, and its steps once all rooms are made. */
size_t stack_trace_rooms(const stack *s);
/* Bytes of the empty house; SIZE_MAX where no size holds them. */
size_t stack_trace_memory(size_t rooms);
bool stack_trace_begin(stack_trace *t, const bundle *document, trace_focus focus, size_t rooms,
                       err *e);
bool stack_trace_end(stack_trace *t, err *e);

void stack_trace_free(stack_trace *t);

#endif
