/* How many bytes the program has at most, as its allocator gives them: the linker puts heap.c
 * between the two. */
#ifndef SELFATTN_TESTS_UNIT_HEAP_H
#define SELFATTN_TESTS_UNIT_HEAP_H

#include <stddef.h>

/* From here on is counted, until the most that there ever was is asked for. */
void heap_watch(void);
size_t heap_peak(void);

#endif
