/* What tests/bench/text.cpp measures of selfattn itself: C, whose headers C++ does not take. */
#ifndef SELFATTN_TESTS_BENCH_TEXT_H
#define SELFATTN_TESTS_BENCH_TEXT_H

#include <stddef.h>

/* Reads a matrix ("json" or "csv") as the program does, and copies its numbers out where `to` is
 * given. The count of them; 0 where it can't be read. */
size_t own_read(const char *format, const char *bytes, size_t length, float *to);
/* Writes a matrix as the program does, in large blocks, to /dev/null; true when that went well. */
size_t own_write(const char *format, const float *matrix, size_t rows, size_t columns);
/* Number by number, with a comma after each. */
size_t own_write_numbers(const float *number, size_t count, char *to);
size_t own_write_wide_numbers(const double *number, size_t count, char *to);

#endif
