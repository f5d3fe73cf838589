/* What works of layers have in common. */
#ifndef SELFATTN_TESTS_BENCH_WORK_STACK_H
#define SELFATTN_TESTS_BENCH_WORK_STACK_H

#include "model/stack.h"

/* The rows after the first `past` were not computed: the same token can come next time. */
void forget_rows(stack *s, size_t past);

#endif
