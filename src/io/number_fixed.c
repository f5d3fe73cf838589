/* Fixed counts of digits: all digits of the exact value, rounded as text. */
#include "io/decimal_big.h"
#include "io/float_format.h"
#include "io/number_write.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* An exact value 0.d₁d₂… · 10^point; the last of its `count` digits is not 0, those beyond are. */
typedef struct expansion {
    char digit[BIG_DIGITS];
    int count, point;
} expansion;

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

static size_t finish(char *begin, char *end)
{
    *end = '\0';
    return (size_t)(end - begin);
}

size_t number_write_fixed(double value, int digits, char out[NUMBER_FIXED_TEXT])
{
    if (!isfinite(value))
        return number_write_f64(value, out);
    char *end = out;
    *end = '-';
    end += signbit(value) != 0;
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
