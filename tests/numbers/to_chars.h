/* The C++ library's shortest decimals, as "1.25e-07" and without a NUL: NULL where the program was
 * built without a C++ compiler. */
#ifndef SELFATTN_TESTS_NUMBERS_TO_CHARS_H
#define SELFATTN_TESTS_NUMBERS_TO_CHARS_H

#include <stddef.h>

__attribute__((weak)) size_t to_chars_f32(float value, char *out);
__attribute__((weak)) size_t to_chars_f64(double value, char *out);

#endif
