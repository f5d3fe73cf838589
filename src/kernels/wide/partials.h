/* The contract's sum of a row: 16 partial sums, element j in partial j mod 16, joined by the tree
 * s = 8, 4, 2, 1: p[l] += p[l+s]. In float64 for float32 data; for float64 data each partial is a
 * sum without loss, whose rests are added next to it. */
#ifndef SELFATTN_KERNELS_WIDE_PARTIALS_H
#define SELFATTN_KERNELS_WIDE_PARTIALS_H

#include "kernels/twofold.h"
#include "kernels/wide/wide.h"

enum { PARTIALS = 16 };

typedef struct partials {
    double sum[PARTIALS], rest[PARTIALS];
} partials;

/* Partial l and sum + rest: its new value. */
static inline void partials_add(partials *p, size_t l, double sum, double rest)
{
#if defined(REAL_IS_F64)
    twofold exact = twofold_sum(p->sum[l], sum);
    p->sum[l] = exact.high;
    p->rest[l] = (p->rest[l] + rest) + exact.low;
#else
    (void)rest; /* of float64 sums, none is kept */
    p->sum[l] += sum;
#endif
}

/* With a constant `step`, no loop is left of it. */
static inline void partials_fold(partials *p, size_t step)
{
    for (size_t l = 0; l < step; l++)
        partials_add(p, l, p->sum[l + step], p->rest[l + step]);
}

static inline row_total partials_total(partials *p)
{
    partials_fold(p, 8);
    partials_fold(p, 4);
    partials_fold(p, 2);
    partials_fold(p, 1);
    return (row_total){p->sum[0], p->rest[0]};
}

/* The partials in vectors while the row goes on. */
#if defined(REAL_IS_F64)

/* Key j is in lane j mod 8 of vector (j / 8) mod 2. */
typedef struct growing {
    wide_pair part[PARTIALS / LANES];
} growing;

static inline growing growing_zero(void)
{
    wide zero = wide_zero(); /* {0} would be a string instruction, which begins slowly */
    return (growing){{{zero, zero}, {zero, zero}}};
}

static inline void growing_add(growing *to, const real *from, size_t vector)
{
    wide_pair *part = &to->part[vector % (PARTIALS / LANES)];
    wide_pair exact = wide_two_sum(part->sum, wide_load(from));
    part->sum = exact.sum;
    part->rest = wide_add(part->rest, exact.rest);
}

static inline partials growing_store(const growing *g)
{
    partials p;
    for (size_t v = 0; v < PARTIALS / LANES; v++) {
        wide_store(p.sum + v * LANES, g->part[v].sum);
        wide_store(p.rest + v * LANES, g->part[v].rest);
    }
    return p;
}

#else

typedef struct growing {
    double_lanes sum[2 * REGISTERS];
} growing;

static inline growing growing_zero(void)
{
    return (growing){{{0}}};
}

static inline void growing_add(growing *to, const real *from, size_t vector)
{
    (void)vector;
    for (size_t i = 0; i < 2 * REGISTERS; i++)
        to->sum[i] += lanes_widened(from + i * (REGISTER_LANES / 2));
}

static inline partials growing_store(const growing *g)
{
    partials p = {{0}, {0}};
    memcpy(p.sum, g->sum, sizeof p.sum);
    return p;
}

#endif

#endif
