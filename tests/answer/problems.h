/* The problems that must have one answer, the same ones on every machine: each size from 1 to 130
 * as every length in both types, random ones of every option, large ones, and ones with infinities
 * and NaN. */
#ifndef SELFATTN_TESTS_ANSWER_PROBLEMS_H
#define SELFATTN_TESTS_ANSWER_PROBLEMS_H

#include "ref/ref_random.h"

enum { PROBLEM_SIZES = 130 };

size_t problems_count(void);
void problem_make(ref_problem *p, size_t number);
/* It holds infinities or NaN, which are to be let through. */
bool problem_is_nonfinite(size_t number);

#endif
