/* What a row of weights comes to. */
#include "ref/ref_parts.h"

#include <math.h>

/* max + ln sum, within 2 units of float64, and rounded to the type. However the scores slip, the
 * greatest adds 1 to the sum. */
static ref_number logsumexp(const ref_problem *p, ref_number max, ref_number sum)
{
    if (sum.value == 0)
        return number_exact(-INFINITY);
    long double value = logl(sum.value), least = fmaxl(sum.value - sum.slip, 1 - 4 * FLOAT32.unit);
    long double slip = fmaxl(logl(sum.value + sum.slip) - value, value - logl(least));
    ref_number log = {value, slip + 4 * FLOAT64.unit * fabsl(value)};
    ref_number both = number_add(&FLOAT64, max, log);
    return p->is_float32 ? number_add(&FLOAT32, both, number_exact(0)) : both;
}

/* −Σ w·ln w: each term and each sum within 2 units of float64. */
static ref_number entropy(const ref_problem *p, const double *weights, size_t n)
{
    long double sum = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
        long double w = (long double)weights[j];
        long double term = w == 0 ? 0 : -w * logl(ref_makes(p, "entropy") ? 2 * w : w);
        sum += term;
        size += fabsl(term);
    }
    ref_number all = {sum, 2 * FLOAT64.unit * size * (long double)(n + 1)};
    return p->is_float32 ? number_add(&FLOAT32, all, number_exact(0)) : all;
}

/* Each key is after all that have more weight, and after earlier ones that have the same. */
static void find_top(const ref_problem *p, const double *weights, size_t n, ref_number *top)
{
    for (size_t t = 0; t < p->top; t++)
        top[t] = number_exact(-1);
    for (size_t j = 0; j < n; j++) {
        size_t before = 0;
        for (size_t other = 0; other < n; other++)
            before +=
                weights[other] > weights[j] ||
                (weights[other] == weights[j] && (ref_makes(p, "top") ? other > j : other < j));
        if (weights[j] > 0 && before < p->top)
            top[before] = number_exact((long double)j);
    }
}

void ref_compute_statistics(const ref_problem *p, const double *weights, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_number *max = r->stage[REF_STAGE_ROW_MAX].at, *sum = r->stage[REF_STAGE_ROW_SUM].at;
    ref_number *lse = ref_stage_new(r, REF_STAGE_LOGSUMEXP, "logsumexp", "bhq", 1);
    ref_number *spread = ref_stage_new(r, REF_STAGE_ENTROPY, "entropy", "bhq", 1);
    ref_number *top = ref_stage_new(r, REF_STAGE_TOP, "top", "bhq", p->top);
    r->stage[REF_STAGE_TOP].is_not_made = p->top == 0;
    for (size_t row = 0; row < s->b * s->h * s->n_q; row++, weights += s->n_k) {
        lse[row] = logsumexp(p, max[row], sum[row]);
        spread[row] = entropy(p, weights, s->n_k);
        find_top(p, weights, s->n_k, top + row * p->top);
    }
}
