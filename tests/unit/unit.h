/* The unit tests' few words: a test is a function in the table of unit.c; CHECK counts, and says
 * where it failed. */
#ifndef SELFATTN_TESTS_UNIT_H
#define SELFATTN_TESTS_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct unit {
    const char *test;
    size_t passed, failed, skipped;
} unit;

bool unit_check(unit *u, bool holds, const char *file, int line, const char *claim);
bool unit_check_text(unit *u, const char *got, const char *wanted, const char *file, int line);

/* Counts, and says, what could not be tested here. */
void unit_skip(unit *u, const char *what);

/* Opens a file of the public test data, which lies in $SELFATTN_SHARED/testdata or
 * ../shared/testdata; NULL, and one more skipped, where it is not there. */
FILE *unit_open_shared(unit *u, const char *name);

/* The next of a sequence of random bits that `state` begins (SplitMix64: Steele, Lea and Flood,
 * "Fast splittable pseudorandom number generators", 2014). */
uint64_t unit_random(uint64_t *state);

/* Long double has 64 bits, which tests of accuracy rely on: not so in valgrind, which has 53,
 * whatever float.h says. */
bool unit_long_double_is_wide(void);

#define CHECK(u, claim) unit_check((u), (claim), __FILE__, __LINE__, #claim)
#define CHECK_TEXT(u, got, wanted) unit_check_text((u), (got), (wanted), __FILE__, __LINE__)

#endif
