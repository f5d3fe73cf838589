/* The unit tests' few words: UNIT(name) and a body are a test, which runs because it is linked, in
 * a process of its own; CHECK counts, and says where it failed. UNIT_OF(name, words) is one that is
 * found by other words too: what it tests, where its name does not say that. */
#ifndef SELFATTN_TESTS_UNIT_H
#define SELFATTN_TESTS_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct unit {
    const char *test;
    size_t passed, failed, skipped;
    bool has_ended; /* the test came to its end */
} unit;

typedef struct unit_test {
    const char *name, *words;
    void (*run)(unit *u);
    struct unit_test *next;
} unit_test;

void unit_register(unit_test *test);

/* Before main, each test adds itself to the list. */
#define UNIT_OF(name_, words_)                                                                     \
    static void test_##name_(unit *u);                                                             \
    __attribute__((constructor)) static void register_##name_(void)                                \
    {                                                                                              \
        static unit_test test = {#name_, words_, test_##name_, NULL};                              \
        unit_register(&test);                                                                      \
    }                                                                                              \
    static void test_##name_(unit *u)
#define UNIT(name_) UNIT_OF(name_, "")

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
