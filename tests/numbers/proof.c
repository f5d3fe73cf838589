#include "numbers/proof.h"

#include "io/number_parts.h"
#include "io/number_read.h"
#include "io/number_write.h"
#include "numbers/in_list.h"
#include "numbers/to_chars.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* digits · 10^exponent, with `count` digits of which the last is not 0. */
typedef struct decimal {
    uint64_t digits;
    int count, exponent;
} decimal;

/* What a text says, without its sign. */
static decimal decimal_of(const char *text)
{
    decimal d = {0, 0, 0};
    bool after_point = false;
    int zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        after_point |= *text == '.';
        if (*text < '0' || *text > '9')
            continue;
        d.exponent -= after_point;
        if (*text == '0') {
            zeros += d.count > 0;
            continue;
        }
        for (; zeros > 0; zeros--, d.count++)
            d.digits *= 10;
        d.digits = d.digits * 10 + (uint64_t)(*text - '0');
        d.count++;
    }
    d.exponent += zeros + (*text == 'e' ? atoi(text + 1) : 0);
    return d;
}

static char *put(char *out, uint64_t value)
{
    char digit[24];
    int first = sizeof digit;
    do {
        digit[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    memcpy(out, digit + first, sizeof digit - (size_t)first);
    return out + sizeof digit - first;
}

/* "123e-4" */
static void write_decimal(char out[64], uint64_t digits, int exponent)
{
    char *at = put(out, digits);
    *at++ = 'e';
    if (exponent < 0)
        *at++ = '-';
    *put(at, (uint64_t)(exponent < 0 ? -exponent : exponent)) = '\0';
}

static bool reads_as_f32(const char *text, float wanted)
{
    float got = -1;
    bool fits = number_read_f32(text, text + strlen(text), &got);
    if (float32_bits(got) == float32_bits(wanted) && fits == !isinf(wanted))
        return in_list_f32(text, wanted);
    printf("  %.900s reads as float32 %08" PRIx32 ", in C as %08" PRIx32 "\n", text,
           float32_bits(got), float32_bits(wanted));
    return false;
}

static bool reads_as_f64(const char *text, double wanted)
{
    double got = -1;
    bool fits = number_read_f64(text, text + strlen(text), &got);
    if (float64_bits(got) == float64_bits(wanted) && fits == !isinf(wanted))
        return in_list_f64(text, wanted);
    printf("  %.900s reads as float64 %016" PRIx64 ", in C as %016" PRIx64 "\n", text,
           float64_bits(got), float64_bits(wanted));
    return false;
}

bool proof_of_text(const char *text)
{
    return reads_as_f32(text, strtof(text, NULL)) && reads_as_f64(text, strtod(text, NULL));
}

/* Of a float32, what C makes of the decimal; of a float64, likewise. Clears `right` where src/io
 * makes something else of it. */
static double value_of(uint64_t digits, int exponent, bool is_single, bool *right)
{
    char text[64];
    write_decimal(text, digits, exponent);
    double value = is_single ? (double)strtof(text, NULL) : strtod(text, NULL);
    *right &= is_single ? reads_as_f32(text, (float)value) : reads_as_f64(text, value);
    return value;
}

/* No decimal with a digit less reads back. */
static bool is_shortest(decimal d, double value, bool is_single, bool *right)
{
    if (d.count == 1)
        return true;
    uint64_t below = d.digits / 10;
    return value_of(below, d.exponent + 1, is_single, right) != value &&
           value_of(below + 1, d.exponent + 1, is_single, right) != value;
}

/* The nearest decimal in units of 10^exponent: the C library rounds exactly. */
static uint64_t nearest_digits(double value, decimal like)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", like.count - 1, value);
    decimal d = decimal_of(text);
    for (; d.exponent > like.exponent; d.exponent--)
        d.digits *= 10;
    return d.digits;
}

/* The nearest decimal of this length was written; or its neighbour, since it does not read back. */
static bool is_nearest_by_printing(decimal d, double value, bool is_single, bool *right)
{
    uint64_t nearest = nearest_digits(value, d);
    if (nearest == d.digits)
        return true;
    return (nearest == d.digits + 1 || nearest == d.digits - 1) &&
           value_of(nearest, d.exponent, is_single, right) != value;
}

/* The same at a third of the time: for a float32, which C holds against the points halfway to the
 * neighbours in float64. Rounding those keeps their order with the value; only where they become
 * equal it says nothing. */
static bool is_nearest(decimal d, double value, bool is_single, bool *right)
{
    if (is_single) {
        double from = value_of(10 * d.digits - 5, d.exponent - 1, false, right);
        double to = value_of(10 * d.digits + 5, d.exponent - 1, false, right);
        if (from < value && value < to)
            return true;
    }
    return is_nearest_by_printing(d, value, is_single, right);
}

static bool same(decimal a, decimal b)
{
    return a.digits == b.digits && a.exponent == b.exponent;
}

static bool is_like_to_chars(decimal d, double value, bool is_single)
{
    char text[64];
    if (to_chars_f32 == NULL)
        return true;
    size_t length = is_single ? to_chars_f32((float)value, text) : to_chars_f64(value, text);
    text[length] = '\0';
    return same(d, decimal_of(text));
}

static bool prove(const char *text, double value, bool is_single)
{
    bool right = is_single ? reads_as_f32(text, (float)value) : reads_as_f64(text, value);
    double in_c = is_single ? (double)strtof(text, NULL) : strtod(text, NULL);
    decimal d = decimal_of(text);
    const char *broken = in_c != value                               ? "does not read back"
                         : value == 0                                ? NULL
                         : !is_shortest(d, value, is_single, &right) ? "is not the shortest"
                         : !is_nearest(d, value, is_single, &right)  ? "is not the nearest"
                         : !is_like_to_chars(d, value, is_single) ? "is not what std::to_chars says"
                                                                  : NULL;
    if (broken != NULL)
        printf("  %.17g as %s: %s %s\n", value, is_single ? "float32" : "float64", text, broken);
    return right && broken == NULL;
}

/* The negative's text is this one with a minus, and reads back. */
static bool prove_negative(const char *negative, const char *text, bool reads_back)
{
    bool right = negative[0] == '-' && strcmp(negative + 1, text) == 0 && reads_back;
    if (!right)
        printf("  %s, but its negative is %s\n", text, negative);
    return right;
}

static bool is_word(const char *text, const char *word)
{
    if (strcmp(text, word) == 0)
        return true;
    printf("  %s, not %s\n", text, word);
    return false;
}

bool proof_of_f32(uint32_t bits)
{
    char text[NUMBER_TEXT], negative[NUMBER_TEXT];
    float value = float32_of_bits(bits), minus = float32_of_bits(bits | 0x80000000);
    number_write_f32(value, text);
    number_write_f32(minus, negative);
    if (isnan(value))
        return is_word(text, "nan") && is_word(negative, "nan");
    if (isinf(value))
        return is_word(text, "inf") && is_word(negative, "-inf");
    bool back = float32_bits(strtof(negative, NULL)) == float32_bits(minus);
    return prove(text, (double)value, true) && prove_negative(negative, text, back);
}

bool proof_of_f64(uint64_t bits)
{
    char text[NUMBER_TEXT], negative[NUMBER_TEXT];
    double value = float64_of_bits(bits), minus = float64_of_bits(bits | (uint64_t)1 << 63);
    number_write_f64(value, text);
    number_write_f64(minus, negative);
    if (isnan(value))
        return is_word(text, "nan") && is_word(negative, "nan");
    if (isinf(value))
        return is_word(text, "inf") && is_word(negative, "-inf");
    bool back = float64_bits(strtod(negative, NULL)) == float64_bits(minus);
    return prove(text, value, false) && prove_negative(negative, text, back);
}

bool proof_of_half(uint32_t bits)
{
    enum { DIGITS = 120 }; /* a half has 113 at most; after them are zeros */
    char text[DIGITS + 16];
    double half = ((double)float32_of_bits(bits) + (double)float32_of_bits(bits + 1)) / 2;
    if (!isfinite(half))
        return true;
    snprintf(text, sizeof text, "%.*e", DIGITS, half);
    bool right = proof_of_text(text);
    *(strchr(text, 'e') - 1) = '1';
    right &= proof_of_text(text);
    snprintf(text, sizeof text, "%.*e", DIGITS, nextafter(half, 0));
    return proof_of_text(text) && right;
}
