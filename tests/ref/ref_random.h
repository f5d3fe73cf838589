/* Random problems: every option of a document, alone and in company. */
#ifndef SELFATTN_TESTS_REF_RANDOM_H
#define SELFATTN_TESTS_REF_RANDOM_H

#include "ref/ref_attention.h"

#include <stdint.h>

/* Problem `number` of a seed, always the same one, and one that the program accepts. */
void ref_random_problem(ref_problem *p, uint64_t seed, uint64_t number);
void ref_problem_free(ref_problem *p);

enum { REF_DESCRIPTION = 1024 };
/* What the problem uses, a word each: "f32 x:3 wq:2 heads causal=true". Returns `out`. */
const char *ref_describe(const ref_problem *p, char out[REF_DESCRIPTION]);

#endif
