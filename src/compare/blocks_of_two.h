/* Two matrices of one shape, walked a block at a time: what measuring and cosines share. */
#ifndef SELFATTN_COMPARE_BLOCKS_OF_TWO_H
#define SELFATTN_COMPARE_BLOCKS_OF_TWO_H

#include "compare/measure.h"

/* Elements of a block: with both as float64, 32 KB, which the nearest cache holds. Whole blocks are
 * walked with this number in the loop, so that compilers see it and use vectors. */
enum { BLOCK = 2048 };

typedef struct blocks_of_two {
    measured_side a, b;
    number_type type;
    size_t total;
    bool may_be_same; /* bytes can be compared */
    double value_a[BLOCK], value_b[BLOCK];
} blocks_of_two;

void blocks_begin(blocks_of_two *w, measured_side a, measured_side b, number_type type);

/* How many elements there are from `first` on: a block at most. */
size_t blocks_count(const blocks_of_two *w, size_t first);

/* The same bytes on both sides, none of which is a NaN: most of what is compared, at the speed of
 * memory. */
bool blocks_are_same(const blocks_of_two *w, size_t first, size_t count);

/* Elements as they are compared, into value_a and value_b. */
void blocks_load_a(blocks_of_two *w, size_t first, size_t count);
void blocks_load_b(blocks_of_two *w, size_t first, size_t count);

/* Σab / √(Σa²·Σb²) over finite pairs; a NaN where one side is all zeros. */
double blocks_cosine(blocks_of_two *w);

#endif
