/* Asks for memory that will soon be read or written. */
#ifndef SELFATTN_BASE_PREFETCH_H
#define SELFATTN_BASE_PREFETCH_H

#include <stddef.h>

enum { CACHE_LINE = 64 };

/* Asks for a run of bytes, into the second-level cache: it can wait for more lines at a time than
 * the first. A processor's own prefetching stops at the end of each run. Always inlined, as its
 * callers must be: compilers drop a call of a function that only prefetches. */
static inline __attribute__((always_inline)) void ask_for(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += CACHE_LINE)
        __builtin_prefetch((const char *)from + at, 0, 2);
}

#endif
