/* A hash of numbers by their bits: one bit more or less, or two numbers swapped, and it is another.
 * All NaN are one. */
#ifndef SELFATTN_TESTS_ANSWER_HASH_H
#define SELFATTN_TESTS_ANSWER_HASH_H

#include "tensor/tensor.h"

#include <stdint.h>

enum { HASH_START = 1 };

uint64_t hash_bits(uint64_t hash, uint64_t bits);
/* A contiguous float tensor's numbers in C order, so that a tensor hashed in pieces, one after the
 * other, has the hash of the whole. */
uint64_t hash_tensor(uint64_t hash, const tensor *t);

/* False where a hash does not notice what it must, or notices what it must not. */
bool hash_notices(dtype type);

#endif
