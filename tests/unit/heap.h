/* How many bytes the program has at most, as its allocator gives them, and what happens while it
 * asks for them: the linker puts heap.c
 * between the two. */
#ifndef SELFATTN_TESTS_UNIT_HEAP_H
#define SELFATTN_TESTS_UNIT_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* From here on is counted, until the most that there ever was is asked for. */
void heap_watch(void);
size_t heap_peak(void);

/* Calls work(context) at the `number`th allocation from here on, the first being 0; NULL: never.
 * True where the one before was called. */
bool heap_disturb(size_t number, void (*work)(void *context), void *context);

/* From here on the `number`th allocation alone fails, the first being 0, until it is asked whether
 * there was one. */
void heap_lacks(size_t number);
bool heap_lacked(void);

#endif
