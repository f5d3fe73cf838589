/* A walk over all stages of a stack, in the order in which they are made, that computes nothing. */
#ifndef SELFATTN_MODEL_WALK_H
#define SELFATTN_MODEL_WALK_H

#include "model/stack.h"

/* Is told of each: the name, how many rows it has, and how wide they are (0: an attention's, which
 * has axes of its own). False, with the error set, ends it. */
typedef bool stage_visitor(void *context, const char *name, size_t rows, size_t width, err *e);

typedef struct walk {
    const stack *stack;
    size_t rows;
    stage_visitor *visit;
    void *context;
    err *e;
} walk;

static inline bool walk_tell_of(const walk *w, const stage_way *way, const char *name, size_t rows,
                                size_t width)
{
    char full[STAGE_NAME];
    stage_name_in_full(way, name, full);
    return stack_own_gradient(w->stack, full) || w->visit(w->context, full, rows, width, w->e);
}

static inline bool walk_tell(const walk *w, const stage_way *way, const char *name, size_t width)
{
    return walk_tell_of(w, way, name, w->rows, width);
}

/* Tells of what a head makes, where there is one. */
bool stack_tell_head(const walk *w);

#endif
