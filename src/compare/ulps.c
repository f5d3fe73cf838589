#include "compare/ulps.h"

#include "base/float_bits.h"

#include <math.h>

/* IEEE 754's binary formats, and bfloat16, the upper half of a float32: a finite number is m·2^e
 * with m < 2^precision and e ≥ lowest. */
static const struct {
    const char *name;
    int precision, lowest;
    double largest;
} TYPES[] = {
    [NUMBER_F64] = {"float64", 53, -1074, 0x1.fffffffffffffp1023},
    [NUMBER_F32] = {"float32", 24, -149, 0x1.fffffep127},
    [NUMBER_F16] = {"float16", 11, -24, 65504},
    [NUMBER_BF16] = {"bfloat16", 8, -133, 0x1.fep127},
};

const char *number_type_name(number_type type)
{
    return TYPES[type].name;
}

/* The exponent of the last bit that a number of this size has. */
static int last_exponent(number_type type, double magnitude)
{
    int exponent;
    frexp(magnitude, &exponent); /* magnitude < 2^exponent */
    int last = exponent - TYPES[type].precision;
    return last < TYPES[type].lowest ? TYPES[type].lowest : last;
}

double number_round(number_type type, double value)
{
    if (type == NUMBER_F64 || value == 0 || !isfinite(value))
        return value;
    if (type == NUMBER_F32)
        return (double)(float)value;
    int last = last_exponent(type, fabs(value));
    double rounded = ldexp(nearbyint(ldexp(value, -last)), last);
    return fabs(rounded) > TYPES[type].largest ? copysign((double)INFINITY, value) : rounded;
}

/* How many numbers of the type lie from 0 up to this one, which is a number of the type. For
 * float64 and float32 these are its bits. */
static uint64_t count_from_zero(number_type type, double magnitude)
{
    if (type == NUMBER_F64)
        return float64_bits(magnitude);
    if (type == NUMBER_F32)
        return float32_bits((float)magnitude);
    if (magnitude == 0)
        return 0;
    int last = last_exponent(type, magnitude);
    uint64_t steps = (uint64_t)(last - TYPES[type].lowest) << (TYPES[type].precision - 1);
    return steps + (uint64_t)ldexp(magnitude, -last);
}

uint64_t ulps_between(number_type type, double a, double b)
{
    a = number_round(type, a);
    b = number_round(type, b);
    if (a == b)
        return 0;
    if (!isfinite(a) || !isfinite(b))
        return ULPS_INFINITE;
    uint64_t from_a = count_from_zero(type, fabs(a)), from_b = count_from_zero(type, fabs(b));
    if ((a < 0) != (b < 0))
        return from_a + from_b;
    return from_a > from_b ? from_a - from_b : from_b - from_a;
}
