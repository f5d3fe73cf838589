/* The arithmetic of attention as a table of functions, one table an instruction set and a type; the
 * only thing that the rest of the program knows about either. kernel_list.h has the functions, and
 * what each promises. */
#ifndef SELFATTN_KERNELS_KERNELS_H
#define SELFATTN_KERNELS_KERNELS_H

#include "base/named.h"
#include "tensor/tensor.h"

#include <fenv.h>
#include <stdint.h>

/* A matrix in the order in which a product reads it; each instruction set has its own: panels of so
 * many columns, one after the other, each row by row. PACKED_STEP columns are whole panels. So the
 * columns from such a multiple on begin packed_bytes(depth, columns) after `data`, and the rows
 * from p on begin packed_bytes(p, 1) after, in each panel. Of what begins there the first columns
 * can be passed over, some multiple of PACKED_PART. */
enum { PACKED_STEP = 64, PACKED_PART = 16 };

typedef struct packed {
    void *data; /* as many bytes as packed_bytes says, from mem_alloc */
    size_t depth, columns;
    size_t skipped; /* columns that are passed over, less than PACKED_STEP */
} packed;

/* Keys [first, end) of those that a query is compared with; none where they are equal. */
typedef struct key_range {
    size_t first, end;
} key_range;

/* What of a product is needed: of row i of c the columns columns[i], and of its chains the terms
 * terms[i], as a is 0 in all others and b finite; NULL: all. From one row to the next neither end
 * of a range moves back. Chains that go on have come as far as c. */
typedef struct product_band {
    const key_range *columns, *terms;
    bool goes_on;
} product_band;

/* sum + rest, not yet rounded to the type */
typedef struct row_total {
    double sum, rest;
} row_total;

/* A row to be divided by its sum. */
typedef struct row_shares {
    const void *x;
    size_t n;
    const void *sum;
    void *out;
} row_shares;

/* Where the project's own random numbers begin (random/generator.h): at which pair of a matrix. */
typedef struct random_place {
    uint64_t seed, pair;
    uint32_t matrix;
} random_place;

typedef struct kernels {
#define KERNEL_OF(type, name, takes) type(*name) takes;
#include "kernels/kernel_list.h"
#undef KERNEL_OF
} kernels;

/* An instruction set: a name for --isa, and its table for each type that is computed in. */
typedef struct isa {
    named named;
    bool (*is_here)(void);               /* this machine has it */
    const kernels *(*table)(dtype type); /* NULL where it is another architecture's */
} isa;

extern const named_table ISAS; /* rows of `isa`, the fastest first */

/* The first row that this machine has. */
const isa *isa_best(void);
/* The row of this name, NULL or "auto" being the best; NULL with the error set where the machine
 * does not have it. */
const isa *isa_by_name(const char *name, err *e);

/* Bytes of the cache that the processors share; 0 where the system doesn't say. Sizes may follow
 * it, and no result. */
size_t isa_shared_cache(void);

/* Rounding to nearest and denormals on, whatever the thread was set to before: the first call of
 * every thread that computes, undone by the second. */
typedef struct float_mode {
    fenv_t saved;
    unsigned control; /* in place of it where there is a quicker way */
} float_mode;
void float_mode_set(float_mode *mode);
void float_mode_restore(const float_mode *mode);

#endif
