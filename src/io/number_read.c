/* Lemire, "Number parsing at a gigabyte per second" (2021), with two changes: both halves of a
 * power of ten are always multiplied, which needs no test for when one is enough; and the
 * rounding is the same code for normal and subnormal numbers of both types. */
#include "io/number_read.h"

#include "io/number_parts.h"

#include <math.h>

enum {
    LEADING_DIGITS = 19, /* any 19 digits fit 64 bits */
    GREATEST_POWER = 308 /* 1e309 is too large for a float64 */
};

/* Where exponents stop counting: far beyond what the digits of a text that fits a memory can
 * make up for, and far from overflowing when the count of those digits is added. */
static const int64_t EXPONENT_LIMIT = (int64_t)1 << 60;

/* What a number's text says: ±leading · 10^exponent, and more where digits were cut off. */
typedef struct decimal {
    uint64_t leading;
    int64_t exponent;
    bool negative;
    bool cut; /* digits other than 0 follow the leading ones: leading < the number < leading + 1 */
    const char *digits, *last; /* all the digits, a point among them */
} decimal;

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* The end of "e+12" where such a thing begins at `at`, else `at`. */
static const char *skip_exponent(const char *at, const char *end)
{
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    const char *digits = at + 1;
    if (digits < end && (*digits == '+' || *digits == '-'))
        digits++;
    const char *last = skip_digits(digits, end);
    return last > digits ? last : at;
}

/* Adds digits after `value`; what overflows is for the caller to notice, by their count. */
static const char *take_digits(const char *at, const char *end, uint64_t *value)
{
    for (; at < end && is_digit(*at); at++)
        *value = *value * 10 + (uint64_t)(*at - '0');
    return at;
}

/* Reads the digits again where there are too many for 64 bits: skips zeros in front, and keeps
 * what fits. */
static void keep_leading(decimal *d)
{
    int kept = 0;
    bool after_point = false;
    d->leading = 0;
    for (const char *at = d->digits; at < d->last; at++) {
        if (*at == '.') {
            after_point = true;
        } else if (kept < LEADING_DIGITS) {
            d->leading = d->leading * 10 + (uint64_t)(*at - '0');
            kept += d->leading != 0;
            d->exponent -= after_point;
        } else {
            d->cut |= *at != '0';
            d->exponent += !after_point;
        }
    }
}

static decimal take_decimal(const char *text, const char *end)
{
    decimal d = {.negative = *text == '-'};
    d.digits = text + (*text == '-' || *text == '+');
    d.last = take_digits(d.digits, end, &d.leading);
    ptrdiff_t count = d.last - d.digits, decimals = 0;
    if (d.last < end && *d.last == '.') {
        const char *point = d.last;
        d.last = take_digits(point + 1, end, &d.leading);
        decimals = d.last - point - 1;
        count += decimals;
    }
    if (d.last < end) { /* 'e' */
        bool is_negative = d.last[1] == '-';
        for (const char *at = d.last + 1 + (is_negative || d.last[1] == '+'); at < end; at++)
            d.exponent =
                d.exponent < EXPONENT_LIMIT / 10 ? d.exponent * 10 + (*at - '0') : EXPONENT_LIMIT;
        d.exponent = is_negative ? -d.exponent : d.exponent;
    }
    if (count > LEADING_DIGITS)
        keep_leading(&d);
    else
        d.exponent -= decimals;
    return d;
}

/* How many of the last bits of whole · 2^exponent do not fit the format; whole ≥ 2^62. */
static int bits_to_drop(uint64_t whole, int exponent, const float_format *format)
{
    int drop = 64 - __builtin_clzll(whole) - format->precision;
    return exponent + drop < format->lowest ? format->lowest - exponent : drop;
}

/* The bits nearest to (whole + rest) · 2^exponent, 0 ≤ rest < 1, ties to even; whole ≥ 2^62, and
 * rest > 0 where `more`. */
