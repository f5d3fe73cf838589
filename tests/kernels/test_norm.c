/* Layer norm and RMS norm of rows, against hand calculation and long double. */
#include "kernels/kernels.h"
#include "kernels/numbers.h"
#include "unit/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { ROW_MOST = 4096 };

static const kernels *table(dtype type)
{
    return isa_best()->table(type);
}

/* ---- by hand ---- */

/* A row of two numbers. No gain is 1, no bias 0. */
static const struct sum {
    bool is_rms;
    double x[2], eps;
    bool has_gain;
    double gain[2], bias[2], wanted[2];
} SUMS[] = {
    {false, {1, 3}, 0, false, {0}, {0}, {-1, 1}},             /* mean 2, variance 1 */
    {false, {1, 3}, 3, false, {0}, {0}, {-0.5, 0.5}},         /* √(1 + 3) = 2 */
    {false, {1, 3}, 3, true, {4, 8}, {1, -1}, {-1, 3}},       /* −0.5·4 + 1, 0.5·8 − 1 */
    {false, {5, 5}, 0, true, {2, 3}, {0.25, -1}, {0.25, -1}}, /* the root is 0 */
    {true, {1, 7}, 0, false, {0}, {0}, {0.2, 1.4}},           /* √((1 + 49)/2) = 5 */
    {true, {1, 7}, 11, true, {3, 12}, {0}, {0.5, 14}},        /* √(25 + 11) = 6 */
    {true, {0, 0}, 0, true, {3, 4}, {0}, {0, 0}},             /* the root is 0 */
};

static void check_sum(unit *u, dtype type, const struct sum *s)
{
    double x[2], gain[2], bias[2], wanted[2], out[2]; /* room for either type */
    bool is_in_range;
    for (size_t j = 0; j < 2; j++) {
        numbers_put(type, x, j, s->x[j]);
        numbers_put(type, gain, j, s->gain[j]);
        numbers_put(type, bias, j, s->bias[j]);
        numbers_put(type, wanted, j, s->wanted[j]);
    }
    if (s->is_rms)
        is_in_range = table(type)->row_rms_norm(x, 2, s->has_gain ? gain : NULL, s->eps, out);
    else
        is_in_range = table(type)->row_norm(x, 2, s->has_gain ? gain : NULL,
                                            s->has_gain ? bias : NULL, s->eps, out);
    CHECK(u, is_in_range && numbers_same(type, out, wanted, 2));
}

/* ---- against long double ---- */

/* Numbers on a grid of 2⁻²⁰, so that n·x[j] − Σ x is exact in long double. */
static const struct spread {
    double middle, width, eps;
} SPREADS[] = {{0, 1, 1e-5}, {0.5, 1, 0}, {-3, 0.01, 1e-12}, {1 << 20, 1, 1e-5}, {1 << 10, 200, 0}};

/* A row, what it is multiplied by and what is added to it. */
typedef struct row {
    dtype type;
    size_t n;
    void *x, *gain, *bias, *out;
} row;

static row row_new(dtype type)
{
    return (row){type,
                 0,
                 numbers_room(ROW_MOST),
                 numbers_room(ROW_MOST),
                 numbers_room(ROW_MOST),
                 numbers_room(ROW_MOST)};
}

static void row_free(row *r)
{
    free(r->x);
    free(r->gain);
    free(r->bias);
    free(r->out);
}

static void row_fill(row *r, size_t n, const struct spread *s, uint64_t *state)
{
    r->n = n;
    for (size_t j = 0; j < n; j++) {
        double number = s->middle + s->width * (2 * numbers_fraction(state) - 1);
        numbers_put(r->type, r->x, j, floor(number * 0x1p20) * 0x1p-20);
        numbers_put(r->type, r->gain, j, 2 * numbers_fraction(state) - 0.5);
        numbers_put(r->type, r->bias, j, 2 * numbers_fraction(state) - 1);
    }
}

/* Σ x[j], or 0 where no mean is taken off, and √((Σ (x[j] − mean)²) / n + eps). */
typedef struct deviations {
    long double sum, root;
} deviations;

static long double deviation(const row *r, size_t j, long double sum)
{
    return ((long double)r->n * numbers_get(r->type, r->x, j) - sum) / r->n;
}

static deviations deviations_of(const row *r, bool is_rms, double eps)
{
    deviations d = {0, 0};
    long double squares = 0;
    for (size_t j = 0; !is_rms && j < r->n; j++)
        d.sum += numbers_get(r->type, r->x, j);
    for (size_t j = 0; j < r->n; j++)
        squares += deviation(r, j, d.sum) * deviation(r, j, d.sum);
    d.root = sqrtl(squares / r->n + eps);
    return d;
}

static long double size_of(const row *r)
{
    long double sum = 0;
    for (size_t j = 0; j < r->n; j++)
        sum += fabs(numbers_get(r->type, r->x, j));
    return sum / r->n;
}

