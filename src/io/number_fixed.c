/* Fixed counts of digits: usual numbers as a whole number of their last decimal's units, all others
 * by all digits of the exact value, rounded as text. */
#include "io/decimal_big.h"
#include "io/float_format.h"
#include "io/number_write.h"
#include "io/uint128.h"

#include <math.h>
#include <string.h>

/* An exact value 0.d₁d₂… · 10^point; the last of its `count` digits is not 0, those beyond are. */
typedef struct expansion {
    char digit[BIG_DIGITS];
    int count, point;
} expansion;

/* m · 2^e is m · 5^−e digits with −e of them after the point; with e ≥ 0, an integer. */
static void expand(double value, expansion *x)
{
    float_parts parts = float_split(float64_bits(fabs(value)), &FLOAT64);
    if (parts.m == 0) {
        *x = (expansion){.point = 1};
        return;
    }
    int even = __builtin_ctzll(parts.m), e = parts.e + even;
    big all;
    big_set(&all, parts.m >> even);
    if (e < 0)
        big_times_pow5(&all, -e);
    else
        big_shift_left(&all, e);
    x->count = (int)big_take_digits(&all, x->digit);
    x->point = x->count + (e < 0 ? e : 0);
    while (x->digit[x->count - 1] == '0')
        x->count--;
}

static char digit_at(const expansion *x, int i)
{
    return i >= 0 && i < x->count ? x->digit[i] : '0';
}

/* Whether what follows the first `keep` digits is more than half of the last one kept, or half
 * with that one odd. */
static bool rounds_up(const expansion *x, int keep)
{
    char next = digit_at(x, keep);
    if (next != '5')
        return next > '5';
    return x->count > keep + 1 || (keep > 0 && (x->digit[keep - 1] - '0') % 2 == 1);
}

/* Rounds to the first `keep` digits; keep ≤ 0 is a place in front of them all. */
static void round_digits(expansion *x, int keep)
{
    if (keep >= x->count)
        return;
    bool up = keep >= 0 && rounds_up(x, keep);
    x->count = keep > 0 ? keep : 0;
    if (!up)
        return;
    while (x->count > 0 && x->digit[x->count - 1] == '9')
        x->count--;
    if (x->count > 0) {
        x->digit[x->count - 1]++;
    } else {
        x->digit[x->count++] = '1';
        x->point++;
    }
}

static size_t finish(char *begin, char *end)
{
    *end = '\0';
    return (size_t)(end - begin);
}

/* ---- units of the last decimal ---- */

/* With more decimals their count would not stay below 10^18 for values from 10 on, nor the product
 * below 2^128. */
enum { QUICK_DIGITS = 17 };

/* |value|·10^digits, rounded to nearest, ties to even: m·10^digits is below 2^110, and 2^e shifts
 * some of it out, or all. False where the count could have more than 18 digits. */
bool number_fixed_units(double value, int digits, uint64_t *units)
{
    static const double POWER[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                   1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};
    static const uint64_t TOO_MANY = 1000000000000000000;
    float_parts parts = float_split(float64_bits(fabs(value)), &FLOAT64);
    if (digits > QUICK_DIGITS || parts.e >= 0)
        return false;
    *units = 0;
    if (parts.e <= -128)
        return true;
    uint128 all = uint128_product(parts.m, (uint64_t)POWER[digits]);
    uint128 whole = uint128_right(all, -parts.e), rest = uint128_left(all, 128 + parts.e);
    if (whole.high != 0 || whole.low >= TOO_MANY)
        return false;
    static const uint64_t HALF = (uint64_t)1 << 63;
    bool is_above = rest.high > HALF || (rest.high == HALF && rest.low != 0);
    bool is_tie = rest.high == HALF && rest.low == 0;
    *units = whole.low + (is_above || (is_tie && whole.low % 2 == 1));
    return true;
}

/* From the last digit on, with the point in front of `digits` of them. */
static char *put_units(char *end, uint64_t units, int digits)
{
    char figures[32], *first = figures + sizeof figures;
    const char *after = first;
    for (int i = 0; i < digits; i++, units /= 10)
        *--first = (char)('0' + units % 10);
    if (digits > 0)
        *--first = '.';
    do {
        *--first = (char)('0' + units % 10);
        units /= 10;
    } while (units > 0);
    size_t length = (size_t)(after - first);
    memcpy(end, first, length);
    return end + length;
}

/* ---- what is called ---- */

static char *put_expansion(char *end, double value, int digits)
{
    expansion x;
    expand(value, &x);
    round_digits(&x, x.point + digits);
    for (int i = x.point > 0 ? 0 : x.point - 1; i < x.point + digits; i++) {
        if (i == x.point)
            *end++ = '.';
        *end++ = digit_at(&x, i);
    }
    return end;
}

size_t number_write_fixed(double value, int digits, char out[NUMBER_FIXED_TEXT])
{
    uint64_t units;
    if (!isfinite(value))
        return number_write_f64(value, out);
    char *end = out;
    *end = '-';
    end += signbit(value) != 0;
    end = number_fixed_units(value, digits, &units) ? put_units(end, units, digits)
                                                    : put_expansion(end, value, digits);
    return finish(out, end);
}

size_t number_write_exponent(double value, int digits, char out[NUMBER_FIXED_TEXT])
{
    if (!isfinite(value))
        return number_write_f64(value, out);
    char *end = out;
    *end = '-';
    end += signbit(value) != 0;
    expansion x;
    expand(value, &x);
    round_digits(&x, digits);
    for (int i = 0; i < digits; i++) {
        if (i == 1)
            *end++ = '.';
        *end++ = digit_at(&x, i);
    }
    int exponent = x.point - 1, size = exponent < 0 ? -exponent : exponent;
    *end++ = 'e';
    *end++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *end++ = (char)('0' + size / 100);
    *end++ = (char)('0' + size / 10 % 10);
    *end++ = (char)('0' + size % 10);
    return finish(out, end);
}
