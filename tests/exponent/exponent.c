/* exponent: exp(x − max) of the softmax for every float32 x from −0 to −∞, each without a rest and
 * with rests of nearly half a unit in the last place to either side, which is all that the
 * difference of two float32 numbers can be. The reference is the C library's exp in float64, whose
 * own error is a billionth of what is measured. Takes a minute or two of one processor; tests/unit
 * takes a thousandth of these arguments. */
#include "base/threads.h"
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* −0 and −∞ as bits. A chunk lies in one binade, but for the last, which is −∞ alone. */
static const uint32_t FIRST = 0x80000000u, LAST = 0xff800000u;
enum { CHUNK = 1 << 16 };

/* The rests, in units in the last place, so that x − max still rounds to x; and how far from the
 * truth exp may be, in the same units (src/kernels/wide/exponent.h). */
static const struct series {
    float rest;
    double error_most;
} SERIES[] = {{0, 0.89}, {0.4999f, 0.92}, {-0.4999f, 0.92}};

typedef struct walk {
    float rest;
    atomic_uint next; /* chunk */
    atomic_ullong arguments;
    double worst[THREADS_MOST]; /* of each worker */
    float worst_at[THREADS_MOST];
} walk;

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The unit in the last place of a float32 at x, itself a normal number. */
static double unit_at(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7ff0000000000000u;
    memcpy(&x, &bits, sizeof x);
    return x * FLT_EPSILON;
}

/* What is below the smallest normal number is +0 by definition, and next to it either is right. */
static double error_of(float got, double right)
{
    if (got == 0)
        return right < (double)FLT_MIN * (1 + 4 * FLT_EPSILON) && !signbit(got) ? 0 : INFINITY;
    return got >= FLT_MIN ? fabs((double)got - right) / unit_at(right) : INFINITY;
}

static void walk_chunk(walk *w, size_t worker, uint32_t first, size_t count)
{
    static const float SMALLEST_UNIT = 0x1p-149f;
    row_total total;
    float x[CHUNK], got[CHUNK], unit = (float)unit_at((double)float_of(first));
    if (unit < SMALLEST_UNIT)
        unit = SMALLEST_UNIT;
    float max = isinf(float_of(first)) ? 0 : -w->rest * unit;
    for (size_t i = 0; i < count; i++)
        x[i] = float_of(first + (uint32_t)i);
    isa_best()->table(DTYPE_F32)->row_exponent(x, count, &max, got, &total);
    for (size_t i = 0; i < count; i++) {
        double error = error_of(got[i], exp((double)x[i] - (double)max));
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
    for (;;) {
        uint64_t first = FIRST + (uint64_t)atomic_fetch_add(&w->next, 1) * CHUNK;
        if (first > LAST)
            return;
        size_t count = first + CHUNK <= LAST ? CHUNK : (size_t)(LAST - first + 1);
        walk_chunk(w, worker, (uint32_t)first, count);
    }
}

static bool try_series(const struct series *one)
{
    walk w = {.rest = one->rest};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t worst = 0;
    threads_run(processors > 0 ? (size_t)processors : 1, work, &w);
    for (size_t i = 1; i < THREADS_MOST; i++)
        worst = w.worst[i] > w.worst[worst] ? i : worst;
    bool is_right =
        atomic_load(&w.arguments) == LAST - FIRST + 1 && w.worst[worst] <= one->error_most;
    printf("%s rest %g: %llu arguments, at most %.4f units in the last place, at %.9g\n",
           is_right ? "exponent:" : "FAIL exponent:", (double)one->rest,
           (unsigned long long)atomic_load(&w.arguments), w.worst[worst],
           (double)w.worst_at[worst]);
    return is_right;
}

int main(void)
{
    enum { COUNT = sizeof SERIES / sizeof SERIES[0] };
    int passed = 0;
    for (size_t i = 0; i < COUNT; i++)
        passed += try_series(&SERIES[i]);
    printf("%d passed, %d failed\n", passed, COUNT - passed);
    return passed < COUNT;
}