/* How far a result may be off, u = 2⁻⁵³. A plain sum of float64 errs by (n/16 + 4)·u of the sum of
 * its terms' sizes, a compensated one by n·u² of that, since the mean keeps its rest; and the error
 * of the mean shifts each deviation. The quotient has one rounding or two of the deviation, each of
 * them twice in its square, one of the square, the sum's, /n, + eps, of which √ leaves half, one of
 * √, of the division, of the gain: less than 10. Then one of the last sum, and half a unit of
 * float32. */
static long double tolerance(const row *r, long double root, long double product, long double right)
{
    const long double u = 0x1p-53L;
    bool is_f32 = r->type == DTYPE_F32;
    long double mean_error = size_of(r) * (is_f32 ? (r->n / 16 + 8) * u : (r->n + 8) * u * u);
    long double relative = ((is_f32 ? r->n / 32 : 0) + 10) * u;
    int exponent;
    frexpl(right, &exponent);
    return 2 * mean_error / root + relative * fabsl(product) + u * fabsl(right) +
           (is_f32 ? ldexpl(0.5L, exponent - FLT_MANT_DIG) : 0);
}

static bool is_right(const row *r, bool is_rms, double eps)
{
    deviations d = deviations_of(r, is_rms, eps);
    for (size_t j = 0; j < r->n; j++) {
        long double product = deviation(r, j, d.sum) / d.root * numbers_get(r->type, r->gain, j);
        long double right = product + (is_rms ? 0 : numbers_get(r->type, r->bias, j));
        long double error = fabsl(numbers_get(r->type, r->out, j) - right);
        if (!(error <= tolerance(r, d.root, product, right)))
            return false;
    }
    return true;
}

static void check_spread(unit *u, row *r, size_t n, const struct spread *s, uint64_t *state)
{
    row_fill(r, n, s, state);
    bool layer = table(r->type)->row_norm(r->x, n, r->gain, r->bias, s->eps, r->out) &&
                 (n == 1 || is_right(r, false, s->eps));
    bool rms =
        table(r->type)->row_rms_norm(r->x, n, r->gain, s->eps, r->out) && is_right(r, true, s->eps);
    if (!CHECK(u, layer && rms))
        printf("  %s, %zu numbers, about %g: %s norm\n", dtype_name(r->type), n, s->middle,
               layer ? "RMS" : "layer");
}

static void check_rows(unit *u, row *r)
{
    uint64_t state = 21;
    for (size_t n = 1; n <= ROW_MOST; n += n < 40 ? 1 : n) {
        for (size_t i = 0; i < sizeof SPREADS / sizeof SPREADS[0]; i++)
            check_spread(u, r, n, &SPREADS[i], &state);
    }
}

/* ---- rows that are special ---- */

/* Equal numbers of any size have no deviation: the bias, with eps and without. */
static void check_equal(unit *u, row *r)
{
    static const double NUMBERS[] = {0.1, -3.3e7, 1e-30, 1e30};
    for (size_t n = 1; n <= 200; n++) {
        for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
            row_fill(r, n, &SPREADS[0], &(uint64_t){n});
            for (size_t j = 0; j < n; j++)
                numbers_put(r->type, r->x, j, NUMBERS[i]);
            table(r->type)->row_norm(r->x, n, r->gain, r->bias, i % 2 == 0 ? 0 : 1e-5, r->out);
            CHECK(u, numbers_same(r->type, r->out, r->bias, n));
        }
    }
}

/* What float64 does not hold is said, and what is not a number stays none. */
static void check_range(unit *u)
{
    double large[] = {1e200, 1, -1e200}, huge[] = {DBL_MAX, DBL_MAX, 1}, out[3];
    float fine[] = {FLT_MAX, 1, -FLT_MAX}, missing[] = {1, NAN, 3}, of_float[3];
    const kernels *f64 = table(DTYPE_F64), *f32 = table(DTYPE_F32);
    CHECK(u, !f64->row_rms_norm(large, 3, NULL, 0, out));
    CHECK(u, !f64->row_norm(large, 3, NULL, NULL, 0, out));
    CHECK(u, !f64->row_norm(huge, 3, NULL, NULL, 0, out));
    CHECK(u, f32->row_norm(fine, 3, NULL, NULL, 0, of_float) && of_float[0] > 1);
    CHECK(u, f32->row_rms_norm(fine, 3, NULL, 0, of_float) && of_float[0] > 1);
    CHECK(u, !f32->row_norm(missing, 3, NULL, NULL, 0, of_float) && isnan(of_float[0]));
    CHECK(u, !f32->row_rms_norm(missing, 3, NULL, 0, of_float) && isnan(of_float[0]));
    CHECK(u, f32->row_norm(fine, 0, NULL, NULL, 0, of_float));
    CHECK(u, f32->row_rms_norm(fine, 0, NULL, 0, of_float));
}

UNIT(kernel_norm)
{
    check_range(u);
    for (dtype type = DTYPE_F32; type <= DTYPE_F64; type++) {
        row r = row_new(type);
        for (size_t i = 0; i < sizeof SUMS / sizeof SUMS[0]; i++)
            check_sum(u, type, &SUMS[i]);
        check_equal(u, &r);
        if (unit_long_double_is_wide())
            check_rows(u, &r);
        else
            unit_skip(u, "norms: long double is not a wider than double here");
        row_free(&r);
    }
}