static uint64_t round_to_format(uint64_t whole, bool more, int exponent, const float_format *format)
{
    int drop = bits_to_drop(whole, exponent, format);
    if (drop > 64) /* less than half of the least value */
        return 0;
    uint64_t halves = whole >> (drop - 1), rounded = (halves + 1) >> 1;
    if (!more && halves % 2 == 1 && halves << (drop - 1) == whole) /* a tie */
        rounded -= rounded % 2;
    uint64_t field = (uint64_t)(exponent + drop - format->lowest);
    uint64_t bits = rounded + (field << (format->precision - 1));
    return bits < format->infinity ? bits : format->infinity;
}

/* Whether (whole + rest) · 2^exponent rounds alike for all 0 ≤ rest < 2: not where what is dropped
 * reaches up to half, or begins there. */
static bool rounds_alike(uint64_t whole, int exponent, const float_format *format)
{
    int drop = bits_to_drop(whole, exponent, format);
    if (drop > 63)
        return false;
    uint64_t half = (uint64_t)1 << (drop - 1);
    return (whole & (2 * half - 1)) - (half - 1) > 1;
}

/* The bits nearest to w · 10^q, w ≥ 2^63, with all that the table knows. What the product leaves
 * open does not reach the rounding:
 * - 0 ≤ q ≤ 55: the power is exact, and so is the product.
 * - −27 ≤ q < 0: the power is taken from above. The truth is w · 2^i / 5^−q with i ≥ 0, a multiple
 *   of 1/5^27 > 2^−63 in units of the high word; the product exceeds it by less than 2^−64, too
 *   little to reach the next multiple.
 * - Else the power is from below, and more follows. A carry into the high word would matter only
 *   if the middle word and the 9 bits above it were all ones, which never happens: Mushtak and
 *   Lemire, "Fast number parsing without fallback" (2023); tests/unit/prove_pow10.py proves
 *   it for these rows. */
static uint64_t nearest_by_both_halves(uint64_t w, int q, int exponent, const float_format *format)
{
    bool exact = q >= 0 && q <= POW10_EXACT_MAX, from_above = q >= -27 && q < 0;
    uint128 row = pow10_of(q);
    row.low += from_above; /* no row is all ones there: test_pow10.c */
    pow10_product product = pow10_times(row, w);
    bool more = exact ? (product.middle | product.low) != 0 : !from_above || product.middle != 0;
    return round_to_format(product.high, more, exponent, format);
}

/* The bits nearest to w · 10^q. */
static inline uint64_t nearest_to_scaled(uint64_t w, int64_t q, const float_format *format)
{
    if (w == 0 || q < POW10_MIN)
        return 0;
    if (q > GREATEST_POWER)
        return format->infinity;
    int power = (int)q, shift = __builtin_clzll(w), exponent = 1 + pow10_log2(power) - shift;
    w <<= shift;
    /* What is missing here is less than w from the low half of the power, and less than 1. */
    uint64_t high = pow10_times_high(pow10_of(power), w);
    if (rounds_alike(high, exponent, format))
        return round_to_format(high, true, exponent, format);
    return nearest_by_both_halves(w, power, exponent, format);
}

/* −1, 0 or 1: the number is below, at or above the point halfway between the values of `bits`
 * and `bits` + 1, which is (2m + 1) · 2^(e − 1). Both are multiplied by the powers of 2 and 5
 * that make them whole. */
static int compare_with_half(const decimal *d, uint64_t bits, const float_format *format)
{
    big number, half;
    bool more = false; /* than zeros follow after BIG_DIGITS digits */
    int taken = 0;
    big_set(&number, 0);
    for (const char *at = d->digits; at < d->last; at++) {
        if (*at == '.')
            continue;
        if (taken == BIG_DIGITS) {
            more |= *at != '0';
        } else {
            big_times_plus(&number, 10, (uint32_t)(*at - '0'));
            taken += number.count > 0;
        }
    }
    /* d->exponent is that of the last leading digit, q that of the last one taken. */
    int q = (int)(d->exponent + LEADING_DIGITS - taken);
    float_parts below = float_split(bits, format);
    big_set(&half, 2 * below.m + 1);
    if (q >= 0)
        big_times_pow5(&number, q);
    else
        big_times_pow5(&half, -q);
    int shift = q - (below.e - 1);
    if (shift >= 0)
        big_shift_left(&number, shift);
    else
        big_shift_left(&half, -shift);
    int order = big_compare(&number, &half);
    return order == 0 ? more : order;
}

