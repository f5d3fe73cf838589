/* What the readers and writers of numbers share: the formats of floats, powers of ten to 128 bits,
 * and whole numbers for what 128 bits cannot decide. */
#ifndef SELFATTN_IO_NUMBER_PARTS_H
#define SELFATTN_IO_NUMBER_PARTS_H

#include "base/float_bits.h"

#include <stddef.h>
#include <stdint.h>

/* ---- IEEE 754's float32 and float64, so that one body serves both ----
 *
 * A finite value is m · 2^e with m < 2^precision and e ≥ lowest; a normal one has m ≥
 * 2^(precision − 1). Its bits, without the sign, are m + (e − lowest) · 2^(precision − 1):
 * subnormals, and a carry into the next power of two, come out right by themselves, and
 * neighbouring values have neighbouring bits. */

typedef struct float_format {
    int precision;     /* bits of m */
    int lowest;        /* the exponent of the last bit of a subnormal */
    uint64_t infinity; /* its bits: all below are finite */
} float_format;

static const float_format FLOAT32 = {24, -149, 0x7f800000u};
static const float_format FLOAT64 = {53, -1074, 0x7ff0000000000000u};

/* m and e of the value with these bits, which are finite and without the sign. */
typedef struct float_parts {
    uint64_t m;
    int e;
} float_parts;

static inline float_parts float_split(uint64_t bits, const float_format *format)
{
    int stored = format->precision - 1;
    uint64_t hidden = (uint64_t)1 << stored, fraction = bits & (hidden - 1);
    int field = (int)(bits >> stored);
    if (field == 0)
        return (float_parts){fraction, format->lowest};
    return (float_parts){fraction | hidden, format->lowest + field - 1};
}

/* ---- whole numbers of 128 bits ---- */

/* As two words: no standard C has a type for them, and compilers have one on 64-bit machines
 * alone. */
typedef struct uint128 {
    uint64_t high, low;
} uint128;

static inline uint128 uint128_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 whole;
    whole product = (whole)a * b;
    return (uint128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t inner = a1 * b0 + (a0 * b0 >> 32), outer = a0 * b1 + (uint32_t)inner;
    return (uint128){a1 * b1 + (inner >> 32) + (outer >> 32), a * b};
#endif
}

/* By 0 to 127 bits; what is shifted out is lost. */
static inline uint128 uint128_right(uint128 x, int bits)
{
    if (bits >= 64)
        return (uint128){0, x.high >> (bits - 64)};
    /* Two shifts, since none may be by 64. */
    return (uint128){x.high >> bits, x.low >> bits | x.high << 1 << (63 - bits)};
}

static inline uint128 uint128_left(uint128 x, int bits)
{
    if (bits >= 64)
        return (uint128){x.low << (bits - 64), 0};
    return (uint128){x.high << bits | x.low >> 1 >> (63 - bits), x.low << bits};
}

/* ---- powers of ten ----
 *
 * 10^q = (row + error) · 2^(pow10_log2(q) − 127) with 2^127 ≤ row < 2^128 and 0 ≤ error < 1. The
 * error is 0 just where 5^q has at most 128 bits: for 0 ≤ q ≤ POW10_EXACT_MAX. */

/* Below 10^-342, any 64-bit integer × 10^q is less than half of the least float64. The reader stops
 * at 10^308; the writer needs 10^324 to make a digit of the least float64. */
enum { POW10_MIN = -342, POW10_MAX = 324, POW10_EXACT_MAX = 55 };

/* Made before main, and read afterwards. */
extern uint128 POW10[POW10_MAX - POW10_MIN + 1];

static inline uint128 pow10_of(int q)
{
    return POW10[q - POW10_MIN];
}

/* ⌊log2(10^q)⌋. 1741647 / 2^19 is log2(10) from below, near enough for |q| up to 1233. Shifting
 * a negative number right keeps its sign with every compiler that builds this. */
static inline int pow10_log2(int q)
{
    return (q * 1741647) >> 19;
}

/* factor × row, 192 bits of it. */
typedef struct pow10_product {
    uint64_t high, middle, low;
} pow10_product;

static inline pow10_product pow10_times(uint128 row, uint64_t factor)
{
    uint128 low = uint128_product(row.low, factor), high = uint128_product(row.high, factor);
    uint64_t middle = high.low + low.high;
    return (pow10_product){high.high + (middle < high.low), middle, low.low};
}

/* The high word of factor × the high half of the row: at most 1 less than that of the whole. */
static inline uint64_t pow10_times_high(uint128 row, uint64_t factor)
{
    return uint128_product(row.high, factor).high;
}

/* ---- whole numbers of up to 2,816 bits ----
 *
 * For the decimals that 128 bits cannot decide and for exact printing. Nothing is allocated. The
 * longest number that reading or printing a float64 meets has 2,588 bits: 54 bits × 5^1091, the
 * halfway point next to which a number of BIG_DIGITS digits near 2^-1075 is laid. Going past the
 * end is a bug, and an assertion. */

enum {
    BIG_LIMBS = 88,
    BIG_DIGITS = 768 /* a point halfway between two float64 has no more digits, nor has a float64 */
};

typedef struct big {
    uint32_t limb[BIG_LIMBS]; /* the least first */
    size_t count;             /* the last of them is not 0; zero has none */
} big;

void big_set(big *b, uint64_t value);
void big_times_plus(big *b, uint32_t factor, uint32_t addend);
void big_times_pow5(big *b, int power);
void big_shift_left(big *b, int bits);

/* −1, 0 or 1: a < b, a = b, a > b. */
int big_compare(const big *a, const big *b);

/* Writes its decimal digits, as characters and without a NUL, and returns how many: none for
 * zero. Uses `b` up. */
size_t big_take_digits(big *b, char digit[BIG_DIGITS]);

#endif
