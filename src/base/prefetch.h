/* Memory that is read or written soon, asked for before. */
#ifndef SELFATTN_BASE_PREFETCH_H
#define SELFATTN_BASE_PREFETCH_H

#include <stddef.h>

enum { CACHE_LINE = 64 };

/* What lies side by side is asked for into the second-level cache, which can wait for more lines at
 * a time than the first; a processor's own foresight ends with each run. Inlined always, as what
 * calls it must be: a call of what does nothing else is dropped. */
static inline __attribute__((always_inline)) void ask_for(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += CACHE_LINE)
        __builtin_prefetch((const char *)from + at, 0, 2);
}

#endif
