#include "compare/tolerance.h"

bool tolerance_admits(const tolerance *t, number_type type, double a, double b)
{
    if (a == b)
        return true;
    if (isnan(a) && isnan(b))
        return t->equal_nan;
    if (!isfinite(a) || !isfinite(b))
        return false;
    return is_close(t->atol, t->rtol, a, b) || (t->has_ulps && ulps_between(type, a, b) <= t->ulps);
}

/* Both begin with the quotient or difference, which rounding may have left a little too small. */

double tolerance_least_atol(const tolerance *t, double a, double b)
{
    if (is_close(0, t->rtol, a, b))
        return 0;
    double atol = fabs(a - b) - t->rtol * fabs(b);
    while (!is_close(atol, t->rtol, a, b))
        atol = nextafter(atol, (double)INFINITY);
    return atol;
}

double tolerance_least_rtol(const tolerance *t, double a, double b)
{
    if (is_close(t->atol, 0, a, b))
        return 0;
    if (b == 0)
        return (double)INFINITY;
    double rtol = (fabs(a - b) - t->atol) / fabs(b);
    while (!is_close(t->atol, rtol, a, b))
        rtol = nextafter(rtol, (double)INFINITY);
    return rtol;
}
