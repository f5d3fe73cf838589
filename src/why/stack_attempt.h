/* One stack computed with mistakes in it: read from what is asked, changed once it is read, and run
 * by the same engine. An attention's own mistakes (mistake.h) are made in each of its attentions,
 * by attempts of theirs. */
#ifndef SELFATTN_WHY_STACK_ATTEMPT_H
#define SELFATTN_WHY_STACK_ATTEMPT_H

#include "model/stack.h"
#include "why/mistake.h"
#include "why/ranking.h"

/* Numbers that somebody got of a stack, which differ from what is right. */
typedef struct stack_question {
    const bundle *document;
    stack_settings how;
    const isa *by;
    size_t threads;
    claims claims; /* in the order in which their stages are made */
} stack_question;

/* Where mistakes are made. */
typedef struct stack_scope {
    bool is_whole;     /* in all layers, and around them; else in these layers alone */
    size_t first, end; /* of the layers */
    bool self, cross;  /* of their attentions, in which */
} stack_scope;

typedef struct stack_attempt stack_attempt;

/* Makes a mistake; false without an error where that is not possible here. */
typedef bool (*stack_blunder)(stack_attempt *a, int with, err *e);

typedef struct stack_mistake {
    named named;
    stack_blunder asked; /* in the document; NULL: all goes well there */
    stack_blunder read;  /* in the stack that was read */
    int with;            /* what the functions take */
} stack_mistake;

/* What is made together: a row of STACK_MISTAKES, or one of MISTAKES. */
typedef struct stack_made {
    const stack_mistake *of_stack;
    const mistake *of_attention;
} stack_made;

struct stack_attempt {
    const stack_question *of;
    stack_scope scope;
    bundle document, layers; /* what is asked; borrowed from the question's */
    stack stack;
    part_row (*row)[PARTS_MOST]; /* of each layer's parts, which may be changed */
    tensor *made;                /* matrices that mistakes made; owned */
    size_t made_count, made_capacity;
    const mistake *wrong[WHY_TOGETHER]; /* of attention */
    size_t wrong_count, wrong_made;     /* in so many attentions they could be made */
    bool is_turned, had_batch; /* its axes of batch and rows are exchanged until it is computed */
    tensor *computed;          /* by claim; no data: not there */
};

/* Computes with these mistakes, none for the right numbers. False without an error where one of
 * them can't be made there; an error means that memory is missing. To be freed in any case, and not
 * to be moved. */
bool stack_attempt_make(stack_attempt *a, const stack_question *of, const stack_scope *where,
                        const stack_made *made, size_t count, err *e);
void stack_attempt_free(stack_attempt *a);

/* A matrix whose numbers, not set yet, last as long as the attempt; it moves when the next is made.
 * NULL where memory is missing. */
tensor *stack_attempt_matrix(stack_attempt *a, dtype type, int rank, const size_t *size, err *e);

#endif
