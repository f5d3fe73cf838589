#include "kernels/numbers.h"

#include "unit/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double numbers_get(dtype type, const void *data, size_t index)
{
    return type == DTYPE_F32 ? (double)((const float *)data)[index] : ((const double *)data)[index];
}

void numbers_put(dtype type, void *data, size_t index, double value)
{
    if (type == DTYPE_F32)
        ((float *)data)[index] = (float)value;
    else
        ((double *)data)[index] = value;
}

double numbers_fraction(uint64_t *state)
{
    return (double)(unit_random(state) >> 11) * 0x1p-53;
}

double numbers_next(uint64_t *state, numbers kind)
{
    static const double ODD[] = {0, -0.0, 1e-40, -3e-42, 1e-310, 1e30, -1e30, 1};
    static const double LOW[] = {-INFINITY, -3e38, -1e30, -1e5, -800, -87.5, -INFINITY, -110};
    uint64_t which = unit_random(state);
    double fraction = numbers_fraction(state);
    bool is_odd = which % 8 == 0;
    if (kind == NUMBERS_SHARES)
        return is_odd ? 0 : fraction * fraction;
    if (kind == NUMBERS_SCORES)
        return is_odd ? LOW[which / 8 % 8] : which % 8 == 1 ? 3 : floor(fraction * 4096) / 32 - 120;
    return is_odd ? ODD[which / 8 % 8] : 4 * fraction - 2;
}

bool numbers_same(dtype type, const void *a, const void *b, size_t count)
{
    size_t size = dtype_size(type);
    const char *one = a, *other = b;
    for (size_t i = 0; i < count; i++) {
        bool both_nan = isnan(numbers_get(type, a, i)) && isnan(numbers_get(type, b, i));
        if (!both_nan && memcmp(one + i * size, other + i * size, size) != 0)
            return false;
    }
    return true;
}

void *numbers_room(size_t count)
{
    void *room = calloc(count + 1, sizeof(double));
    if (room == NULL)
        abort();
    return room;
}

long double numbers_error(dtype type, double got, long double right)
{
    bool is_f32 = type == DTYPE_F32;
    long double normal = is_f32 ? (long double)FLT_MIN : (long double)DBL_MIN;
    long double epsilon = is_f32 ? (long double)FLT_EPSILON : (long double)DBL_EPSILON;
    int exponent;
    if (got == 0)
        return fabsl(right) < normal * (1 + 4 * epsilon) && !signbit(got) ? 0 : INFINITY;
    if (!(fabsl((long double)got) >= normal))
        return INFINITY;
    frexpl(right, &exponent);
    return fabsl((long double)got - right) /
           ldexpl(1, exponent - (is_f32 ? FLT_MANT_DIG : DBL_MANT_DIG));
}
