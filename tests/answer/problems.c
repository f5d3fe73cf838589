#include "answer/problems.h"

#include "ref/dice.h"

#include <math.h>
#include <string.h>

enum { WALKS = 2 * PROBLEM_SIZES, RANDOMS = 700, SEED = 77 };

/* q, k, v given, n_q × d, n_k × d, n_k × d_v; `causal` NULL: not. */
typedef struct shape {
    bool is_float32;
    size_t n_q, n_k, d, d_v;
    const char *causal;
} shape;

/* Blocks of many rows and of few, chains longer than a panel is deep, one row as a decoder asks for
 * it. */
static const shape LARGE[] = {
    {true, 1000, 1003, 64, 64, NULL},        {true, 1030, 2053, 16, 40, "upper-left"},
    {true, 1, 4099, 64, 64, NULL},           {true, 5, 16384, 32, 32, NULL},
    {false, 70, 3001, 24, 8, "lower-right"}, {false, 1025, 520, 33, 17, "upper-left"},
    {true, 3, 5, 2048, 1100, "lower-right"},
};
enum { LARGES = sizeof LARGE / sizeof LARGE[0] };

/* What stands between scores and weights, over many blocks: windows that skip columns in front of
 * them and after. */
static const struct variant {
    shape of;
    long window[2];
    double softcap;
    bool has_alibi, has_sink, is_appended;
} VARIANT[] = {
    {{true, 700, 1900, 24, 20, "lower-right"}, {200, -1}, 0, false, false, false},
    {{false, 500, 700, 20, 12, NULL}, {70, 33}, 0, true, false, false},
    {{true, 300, 900, 32, 24, "upper-left"}, {-1, -1}, 30, true, true, true},
    {{false, 150, 400, 9, 30, "lower-right"}, {130, 0}, 0.5, false, true, true},
    {{true, 1200, 1200, 16, 16, NULL}, {0, 64}, 0, true, true, false},
};
enum { VARIANTS = sizeof VARIANT / sizeof VARIANT[0] };

/* Where numbers that are not finite are put. */
static const struct nonfinite {
    shape of;
    ref_input in;
    double number;
} NONFINITE[] = {
    {{true, 9, 21, 5, 19, NULL}, REF_V, INFINITY},
    {{true, 9, 21, 5, 19, "upper-left"}, REF_V, NAN},
    {{true, 17, 40, 12, 3, "upper-left"}, REF_K, INFINITY},
    {{true, 17, 40, 12, 3, NULL}, REF_Q, -INFINITY},
    {{true, 8, 33, 7, 7, NULL}, REF_K, NAN},
    {{false, 9, 21, 5, 19, NULL}, REF_V, -INFINITY},
    {{false, 17, 40, 12, 3, "lower-right"}, REF_K, INFINITY},
    {{false, 8, 33, 7, 7, "upper-left"}, REF_Q, NAN},
};
enum { NONFINITES = sizeof NONFINITE / sizeof NONFINITE[0] };

/* 24 bits in [−1, 1) · spread: where the spread is a power of two, a float32 without rounding. */
static void add_matrix(ref_problem *p, ref_input which, size_t rows, size_t columns, double spread,
                       dice *d)
{
    ref_array *a = &p->in[which];
    *a = (ref_array){2, {rows, columns, 0, 0}, ref_alloc(rows * columns, sizeof(double))};
    for (size_t i = 0; i < rows * columns; i++) {
        double whole = (double)(dice_bits(d) >> 40);
        a->at[i] = (whole * 0x1p-23 - 1) * spread;
    }
}

static void make_shape(ref_problem *p, const shape *of, double spread, dice *d)
{
    *p = (ref_problem){.is_float32 = of->is_float32, .causal = of->causal, .round_decimals = -1};
    add_matrix(p, REF_Q, of->n_q, of->d, spread, d);
    add_matrix(p, REF_K, of->n_k, of->d, spread, d);
    add_matrix(p, REF_V, of->n_k, of->d_v, spread, d);
}

/* The same, each projected from rows of width m, and the result by Wo. */
static void project(ref_problem *p, const shape *of, size_t m, dice *d)
{
    ref_problem_free(p);
    *p = (ref_problem){.is_float32 = of->is_float32, .causal = of->causal, .round_decimals = -1};
    add_matrix(p, REF_X, of->n_q, m, 1, d);
    add_matrix(p, REF_XK, of->n_k, m, 1, d);
    add_matrix(p, REF_WQ, m, of->d, 0.25, d);
    add_matrix(p, REF_WK, m, of->d, 0.25, d);
    add_matrix(p, REF_WV, m, of->d_v, 0.25, d);
    add_matrix(p, REF_WO, of->d_v, m, 0.25, d);
}

/* The factors have no divisor in common with 130, so each length takes every value. */
static size_t size_after(size_t n, size_t factor)
{
    return 1 + n * factor % PROBLEM_SIZES;
}

static void make_walk(ref_problem *p, size_t number, dice *d)
{
    static const char *const CAUSAL[] = {NULL, "upper-left", "lower-right"};
    /* Most weights alike; most weights 0; products that are subnormal in float32. */
    static const double SPREADS[] = {1, 1, 8, 1, 0x1p-66};
    size_t n = number % PROBLEM_SIZES;
    shape of = {number < PROBLEM_SIZES, n + 1,
                size_after(n, 37),      size_after(n, 59),
                size_after(n, 101),     CAUSAL[n / 2 % 3]};
    make_shape(p, &of, SPREADS[n % 5], d);
    if ((n + of.is_float32) % 2 == 0)
        project(p, &of, size_after(n, 23), d);
}

static void make_variant(ref_problem *p, const struct variant *row, dice *d)
{
    make_shape(p, &row->of, 1, d);
    p->has_window = true;
    memcpy(p->window, row->window, sizeof p->window);
    p->softcap = row->softcap;
    p->has_alibi = row->has_alibi;
    p->adds_zero = row->is_appended;
    if (row->has_sink)
        add_matrix(p, REF_SINKS, 1, 1, 1, d);
    if (row->is_appended) {
        add_matrix(p, REF_BIAS_K, 1, row->of.d, 1, d);
        add_matrix(p, REF_BIAS_V, 1, row->of.d_v, 1, d);
    }
}

static void make_nonfinite(ref_problem *p, const struct nonfinite *row, dice *d)
{
    make_shape(p, &row->of, 1, d);
    ref_array *a = &p->in[row->in];
    for (size_t i = 3; i < ref_count_of(a); i += 1 + ref_count_of(a) / 3)
        a->at[i] = row->number;
}

/* Where each kind of problem begins. */
enum {
    FIRST_LARGE = WALKS + RANDOMS,
    FIRST_VARIANT = FIRST_LARGE + LARGES,
    FIRST_NONFINITE = FIRST_VARIANT + VARIANTS
};

size_t problems_count(void)
{
    return FIRST_NONFINITE + NONFINITES;
}

void problem_make(ref_problem *p, size_t number)
{
    dice d = {SEED + number};
    if (number < WALKS)
        make_walk(p, number, &d);
    else if (number < FIRST_LARGE)
        ref_random_problem(p, SEED, number);
    else if (number < FIRST_VARIANT)
        make_shape(p, &LARGE[number - FIRST_LARGE], 1, &d);
    else if (number < FIRST_NONFINITE)
        make_variant(p, &VARIANT[number - FIRST_VARIANT], &d);
    else
        make_nonfinite(p, &NONFINITE[number - FIRST_NONFINITE], &d);
}

bool problem_is_nonfinite(size_t number)
{
    return number >= FIRST_NONFINITE;
}
