/* Shortest decimals: Giulietti, "The Schubfach way to render doubles" (2020), for both widths by
 * one body; and in front of it, for nearly all float32, the same search in 64 bits.
 *
 * The quick way does not branch on digits: no processor can predict them, and a wrong prediction
 * costs as much as half of the rest. It is inlined whole, so that figures stay in registers. */
#include "io/number_write.h"

#include "base/text.h"
#include "io/number_parts.h"
#include "tensor/tensor.h"

#include <math.h>
#include <string.h>

/* Decimal exponents of the first digit that are written plainly. */
enum { PLAIN_FROM = -5, PLAIN_TO = 15 };

/* digits · 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* A decimal as seventeen digits, with zeros after the last that counts. A word holds eight, as
 * values, the first in its lowest byte. */
typedef struct figures {
    uint64_t first, next, last;
    int count;    /* up to the last that is not 0 */
    int exponent; /* decimal, of the first */
} figures;

/* ---- which digits ---- */

/* ⌊factor · row / 2^128⌋, its last bit set where something was cut off ("round to odd"): enough
 * to compare it with even numbers. The row is taken from above, so that an exact product is seen
 * as one: the excess is below the middle word, and nothing but an exact product leaves that word
 * 0 (as in the paper; tests/unit/prove_pow10.py proves it for these rows). */
static uint64_t scale_to_odd(uint64_t factor, uint128 row)
{
    row.low++;
    row.high += row.low == 0;
    pow10_product product = pow10_times(row, factor);
    return product.high | (product.middle != 0);
}

/* ⌊log10(2^e)⌋, or ⌊log10(¾ · 2^e)⌋: 1262611 / 2^22 is log10(2), 524031 / 2^22 is −log10(¾),
 * near enough for any e. */
