#include "ref/ref_number.h"

#include <float.h>
#include <math.h>

const precision FLOAT32 = {0x1.01p-24L, 0x1p-126L, 0x1p-150L};
const precision FLOAT64 = {0x1.01p-53L, 0x1p-1022L, 0x1p-1075L};

bool number_is_wide(void)
{
    volatile long double one = 1, next = one + LDBL_EPSILON;
    return LDBL_MANT_DIG >= 64 && next > one;
}

ref_number number_exact(long double value)
{
    return (ref_number){value, 0};
}

/* The result of one rounding, where the operands' errors alone give `slip`. −inf is what was
 * masked: no error. */
static ref_number round_once(const precision *p, long double value, long double slip)
{
    if (isinf(value))
        return number_exact(value);
    return (ref_number){value, slip + p->unit * (fabsl(value) + slip) + p->tiny};
}

ref_number number_rounded(const precision *p, long double value, int times)
{
    return (ref_number){value, (long double)times * p->unit * fabsl(value) + p->tiny};
}

ref_number number_add(const precision *p, ref_number a, ref_number b)
{
    return round_once(p, a.value + b.value, a.slip + b.slip);
}

/* What is 0 stays so, whatever the other may be: its slip may have no end. */
static long double part(long double a, long double b)
{
    return a == 0 || b == 0 ? 0 : fabsl(a) * b;
}

static long double slip_of_product(ref_number a, ref_number b)
{
    return part(a.value, b.slip) + part(b.value, a.slip) + part(a.slip, b.slip);
}

ref_number number_multiply(const precision *p, ref_number a, ref_number b)
{
    return round_once(p, a.value * b.value, slip_of_product(a, b));
}

ref_number number_divide(const precision *p, ref_number a, ref_number b)
{
    long double value = a.value / b.value, least = fabsl(b.value) - b.slip;
    long double most = a.slip + part(value, b.slip);
    return round_once(p, value, most == 0 ? 0 : least > 0 ? most / least : INFINITY);
}

ref_number number_root(const precision *p, ref_number a)
{
    long double value = sqrtl(a.value), least = sqrtl(fmaxl(a.value - a.slip, 0));
    return round_once(p, value, value - least);
}

ref_number number_chain(const precision *p, ref_number sum, ref_number a, ref_number b)
{
    return round_once(p, sum.value + a.value * b.value, sum.slip + slip_of_product(a, b));
}

/* tanh grows by at most 1 where its argument does; 2 ulp are at most 4 units. */
ref_number number_tanh(const precision *p, ref_number x)
{
    long double value = tanhl(x.value);
    return (ref_number){value, x.slip + 4 * p->unit * (fabsl(value) + x.slip) + p->tiny};
}

/* For results in 0 … 1 that may be flushed to 0, and that no error takes out of 0 … 1 by more than
 * a unit. */
static ref_number flush(const precision *p, long double value, long double slip)
{
    if (value - slip < p->normal)
        slip = fmaxl(slip, value) + p->tiny;
    return (ref_number){value, slip <= 1 ? slip : 1 + p->unit};
}

/* With an argument that is off by d, exp is off by a factor between exp(−d) and exp(d); 1 ulp is at
 * most 2 units. */
ref_number number_exp(const precision *p, ref_number x, ref_number greatest)
{
    if (isinf(x.value))
        return number_exact(0);
    long double value = expl(x.value - greatest.value), d = x.slip + greatest.slip;
    return flush(p, value, value * (expm1l(d) + 2 * p->unit * expl(d)));
}

ref_number number_share(const precision *p, ref_number part, ref_number whole)
{
    if (whole.value == 0)
        return number_exact(0);
    long double value = part.value / whole.value, least = whole.value - whole.slip;
    long double slip = least > 0 ? (part.slip + value * whole.slip) / least : 1;
    return flush(p, value, slip + p->unit * (value + slip));
}
