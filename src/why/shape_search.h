/* A search for what gives the numbers of one stage that have another shape than they should: what
 * is tried comes from an attention (why_shape.c) or a stack (why_stack_shape.c). */
#ifndef SELFATTN_WHY_SHAPE_SEARCH_H
#define SELFATTN_WHY_SHAPE_SEARCH_H

#include "why/why_shape.h"

typedef struct shape_search {
    claims of; /* one stage */
    shape_answers *to;
    tensor numbers[WHY_ANSWERS]; /* of the answers */
} shape_search;

/* Each arrangement of numbers in which this mistake was made, or none (NULL). False, with the error
 * set, where memory is missing. */
bool shape_search_arrange(shape_search *s, const arrangeable *of, const named *made, err *e);
/* The numbers that this mistake makes, as they are; they are taken where they are an answer. */
void shape_search_take(shape_search *s, const named *made, tensor *numbers);
void shape_search_end(shape_search *s);

#endif
