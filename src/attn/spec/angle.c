#include "attn/spec/angle.h"

#include "kernels/twofold.h"

const double ANGLE_POSITION_MOST = 2147483648.0;

static twofold multiply(twofold a, twofold b)
{
    twofold product = twofold_product(a.high, b.high);
    product.low += a.high * b.low + a.low * b.high;
    return twofold_sum(product.high, product.low);
}

static twofold divide(twofold a, twofold b)
{
    double first = a.high / b.high;
    twofold taken = multiply((twofold){-first, 0}, b), rest = twofold_add(a, taken);
    double second = rest.high / b.high;
    taken = multiply((twofold){-second, 0}, b);
    rest = twofold_add(rest, taken);
    twofold quotient = twofold_sum(first, second);
    return twofold_add(quotient, (twofold){rest.high / b.high, 0});
}

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
    twofold z = divide(twofold_sum(m, -1), twofold_sum(m, 1)), square = multiply(z, z),
            sum = {0, 0};
    for (int i = TERMS - 1; i >= 0; i--) {
        twofold term = divide((twofold){2, 0}, (twofold){2 * i + 1, 0});
        sum = twofold_add(multiply(sum, square), term);
    }
    return twofold_add(multiply(LN2, (twofold){exponent, 0}), multiply(sum, z));
}

/* e^x = 2ⁿ·(1 + r·(1 + r/2·(1 + r/3·(…)))), r = x − n·ln2; |r| < 0.35, so that 28 terms leave less
 * than 2⁻¹³⁰. */
static double exponential(twofold x)
{
    enum { TERMS = 28 };
    double n = floor(x.high / LN2.high + 0.5);
    twofold r = twofold_add(x, multiply(LN2, (twofold){-n, 0})), sum = {1, 0};
    for (int i = TERMS; i > 0; i--) {
        twofold part = divide(multiply(r, sum), (twofold){i, 0});
        sum = twofold_add((twofold){1, 0}, part);
    }
    return ldexp(sum.high + sum.low, (int)n);
}

double angle_frequency(double base, size_t p, size_t width)
{
    twofold share = divide((twofold){-2 * (double)p, 0}, (twofold){(double)width, 0});
    return p == 0 ? 1 : exponential(multiply(logarithm(base), share));
}

double angle_logarithm(double x)
{
    twofold result = logarithm(x);
    return result.high + result.low;
}
