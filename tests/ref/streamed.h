/* A sequence line by line, its keys and values kept in a cache, beside the same computed whole. */
#ifndef SELFATTN_TESTS_REF_STREAMED_H
#define SELFATTN_TESTS_REF_STREAMED_H

#include "ref/ref_attention.h"

/* A problem that is one sequence is made causal, and without all that no stream can do; its rows go
 * in by 1, 2, 3 or more at a time, to a cache of either kind. False with `wrong` filled where a bit
 * differs; *lines: how many were compared, 0 where the problem is no such one. */
bool streamed_is_same(const ref_problem *p, size_t *lines, char *wrong, size_t size);

#endif
