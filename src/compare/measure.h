/* What differs between two matrices of the same shape, and by how much; saying it is for others.
 *
 * Both are looked at where they lie, a block at a time: nothing is copied whole, and blocks of the
 * same bytes are only passed over. The counts are the same in whatever order blocks come; cosines
 * are sums in C order, so they are the same on every machine. */
#ifndef SELFATTN_COMPARE_MEASURE_H
#define SELFATTN_COMPARE_MEASURE_H

#include "compare/ulps.h"
#include "tensor/tensor.h"

#include <math.h>
#include <stdbool.h>

/* When two numbers count as equal. The one place that decides it, for `diff` and `check` alike.
 *
 * Numbers that are equal always do. Finite ones do too where |a − b| ≤ atol + rtol·|b|, the rule of
 * numpy.isclose (numpy/_core/numeric.py), in float64; or, where ulps are given, where at most so
 * many lie between them. An infinity equals itself alone, and NaN nothing, unless equal_nan. */
typedef struct tolerance {
    double atol, rtol;
    uint64_t ulps; /* 0: none besides equal ones, where they are given */
    bool has_ulps, equal_nan;
} tolerance;

/* The rule for finite numbers. Here, since it is asked once for every number that differs. */
static inline bool is_close(double atol, double rtol, double a, double b)
{
    return fabs(a - b) <= atol + rtol * fabs(b);
}

/* `type` is the one whose ulps are counted. */
bool tolerance_admits(const tolerance *t, number_type type, double a, double b);

/* The least atol, rtol left as it is, with which |a − b| ≤ atol + rtol·|b| holds as computed here;
 * and the least rtol. Infinity where none does. Both are for finite numbers. */
double tolerance_least_atol(const tolerance *t, double a, double b);
double tolerance_least_rtol(const tolerance *t, double a, double b);

typedef struct measured_side {
    const tensor *of;
    /* Read from text: it may have holes, which equal one another and no number, and its numbers are
     * rounded to the type in which they are compared. */
    bool is_text;
    bool has_unprinted; /* its holes are numbers that nobody wrote down: they are left out */
} measured_side;

typedef struct measurement {
    size_t count;     /* compared */
    size_t unequal;   /* that are not the same number, whatever is tolerated */
    size_t different; /* of these, what is not tolerated */
    size_t first;     /* the number, in C order, of the first of those; and its values */
    double first_a, first_b;
    /* The largest |a − b|, |a − b| / |b| and distance in ulps; all infinite where an infinity or a
     * NaN is on one side only. */
    double most_absolute, most_relative;
    uint64_t most_ulps;
    /* What --atol or --rtol would have to be, the other and --ulps left as they are. */
    double least_atol, least_rtol;
    /* Σab / √(Σa²·Σb²) over finite pairs; a NaN where one side is all zeros. */
    double cosine;
} measurement;

/* The shapes are the same. */
measurement measure(measured_side a, measured_side b, number_type type, const tolerance *by);

/* One element as it is compared; a hole stays one. */
double measure_value(measured_side from, number_type type, const size_t *index);

/* Whether two such elements are not difference, whatever else is tolerated: the same number, NaN on
 * both sides where that counts as equal, or nothing to compare. */
bool measure_is_same(measured_side a, measured_side b, const tolerance *by, double value_a,
                     double value_b);

/* Takes leading axes of 1 off the longer of two shapes, as far as that makes them one: false where
 * it does not. The views borrow. */
bool measure_align(const tensor *a, const tensor *b, tensor *view_a, tensor *view_b);

#endif
