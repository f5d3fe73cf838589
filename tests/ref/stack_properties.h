/* What must not change a bit of a stack's stages: how many threads there are, the instruction set,
 * whether a batch's entry comes alone, what else is wanted, and whether the rows come one after
 * the other with the keys and values of those before kept. */
#ifndef SELFATTN_TESTS_REF_STACK_PROPERTIES_H
#define SELFATTN_TESTS_REF_STACK_PROPERTIES_H

#include "ref/ref_stack.h"

/* Counts the properties that held and those that did not, and prints a line for each of these, led
 * by `where`. */
void stack_properties_try(const ref_stack *s, const char *where, size_t *passed, size_t *failed);

#endif
