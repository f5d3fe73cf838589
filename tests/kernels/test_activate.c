/* How far gelu, its tanh form and silu are from the true values, and what they and relu give at the
 * ends. The references are the C library's long double functions. */
#include "kernels/kernels.h"
#include "kernels/numbers.h"
#include "unit/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every STEP-th float32; tests/exponent takes all of them. */
enum { STEP = 4999, COUNT = 100000 };

/* ---- references ---- */

static const long double SQRT_HALF = 0.70710678118654752440084436210484903928L;
static const long double SQRT_2_OVER_PI = 0.79788456080286535587989211986876373695L;
static const long double TWO_OVER_SQRT_PI = 1.12837916709551257389615890312154517169L;

/* x·½·erfc(−x/√2). The argument t is rounded, which erfc multiplies by 2t² in the tail: so the
 * derivative takes the rest of t² to x²/2 into account. */
static long double right_gelu(long double x)
{
    long double t = -x * SQRT_HALF, square = x * x, square_of_t = t * t;
    long double rest =
        (square / 2 - square_of_t) + (fmal(x, x, -square) / 2 - fmal(t, t, -square_of_t));
    long double slope = t > 1 ? TWO_OVER_SQRT_PI * expl(-square_of_t) / (2 * t) : 0;
    return x / 2 * (erfcl(t) - slope * rest);
}

/* x / (1 + e⁻ʷ), w = 2u: the same as 0.5·x·(1 + tanh u), which would lose the negative tail. w is
 * up to 5·2⁻⁶⁴ off, which e^w for w = −700 multiplies to 0.9 ulp of float64. */
static long double right_gelu_tanh(long double x)
{
    long double u = SQRT_2_OVER_PI * (x + 0.044715L * x * x * x);
    return x / (1 + expl(-2 * u));
}

/* The formula as it is written, where it loses nothing */
static long double right_gelu_tanh_by_tanh(long double x)
{
    return 0.5L * x * (1 + tanhl(SQRT_2_OVER_PI * (x + 0.044715L * x * x * x)));
}

static long double right_silu(long double x)
{
    return x / (1 + expl(-x));
}

/* ---- the kernels ---- */

typedef void kernel(const void *x, size_t n, void *out);

/* The most that float32 and float64 may err, in ulp: what is reached and little more. Below
 * `least`, all results of float64 are smaller than the smallest normal number. */
typedef struct bend {
    long double (*right)(long double x);
    long double f32_most, f64_most;
    double least;
} bend;

static const bend BENDS[] = {
    {right_gelu, 0.501L, 1.3L, -39},
    {right_gelu_tanh, 0.501L, 1.6L, -22},
    {right_silu, 0.501L, 0.75L, -720},
};

enum { BEND_COUNT = sizeof BENDS / sizeof BENDS[0] };

static kernel *kernel_of(const bend *b, dtype type)
{
    const kernels *with = isa_best()->table(type);
    kernel *const in_order[] = {with->gelu, with->gelu_tanh, with->silu};
    return in_order[b - BENDS];
}

static long double worst_of(const bend *b, dtype type, const void *x, size_t n, double *at)
{
    long double worst = 0;
    void *out = numbers_room(n);
    kernel_of(b, type)(x, n, out);
    for (size_t i = 0; i < n; i++) {
        double from = numbers_get(type, x, i);
        long double error =
            numbers_error(type, numbers_get(type, out, i), b->right((long double)from));
        if (!(error <= worst)) {
            worst = error;
            *at = from;
        }
    }
    free(out);
    return worst;
}

static void check_f32(unit *u, const bend *b)
{
    size_t n = 0;
    double at = 0;
    float *x = numbers_room(0x7f800000u / STEP * 2 + 2);
    for (uint32_t bits = 0; bits < 0x7f800000u; bits += STEP) {
        memcpy(&x[n], &bits, sizeof bits);
        x[n + 1] = -x[n];
        n += 2;
    }
    long double worst = worst_of(b, DTYPE_F32, x, n, &at);
    if (!CHECK(u, worst <= b->f32_most))
        printf("  %Lg ulp at %.9g\n", worst, at);
    free(x);
}

