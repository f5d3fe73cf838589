/* exponent: exp(x − max) of the softmax for every float32 x from −0 to −∞, each without a rest and
 * with rests of nearly half a unit in the last place to either side, which is all that the
 * difference of two float32 numbers can be; and the activations for every finite float32, in every
 * STRIDE-th chunk of them (16 where nothing is said). The references are the C library's functions
 * in float64, whose own error is a millionth of what is measured. Takes some minutes of one
 * processor, STRIDE=1 ten; EXPONENT_EVERY takes every so many'th series of them, which ones by TURN
 * (tests/README.md); tests/unit takes a thousandth of these arguments. */
#include "base/float_bits.h"
#include "base/threads.h"
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A chunk lies in one binade, but for one that begins with an infinity. */
enum { CHUNK = 1 << 16 };

typedef void compute(const float *x, size_t n, float max, float *out);

static void exponent(const float *x, size_t n, float max, float *out)
{
    row_total total;
    isa_best()->table(DTYPE_F32)->row_exponent(x, n, &max, out, &total, NULL);
}

static void gelu(const float *x, size_t n, float max, float *out)
{
    (void)max;
    isa_best()->table(DTYPE_F32)->gelu(x, n, out);
}

static void gelu_tanh(const float *x, size_t n, float max, float *out)
{
    (void)max;
    isa_best()->table(DTYPE_F32)->gelu_tanh(x, n, out);
}

static void silu(const float *x, size_t n, float max, float *out)
{
    (void)max;
    isa_best()->table(DTYPE_F32)->silu(x, n, out);
}

static double right_gelu(double x)
{
    return 0.5 * x * erfc(x * -0.7071067811865476);
}

static double right_silu(double x)
{
    return x / (1 + exp(-x));
}

/* 0.5·(1 + tanh u) is 1 / (1 + e^−2u). */
static double right_gelu_tanh(double x)
{
    return x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
}

/* From one argument to another, as bits; the rest is in units in the last place, so that x − max
 * still rounds to x, and nowhere but around a maximum of 0. How far from the truth the result may
 * be, in units in the last place (src/kernels/wide/exponent.h, kernels.h), and below what size it
 * is +0. */
static const struct series {
    const char *name;
    compute *got;
    double (*right)(double x);
    uint32_t first, last;
    float max, rest;
    double error_most;
    float least;
    bool is_strided;
} SERIES[] = {
    {"exp", exponent, exp, 0x80000000, 0xff800000, 0, 0, 0.89, FLT_TRUE_MIN, false},
    {"exp", exponent, exp, 0x80000000, 0xff800000, 0, 0.4999f, 0.92, FLT_TRUE_MIN, false},
    {"exp", exponent, exp, 0x80000000, 0xff800000, 0, -0.4999f, 0.92, FLT_TRUE_MIN, false},
    {"exp", exponent, exp, 0, 0x40b33333, 5.6f, 0, 1.07, FLT_TRUE_MIN, true},
    {"exp", exponent, exp, 0x80000000, 0xff800000, 5.6f, 0, 1.07, FLT_TRUE_MIN, true},
    {"exp", exponent, exp, 0, 0x447a2000, 1000.5f, 0, 0.92, FLT_TRUE_MIN, true},
    {"exp", exponent, exp, 0xc0b33333, 0xff800000, -5.6f, 0, 1.07, FLT_TRUE_MIN, true},
    {"exp", exponent, exp, 0x477fff00, 0x477fff80, 65535.5f, 0, 0.92, FLT_TRUE_MIN, true},
    {"exp", exponent, exp, 0xc77fff80, 0xff800000, -65535.5f, 0, 0.92, FLT_TRUE_MIN, true},
    {"exp", exponent, exp, 0, 0x4b189680, 1e7f, 0, 0.92, FLT_TRUE_MIN, true},
    {"gelu", gelu, right_gelu, 0, 0x7f7fffff, 0, 0, 0.501, FLT_MIN, true},
    {"gelu", gelu, right_gelu, 0x80000000, 0xff7fffff, 0, 0, 0.501, FLT_MIN, true},
    {"gelu_tanh", gelu_tanh, right_gelu_tanh, 0, 0x7f7fffff, 0, 0, 0.501, FLT_MIN, true},
    {"gelu_tanh", gelu_tanh, right_gelu_tanh, 0x80000000, 0xff7fffff, 0, 0, 0.501, FLT_MIN, true},
    {"silu", silu, right_silu, 0, 0x7f7fffff, 0, 0, 0.501, FLT_MIN, true},
    {"silu", silu, right_silu, 0x80000000, 0xff7fffff, 0, 0, 0.501, FLT_MIN, true},
};

