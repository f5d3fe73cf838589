/* Shortest decimals: Giulietti, "The Schubfach way to render doubles" (2020), for both widths by
 * one body. Fixed counts of digits: all digits of the exact value, rounded as text. */
#include "io/number_write.h"

#include "io/decimal_big.h"
#include "io/float_format.h"
#include "io/pow10.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Decimal exponents of the first digit that are written plainly. */
enum { PLAIN_FROM = -5, PLAIN_TO = 15 };

/* digits · 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* An exact value 0.d₁d₂… · 10^point; the last of its `count` digits is not 0, those beyond are. */
typedef struct expansion {
    char digit[BIG_DIGITS];
    int count, point;
} expansion;

/* ⌊factor · row / 2^128⌋, its last bit set where something was cut off ("round to odd"): enough
 * to compare it with even numbers. The row is taken from above, so that an exact product is seen
 * as one: the excess is below the middle word, and nothing but an exact product leaves that word
 * 0 (as in the paper; tests/unit/make_pow10.py checks it for this table). */
static uint64_t scale_to_odd(uint64_t factor, pow10_bits row)
{
    row.low++;
    row.high += row.low == 0;
    pow10_product product = pow10_times(row, factor);
    return product.high | (product.middle != 0);
}

/* ⌊log10(2^e)⌋, or ⌊log10(¾ · 2^e)⌋: 1262611 / 2^22 is log10(2), 524031 / 2^22 is −log10(¾),
 * near enough for any e. */
static int log10_of_pow2(int e, bool three_quarters)
{
    return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* The candidate with the fewest digits inside [lower, upper], which hold what reads back to the
 * value `exact`; all three count quarters of 10^exponent. At most one multiple of ten is inside;
 * otherwise the nearer neighbour, ties to even. */
static decimal choose(uint64_t lower, uint64_t exact, uint64_t upper, int exponent)
{
    uint64_t s = exact / 4, tens = s / 10;
    bool below_inside = lower <= 40 * tens, above_inside = 40 * tens + 40 <= upper;
    if (below_inside != above_inside)
        return (decimal){tens + above_inside, exponent + 1};
    below_inside = lower <= 4 * s;
    above_inside = 4 * s + 4 <= upper;
    uint64_t middle = 4 * s + 2;
    bool nearer_above = exact > middle || (exact == middle && s % 2 == 1);
    return (decimal){s + (below_inside != above_inside ? above_inside : nearer_above), exponent};
}

/* The shortest decimal that reads back to m · 2^e. Its neighbours lie 2^e away, but the lower
 * one of a power of two half as far; what lies halfway reads as the even one. */
static decimal shortest(uint64_t bits, const float_format *format)
{
    float_parts value = float_split(bits, format);
    bool even = value.m % 2 == 0;
    bool near_below = value.m == (uint64_t)1 << (format->precision - 1) && value.e > format->lowest;
    int k = log10_of_pow2(value.e, near_below), h = value.e + pow10_log2(-k) + 1;
    pow10_bits row = pow10_of(-k);
    uint64_t lower = scale_to_odd((4 * value.m - 2 + near_below) << h, row);
    uint64_t exact = scale_to_odd(4 * value.m << h, row);
    uint64_t upper = scale_to_odd((4 * value.m + 2) << h, row);
    return choose(lower + !even, exact, upper - !even, k);
}

/* Writes at least one digit, and no NUL. */
static int put_integer(uint64_t value, char *out)
{
    char digit[20];
    int first = (int)sizeof digit;
    do {
        digit[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    memcpy(out, digit + first, sizeof digit - (size_t)first);
    return (int)sizeof digit - first;
}

static char *put_repeated(char *out, char c, int times)
{
    memset(out, c, (size_t)times);
    return out + times;
}

static char *put_bytes(char *out, const char *bytes, int count)
{
    memcpy(out, bytes, (size_t)count);
    return out + count;
}

/* The digits with a point before digit number `point`, and zeros where there are none: point may
 * lie outside. */
static char *put_plain(char *out, const char *digit, int count, int point)
{
    if (point <= 0) {
        out = put_repeated(put_bytes(out, "0.", 2), '0', -point);
        return put_bytes(out, digit, count);
    }
    if (point >= count)
        return put_repeated(put_bytes(out, digit, count), '0', point - count);
    out = put_bytes(out, digit, point);
    *out++ = '.';
    return put_bytes(out, digit + point, count - point);
}

static char *put_scientific(char *out, const char *digit, int count, int exponent)
{
    *out++ = digit[0];
    if (count > 1) {
        *out++ = '.';
        out = put_bytes(out, digit + 1, count - 1);
    }
    *out++ = 'e';
    if (exponent < 0)
        *out++ = '-';
    return out + put_integer((uint64_t)(exponent < 0 ? -exponent : exponent), out);
}

/* Puts a sign where there is one, and what needs no digits worked out: true for those, which are
 * then complete. */
static bool put_special(double value, char **out)
{
    if (isnan(value)) {
        *out = put_bytes(*out, "nan", 3);
        return true;
    }
    if (signbit(value))
        *(*out)++ = '-';
    if (isinf(value))
        *out = put_bytes(*out, "inf", 3);
    return isinf(value);
}

static size_t finish(char *begin, char *end)
{
    *end = '\0';
    return (size_t)(end - begin);
}

static char *put_shortest(char *out, uint64_t bits, const float_format *format)
{
    if (bits == 0)
        return put_bytes(out, "0", 1);
    decimal d = shortest(bits, format);
    for (; d.digits % 10 == 0; d.digits /= 10)
        d.exponent++;
    char digit[20];
    int count = put_integer(d.digits, digit), first = d.exponent + count - 1;
    if (first < PLAIN_FROM || first > PLAIN_TO)
        return put_scientific(out, digit, count, first);
    return put_plain(out, digit, count, first + 1);
}

/* m · 2^e is m · 5^−e digits with −e of them behind the point; with e ≥ 0, an integer. */
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

size_t number_write_f32(float value, char out[NUMBER_TEXT])
{
    char *end = out;
    if (!put_special((double)value, &end))
        end = put_shortest(end, float32_bits(fabsf(value)), &FLOAT32);
    return finish(out, end);
}

size_t number_write_f64(double value, char out[NUMBER_TEXT])
{
    char *end = out;
    if (!put_special(value, &end))
        end = put_shortest(end, float64_bits(fabs(value)), &FLOAT64);
    return finish(out, end);
}

size_t number_write_fixed(double value, int digits, char out[NUMBER_FIXED_TEXT])
{
    char *end = out;
    if (put_special(value, &end))
        return finish(out, end);
    expansion x;
    expand(value, &x);
    round_digits(&x, x.point + digits);
    for (int i = x.point > 0 ? 0 : x.point - 1; i < x.point + digits; i++) {
        if (i == x.point)
            *end++ = '.';
        *end++ = digit_at(&x, i);
    }
    return finish(out, end);
}

size_t number_write_exponent(double value, int digits, char out[NUMBER_FIXED_TEXT])
{
    char *end = out;
    if (put_special(value, &end))
        return finish(out, end);
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
    if (size < 10)
        *end++ = '0';
    end += put_integer((uint64_t)size, end);
    return finish(out, end);
}
