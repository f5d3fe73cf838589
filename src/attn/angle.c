#include "attn/angle.h"

#include <math.h>

/* A number as an unevaluated sum of two: some 106 bits (Dekker, A floating-point technique for
 * extending the available precision, 1971). */
typedef struct twofold {
    double high, low;
} twofold;

/* a + b without loss (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B) */
static twofold sum_of(double a, double b)
{
    double sum = a + b, b_part = sum - a, a_part = sum - b_part;
    return (twofold){sum, (a - a_part) + (b - b_part)};
}

/* a·b without loss */
static twofold product_of(double a, double b)
{
    double product = a * b;
    return (twofold){product, fma(a, b, -product)};
}

static twofold add(twofold a, twofold b)
{
    twofold high = sum_of(a.high, b.high), low = sum_of(a.low, b.low);
    twofold joined = sum_of(high.high, high.low + low.high);
    return sum_of(joined.high, joined.low + low.low);
}

static twofold multiply(twofold a, twofold b)
{
    twofold product = product_of(a.high, b.high);
    product.low += a.high * b.low + a.low * b.high;
    return sum_of(product.high, product.low);
}

static twofold divide(twofold a, twofold b)
{
    double first = a.high / b.high;
    twofold taken = multiply((twofold){-first, 0}, b), rest = add(a, taken);
    double second = rest.high / b.high;
    taken = multiply((twofold){-second, 0}, b);
    rest = add(rest, taken);
    twofold quotient = sum_of(first, second);
    return add(quotient, (twofold){rest.high / b.high, 0});
}

/* ---- powers ---- */

static const twofold LN2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* ln x = e·ln2 + 2·(z + z³/3 + z⁵/5 + …), z = (m − 1)/(m + 1), x = m·2ᵉ; |z| < 0.172, so that 23
 * terms leave less than 2⁻¹²⁰. */
static twofold logarithm(double x)
{
    enum { TERMS = 23 };
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) { /* √½ */
        m *= 2;
        exponent--;
    }
    twofold z = divide(sum_of(m, -1), sum_of(m, 1)), square = multiply(z, z), sum = {0, 0};
    for (int i = TERMS - 1; i >= 0; i--) {
        twofold term = divide((twofold){2, 0}, (twofold){2 * i + 1, 0});
        sum = add(multiply(sum, square), term);
    }
    return add(multiply(LN2, (twofold){exponent, 0}), multiply(sum, z));
}

/* e^x = 2ⁿ·(1 + r·(1 + r/2·(1 + r/3·(…)))), r = x − n·ln2; |r| < 0.35, so that 28 terms leave less
 * than 2⁻¹³⁰. */
static double exponential(twofold x)
{
    enum { TERMS = 28 };
    double n = floor(x.high / LN2.high + 0.5);
    twofold r = add(x, multiply(LN2, (twofold){-n, 0})), sum = {1, 0};
    for (int i = TERMS; i > 0; i--) {
        twofold part = divide(multiply(r, sum), (twofold){i, 0});
        sum = add((twofold){1, 0}, part);
    }
    return ldexp(sum.high + sum.low, (int)n);
}

double angle_frequency(double base, size_t p, size_t width)
{
    twofold share = divide((twofold){-2 * (double)p, 0}, (twofold){(double)width, 0});
    return p == 0 ? 1 : exponential(multiply(logarithm(base), share));
}

/* ---- turns ---- */

/* π/2 = the sum of these, to 2⁻¹⁶⁰ */
static const double QUARTER[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                 -0x1.f1976b7ed8fbcp-110};

/* position·frequency − n·π/2, between −π/4 and π/4 or hardly outside; n mod 4 in *quarter. */
static twofold reduced(double position, double frequency, int *quarter)
{
    twofold angle = product_of(position, frequency);
    double n = floor(angle.high * 0x1.45f306dc9c883p-1 + 0.5); /* 2/π */
    for (int i = 0; i < 3; i++)
        angle = add(angle, product_of(-n, QUARTER[i]));
    *quarter = (int)(n - 4 * floor(n / 4));
    return angle;
}

/* Taylor's series to r¹⁷/17!; r³/6 and all behind it is small beside r, so that its rounding is
 * hardly seen. sin(r + low) = sin r + low·cos r */
static double sine_of(twofold r)
{
    static const double TERM[] = {
        1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
        1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    double x = r.high, square = x * x, sum = TERM[0];
    for (size_t i = 1; i < sizeof TERM / sizeof TERM[0]; i++)
        sum = sum * square + TERM[i];
    return x + (x * square * sum + r.low * (1 - square / 2));
}

/* Taylor's series to r¹⁶/16!; 1 − r²/2 is taken with what it loses. */
static double cosine_of(twofold r)
{
    static const double TERM[] = {
        1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
        1.0 / 40320,          -1.0 / 720,         1.0 / 24};
    double x = r.high, square = x * x, half = square / 2, first = 1 - half, sum = TERM[0];
    for (size_t i = 1; i < sizeof TERM / sizeof TERM[0]; i++)
        sum = sum * square + TERM[i];
    return first + (((1 - first) - half) + (square * square * sum - x * r.low));
}

turn angle_turn(double position, double frequency)
{
    int quarter;
    twofold r = reduced(position, frequency, &quarter);
    double sine = sine_of(r), cosine = cosine_of(r);
    switch (quarter) {
    case 0:
        return (turn){cosine, sine};
    case 1:
        return (turn){-sine, cosine};
    case 2:
        return (turn){-cosine, -sine};
    default:
        return (turn){sine, -cosine};
    }
}
