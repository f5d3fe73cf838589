/* The reference's way back through layers, in long double: each gradient by the formula that a
 * textbook has for it, over what ref_stack_compute kept; attention's by ref_backward.h and
 * ref_parameters.h. And the loss that differences say the same of without any formula. */
#ifndef SELFATTN_TESTS_REF_REF_STACK_BACK_H
#define SELFATTN_TESTS_REF_REF_STACK_BACK_H

#include "ref/dice.h"
#include "ref/ref_stack.h"

enum { REF_NOT_COUNTED = -100 };

/* Gives a random stack something to go back from: a gradient of its output, a loss of it, or one of
 * logits, with labels, of which one at least counts. */
void ref_random_goal(ref_stack *s, dice *d);
void ref_goal_free(ref_stack *s);

/* Of the stage output. */
long double ref_stack_loss(const ref_stack *s, const ref_stack_stage *output);

/* All stages, forward and back. s->mistake may be one of the way back, "back …". It takes the place
 * of s->attend meanwhile. A memory must have a batch axis where x has one. */
void ref_stack_compute_back(const ref_stack *s, ref_stack_result *r);

#endif
