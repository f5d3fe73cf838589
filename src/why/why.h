/* What went wrong: which mistakes give the numbers that somebody got, those of MISTAKES in one
 * attention or in those of a stack, and in a stack those of STACK_MISTAKES. */
#ifndef SELFATTN_WHY_WHY_H
#define SELFATTN_WHY_WHY_H

#include "why/work_attempt.h"

/* Mistakes are made in the whole of it; where none is found, in one layer; and where that finds
 * none, two of them together. False, with the error set, where memory is missing. */
bool why_find(why_answers *to, const why_question *of, err *e);

#endif
