/* Inputs that grow by what they are made of: a member of a document, an option, a row of a table.
 * libFuzzer calls a target's LLVMFuzzerCustomMutator in place of its own mutator, which a third of
 * the inputs still get. */
#ifndef SELFATTN_TESTS_FUZZ_GROWN_H
#define SELFATTN_TESTS_FUZZ_GROWN_H

#include "cli/line/options.h"

#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

typedef struct grown {
    char *data;
    size_t size, most;
    uint64_t state;
} grown;

/* Below `n`, which is not 0: the generator is Knuth's, of MMIX. */
static inline size_t grown_pick(grown *g, size_t n)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(g->state >> 33) % n;
}

#define GROWN_ONE_OF(g, all) ((all)[grown_pick(g, sizeof(all) / sizeof(all)[0])])

/* `gone` bytes at `at` become `length` others, where there is room. */
static inline void grown_put(grown *g, size_t at, size_t gone, const char *in, size_t length)
{
    if (g->size - gone + length > g->most)
        return;
    memmove(g->data + at + length, g->data + at + gone, g->size - at - gone);
    memcpy(g->data + at, in, length);
    g->size += length - gone;
}

static inline void grown_put_text(grown *g, size_t at, const char *words)
{
    grown_put(g, at, 0, words, strlen(words));
}

/* After one of the bytes that are `mark`, the start counted too where it `has_start`; SIZE_MAX:
 * there is none. */
static inline size_t grown_after(grown *g, char mark, bool has_start)
{
    size_t count = has_start;
    for (size_t i = 0; i < g->size; i++)
        count += g->data[i] == mark;
    size_t chosen = count == 0 ? 0 : grown_pick(g, count) + !has_start;
    if (count == 0 || chosen == 0)
        return count == 0 ? SIZE_MAX : 0;
    for (size_t i = 0;; i++) {
        chosen -= g->data[i] == mark;
        if (chosen == 0)
            return i + 1;
    }
}

/* A word that an option of this key may have, or NULL. */
static inline const char *grown_word(grown *g, const named_table *choices)
{
    return choices == NULL ? NULL : named_row(choices, grown_pick(g, named_count(choices)))->name;
}

static inline const option_row *grown_option(grown *g)
{
    return (const option_row *)(const void *)named_row(&OPTIONS, grown_pick(g, OPTIONS.count));
}

/* Each target has one: something of its own is put in, or is another. */
static void edit(grown *g);

/* Some edits, or libFuzzer's own. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    grown g = {.data = (char *)data, .size = size, .most = most, .state = seed};
    size_t edits = grown_pick(&g, 3);
    if (edits == 0)
        return LLVMFuzzerMutate(data, size, most);
    while (edits-- > 0)
        edit(&g);
    return g.size;
}

#endif
