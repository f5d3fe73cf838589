/* How far the kernels' own exp, tanh and softmax are from the true values, in units in the last
 * place. The references are the C library's long double functions. */
#include "kernels/kernels.h"
#include "kernels/logarithm.h"
#include "kernels/numbers.h"
#include "unit/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MOST = 16384, STEP = 997 };

/* ---- exp ---- */

/* An exponential is not a weight yet: below the smallest normal number it may be there. */
static long double exp_error(dtype type, double got, long double right)
{
    bool is_f32 = type == DTYPE_F32;
    long double normal = is_f32 ? (long double)FLT_MIN : (long double)DBL_MIN;
    long double least = is_f32 ? (long double)FLT_TRUE_MIN : (long double)DBL_TRUE_MIN;
    bool is_subnormal = got > 0 && (long double)got < normal;
    return is_subnormal ? fabsl((long double)got - right) / least : numbers_error(type, got, right);
}

/* The greatest error of exp(x[i] − max) */
static long double worst_exp(dtype type, const void *x, size_t n, double max)
{
    long double worst = 0;
    void *out = numbers_room(n);
    double greatest; /* room for either type */
    row_total total;
    numbers_put(type, &greatest, 0, max);
    isa_best()->table(type)->row_exponent(x, n, &greatest, out, &total, NULL);
    for (size_t i = 0; i < n; i++) {
        long double right =
            expl((long double)numbers_get(type, x, i) - numbers_get(type, &greatest, 0));
        worst = fmaxl(worst, exp_error(type, numbers_get(type, out, i), right));
    }
    free(out);
    return worst;
}

/* Every STEP-th negative float32, from −0 to −∞; tests/exponent takes all of them. */
static void check_exp_f32(unit *u)
{
    size_t n = 0;
    float *x = numbers_room(0x7f800000u / STEP + 1);
    for (uint32_t bits = 0x80000000u; bits <= 0xff800000u; bits += STEP)
        memcpy(&x[n++], &bits, sizeof bits);
    x[0] = -26.6856499f; /* the worst of all: tests/exponent finds 0.8822 ulp here */
    CHECK(u, worst_exp(DTYPE_F32, x, n, 0) <= 0.89);
    CHECK(u, worst_exp(DTYPE_F32, x, n, 2.7f) <= 1.07);
    free(x);
}

static void check_exp_f64(unit *u)
{
    enum { COUNT = 200000 };
    uint64_t state = 3;
    double *x = numbers_room(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double fraction = numbers_fraction(&state);
        x[i] = i % 2 == 0 ? -750 * fraction : -exp(-40 * fraction);
    }
    CHECK(u, worst_exp(DTYPE_F64, x, COUNT, 0) <= 1.07);
    CHECK(u, worst_exp(DTYPE_F64, x, COUNT, 1.1) <= 1.07);
    free(x);
}

/* ---- tanh ---- */

/* va·tanh(q + 0 + 0) with va = 1 is tanh(q), exactly. */
static void tanh_of_all(dtype type, void *x, size_t n, void *out)
{
    double zero = 0, one;
    numbers_put(type, &one, 0, 1);
    tensor q = {.type = type, .rank = 2, .size = {n, 1}, .stride = {1, 1}, .data = x};
    tensor k = {.type = type, .rank = 2, .size = {1, 1}, .stride = {1, 1}, .data = &zero};
    tensor c = {.type = type, .rank = 2, .size = {n, 1}, .stride = {1, 1}, .data = out};
    isa_best()->table(type)->additive(&q, &k, &one, &zero, &c);
}

static long double worst_tanh(dtype type, void *x, size_t n)
{
    long double worst = 0;
    void *out = numbers_room(n);
    tanh_of_all(type, x, n, out);
    for (size_t i = 0; i < n; i++) {
        double from = numbers_get(type, x, i), got = numbers_get(type, out, i);
        long double right = tanhl((long double)from);
        bool is_normal = fabsl(right) >= (type == DTYPE_F32 ? (long double)FLT_MIN : DBL_MIN);
        if (is_normal) /* tanh is odd: the sign is the argument's */
            worst = fmaxl(worst, numbers_error(type, from < 0 ? -got : got, fabsl(right)));
        else /* tanh(x) = x there, to less than an ulp */
            worst = got == from ? worst : INFINITY;
    }
    free(out);
    return worst;
}

/* Every STEP-th float32 of both signs, and as many random float64 of all sizes. */
static void check_tanh(unit *u)
{
    size_t n = 0, most = 2 * (0x7f800000u / STEP + 1);
    uint64_t state = 5;
    float *x = numbers_room(most);
    double *y = numbers_room(most);
    for (uint32_t bits = 0; bits < 0x7f800000u; bits += STEP) {
        memcpy(&x[n], &bits, sizeof bits);
        x[n + 1] = -x[n];
        y[n] = ldexp(1 + numbers_fraction(&state), 6 - (int)(n / 2 % 50));
        y[n + 1] = -y[n];
        n += 2;
    }
    x[0] = 0.517457247f; /* where a scan of all found the worst, 1.932 ulp */
    CHECK(u, worst_tanh(DTYPE_F32, x, n) <= 2);
    CHECK(u, worst_tanh(DTYPE_F64, y, n / 8) <= 2);
    free(x);
    free(y);
}

