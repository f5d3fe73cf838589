/* Sine and cosine, the project's own, in float64 whatever the table's type is: plain loops that the
 * compiler turns into this instruction set's vectors. An angle is position·frequency, exact; π/2 is
 * taken off with 160 bits of it. */
#include "kernels/twofold.h"
#include "kernels/wide/real.h"

/* π/2 = the sum of these, to 2⁻¹⁶⁰ */
static const double QUARTER[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                 -0x1.f1976b7ed8fbcp-110};

static const double QUARTERS_A_RADIAN = 0x1.45f306dc9c883p-1; /* 2/π */

/* position·frequency − n·π/2, between −π/4 and π/4 or hardly outside; n in the lowest bits of
 * *quarters. */
static inline twofold reduced(double position, double frequency, uint64_t *quarters)
{
    twofold angle = twofold_product(position, frequency);
    double shifted = angle.high * QUARTERS_A_RADIAN + ROUND_WHOLE, n = shifted - ROUND_WHOLE;
    memcpy(quarters, &shifted, sizeof shifted);
    for (int i = 0; i < 3; i++)
        angle = twofold_add(angle, twofold_product(-n, QUARTER[i]));
    return angle;
}

/* Taylor's series to r¹⁷/17!; r³/6 and all after it is small next to r, so that its rounding is
 * hardly seen. sin(r + low) = sin r + low·cos r */
static inline double sine_of(twofold r)
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
static inline double cosine_of(twofold r)
{
    static const double TERM[] = {
        1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
        1.0 / 40320,          -1.0 / 720,         1.0 / 24};
    double x = r.high, square = x * x, halved = square / 2, first = 1 - halved, sum = TERM[0];
    for (size_t i = 1; i < sizeof TERM / sizeof TERM[0]; i++)
        sum = sum * square + TERM[i];
    return first + (((1 - first) - halved) + (square * square * sum - x * r.low));
}

/* `yes` where the lowest bit is set, else `no`, and its sign turned where the second one of
 * `turned` is: without a branch, so that vectors can do it. */
static inline double quarter_turned(uint64_t quarters, uint64_t turned, double yes, double no)
{
    uint64_t mask = -(quarters & 1), a, b;
    memcpy(&a, &yes, sizeof yes);
    memcpy(&b, &no, sizeof no);
    a = ((a & mask) | (b & ~mask)) ^ (turned & 2) << 62;
    memcpy(&yes, &a, sizeof yes);
    return yes;
}

void KERNEL(angles)(double position, const double *frequency, size_t n, double *restrict cosine,
                    double *restrict sine)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t quarters;
        twofold r = reduced(position, frequency[i], &quarters);
        double s = sine_of(r), c = cosine_of(r);
        sine[i] = quarter_turned(quarters, quarters, c, s);
        cosine[i] = quarter_turned(quarters, quarters + 1, s, c);
    }
}

/* ---- pairs of numbers turned by angles; kernels.h states it ---- */

/* Inlined with a constant `step`, so that the compiler can use vectors. */
static inline __attribute__((always_inline)) void
turn_pairs(const real *first, const real *second, size_t pairs, size_t step, const double *cosine,
           const double *sine, real *restrict to_first, real *restrict to_second)
{
    for (size_t p = 0; p < pairs; p++) {
        double a = (double)first[p * step], b = (double)second[p * step];
        to_first[p * step] = (real)(a * cosine[p] - b * sine[p]);
        to_second[p * step] = (real)(b * cosine[p] + a * sine[p]);
    }
}

void KERNEL(turn)(const void *x, size_t pairs, size_t step, size_t apart, const double *cosine,
                  const double *sine, void *out)
{
    const real *from = x;
    real *to = out;
    if (step == 1)
        turn_pairs(from, from + apart, pairs, 1, cosine, sine, to, to + apart);
    else
        turn_pairs(from, from + apart, pairs, 2, cosine, sine, to, to + apart);
}
