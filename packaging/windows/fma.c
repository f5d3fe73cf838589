/* fma and fmaf, each rounded once. Those of the C library here go through long double, and are
 * rounded twice. Kernels for AVX2 and AVX-512 have them as instructions; these are for the others. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 wide;

enum { DIGITS = 53, LEAST = -1022, MOST = 1023, TOP = 125 };

/* A number other than 0 is ± digits · 2^exponent, the highest bit of the digits being TOP. */
typedef struct parts {
    wide digits;
    int exponent;
} parts;

static int highest_bit(wide digits)
{
    uint64_t high = (uint64_t)(digits >> 64);
    return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)digits);
}

static parts raised(wide digits, int exponent)
{
    int by = TOP - highest_bit(digits);
    return (parts){digits << by, exponent - by};
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* |x| = *digits · 2^result. */
static int take_apart(double x, uint64_t *digits)
{
    static const uint64_t ONE = (uint64_t)1 << (DIGITS - 1);
    uint64_t bits = bits_of(x);
    int exponent = (int)(bits >> (DIGITS - 1) & 0x7ff);
    *digits = (bits & (ONE - 1)) | (exponent > 0 ? ONE : 0);
    return (exponent > 0 ? exponent : 1) - MOST - (DIGITS - 1);
}

/* To the nearest, ties to even; of subnormal numbers there are fewer digits. */
static double rounded(parts of, uint64_t sign)
{
    int highest = highest_bit(of.digits), power = highest + of.exponent;
    int kept = power >= LEAST ? DIGITS : DIGITS - (LEAST - power);
    int dropped = highest + 1 - kept;
    if (power > MOST)
        return of_bits(sign | bits_of(INFINITY));
    if (kept < 0)
        return of_bits(sign);
    wide digits = of.digits;
    if (dropped > 0) {
        wide rest = digits & (((wide)1 << dropped) - 1), half = (wide)1 << (dropped - 1);
        digits >>= dropped;
        digits += rest > half || (rest == half && (digits & 1));
    } else
        digits <<= -dropped;
    /* The highest digit, or the carry beyond it, adds to the exponent. */
    uint64_t exponent = power >= LEAST ? (uint64_t)(power - LEAST) : 0;
    return of_bits(sign | ((exponent << (DIGITS - 1)) + (uint64_t)digits));
}

double fma(double x, double y, double z)
{
    static const uint64_t SIGN = (uint64_t)1 << 63;
    uint64_t a, b, c;
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0)
        return x * y + z;
    if (!isfinite(z))
        return z;
    if (z == 0)
        return x * y;
    int of_product = take_apart(x, &a) + take_apart(y, &b), of_z = take_apart(z, &c);
    parts more = raised((wide)a * b, of_product), less = raised(c, of_z);
    uint64_t sign = (bits_of(x) ^ bits_of(y)) & SIGN;
    bool differ = sign != (bits_of(z) & SIGN);
    if (less.exponent > more.exponent ||
        (less.exponent == more.exponent && less.digits > more.digits)) {
        parts other = more;
        more = less;
        less = other;
        sign = bits_of(z) & SIGN;
    }
    /* Of what is shifted out it only matters that there was something: where the difference loses
     * its highest bits, the shift is by 1 at most, and the lowest 20 bits are 0. */
    int by = more.exponent - less.exponent;
    wide kept = by > TOP ? 0 : less.digits >> by;
    kept |= by > TOP || (kept << by) != less.digits;
    more.digits = differ ? more.digits - kept : more.digits + kept;
    return more.digits == 0 ? 0 : rounded(more, sign);
}

/* A product of two floats is a double. The sum is rounded to odd, which another rounding, to less
 * than half as many digits, does not tell from the sum itself. */
float fmaf(float x, float y, float z)
{
    double product = (double)x * y, sum = product + z;
    double of_z = sum - product, lost = (product - (sum - of_z)) + (z - of_z);
    uint64_t bits = bits_of(sum);
    if (isfinite(sum) && lost != 0 && !(bits & 1))
        sum = of_bits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
    return (float)sum;
}
