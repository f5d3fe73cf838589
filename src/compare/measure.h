/* What differs between two matrices of the same shape, and by how much. Reports are made elsewhere.
 *
 * Both are read in place, a block at a time: nothing is copied whole, and blocks of the same bytes
 * are skipped. Cosines are sums in C order, so they are the same on every machine. */
#ifndef SELFATTN_COMPARE_MEASURE_H
#define SELFATTN_COMPARE_MEASURE_H

#include "compare/ulps.h"
#include "tensor/tensor.h"

#include <math.h>
#include <stdbool.h>

/* When two numbers count as equal, for `diff` and `check` alike.
 *
 * Numbers that are equal always do. Finite ones do too where |a − b| ≤ atol + rtol·|b|, the rule of
 * numpy.isclose (numpy/_core/numeric.py), in float64; or, where ulps are given, where they are at
 * most so many apart. An infinity equals only itself. NaN equals nothing, or with equal_nan another
 * NaN. */
typedef struct tolerance {
    double atol, rtol;
    uint64_t ulps; /* if has_ulps; 0: equal numbers only */
    bool has_ulps, equal_nan;
} tolerance;

/* The rule for finite numbers. Inline, since it is asked for every number that differs. */
static inline bool is_close(double atol, double rtol, double a, double b)
{
    return fabs(a - b) <= atol + rtol * fabs(b);
}

/* Ulps are those of `type`. */
bool tolerance_admits(const tolerance *t, number_type type, double a, double b);

/* The least atol with which |a − b| ≤ atol + rtol·|b| holds as computed here, with rtol left as it
 * is; and the least rtol, with atol left as it is. Infinity where none is enough. Numbers are
 * finite. Public for its test. */
double tolerance_least_atol(const tolerance *t, double a, double b);
double tolerance_least_rtol(const tolerance *t, double a, double b);

typedef struct measured_side {
    const tensor *of;
    /* Read from text: it may have holes, which equal one another and no number, and its numbers are
     * rounded to the type in which they are compared. */
    bool is_text;
    bool has_unprinted; /* its holes are numbers that were not written down, and are left out */
} measured_side;

typedef struct measurement {
    size_t count;     /* compared */
    size_t unequal;   /* that are not the same number, tolerated or not */
    size_t different; /* of these, those that are not tolerated */
    size_t first;     /* the index, in C order, of the first of those; and its two values */
    double first_a, first_b;
    /* The largest |a − b|, |a − b| / |b| and distance in ulps; all infinite where an infinity or a
     * NaN is on one side only. */
    double most_absolute, most_relative;
    uint64_t most_ulps;
    /* The least --atol or --rtol that tolerates all, with the other one and --ulps left as they
     * are. */
    double least_atol, least_rtol;
    /* Σab / √(Σa²·Σb²) over finite pairs; a NaN where one side is all zeros. */
    double cosine;
} measurement;

/* Both sides have one shape. */
measurement measure(measured_side a, measured_side b, number_type type, const tolerance *by);

/* One element as it is compared: rounded if it is text. A hole stays a hole. */
double measure_value(measured_side from, number_type type, const size_t *index);

/* Whether two such elements count as equal without any tolerance: they are the same number, or NaN
 * on both sides if that counts as equal, or one of them is left out. */
bool measure_is_same(measured_side a, measured_side b, const tolerance *by, double value_a,
                     double value_b);

/* Takes leading axes of 1 off the longer of two shapes until both are the same; false if they never
 * are. The views borrow. */
bool measure_align(const tensor *a, const tensor *b, tensor *view_a, tensor *view_b);

#endif
