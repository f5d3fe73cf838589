/* What went wrong in a stack: which of STACK_MISTAKES, and which of MISTAKES in its attentions,
 * give the numbers that somebody got. */
#ifndef SELFATTN_WHY_WHY_STACK_H
#define SELFATTN_WHY_WHY_STACK_H

#include "why/stack_attempt.h"

extern const named_table STACK_MISTAKES; /* rows of `stack_mistake` */
const stack_mistake *stack_mistake_at(size_t index);

/* Mistakes are made in the whole stack; where none is found, in one layer; and where that finds
 * none, two of them together. False, with the error set, where memory is missing. */
bool why_stack_find(why_answers *to, const stack_question *of, err *e);

/* How many mistakes are tried, and each of them. */
size_t why_stack_mistakes(void);
stack_made why_stack_mistake(size_t index);

#endif
