/* The kernels as a table: how each is called, and with what. A new kernel is a function that calls
 * it, and a row; one that a score function calls has the score's, which comes by itself. */
#ifndef SELFATTN_TESTS_KERNELS_SLOTS_H
#define SELFATTN_TESTS_KERNELS_SLOTS_H

#include "kernels/fence.h"
#include "kernels/kernels.h"
#include "kernels/numbers.h"

enum { SLOT_INPUTS = 4 };

/* The sizes of one call. n is the length that is walked. */
typedef struct sizes {
    size_t n, rows, depth;
} sizes;

/* One call. All operands are matrices; a vector is one of one row, a strided one of one column. */
typedef struct job {
    tensor in[SLOT_INPUTS], out;
    fence *packing;   /* where a packed matrix lies */
    const char *slot; /* its name */
} job;

/* An operand's shape, a letter an axis: r rows, d depth, n; h and e are half of n and of d; 1. "n"
 * is a contiguous vector, "n1" a strided one, "" no operand. */
typedef struct slot {
    const char *name;
    void (*call)(const kernels *with, job *j);
    numbers kind;
    const char *in[SLOT_INPUTS], *out;
} slot;

/* The score functions come last. */
size_t slot_count(void);
slot slot_at(size_t index);

/* Rows and columns of a shape. */
void slot_shape(const char *letters, const sizes *s, size_t shape[2]);

#endif
