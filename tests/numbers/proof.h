/* What src/io promises of one number's text, proved by the C library alone: strtof and strtod say
 * what a decimal reads as, snprintf says which decimal of so many digits is nearest.
 *
 * What reads back to a value is an interval. So where neither the decimal below nor the one above,
 * of a digit less than was written, reads back, no shorter one does. Whatever text is made on the
 * way is read by src/io too, and must give what the C library makes of it. */
#ifndef SELFATTN_TESTS_NUMBERS_PROOF_H
#define SELFATTN_TESTS_NUMBERS_PROOF_H

#include <stdbool.h>
#include <stdint.h>

/* The value with these bits, which are without a sign, and its negative. False, having said what is
 * wrong, where a promise is broken. */
bool proof_of_f32(uint32_t bits);
bool proof_of_f64(uint64_t bits);

/* That a text reads as in C, as float32 and as float64. */
bool proof_of_text(const char *text);

/* That the texts of the point halfway between this float32 and the next, of the one just below and
 * of the one just above read as in C. */
bool proof_of_half(uint32_t bits);

#endif