/* ---- softmax ---- */

static void softmax(dtype type, const void *x, size_t n, void *out)
{
    const kernels *with = isa_best()->table(type);
    double max, sum; /* room for either type */
    row_total total;
    with->row_max(x, n, &max);
    with->row_exponent(x, n, &max, out, &total, NULL);
    numbers_put(type, &sum, 0, total.sum + total.rest);
    with->row_divide(&(row_shares){out, n, &sum, out});
}

/* A sum without loss to speak of: 64 bits and a compensation (Kahan). */
static long double true_sum(dtype type, const void *x, size_t n, long double max)
{
    volatile long double sum = 0, rest = 0;
    for (size_t j = 0; j < n; j++) {
        long double term = expl((long double)numbers_get(type, x, j) - max) - rest;
        volatile long double next = sum + term;
        rest = (next - sum) - term;
        sum = next;
    }
    return sum;
}

/* The greatest error of a weight, in ulp */
static long double worst_weight(dtype type, const void *x, size_t n)
{
    void *out = numbers_room(n);
    long double max = -INFINITY, worst = 0;
    softmax(type, x, n, out);
    for (size_t j = 0; j < n; j++)
        max = fmaxl(max, (long double)numbers_get(type, x, j));
    long double sum = true_sum(type, x, n, max);
    for (size_t j = 0; j < n; j++) {
        long double right = expl((long double)numbers_get(type, x, j) - max) / sum;
        worst = fmaxl(worst, numbers_error(type, numbers_get(type, out, j), right));
    }
    free(out);
    return worst;
}

static size_t next_length(size_t n)
{
    if (n < 40 || n == ROW_MOST)
        return n + 1;
    return n * 8 / 5 < ROW_MOST ? n * 8 / 5 : ROW_MOST;
}

/* How the scores of a row lie about a middle: from all alike to one that takes all. */
typedef enum form { EVEN, BELL, ONE_HIGH, HALF_MASKED } form;

static const struct spread {
    form form;
    double middle, width;
} SPREADS[] = {
    {EVEN, 5, 0},           {EVEN, 5, 1e-6},      {EVEN, 5, 0.1},     {EVEN, 5, 1},
    {EVEN, 5, 10},          {EVEN, 5, 100},       {EVEN, 5, 1000},    {BELL, 0, 1},
    {BELL, 0, 20},          {BELL, -3e4, 3},      {BELL, 1e6, 100},   {ONE_HIGH, 0, 9},
    {ONE_HIGH, -0.3, 86.9}, {HALF_MASKED, -1, 4}, {EVEN, 1e-30, 0.3},
};

static double score_of(const struct spread *s, size_t j, uint64_t *state)
{
    double even = 2 * numbers_fraction(state) - 1;
    switch (s->form) {
    case BELL: /* the sum of even ones is nearly normal */
        even += 2 * numbers_fraction(state) + 2 * numbers_fraction(state) - 2;
        return s->middle + s->width * even;
    case ONE_HIGH:
        return s->middle + (j == 0 ? s->width : 0.01 * even);
    case HALF_MASKED:
        return j % 2 == 1 ? -INFINITY : s->middle + s->width * even;
    default:
        return s->middle + s->width / 2 * even;
    }
}

/* Rows from 1 to 16,384 keys. */
static void check_softmax(unit *u, dtype type)
{
    uint64_t state = 9;
    void *x = numbers_room(ROW_MOST);
    for (size_t n = 1; n <= ROW_MOST; n = next_length(n)) {
        for (size_t i = 0; i < sizeof SPREADS / sizeof SPREADS[0]; i++) {
            for (size_t j = 0; j < n; j++)
                numbers_put(type, x, j, score_of(&SPREADS[i], j, &state));
            long double worst = worst_weight(type, x, n);
            if (!CHECK(u, worst <= 3))
                printf("  %s, %zu keys, spread %zu: %Lg ulp\n", dtype_name(type), n, i, worst);
        }
    }
    free(x);
}

/* ---- ln ---- */

/* Of all sizes, and about 1, where ln is small. */
static void check_logarithm(unit *u)
{
    uint64_t state = 11;
    long double worst = 0;
    for (int i = 0; i < 200000; i++) {
        double fraction = numbers_fraction(&state);
        double x = i % 2 == 0 ? ldexp(1 + fraction, i % 2045 - 1022) : 0.5 + fraction;
        long double right = logl((long double)x), got = logarithm(x);
        if (right != 0)
            worst = fmaxl(worst, numbers_error(DTYPE_F64, (double)fabsl(got), fabsl(right)));
    }
    CHECK(u, worst <= 1);
    CHECK(u, logarithm(1) == 0 && logarithm(0) == -INFINITY);
    CHECK(u, logarithm(INFINITY) == INFINITY && isnan(logarithm(NAN)));
}

UNIT_OF(kernel_accuracy, "exponential tanh logarithm")
{
    if (!unit_long_double_is_wide()) {
        unit_skip(u, "accuracy: long double is not a wider than double here");
        return;
    }
    check_exp_f32(u);
    check_exp_f64(u);
    check_tanh(u);
    check_logarithm(u);
    check_softmax(u, DTYPE_F32);
    check_softmax(u, DTYPE_F64);
}