typedef struct walk {
    const struct series *series;
    uint64_t step;    /* from a chunk to the next that is taken */
    atomic_uint next; /* chunk */
    atomic_ullong arguments;
    double worst[THREADS_MOST]; /* of each worker */
    float worst_at[THREADS_MOST];
} walk;

/* The unit in the last place of a float32 at x */
static double unit_at(double x)
{
    double unit = float64_of_bits(float64_bits(x) & 0x7ff0000000000000u) * FLT_EPSILON;
    return fmax(unit, FLT_TRUE_MIN);
}

/* What is below the smallest normal number is +0 or as near as the type has it, and next to it +0
 * is right too. */
static double error_of(const struct series *s, float got, double right)
{
    if (got == 0)
        return fabs(right) < (double)FLT_MIN * (1 + 4 * FLT_EPSILON) && !signbit(got) ? 0
                                                                                      : INFINITY;
    return fabsf(got) >= s->least ? fabs((double)got - right) / unit_at(right) : INFINITY;
}

static void walk_chunk(walk *w, size_t worker, uint32_t first, size_t count)
{
    const struct series *s = w->series;
    float x[CHUNK] = {0}, got[CHUNK], unit = (float)unit_at((double)float32_of_bits(first));
    float max = isinf(float32_of_bits(first)) ? s->max : s->max - s->rest * unit;
    for (size_t i = 0; i < count; i++)
        x[i] = float32_of_bits(first + (uint32_t)i);
    s->got(x, count, max, got);
    for (size_t i = 0; i < count; i++) {
        double error = error_of(s, got[i], s->right((double)x[i] - (double)max));
        if (!(error <= w->worst[worker])) {
            w->worst[worker] = error;
            w->worst_at[worker] = x[i];
        }
    }
    atomic_fetch_add(&w->arguments, count);
}

static void work(void *context, size_t worker)
{
    walk *w = context;
    uint32_t last = w->series->last;
    for (;;) {
        uint64_t first = w->series->first + atomic_fetch_add(&w->next, 1) * w->step;
        if (first > last)
            return;
        size_t count = first + CHUNK <= last ? CHUNK : (size_t)(last - first + 1);
        walk_chunk(w, worker, (uint32_t)first, count);
    }
}

/* Of a variable of the environment. */
static uint64_t setting(const char *name, long least, long usual)
{
    const char *said = getenv(name);
    long value = said == NULL ? usual : strtol(said, NULL, 10);
    return (uint64_t)(value < least ? least : value);
}

/* All of what lies in the chunks that are taken. */
static uint64_t arguments_of(const walk *w)
{
    uint64_t all = (uint64_t)w->series->last - w->series->first + 1, whole = all / w->step;
    uint64_t rest = all % w->step;
    return whole * CHUNK + (rest < CHUNK ? rest : CHUNK);
}

static bool try_series(const struct series *one)
{
    walk w = {.series = one, .step = one->is_strided ? setting("STRIDE", 1, 16) * CHUNK : CHUNK};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t worst = 0;
    threads_run(processors > 0 ? (size_t)processors : 1, work, &w);
    for (size_t i = 1; i < THREADS_MOST; i++)
        worst = w.worst[i] > w.worst[worst] ? i : worst;
    bool is_right =
        atomic_load(&w.arguments) == arguments_of(&w) && w.worst[worst] <= one->error_most;
    printf("%s %s, maximum %g, rest %g: %llu arguments, at most %.4f units in the last place, at "
           "%.9g\n",
           is_right ? "exponent:" : "FAIL exponent:", one->name, (double)one->max,
           (double)one->rest, (unsigned long long)atomic_load(&w.arguments), w.worst[worst],
           (double)w.worst_at[worst]);
    return is_right;
}

int main(void)
{
    enum { COUNT = sizeof SERIES / sizeof SERIES[0] };
    const uint64_t every = setting("EXPONENT_EVERY", 1, 1), turn = setting("TURN", 0, 0);
    int passed = 0, failed = 0;
    for (uint64_t i = turn % every; i < COUNT; i += every) {
        bool holds = try_series(&SERIES[i]);
        passed += holds;
        failed += !holds;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
