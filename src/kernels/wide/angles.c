/* Sine and cosine, the project's own, in float64 for both types: plain loops that the compiler
 * turns into this instruction set's vectors. An angle is the exact product position·frequency;
 * multiples of π/2 are taken off with 160 bits of π/2. */
#include "kernels/sine.h"
#include "kernels/twofold.h"
#include "kernels/wide/real.h"

/* π/2 = the sum of these, to 2⁻¹⁶⁰ */
static const double QUARTER[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                 -0x1.f1976b7ed8fbcp-110};

static const double QUARTERS_A_RADIAN = 0x1.45f306dc9c883p-1; /* 2/π */

/* `yes` where the lowest bit is set, else `no`, and its sign turned where the second one of
 * `turned` is: without a branch, so that vectors can do it. */
static inline double quarter_turned(uint64_t quarters, uint64_t turned, double yes, double no)
{
    uint64_t mask = -(quarters & 1);
    uint64_t bits = (float64_bits(yes) & mask) | (float64_bits(no) & ~mask);
    return float64_of_bits(bits ^ (turned & 2) << 62);
}

void KERNEL(angles)(double position, const double *frequency, size_t n, double *restrict cosine,
                    double *restrict sine)
{
    for (size_t i = 0; i < n; i++) {
        /* position·frequency − n·π/2, between −π/4 and π/4 or hardly outside: r + low; n is in the
         * lowest bits of `quarters`. */
        twofold angle = twofold_product(position, frequency[i]);
        double shifted = angle.high * QUARTERS_A_RADIAN + ROUND_WHOLE;
        uint64_t quarters = float64_bits(shifted);
        for (int k = 0; k < 3; k++)
            angle = twofold_add(angle, twofold_product(-(shifted - ROUND_WHOLE), QUARTER[k]));
        double r = angle.high, low = angle.low, z = r * r, first = 1 - z / 2;
        /* r³/6 and the terms after it are small next to r, so that their rounding hardly counts; 1
         * − r²/2 is kept with what its rounding loses. sin(r + low) = sin r + low·cos r */
        double s = r + (r * z * sine_terms(z) + low * first);
        double c = first + (((1 - first) - z / 2) + (z * z * cosine_terms(z) - r * low));
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
