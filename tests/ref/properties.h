/* What must not change a bit (DESIGN.md §5): what else was wanted, how many threads there are,
 * whether a batch's entry or a query comes alone, the order of the queries, the caller's
 * floating-point mode, which kernels compute. Each property computes a problem in another way, or a
 * problem made of it, and compares bytes. */
#ifndef SELFATTN_TESTS_REF_PROPERTIES_H
#define SELFATTN_TESTS_REF_PROPERTIES_H

#include "ref/ref_attention.h"

/* Counts the properties that held and those that did not, and prints a line for each of these, led
 * by `where`. */
void properties_try(const ref_problem *p, const char *where, size_t *passed, size_t *failed);

#endif
