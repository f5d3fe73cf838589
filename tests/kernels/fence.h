/* Memory between two pages that may not be touched, so that a kernel that reads or writes one byte
 * beyond what it was given is found out: by the page where its memory lies at one, else by the
 * guard bytes around it. */
#ifndef SELFATTN_TESTS_KERNELS_FENCE_H
#define SELFATTN_TESTS_KERNELS_FENCE_H

#include <stdbool.h>
#include <stddef.h>

/* In every byte that is not part of what was placed: as numbers these are NaN, so that one that is
 * read and used shows. */
enum { FENCE_GUARD = 0xff };

typedef struct fence {
    char *first, *end; /* between the two pages */
    char *placed;
    size_t bytes;
} fence;

/* Room for `bytes`, and guards. */
void fence_open(fence *f, size_t bytes);
void fence_close(fence *f);

/* A place for `bytes`, itself filled with guard bytes: `offset` bytes after the first page, or
 * directly before the last one. What was placed before is gone. */
char *fence_place_first(fence *f, size_t bytes, size_t offset);
char *fence_place_last(fence *f, size_t bytes);

/* The bytes around what was placed are as they were. */
bool fence_is_intact(const fence *f);
/* So are these, in the midst of it. */
bool fence_is_guard(const char *from, const char *end);

/* Runs work(context): false where it touched a page of a fence and was ended there. */
bool fence_holds(void (*work)(void *context), void *context);

#endif
