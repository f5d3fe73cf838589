#include "random/torch.h"

#include "kernels/logarithm.h"
#include "kernels/sine.h"
#include "random/cephes.h"
#include "random/scalar.h"

#include <math.h>

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

static double uniform_number(stream *s, const law *l, const code *by)
{
    float from = (float)l->a, to = (float)l->b;
    return by->uniform(part_of_24_bits(s), to - from, from);
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

/* Where the last run is not whole, the last 16 numbers are drawn again, over what was there. */
static void normal_runs(stream *s, const law *l, const code *by, double *out, size_t count)
{
    draw_parts(s, out, count);
    for (size_t i = 0; i + DRAW_RUN <= count; i += DRAW_RUN)
        by->normal_run(l, out + i);
    if (count % DRAW_RUN == 0)
        return;
    draw_parts(s, out + count - DRAW_RUN, DRAW_RUN);
    by->normal_run(l, out + count - DRAW_RUN);
}

static void fill_by(const code *by, stream *s, const draw *d, size_t count, double *out)
{
    if (d->law.kind == LAW_NORMAL && d->total >= DRAW_RUN) {
        normal_runs(s, &d->law, by, out, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = d->law.kind == LAW_NORMAL ? small_normal_number(s, &d->law)
                                           : uniform_number(s, &d->law, by);
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
