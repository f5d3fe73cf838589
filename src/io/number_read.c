/* Lemire, "Number parsing at a gigabyte per second" (2021), with two changes: both halves of a
 * power of ten are always multiplied, which needs no test for when one is enough; and the
 * rounding is the same code for normal and subnormal numbers of both types. */
#include "io/number_read.h"

#include "io/number_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    LEADING_DIGITS = 19, /* any 19 digits fit 64 bits */
    GREATEST_POWER = 308 /* 1e309 is too large for a float64 */
};

/* Where exponents stop counting: no text that fits in memory has enough digits to make up for it,
 * and adding the count of its digits does not overflow. */
static const int64_t EXPONENT_LIMIT = (int64_t)1 << 60;

/* What a number's text says: ±leading · 10^exponent, or a little more if digits were cut off. */
typedef struct decimal {
    uint64_t leading;
    int64_t exponent;
    bool negative;
    bool cut; /* digits other than 0 follow the leading ones: leading < the number < leading + 1 */
    const char *digits, *last; /* all digits, perhaps with a point among them */
} decimal;

const char *digits_end(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* The end of an exponent such as "e+12" that begins at `at`; `at` if none does. */
static const char *skip_exponent(const char *at, const char *end)
{
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    const char *digits = at + 1;
    if (digits < end && (*digits == '+' || *digits == '-'))
        digits++;
    const char *last = digits_end(digits, end);
    return last > digits ? last : at;
}

/* Appends digits to `value`. The caller notices an overflow by their count. */
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
 * rest > 0 where `more`. Where it is 0, what is dropped of `whole` begins with less than half or is
 * half: nearest_by_both_halves says why. */
static uint64_t round_to_format(uint64_t whole, bool more, int exponent, const float_format *format)
{
    int drop = bits_to_drop(whole, exponent, format);
    if (drop > 64) /* less than half of the least value */
        return 0;
    uint64_t halves = whole >> (drop - 1), rounded = (halves + 1) >> 1;
    assert(more || halves % 2 == 0 || halves << (drop - 1) == whole);
    if (!more && halves % 2 == 1) /* a tie */
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
 *   it for these rows.
 * What is dropped is a unit below half, half, or, after a carry, a unit above it, as rounds_alike
 * found. It is not above half where nothing more follows: the high word would be odd, and it is a
 * multiple of 5^q whose row has no low half (no carry then), or of 2^i, i > 0. */
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
    return at < end && *at == '0' ? at + 1 : digits_end(at, end);
}

/* The end of `word`, which is in lower case, if it begins at `at` in any case; else NULL. */
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
        const char *last = digits_end(at + 1, end);
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
        const char *last = digits_end(at + 1, end);
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

bool number_is_zero(const char *text, const char *end)
{
    while (text < end && (*text < '1' || *text > '9') && *text != 'e' && *text != 'E')
        text++;
    return text == end || !is_digit(*text);
}

bool number_read_json(const char *text, const char *end, double *value)
{
    return number_end_json(text, end) == end && number_read_f64(text, end, value) &&
           (*value != 0 || number_is_zero(text, end));
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

/* ---- a list ----
 *
 * Digits are read eight at a time, in one 64-bit word, and nothing branches on the sign or the
 * number of digits: on numbers of random length, each wrong prediction would cost as much as the
 * number itself. */

enum {
    MOST_SPACES = 32,  /* on each side of a number */
    MOST_EXPONENT = 3, /* digits of an exponent */
    LOOKED_AT = 128    /* bytes: spaces, a sign, 19 digits, a point, 24 digits, "e-123", spaces */
};

/* ±digits · 10^exponent. */
typedef struct usual {
    uint64_t digits;
    int exponent;
    size_t negative; /* 1 or 0 */
} usual;

static const uint64_t POW10_WHOLE[] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};

/* A value below the entry for a number of digits can take as many without overflowing. */
static const uint64_t ROOM_FOR[] = {UINT64_MAX,        1000000000000000000, 100000000000000000,
                                    10000000000000000, 1000000000000000,    100000000000000,
                                    10000000000000,    1000000000000,       100000000000};

/* Eight characters, the first one in the lowest byte, as the values of digits: what is not a digit
 * is more than 9. */
static inline uint64_t load_eight(const char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight ^ 0x3030303030303030;
}

/* How many of the eight are digits, up to the first one that is not. Adding 0x76 lifts 10 and more
 * to 0x80 and more; a carry spoils later characters only. */
static inline int count_digits(uint64_t eight)
{
    uint64_t others = ((eight + 0x7676767676767676) | eight) & 0x8080808080808080;
    return others == 0 ? 8 : __builtin_ctzll(others) / 8;
}

/* The number that eight digits make: neighbours are joined to pairs, pairs to fours, fours to the
 * whole (Lemire, "Quickly parsing eight digits", 2018). */
static inline uint64_t join_eight(uint64_t eight)
{
    const uint64_t every_other_pair = 0x000000ff000000ff;
    uint64_t pairs = eight * 10 + (eight >> 8);
    uint64_t first = (pairs & every_other_pair) * (((uint64_t)1000000 << 32) + 100);
    uint64_t second = (pairs >> 16 & every_other_pair) * (((uint64_t)10000 << 32) + 1);
    return (first + second) >> 32;
}

/* Adds the digits at `at` after those of `value`, as many as have room, and 24 at most. Returns
 * what follows. */
static inline const char *take_eights(const char *at, uint64_t *value)
{
    uint64_t eight = load_eight(at);
    int count = count_digits(eight);
    for (int round = 0; round < 2 && count == 8 && *value < ROOM_FOR[8]; round++) {
        *value = *value * POW10_WHOLE[8] + join_eight(eight);
        at += 8;
        eight = load_eight(at);
        count = count_digits(eight);
    }
    if (count == 0 || *value >= ROOM_FOR[count])
        return at;
    /* The number that the first `count` of them make, 1 to 8: zeros take the place of the
     * others, in front. */
    *value = *value * POW10_WHOLE[count] + join_eight(eight << (64 - 8 * count));
    return at + count;
}

/* What follows the number at `at`, or NULL where none of the usual form begins there. */
static inline const char *take_usual(const char *at, usual *u)
{
    u->negative = *at == '-';
    u->exponent = 0;
    at += u->negative;
    /* "0", or digits that begin with no 0. Nearly always there is one. */
    if (!is_digit(*at))
        return NULL;
    u->digits = (uint64_t)(*at++ - '0');
    for (; is_digit(*at); at++) {
        if (u->digits == 0 || u->digits >= ROOM_FOR[1])
            return NULL;
        u->digits = u->digits * 10 + (uint64_t)(*at - '0');
    }
    if (*at == '.') {
        const char *first = at + 1;
        at = take_eights(first, &u->digits);
        u->exponent = (int)(first - at);
        if (u->exponent == 0 || is_digit(*at))
            return NULL;
    }
    if (*at != 'e' && *at != 'E')
        return at;
    bool negative = at[1] == '-';
    const char *digits = at + 1 + (negative || at[1] == '+');
    int value = 0;
    for (at = digits; is_digit(*at) && at - digits <= MOST_EXPONENT; at++)
        value = value * 10 + (*at - '0');
    u->exponent += negative ? -value : value;
    return at == digits || at - digits > MOST_EXPONENT ? NULL : at;
}

static const double SIGN[] = {1, -1};

/* Not inlined: it is seldom called, and the loop keeps its registers. */
static __attribute__((noinline)) uint64_t scaled(const usual *u, const float_format *format)
{
    return nearest_to_scaled(u->digits, u->exponent, format);
}

/* Clinger's way ("How to read floating point numbers accurately", 1990): where digits and power
 * are exact in float64, one division is correctly rounded. */
static inline bool divide(const usual *u, double *value)
{
    static const double POW10_EXACT[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (u->digits > (uint64_t)1 << 53 || u->exponent > 0 || u->exponent < -22)
        return false;
    *value = SIGN[u->negative] * (double)(int64_t)u->digits / POW10_EXACT[-u->exponent];
    return true;
}

static inline bool convert_f32(const usual *u, float *to)
{
    double value;
    if (divide(u, &value)) {
        *to = (float)value;
        /* Rounding once more, to float32, does no harm unless the float64 is halfway between two
         * of them, where the number itself may lie on either side. */
        if ((float64_bits(value) & 0x1fffffff) != 0x10000000)
            return true;
    }
    uint32_t bits = (uint32_t)scaled(u, &FLOAT32);
    *to = (float)SIGN[u->negative] * float32_of_bits(bits);
    return bits < FLOAT32.infinity;
}

static inline bool convert_f64(const usual *u, double *to)
{
    if (divide(u, to))
        return true;
    uint64_t bits = scaled(u, &FLOAT64);
    *to = SIGN[u->negative] * float64_of_bits(bits);
    return bits < FLOAT64.infinity;
}

static inline const char *skip_spaces(const char *at, uint64_t spaces)
{
    const char *most = at + MOST_SPACES;
    while ((unsigned char)*at <= ' ' && (spaces >> *at & 1) != 0 && at < most)
        at++;
    return at;
}

/* Reads numbers that begin before `end`, after which LOOKED_AT bytes can be looked at. Never
 * inlined, so that there is one copy, into which all that it calls is inlined. */
static __attribute__((noinline)) size_t read_until(number_list *l, const char *end, dtype type,
                                                   void *to, size_t count, size_t room)
{
    const char *at = l->at, *last = l->last;
    const char delimiter = l->delimiter;
    bool due = l->due;
    while (due && count < room && at < end) {
        usual u;
        const char *after = take_usual(skip_spaces(at, l->spaces), &u);
        if (after == NULL || !(type == DTYPE_F32 ? convert_f32(&u, (float *)to + count)
                                                 : convert_f64(&u, (double *)to + count)))
            break;
        if (*after != delimiter)
            after = skip_spaces(after, l->spaces);
        last = at;
        due = *after == delimiter;
        at = after + due;
        count++;
    }
    l->at = at;
    l->last = last;
    l->due = due;
    return count;
}

/* The end of the text, from a copy with zeros after it, which are not part of any number. */
static size_t read_rest(number_list *l, dtype type, void *to, size_t count, size_t room)
{
    char rest[2 * LOOKED_AT];
    const char *from = l->at;
    size_t length = (size_t)(l->end - from);
    memcpy(rest, from, length);
    memset(rest + length, 0, LOOKED_AT);
    number_list copy = *l;
    copy.at = copy.last = rest;
    size_t read = read_until(&copy, rest + length, type, to, count, room);
    if (!copy.due && copy.at == rest + length) { /* the last number might go on after the text */
        copy.at = copy.last;
        copy.due = true;
        read--;
    }
    if (read == count)
        return count;
    l->at = from + (copy.at - rest);
    l->last = from + (copy.last - rest);
    l->due = copy.due;
    return read;
}

size_t number_list_read(number_list *l, dtype type, void *to, size_t room)
{
    size_t count = 0;
    if (l->end - l->at > LOOKED_AT)
        count = read_until(l, l->end - LOOKED_AT, type, to, count, room);
    if (l->due && count < room && l->at < l->end && l->end - l->at <= LOOKED_AT)
        count = read_rest(l, type, to, count, room);
    return count;
}
