/* What went wrong: which mistakes give the numbers that somebody got, those of MISTAKES in one
 * attention or in those of a stack, and in a stack those of STACK_MISTAKES. And of numbers in
 * another shape than they should have: which of ARRANGEMENTS, and which mistakes, give a shape like
 * theirs, and which of these give the numbers. */
#ifndef SELFATTN_WHY_WHY_H
#define SELFATTN_WHY_WHY_H

#include "why/stack_attempt.h"

/* How many mistakes can be made there. */
size_t why_mistakes(const why_question *of);

/* Mistakes are made in the whole of it; where none is found, in one layer; and where that finds
 * none, two of them together. False, with the error set, where memory is missing. */
bool why_find(why_answers *to, const why_question *of, err *e);

/* The ways in which right numbers come out in a wrong shape, for finding them, for help and for the
 * manual. */
extern const named_table ARRANGEMENTS;

typedef struct shape_answer {
    const named *arranged;       /* NULL: the mistake alone gives the shape */
    const named *made;           /* NULL: but for the shape all is right */
    const named *same[WHY_SAME]; /* others that give the same numbers */
    size_t same_count;
    double error;
    int digits;
} shape_answer;

typedef struct shape_answers {
    shape_answer answer[WHY_ANSWERS]; /* the best first */
    size_t count;
    const named *shaped[WHY_ANSWERS]; /* the first ones that give the shape, alone */
    size_t shaped_count;              /* of all that do */
} shape_answers;

/* Of a question of one claim, whose numbers are of another shape than they should be; with mistakes
 * in all of it. False, with the error set, where memory is missing. */
bool why_shape_find(shape_answers *to, const why_question *of, err *e);

#endif