/* The bits of the number without its sign. Where digits were cut off, the number lies between
 * two scaled integers, which nearly always round to the same value, else to neighbours. */
static uint64_t nearest_to_decimal(const decimal *d, const float_format *format)
{
    uint64_t bits = nearest_to_scaled(d->leading, d->exponent, format);
    if (!d->cut || nearest_to_scaled(d->leading + 1, d->exponent, format) == bits)
        return bits;
    int order = compare_with_half(d, bits, format);
    return bits + (order > 0 || (order == 0 && bits % 2 == 1));
}

/* "0", or digits that do not begin with it. */
static const char *skip_whole(const char *at, const char *end)
{
    return at < end && *at == '0' ? at + 1 : skip_digits(at, end);
}

/* Where a word of lower case letters ends that begins at `at` in any case; NULL where it does
 * not. */
static const char *skip_word(const char *at, const char *end, const char *word)
{
    for (; *word != '\0'; word++, at++)
        if (at == end || (*at != *word && *at != *word - 'a' + 'A'))
            return NULL;
    return at;
}

const char *number_end_json(const char *text, const char *end)
{
    const char *whole = text + (text < end && *text == '-');
    const char *at = skip_whole(whole, end);
    if (at == whole)
        return NULL;
    if (at < end && *at == '.') {
        const char *last = skip_digits(at + 1, end);
        at = last > at + 1 ? last : at;
    }
    return skip_exponent(at, end);
}

const char *number_end_csv(const char *text, const char *end)
{
    const char *whole = text + (text < end && (*text == '-' || *text == '+'));
    const char *at = skip_whole(whole, end);
    ptrdiff_t digits = at - whole;
    if (at < end && *at == '.') {
        const char *last = skip_digits(at + 1, end);
        digits += last - at - 1;
        at = last;
    }
    return digits > 0 ? skip_exponent(at, end) : NULL;
}

bool number_read_f32(const char *text, const char *end, float *value)
{
    decimal d = take_decimal(text, end);
    uint64_t bits = nearest_to_decimal(&d, &FLOAT32);
    *value = float32_of_bits((uint32_t)bits | (uint32_t)d.negative << 31);
    return bits < FLOAT32.infinity;
}

bool number_read_f64(const char *text, const char *end, double *value)
{
    decimal d = take_decimal(text, end);
    uint64_t bits = nearest_to_decimal(&d, &FLOAT64);
    *value = float64_of_bits(bits | (uint64_t)d.negative << 63);
    return bits < FLOAT64.infinity;
}

bool number_read_json(const char *text, const char *end, double *value)
{
    return number_end_json(text, end) == end && number_read_f64(text, end, value);
}

uint32_t number_scaled_bits_f32(uint64_t digits, int exponent)
{
    return (uint32_t)nearest_to_scaled(digits, exponent, &FLOAT32);
}

uint64_t number_scaled_bits_f64(uint64_t digits, int exponent)
{
    return nearest_to_scaled(digits, exponent, &FLOAT64);
}

bool number_read_nonfinite(const char *text, const char *end, double *value)
{
    bool negative = text < end && *text == '-';
    const char *word = text + (text < end && (*text == '-' || *text == '+'));
    if (skip_word(word, end, "nan") == end) {
        *value = (double)NAN;
        return true;
    }
    if (skip_word(word, end, "inf") != end && skip_word(word, end, "infinity") != end)
        return false;
    *value = negative ? -(double)INFINITY : (double)INFINITY;
    return true;
}
