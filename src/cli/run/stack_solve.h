/* A stack of a document, read and computed: what encode, decode and check share. */
#ifndef SELFATTN_CLI_RUN_STACK_SOLVE_H
#define SELFATTN_CLI_RUN_STACK_SOLVE_H

#include "cli/in/document.h"
#include "model/stack.h"

typedef struct stack_solution {
    place at; /* of the document */
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
/* Refuses a name that no stage has; * in it stands for anything. */
bool stack_solution_check(const stack_solution *s, const char *name, err *e);
/* Checks the memory against --max-memory, says the notes, and computes these stages. */
bool stack_solution_run(stack_solution *s, const text_list *emit, const options *o,
                        const env *world, err *e);
void stack_solution_free(stack_solution *s);

/* The same parts for a stack that is computed otherwise: how many threads it uses, */
size_t stack_threads(const stack *s, const options *o, const env *world);
/* whether --max-memory lets it have so many bytes, which the error says are for `of_what`, */
bool stack_check_memory(const stack *s, size_t bytes, const char *of_what, const options *o,
                        err *e);
/* and that not all of the threads could be started. */
void stack_say_missing_threads(const crew *by, const options *o, const env *world);

/* An option stands at the top, for layers that say nothing else: a note names the first that
 * does. */
void stack_say_overruled(const stack *s, const options *o, const env *world);

#endif
