/* Gradients of random stacks: those of inputs against differences of the reference's own output,
 * without any formula of a gradient; those of all stages against the reference's formulas. And what
 * must not change a bit of them. */
#ifndef SELFATTN_TESTS_REF_STACK_GRADIENTS_H
#define SELFATTN_TESTS_REF_STACK_GRADIENTS_H

#include "ref/ref_stack.h"

/* Counts the stacks whose gradients were right and those that were not, and prints a line for each
 * of these. Of some stacks none are tried: they take long. */
void stack_gradients_try(const ref_stack *s, const char *where, size_t *passed, size_t *failed);

#endif
