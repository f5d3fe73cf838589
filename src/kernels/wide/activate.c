/* A feed-forward's activations, element by element; kernels.h states each. All but relu are
 * computed in float64 for both types, and as a sum of two float64 where one would lose digits. They
 * are plain loops that the compiler turns into this instruction set's vectors, so nothing in them
 * may branch.
 *
 *     silu(x) = x·σ(x),  gelu_tanh(x) = x·σ(2u),  σ(w) = 1/(1 + e⁻ʷ),  u = √(2/π)·(x + 0.044715·x³)
 *     gelu(−y) = −y·½·erfc(y/√2),  gelu(y) = y − y·½·erfc(y/√2),  y ≥ 0
 *
 * Both are made from e⁻ᵗ for t ≥ 0. Its power of two is multiplied last, so that the negative tail
 * keeps all its bits down to the smallest normal number. */
#include "base/float_bits.h"
#include "kernels/twofold.h"
#include "kernels/wide/real.h"

/* condition ? yes : no, without a branch: a compiler that sees one moves the work of a side into
 * it, and then finds no vectors. */
static inline double choose(bool condition, double yes, double no)
{
    uint64_t mask = -(uint64_t)condition;
    return float64_of_bits((float64_bits(yes) & mask) | (float64_bits(no) & ~mask));
}

/* TERMS of them, highest power first */
enum { TERMS = 12 };

static inline double polynomial(const double *term, double x)
{
    double sum = term[0];
    for (size_t i = 1; i < TERMS; i++)
        sum = fma(sum, x, term[i]);
    return sum;
}

/* ---- e⁻ᵗ ---- */

static const double LOG2_OF_E = 1.4426950408889634;
static const double LN2_43_BITS = 0x1.62e42fefa38p-1; /* 43 bits: exact times any whole n to 2¹⁰ */
static const double LN2_BEYOND = 0x1.ef35793c7673p-45;

/* (eʳ − 1 − r) / r²: Taylor's series to r¹³/13!; the rest is below 4·10⁻¹⁸ of eʳ. */
static const double EXP_SERIES[TERMS] = {
    1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
    1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};

/* value·2^power, power a whole number */
typedef struct two_power {
    twofold value;
    double power;
} two_power;

/* e^x for −1200 < x ≤ 0, within 0.1 ulp. */
static inline two_power exponential(twofold x)
{
    double n = fma(x.high, LOG2_OF_E, ROUND_WHOLE) - ROUND_WHOLE;
    double high = fma(n, -LN2_43_BITS, x.high), low = fma(n, -LN2_BEYOND, x.low);
    double r = high + low;
    double first = 1 + high;
    double rest = ((1 - first) + high) + (low + r * r * polynomial(EXP_SERIES, r));
    double value = first + rest;
    return (two_power){{value, rest - (value - first)}, n};
}

/* 2^power for a whole power from −1022 to 1023 */
static inline double power_of_two(double power)
{
    return float64_of_bits(float64_bits(power + (ROUND_WHOLE + 1023)) << 52);
}

/* In two steps: the power of two may be below the normal numbers while the product is not. */
static inline double scale(double x, double power)
{
    static const double LEAST = -1000;
    double first = choose(power < LEAST, LEAST, power);
    return x * power_of_two(first) * power_of_two(power - first);
}

/* a / d */
static inline twofold quotient(twofold a, twofold d)
{
    double inverse = 1 / d.high, high = a.high * inverse;
    double rest = fma(-high, d.high, a.high) + fma(-high, d.low, a.low);
    return (twofold){high, rest * inverse};
}

static inline twofold times(twofold a, twofold b)
{
    twofold product = twofold_product(a.high, b.high);
    product.low += a.high * b.low + a.low * b.high;
    return product;
}

/* ---- x·σ(w) ---- */

/* w has x's sign. With t = e^−|w|, σ(w) = 1/(1 + t) for x ≥ 0 and t/(1 + t) below. */
static inline double times_sigmoid(double x, twofold w)
{
    bool is_negative = x < 0;
    two_power t = exponential(
        (twofold){choose(is_negative, w.high, -w.high), choose(is_negative, w.low, -w.low)});
    double whole = scale(t.value.high, t.power), rest = scale(t.value.low, t.power);
    double first = 1 + whole;
    twofold bottom = {first, ((1 - first) + whole) + rest};
    twofold top = times((twofold){x, 0}, (twofold){choose(is_negative, t.value.high, 1),
                                                   choose(is_negative, t.value.low, 0)});
    twofold share = quotient(top, bottom);
    return scale(share.high + share.low, choose(is_negative, t.power, 0));
}

/* f(x), where `bounded` is x brought to ±most, beyond which f(x) is x or below the smallest normal
 * number. */
static inline double beyond(double x, double most, double of_bounded)
{
    return choose(x > most, x, of_bounded);
}

static inline double bounded(double x, double most)
{
    x = choose(x > most, most, x);
    return choose(x < -most, -most, x);
}

static inline double silu_of(double x)
{
    static const double MOST = 800;
    double near = bounded(x, MOST);
    return beyond(x, MOST, times_sigmoid(near, (twofold){near, 0}));
}

/* 2u = x·(A + B·x²) */
static const twofold TANH_A = {0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54}; /* 2·√(2/π) */
static const twofold TANH_B = {0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c70p-61}; /* A·0.044715 */

