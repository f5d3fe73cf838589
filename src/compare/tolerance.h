/* When two numbers count as equal. The one place that decides it, for `diff` and `check` alike.
 *
 * Numbers that are equal always do. Finite ones do too where |a − b| ≤ atol + rtol·|b|, the rule of
 * numpy.isclose (numpy/_core/numeric.py), in float64; or, where ulps are given, where at most so
 * many lie between them. An infinity equals itself alone, and NaN nothing, unless equal_nan. */
#ifndef SELFATTN_COMPARE_TOLERANCE_H
#define SELFATTN_COMPARE_TOLERANCE_H

#include "compare/ulps.h"

#include <math.h>
#include <stdbool.h>

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

#endif
