/* Random stacks, each computed by the program and by the reference, and in ways that must not
 * change a bit.
 *
 * A stage is right where each number is within 2¹³ roundings of its stage's largest: in float64
 * that is 9·10⁻¹³ of it. Three layers are some hundred operations in a row, a rounding each, whose
 * sum a norm of nearly equal numbers or an exponential makes larger: of 4000 stacks of seed 7 the
 * worst is 5044 roundings off, in the exp of a third layer. What a mistake in a formula does is far
 * beyond that, as the planted ones show. */
#ifndef SELFATTN_TESTS_REF_COMPARE_STACKS_H
#define SELFATTN_TESTS_REF_COMPARE_STACKS_H

#include <stddef.h>
#include <stdint.h>

/* Stacks `first` to `first + count` of a seed; counts what was right and what was not, and prints a
 * line for each of these. */
void compare_stacks(uint64_t seed, uint64_t first, uint64_t count, size_t *passed, size_t *failed);

/* Each planted mistake is noticed by one of the first `count` stacks of seed 1, or has failed. */
void compare_stacks_self_test(uint64_t count, size_t *passed, size_t *failed);

#endif