static inline double gelu_tanh_of(double x)
{
    static const double MOST = 22; /* 2u = 795 */
    double near = bounded(x, MOST);
    twofold cubic = times(TANH_B, twofold_product(near, near));
    twofold sum = twofold_sum(TANH_A.high, cubic.high);
    sum.low += TANH_A.low + cubic.low;
    return beyond(x, MOST, times_sigmoid(near, times((twofold){near, 0}, sum)));
}

/* ---- gelu ---- */

/* (1 + 0.75·y)·e^(y²/2)·erfc(y/√2) − 1 = even(q²) + q·odd(q²), q = (y − 5)/(y + 5), for y from 0 to
 * 40: the form of Shepherd and Laframboise, Chebyshev approximation of (1 + 2x)·exp(x²)·erfc x in 0
 * ≤ x < ∞ (Mathematics of Computation 36, 1981), interpolated anew at 24 Chebyshev points in 60
 * digits: within 3·10⁻¹⁸. With 0.75 it is nearly flat at y = 0, where q has lost most, and always
 * between −0.39 and 0, so that its rounding is little next to 1. */
static const double ERFC_SLOPE = 0.75, ERFC_MIDDLE = 5;
static const double ERFC_EVEN[TERMS] = {
    -0x1.5a76571b8b2e7p-33, 0x1.5f2968ec86953p-28,  -0x1.73242b4b95b53p-25, 0x1.ebe99a6dfe644p-23,
    -0x1.db1a19b882e11p-22, -0x1.829dfdc93baefp-17, 0x1.fe35fae81e93dp-13,  -0x1.3b24087b5b1ccp-9,
    -0x1.2b2bbaf34843cp-6,  -0x1.00cd0d6b9979cp-6,  0x1.ac5c08ded2ec5p-4,   -0x1.13ba9fd2a639cp-2,
};
static const double ERFC_ODD[TERMS] = {
    -0x1.e42d542bfa382p-32, 0x1.aa225d7545dd0p-28, -0x1.7aa89bad66446p-25, 0x1.286145b8c3d13p-22,
    -0x1.ee1b81820f7cap-20, 0x1.b2b5df6d0ef4fp-17, -0x1.4f413661c9bf3p-14, 0x1.4a9ea21d740e4p-14,
    0x1.199829fc81564p-7,   0x1.9b36b7652efcep-6,  -0x1.a0c86ccfb1034p-6,  -0x1.ac262e751b6aap-3,
};

static inline double gelu_of(double x)
{
    static const double MOST = 40; /* e^(−y²/2) = e⁻⁸⁰⁰ */
    double near = bounded(x, MOST), y = fabs(near);
    twofold square = twofold_product(y, y);
    two_power t = exponential((twofold){-0.5 * square.high, -0.5 * square.low});
    double q = (y - ERFC_MIDDLE) / (y + ERFC_MIDDLE);
    double even = polynomial(ERFC_EVEN, q * q), odd = polynomial(ERFC_ODD, q * q);
    twofold slope = twofold_product(ERFC_SLOPE, y), bottom = twofold_sum(1, slope.high);
    bottom.low += slope.low;
    twofold top = times(times(t.value, twofold_sum(1, fma(q, odd, even))), (twofold){0.5 * y, 0});
    twofold share = quotient(top, bottom);
    double below = scale(share.high + share.low, t.power); /* y·½·erfc(y/√2) */
    return beyond(x, MOST, choose(x < 0, -below, y - below));
}

/* ---- rows ---- */

/* Numbers that are computed at a time, in a buffer of their own, since out may be x. */
enum { BLOCK = 32 };

static inline void load(const real *x, size_t n, double *block)
{
    real part[BLOCK] = {0};
    memcpy(part, x, n < BLOCK ? n * sizeof part[0] : sizeof part);
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (double)part[i];
}

static inline void store(const double *block, size_t n, real *out)
{
    real part[BLOCK];
    for (size_t i = 0; i < BLOCK; i++) {
        real rounded = (real)block[i];
        part[i] = fabs((double)rounded) < (double)REAL_SMALLEST_NORMAL ? 0 : rounded;
    }
    memcpy(out, part, n < BLOCK ? n * sizeof part[0] : sizeof part);
}

/* Inlined, so that `function` is known and the compiler can use vectors. */
static inline __attribute__((always_inline)) void activate(const real *x, size_t n, real *out,
                                                           double (*function)(double x))
{
    double block[BLOCK];
    for (size_t j = 0; j < n; j += BLOCK) {
        load(x + j, n - j, block);
        for (size_t i = 0; i < BLOCK; i++)
            block[i] = function(block[i]);
        store(block, n - j, out + j);
    }
}

void KERNEL(silu)(const void *x, size_t n, void *out)
{
    activate(x, n, out, silu_of);
}

void KERNEL(gelu_tanh)(const void *x, size_t n, void *out)
{
    activate(x, n, out, gelu_tanh_of);
}

void KERNEL(gelu)(const void *x, size_t n, void *out)
{
    activate(x, n, out, gelu_of);
}

/* NaN is not less or equal. */
void KERNEL(relu)(const void *x, size_t n, void *out)
{
    const real *from = x;
    real *to = out;
    for (size_t j = 0; j < n; j++)
        to[j] = from[j] <= 0 ? 0 : from[j];
}
