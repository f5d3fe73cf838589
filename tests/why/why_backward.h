/* The same of the way back: every mistake of BACK_MISTAKES, in problems with an output_grad or a
 * loss, of which the gradients of q, k and v are shown; and every one of PARAMETER_MISTAKES, of
 * which those of parameters are. */
#ifndef SELFATTN_TESTS_WHY_WHY_BACKWARD_H
#define SELFATTN_TESTS_WHY_WHY_BACKWARD_H

#include "why/why_stacks.h"

void why_backward(size_t count, const char *only, tally *to);
bool why_backward_plants(const char *name);

#endif
