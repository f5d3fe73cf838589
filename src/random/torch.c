/* PyTorch's generator on the CPU, in float32.
 *
 * Its last bits depend on which code PyTorch dispatches to. On any x86 processor of today that is
 * its vector code for AVX2, with fused multiply-adds and, for normal numbers from 16 on, the
 * float32 functions of the Cephes library. Where PyTorch finds no AVX2, or is told so
 * (ATEN_CPU_CAPABILITY=default), it is plain code without them, with the C library's functions,
 * scalar.h. Fewer than 16 normal numbers are made in float64, by both alike. */
#include "random/libraries.h"

#include "base/float_bits.h"
#include "kernels/logarithm.h"
#include "kernels/sine.h"
#include "random/scalar.h"

#include <math.h>

/* ---- logarithm, sine and cosine in float32 as the Cephes library has them ----
 *
 * Moshier, "Methods and Programs for Mathematical Functions", 1989, and its single precision
 * edition, with a fused multiply-add wherever a product meets a sum: to the bit what PyTorch's AVX2
 * code computes. */

enum { MANTISSA_BITS = 23, EXPONENT_OF_HALF = 126 };

/* ln x = e·ln2 + f − f²/2 + f³·P(f), √½ ≤ 1 + f < √2; ln2 is 0.693359375 − 2.12194440·10⁻⁴. */
static float cephes_log(float x)
{
    static const float P[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                              -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                              2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    /* x = 2ᵉ·m with ½ ≤ m < 1 */
    uint32_t bits = float32_bits(x), half = (uint32_t)EXPONENT_OF_HALF << MANTISSA_BITS;
    int exponent = (int)(bits >> MANTISSA_BITS) - EXPONENT_OF_HALF;
    float m = float32_of_bits((bits & 0x7fffffu) | half), f = m - 1, sum = P[0];
    if (m < 0.707106781186547524f) {
        f += m;
        exponent--;
    }
    float square = f * f, e = (float)exponent;
    for (size_t i = 1; i < sizeof P / sizeof P[0]; i++)
        sum = fmaf(sum, f, P[i]);
    sum = fmaf(sum * f, square, e * -2.12194440e-4f);
    sum = fmaf(-square, 0.5f, sum);
    return fmaf(e, 0.693359375f, f + sum);
}

/* The nearest even multiple of π/4, in three parts, is taken off; then the polynomials for |r| ≤
 * π/4. */
static void cephes_sine_cosine(float x, float *sine, float *cosine)
{
    int eighth = ((int)(x * 1.27323954473516f) + 1) & ~1;
    float n = (float)eighth, r = fmaf(n, -0.78515625f, x);
    r = fmaf(n, -2.4187564849853515625e-4f, r);
    r = fmaf(n, -3.77489497744594108e-8f, r);
    float z = r * r, c = 2.443315711809948e-5f, s = -1.9515295891e-4f;
    c = fmaf(c, z, -1.388731625493765e-3f);
    c = fmaf(c, z, 4.166664568298827e-2f);
    c = fmaf(c * z, z, -(z * 0.5f)) + 1;
    s = fmaf(s, z, 8.3321608736e-3f);
    s = fmaf(s, z, -1.6666654611e-1f);
    s = fmaf(s * z, r, r);
    float first = eighth & 2 ? c : s, second = eighth & 2 ? s : c;
    *sine = eighth & 4 ? -first : first;
    *cosine = (eighth + 2) & 4 ? -second : second;
}

/* ---- numbers as PyTorch draws them ---- */

enum { LANES = 8 }; /* a run of 16 is 8 radii and 8 angles */

void torch_begin(stream *s)
{
    mersenne_seed(&s->twister, (uint32_t)s->seed);
}

static float part_of_24_bits(stream *s)
{
    return (float)(mersenne_next(&s->twister) & 0xffffff) * 0x1p-24f;
}

static double part_of_53_bits(stream *s)
{
    uint64_t high = mersenne_next(&s->twister), low = mersenne_next(&s->twister);
    return (double)((high << 32 | low) & 0x1fffffffffffffu) * 0x1p-53;
}

/* What differs between the two codes: u·(to − from) + from, and a run's normal numbers. */
typedef struct code {
    float (*uniform)(float u, float range, float from);
    void (*normal_run)(const law *l, double run[DRAW_RUN]);
} code;

static float uniform_fused(float u, float range, float from)
{
    return fmaf(u, range, from);
}

static float uniform_plain(float u, float range, float from)
{
    return u * range + from;
}

/* Box and Muller's pair in float64: the cosine's first. */
static double small_normal_number(stream *s, const law *l)
{
    double sine, cosine, z = s->spare;
    if (!s->has_spare) {
        double turns = part_of_53_bits(s), r = sqrt(-2 * logarithm(1 - part_of_53_bits(s)));
        sine_and_cosine_of_turn(turns, &sine, &cosine);
        z = r * cosine;
        s->spare = r * sine;
    }
    s->has_spare = !s->has_spare;
    return (float)(z * l->b + l->a);
}

/* 16 uniform numbers become 16 normal ones: 8 cosines in front of 8 sines. */
static void normal_run_fused(const law *l, double run[DRAW_RUN])
{
    static const float TWO_PI = 6.283185307179586f;
    float mean = (float)l->a, deviation = (float)l->b;
    for (int i = 0; i < LANES; i++) {
        float sine, cosine, r = sqrtf(-2 * cephes_log(1 - (float)run[i]));
        cephes_sine_cosine(TWO_PI * (float)run[i + LANES], &sine, &cosine);
        run[i] = fmaf(r * cosine, deviation, mean);
        run[i + LANES] = fmaf(r * sine, deviation, mean);
    }
}

/* The same, but 2π is float64's, and every product is rounded. */
static void normal_run_plain(const law *l, double run[DRAW_RUN])
{
    static const double TWO_PI = 6.283185307179586;
    float mean = (float)l->a, deviation = (float)l->b;
    for (int i = 0; i < LANES; i++) {
        float r = sqrtf(-2 * scalar_log(1 - (float)run[i]));
        float angle = (float)(TWO_PI * run[i + LANES]);
        run[i] = r * scalar_cosine(angle) * deviation + mean;
        run[i + LANES] = r * scalar_sine(angle) * deviation + mean;
    }
}

static const code FUSED = {uniform_fused, normal_run_fused};
static const code PLAIN = {uniform_plain, normal_run_plain};

static void draw_parts(stream *s, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = part_of_24_bits(s);
}

static void fill_by(const code *by, stream *s, const draw *d, size_t count, double *out)
{
    const law *l = &d->law;
    if (l->kind == LAW_NORMAL && d->total >= DRAW_RUN) {
        draw_parts(s, out, count);
        for (size_t i = 0; i + DRAW_RUN <= count; i += DRAW_RUN)
            by->normal_run(l, out + i);
        if (count % DRAW_RUN == 0)
            return;
        /* Where the last run is not whole, the last 16 numbers are drawn again, over what was
         * there. */
        draw_parts(s, out + count - DRAW_RUN, DRAW_RUN);
        by->normal_run(l, out + count - DRAW_RUN);
        return;
    }
    float from = (float)l->a, to = (float)l->b;
    for (size_t i = 0; i < count; i++)
        out[i] = l->kind == LAW_NORMAL ? small_normal_number(s, l)
                                       : by->uniform(part_of_24_bits(s), to - from, from);
}

void torch_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    (void)first;
    fill_by(&FUSED, s, d, count, out);
}

void torch_scalar_fill(stream *s, const draw *d, size_t first, size_t count, double *out)
{
    (void)first;
    fill_by(&PLAIN, s, d, count, out);
}
