/* What is to be measured, as words: "core n=2048 heads=8 d=64 causal=yes". The same words go to
 * selfattn's own works and to every rival, so that all measure the same thing. */
#ifndef SELFATTN_TESTS_BENCH_WORDS_H
#define SELFATTN_TESTS_BENCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { WORDS_BYTES = 256, WORDS_MOST = 24 };

/* Words in memory of their own, not to be copied by assignment. Of two values of one name the first
 * holds, so an entry's own word overrides what is appended to it. */
typedef struct words {
    char bytes[WORDS_BYTES];
    char *word[WORDS_MOST + 1]; /* NULL after the last one, as execvp wants them */
    size_t count;
} words;

/* Appends every word of a line. */
void words_add(words *w, const char *line);

/* The value of NAME=VALUE, or `otherwise`. */
const char *words_value(const words *w, const char *name, const char *otherwise);
size_t words_number(const words *w, const char *name, size_t otherwise);
bool words_are(const words *w, const char *name, const char *value);

#endif