/* The whole negative tail and beyond it, about 0, and of all sizes. */
static void check_f64(unit *u, const bend *b)
{
    uint64_t state = 13;
    double at = 0, *x = numbers_room(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double fraction = numbers_fraction(&state);
        int size = (int)(i / 8 % 60) - 50;
        x[i] = i % 4 == 0   ? 1.02 * b->least * fraction
               : i % 4 == 1 ? 20 * fraction - 10
               : i % 4 == 2 ? 0.3 * b->least * fraction
                            : ldexp(i % 8 == 3 ? 1 + fraction : -1 - fraction, size);
    }
    x[0] = DBL_MAX;
    x[1] = 4 * DBL_MIN;
    x[2] = -DBL_MIN;
    x[3] = -DBL_MAX;
    long double worst = worst_of(b, DTYPE_F64, x, COUNT, &at);
    if (!CHECK(u, worst <= b->f64_most))
        printf("  %Lg ulp at %.17g\n", worst, at);
    free(x);
}

/* The form that the reference takes is the formula. */
static void check_reference(unit *u)
{
    for (int i = -40; i <= 200; i++) {
        long double x = i / 20.0L, right = right_gelu_tanh_by_tanh(x);
        CHECK(u, fabsl(right_gelu_tanh(x) - right) <= 1e-17L * fabsl(right) + 1e-18L);
    }
}

/* ---- the ends ---- */

/* −0 and what is smaller than a normal number give +0, and so does −∞. */
static void check_ends(unit *u, dtype type)
{
    double tiny = type == DTYPE_F32 ? (double)FLT_MIN / 2 : DBL_MIN / 2;
    const double from[] = {-INFINITY, -1e30, -0.0, 0, tiny, -tiny, 1e30, INFINITY, NAN};
    enum { ENDS = sizeof from / sizeof from[0] };
    double x[ENDS], out[ENDS]; /* room for either type */
    for (size_t i = 0; i < ENDS; i++)
        numbers_put(type, x, i, from[i]);
    for (size_t k = 0; k < BEND_COUNT; k++) {
        kernel_of(&BENDS[k], type)(x, ENDS, out);
        for (size_t i = 0; i < 6; i++) {
            double got = numbers_get(type, out, i);
            CHECK(u, got == 0 && !signbit(got));
        }
        CHECK(u, numbers_get(type, out, 6) == numbers_get(type, x, 6));
        CHECK(u, numbers_get(type, out, 7) == INFINITY && isnan(numbers_get(type, out, 8)));
    }
}

/* relu keeps what is above 0, subnormal numbers too. */
static void check_relu(unit *u, dtype type)
{
    const double from[] = {-INFINITY, -1, -0.0, 0, 1e-40, 2.5, INFINITY, NAN};
    const double wanted[] = {0, 0, 0, 0, 1e-40, 2.5, INFINITY, NAN};
    enum { RELUS = sizeof from / sizeof from[0] };
    double x[RELUS], right[RELUS], out[RELUS]; /* room for either type */
    for (size_t i = 0; i < RELUS; i++) {
        numbers_put(type, x, i, from[i]);
        numbers_put(type, right, i, wanted[i]);
    }
    isa_best()->table(type)->relu(x, RELUS, out);
    CHECK(u, numbers_same(type, out, right, RELUS));
}

UNIT_OF(kernel_activate, "relu gelu silu")
{
    for (dtype type = DTYPE_F32; type <= DTYPE_F64; type++) {
        check_ends(u, type);
        check_relu(u, type);
    }
    if (!unit_long_double_is_wide()) {
        unit_skip(u, "activations: long double is not a wider than double here");
        return;
    }
    check_reference(u);
    for (size_t i = 0; i < BEND_COUNT; i++) {
        check_f32(u, &BENDS[i]);
        check_f64(u, &BENDS[i]);
    }
}
