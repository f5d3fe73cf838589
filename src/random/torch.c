/* PyTorch's generator on the CPU, in float32.
 *
 * Its last bits depend on the code that PyTorch chooses at run time. On any x86 processor of today
 * that is its vector code for AVX2, with fused multiply-adds and, for normal numbers from 16 on,
 * the float32 functions of the Cephes library. Where PyTorch finds no AVX2, or is told so
 * (ATEN_CPU_CAPABILITY=default), it is plain code without them, with the C library's functions,
 * below. Fewer than 16 normal numbers are made in float64, by both alike. */
#include "random/torch.h"

#include "base/float_bits.h"
#include "kernels/logarithm.h"
#include "kernels/sine.h"

#include <math.h>
#include <stdint.h>

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

/* ---- the same as the GNU C library has them since version 2.28, and musl since 1.2 ----
 *
 * The ARM Optimized Routines (github.com/ARM-software/optimized-routines, logf.c and sincosf.c),
 * whose intervals and coefficients these are. They compute in float64 and round once, so that a
 * fused multiply-add changes nothing: to the bit for every number that PyTorch asks. */

enum { PARTS = 16, PART_BITS = MANTISSA_BITS - 4 };

/* 1/c and ln c for a c near the middle of each 16th of 0.699 … 1.398. */
static const struct {
    double inverse, logarithm;
} PART[PARTS] = {
    {0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2}, {0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2},
    {0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2},  {0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3},
    {0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3}, {0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3},
    {0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4}, {0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4},
    {0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5}, {0x1p+0, 0x0p+0},
    {0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5},  {0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4},
    {0x1.b2036576afce6p-1, 0x1.526e57720db08p-3},  {0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3},
    {0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2},  {0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2},
};

/* x = 2ᵉ·z with z in the part around c: ln x = e·ln2 + ln c + ln(1 + r), r = z/c − 1. */
float scalar_log(float x)
{
    static const uint32_t FIRST = 0x3f330000u; /* 0.699 */
    uint32_t bits = float32_bits(x), above = bits - FIRST, whole = above & 0xff800000u;
    size_t part = above >> PART_BITS & (PARTS - 1);
    int exponent = (int)(whole >> MANTISSA_BITS) - (above >> 31 ? 512 : 0);
    double r = (double)float32_of_bits(bits - whole) * PART[part].inverse - 1, square = r * r;
    double high = PART[part].logarithm + exponent * 0x1.62e42fefa39efp-1;
    double sum = 0x1.5575b0be00b6ap-2 * r - 0x1.ffffef20a4123p-2;
    sum = -0x1.00ea348b88334p-2 * square + sum;
    return (float)(sum * square + (high + r));
}

/* r + r³·(s₁ + …), |r| ≤ π/4 */
static double sine_of(double r)
{
    double z = r * r, cube = r * z, high = 0x1.1107605230bc4p-7 - z * 0x1.994eb3774cf24p-13;
    return (r - cube * 0x1.555545995a603p-3) + cube * z * high;
}

/* 1 + r²·(c₁ + …) */
static double cosine_of(double r)
{
    double z = r * r, square = z * z;
    double high = z * 0x1.99343027bf8c3p-16 - 0x1.6c087e89a359dp-10;
    double low = 1 - z * 0x1.ffffffd0c621cp-2;
    return (low + square * 0x1.55553e1068f19p-5) + square * z * high;
}

/* The sine of x plus a number of quarter turns. The quarter nearest to x is found with 2²⁴·2/π, so
 * that rounding is done on a whole number. */
static float sine_after(double x, int quarters)
{
    int nearest = ((int)(x * 0x1.45f306dc9c883p+23) + 0x800000) >> 24, all = nearest + quarters;
    double r = x - nearest * 0x1.921fb54442d18p+0, value = all & 1 ? cosine_of(r) : sine_of(r);
    return (float)(all & 2 ? -value : value);
}

float scalar_sine(float x)
{
    return sine_after((double)x, 0);
}

float scalar_cosine(float x)
{
    return sine_after((double)x, 1);
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

/* What PyTorch's two codes do differently: u·(to − from) + from, and a run's normal numbers. */
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
        /* If the last run is not whole, PyTorch draws the last 16 numbers again and overwrites
         * them. */
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