static inline int log10_of_pow2(int e, bool three_quarters)
{
    return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* The shortest decimal that reads back to m · 2^e. Its neighbours lie 2^e away, but the lower
 * one of a power of two half as far; what lies halfway reads as the even one. */
static decimal shortest(uint64_t bits, const float_format *format)
{
    float_parts value = float_split(bits, format);
    bool even = value.m % 2 == 0;
    bool near_below = value.m == (uint64_t)1 << (format->precision - 1) && value.e > format->lowest;
    int k = log10_of_pow2(value.e, near_below), h = value.e + pow10_log2(-k) + 1;
    uint128 row = pow10_of(-k);
    uint64_t lower = scale_to_odd((4 * value.m - 2 + near_below) << h, row);
    uint64_t exact = scale_to_odd(4 * value.m << h, row);
    uint64_t upper = scale_to_odd((4 * value.m + 2) << h, row);
    /* The candidate with the fewest digits inside [lower, upper], which hold what reads back to the
     * value `exact`; all three count quarters. At most one multiple of ten is inside; otherwise the
     * nearer neighbour, ties to even. */
    lower += !even;
    upper -= !even;
    uint64_t s = exact / 4, tens = s / 10 * 10;
    bool below_inside = lower <= 4 * tens, above_inside = 4 * tens + 40 <= upper;
    if (below_inside != above_inside)
        return (decimal){tens + 10 * above_inside, k};
    below_inside = lower <= 4 * s;
    above_inside = 4 * s + 4 <= upper;
    uint64_t middle = 4 * s + 2;
    bool nearer_above = exact > middle || (exact == middle && s % 2 == 1);
    return (decimal){s + (below_inside != above_inside ? above_inside : nearer_above), k};
}

/* ---- digits one by one ---- */

/* The two digits of each number below 100, the first one in the low byte. */
/* clang-format off */
static const uint16_t PAIR[100] = {
    0x0000, 0x0100, 0x0200, 0x0300, 0x0400, 0x0500, 0x0600, 0x0700, 0x0800, 0x0900,
    0x0001, 0x0101, 0x0201, 0x0301, 0x0401, 0x0501, 0x0601, 0x0701, 0x0801, 0x0901,
    0x0002, 0x0102, 0x0202, 0x0302, 0x0402, 0x0502, 0x0602, 0x0702, 0x0802, 0x0902,
    0x0003, 0x0103, 0x0203, 0x0303, 0x0403, 0x0503, 0x0603, 0x0703, 0x0803, 0x0903,
    0x0004, 0x0104, 0x0204, 0x0304, 0x0404, 0x0504, 0x0604, 0x0704, 0x0804, 0x0904,
    0x0005, 0x0105, 0x0205, 0x0305, 0x0405, 0x0505, 0x0605, 0x0705, 0x0805, 0x0905,
    0x0006, 0x0106, 0x0206, 0x0306, 0x0406, 0x0506, 0x0606, 0x0706, 0x0806, 0x0906,
    0x0007, 0x0107, 0x0207, 0x0307, 0x0407, 0x0507, 0x0607, 0x0707, 0x0807, 0x0907,
    0x0008, 0x0108, 0x0208, 0x0308, 0x0408, 0x0508, 0x0608, 0x0708, 0x0808, 0x0908,
    0x0009, 0x0109, 0x0209, 0x0309, 0x0409, 0x0509, 0x0609, 0x0709, 0x0809, 0x0909,
};
/* clang-format on */

/* 5243 / 2^19 is 1/100, near enough for numbers of four digits. */
static inline uint32_t part_four(uint32_t value)
{
    uint32_t hundreds = value * 5243 >> 19;
    return PAIR[hundreds] | (uint32_t)PAIR[value - hundreds * 100] << 16;
}

static inline uint64_t part_eight(uint32_t value)
{
    return part_four(value / 10000) | (uint64_t)part_four(value % 10000) << 32;
}

/* The number, from 1, of the last of the eight that is not 0; at least one is not. */
static inline int last_of_eight(uint64_t eight)
{
    return (63 - __builtin_clzll(eight)) / 8 + 1;
}

static inline int count_figures(const figures *f)
{
    if (f->last != 0)
        return 9 + last_of_eight(f->last);
    return f->next != 0 ? 1 + last_of_eight(f->next) : 1;
}

/* ---- float32 ---- */

/* The search in numbers of 24 bits in front of a binary point and 40 after it. With the value's
 * neighbours 2^e away and 10^k ≤ 2^e < 10^(k+1), it is y · 10^(k+1), and what is less than w away
 * from y reads back, 0.05 ≤ w < 0.5. A whole number among that has the fewest digits; there is one
 * at most. Otherwise it takes one decimal more, and the nearest reads back.
 *
 * The true y and w are up to 2 units in the last place above those computed here. False where that
 * may matter, and for subnormals and powers of two, of which the above does not hold. */
static inline __attribute__((always_inline)) bool find_f32(uint32_t bits, figures *f)
{
    const uint64_t one = (uint64_t)1 << 40, margin = 4;
    uint64_t fraction = bits & 0x7fffff;
    int e = (int)(bits >> 23) - 150, k = log10_of_pow2(e, false);
    int shift = 41 + e + pow10_log2(-k - 1); /* 37 to 40, since 0.1 ≤ 2^e / 10^(k+1) < 1 */
    uint128 row = pow10_of(-k - 1);
    uint64_t y = pow10_times_high(row, (fraction | 0x800000) << shift);
    uint64_t w = row.high >> (65 - shift), rest = y % one, tenths = rest * 10 + one / 2;
    bool is_clear = (rest - w + margin > 2 * margin) & (rest + w - one + margin > 2 * margin) &
                    ((tenths + 10 * margin) % one > 10 * margin);
    if (!is_clear || fraction == 0 || bits <= 0x7fffff)
        return false;
    uint64_t up = rest + w > one, is_whole = up | (rest < w);
    uint64_t whole = y / one + up, tenth = tenths / one & (is_whole - 1);
    uint64_t eight = part_eight((uint32_t)whole);
    int zeros = __builtin_ctzll(eight) / 8 * 8; /* bits: 0, 8 or 16 */
    f->first = eight >> zeros & 0xf;
    f->next = eight >> 8 >> zeros | tenth << (56 - zeros);
    f->last = 0;
    f->count = count_figures(f);
    f->exponent = k + 8 - zeros / 8;
    return true;
}

/* ---- layout ---- */

static inline void put_eight(char *out, uint64_t eight)
{
    eight |= 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    memcpy(out, &eight, sizeof eight);
}

/* Writes the first digit, and the others from `next` on. All seventeen are written, and those that
 * don't count are overwritten later. Returns the end of those that count. */
static inline char *put_figures(char *first, char *next, const figures *f)
{
    *first = (char)('0' + f->first);
    put_eight(next, f->next);
    put_eight(next + 8, f->last);
    return next + f->count - 1;
}

/* "e-7"; if wide, with a sign in any case and at least two digits: "e+07". */
static inline char *put_exponent(char *end, int exponent, bool is_wide)
{
    int size = exponent < 0 ? -exponent : exponent;
    *end++ = 'e';
    if (exponent < 0 || is_wide)
        *end++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *end++ = (char)('0' + size / 100);
    if (size >= 10 || is_wide)
        *end++ = (char)('0' + size / 10 % 10);
    *end++ = (char)('0' + size % 10);
    return end;
}

static inline __attribute__((always_inline)) char *put_decimal(char *out, const figures *f)
{
    /* "0.00125" or "1.25": the smallest magnitudes that are written plainly, up to below 10. Where
     * the first digit and the next one stand, by minus the exponent. */
    static const unsigned char FIRST_AT[] = {0, 2, 3, 4, 5, 6}, NEXT_AT[] = {2, 3, 4, 5, 6, 7};
    if (f->exponent >= PLAIN_FROM && f->exponent <= 0) {
        memcpy(out, "0.000000", 8);
        char *end = put_figures(out + FIRST_AT[-f->exponent], out + NEXT_AT[-f->exponent], f);
        out[1] = '.';
        return end - ((f->exponent == 0) & (f->count == 1)); /* "1", not "1." */
    }
    /* "12.5" or "1250" */
    if (f->exponent > 0 && f->exponent <= PLAIN_TO) {
        char *end = put_figures(out, out + 1, f), *point = out + f->exponent + 1;
        if (end <= point)
            return point;
        memmove(point + 1, point, 16); /* a constant, so that nothing is called */
        *point = '.';
        return end + 1;
    }
    /* "1.25e-7" */
    char *end = put_figures(out, out + 2, f) - (f->count == 1);
    if (f->count > 1)
        out[1] = '.';
    return put_exponent(end, f->exponent, false);
}

/* Any finite value but 0. A function of its own, so that the quick way keeps its figures in
 * registers. */
static __attribute__((noinline)) char *put_exactly(char *out, uint64_t bits,
                                                   const float_format *format)
{
    decimal d = shortest(bits, format); /* of 1 to 17 digits */
    figures f = {.exponent = d.exponent + 16};
    for (; d.digits < 10000000000000000; d.digits *= 10)
        f.exponent--;
    f.first = d.digits / 10000000000000000;
    f.next = part_eight((uint32_t)(d.digits / 100000000 % 100000000));
    f.last = part_eight((uint32_t)(d.digits % 100000000));
    f.count = count_figures(&f);
    return put_decimal(out, &f);
}

/* Writes values without digits: 0, infinities, NaN. */
static char *put_special(char *out, double value)
{
    const char *word = isnan(value) ? "nan" : isinf(value) ? "inf" : "0";
    *out = '-';
    out += !isnan(value) && signbit(value);
    memcpy(out, word, strlen(word));
    return out + strlen(word);
}

static inline __attribute__((always_inline)) char *put_f32(char *out, float value)
{
    uint32_t bits = float32_bits(value) & 0x7fffffff;
    if (bits - 1 >= FLOAT32.infinity - 1) /* 0 too */
        return put_special(out, (double)value);
    *out = '-';
    out += float32_bits(value) >> 31;
    figures f;
    return find_f32(bits, &f) ? put_decimal(out, &f) : put_exactly(out, bits, &FLOAT32);
}

static inline char *put_f64(char *out, double value)
{
    uint64_t bits = float64_bits(value) & 0x7fffffffffffffff;
    if (bits - 1 >= FLOAT64.infinity - 1)
        return put_special(out, value);
    *out = '-';
    out += float64_bits(value) >> 63;
    return put_exactly(out, bits, &FLOAT64);
}

static size_t finish(char *begin, char *end)
{
    *end = '\0';
    return (size_t)(end - begin);
}

size_t number_write_f32(float value, char out[NUMBER_TEXT])
{
    return finish(out, put_f32(out, value));
}

size_t number_write_f64(double value, char out[NUMBER_TEXT])
{
    return finish(out, put_f64(out, value));
}

/* What stays the same from number to number. It is passed by value: a written character could
 * change anything that is reached by a pointer, so the compiler would load it anew. */
typedef struct row_view {
    bool is_f32;
    const void *data;
    ptrdiff_t stride;
    char separator[2];
    size_t separator_length;
} row_view;

/* Writes up to the column `end`; returns that of the first number that is not finite, or `end`. */
static size_t put_columns(char **out, row_view row, size_t from, size_t end)
{
    char *at = *out;
    for (; from < end; from++) {
        memcpy(at, row.separator, 2); /* column 0's is written over */
        char *begin = at + (from > 0 ? row.separator_length : 0);
        ptrdiff_t index = (ptrdiff_t)from * row.stride;
        if (row.is_f32) {
            float value = ((const float *)row.data)[index];
            /* Tested by its bits, which are needed anyway. */
            if ((float32_bits(value) & 0x7fffffff) >= FLOAT32.infinity)
                break;
            at = put_f32(begin, value);
        } else {
            double value = ((const double *)row.data)[index];
            if (!isfinite(value))
                break;
            at = put_f64(begin, value);
        }
    }
    *out = at;
    return from;
}

size_t number_row_write(text *out, const tensor *row, size_t from, const char *separator)
{
    enum { AT_ONCE = 64 }; /* numbers for which room is asked for at once */
    row_view view = {row->type == DTYPE_F32, row->data, row->stride[0], {0}, strlen(separator)};
    memcpy(view.separator, separator, view.separator_length);
    size_t end = from;
    while (from == end && from < row->size[0]) {
        char *room = text_room(out, AT_ONCE * (NUMBER_TEXT + 2)), *at = room;
        if (room == NULL)
            return row->size[0];
        end = row->size[0] - from < AT_ONCE ? row->size[0] : from + AT_ONCE;
        from = put_columns(&at, view, from, end);
        text_added(out, (size_t)(at - room));
    }
    return from;
}

/* ---- fixed counts of digits ----
 *
 * A usual number is rounded to a whole number of units of its last decimal. Any other is written
 * with all digits of its exact value, and rounded as text. */

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

/* Rounds to the first `keep` digits; keep ≤ 0 is a place in front of them all. */
static void round_digits(expansion *x, int keep)
{
    if (keep >= x->count)
        return;
    /* Rounds up if what follows is more than half a unit of the last digit kept, or half and that
     * digit is odd. */
    char next = keep < 0 ? '0' : digit_at(x, keep);
    bool is_odd = keep > 0 && (x->digit[keep - 1] - '0') % 2 == 1;
    bool up = next > '5' || (next == '5' && (x->count > keep + 1 || is_odd));
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
    float_parts parts = float_split(float64_bits(fabs(value)), &FLOAT64);
    if (digits > QUICK_DIGITS || parts.e >= 0)
        return false;
    *units = 0;
    if (parts.e <= -128)
        return true;
    uint128 all = uint128_product(parts.m, (uint64_t)POWER[digits]);
    uint128 whole = uint128_right(all, -parts.e), rest = uint128_left(all, 128 + parts.e);
    if (whole.high != 0 || whole.low >= 1000000000000000000)
        return false;
    static const uint64_t HALF = (uint64_t)1 << 63;
    /* What is just above half shows in the high word: no product comes nearer to half (all were
     * looked for, of 53 bits and 0 to 17 digits). */
    *units = whole.low + (rest.high > HALF || (rest.high == HALF && whole.low % 2 == 1));
    return true;
}

/* ---- what is called ---- */

size_t number_write_fixed(double value, int digits, char out[NUMBER_FIXED_TEXT])
{
    uint64_t units;
    if (!isfinite(value))
        return number_write_f64(value, out);
    char *end = out;
    *end = '-';
    end += signbit(value) != 0;
    if (number_fixed_units(value, digits, &units)) {
        /* From the last digit on, with the point in front of `digits` of them. */
        char digit[32], *first = digit + sizeof digit;
        const char *after = first;
        for (int i = 0; i < digits; i++, units /= 10)
            *--first = (char)('0' + units % 10);
        if (digits > 0)
            *--first = '.';
        do {
            *--first = (char)('0' + units % 10);
            units /= 10;
        } while (units > 0);
        memcpy(end, first, (size_t)(after - first));
        return finish(out, end + (after - first));
    }
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
    return finish(out, put_exponent(end, x.point - 1, true));
}
