/* Which options, and which pairs of them, the random problems of a series have had. */
#ifndef SELFATTN_TESTS_REF_WORDS_SEEN_H
#define SELFATTN_TESTS_REF_WORDS_SEEN_H

#include <stdbool.h>
#include <stddef.h>

enum { WORDS_MOST = 192, WORD_MOST = 24 };

typedef struct words_seen {
    char word[WORDS_MOST][WORD_MOST];
    size_t count;
    bool together[WORDS_MOST][WORDS_MOST];
} words_seen;

/* The words of one problem, as ref_describe writes them. */
void words_seen_add(words_seen *seen, const char *words);

/* True where each option that there is was seen; else it says which was not. */
bool words_seen_all(const words_seen *seen);
size_t words_seen_pairs(const words_seen *seen);

#endif
