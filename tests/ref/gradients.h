/* Random problems that are given something to go back from: the program's gradients are the
 * reference's, and those of inputs are what differences of the reference's loss say. */
#ifndef SELFATTN_TESTS_REF_GRADIENTS_H
#define SELFATTN_TESTS_REF_GRADIENTS_H

#include "ref/ref_attention.h"

/* Whether the problem has gradients at all: it rounds no weights. */
bool gradients_exist(const ref_problem *p);

/* Counts the claims that held and those that did not, and prints a line for each of these, led by
 * `where`. What it goes back from is made of the problem's own numbers: the same one each time. */
void gradients_try(const ref_problem *p, const char *where, size_t *passed, size_t *failed);

/* Each stage alone is what the reference has. */
bool gradients_are_right(const ref_problem *p, char *wrong, size_t size);

#endif
