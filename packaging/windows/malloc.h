/* See memory.c. */
#ifndef SELFATTN_WINDOWS_MALLOC_H
#define SELFATTN_WINDOWS_MALLOC_H

#include_next <malloc.h>

void *aligned_alloc(size_t alignment, size_t bytes);
size_t malloc_usable_size(void *block);

#endif
