/* What went wrong: which mistakes give the numbers that somebody got, those of MISTAKES in one
 * attention or in those of a stack, and in a stack those of STACK_MISTAKES. */
#ifndef SELFATTN_WHY_WHY_H
#define SELFATTN_WHY_WHY_H

#include "why/stack_attempt.h"

/* What a question is about, one attention or layers, computed with mistakes in it. */
typedef struct work_attempt work_attempt;
struct work_attempt {
    const why_question *of;
    const work_attempt *right; /* without mistakes; NULL in itself */
    attempt attention;
    stack_attempt layers;
    tensor of_attention[STAGE_COUNT]; /* owned, but those of the right one are its attention's */
    tensor *computed;                 /* by claim; no data: not there */
};

/* The mistakes that can be made there: of layers their own first. */
size_t work_mistakes(const why_question *of);
any_mistake work_mistake(const why_question *of, size_t index);

/* Computes with these mistakes, as stack_attempt_make does. An attention needs no scope: mistakes
 * are made in all of it. */
bool work_attempt_make(work_attempt *a, const why_question *of, const work_attempt *right,
                       const stack_scope *where, const any_mistake *made, size_t count, err *e);
void work_attempt_free(work_attempt *a);

/* Mistakes are made in the whole of it; where none is found, in one layer; and where that finds
 * none, two of them together. False, with the error set, where memory is missing. */
bool why_find(why_answers *to, const why_question *of, err *e);

#endif
