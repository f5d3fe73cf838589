/* A sequence line by line, its keys and values kept in a cache, beside the same computed whole. */
#ifndef SELFATTN_TESTS_REF_STREAMED_H
#define SELFATTN_TESTS_REF_STREAMED_H

#include "ref/ref_attention.h"
#include "ref/verdict.h"

/* A problem that is one sequence is made causal, and without all that no stream can do; its rows go
 * in by 1, 2, 3 or more at a time, to a cache of either kind. False with what is wrong where a bit
 * differs; each line is a run, and of a problem that is no such one there is none. */
bool streamed_is_same(const ref_problem *p, verdict *says);

#endif
