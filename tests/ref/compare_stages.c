#include "ref/compare_stages.h"

#include "ref/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One comparison: what is compared, and the first thing that was wrong. */
typedef struct comparison {
    const ref_problem *problem;
    subject subject;
    ref_result reference;
    size_t made;      /* stages that the reference has made, too */
    char wrong[1024]; /* empty: nothing */
} comparison;

static bool says(comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool says(comparison *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->wrong, sizeof c->wrong, format, args);
    va_end(args);
    return false;
}

/* ---- stages ---- */

static double element(const tensor *t, size_t index)
{
    return t->type == DTYPE_F32 ? (double)((const float *)t->data)[index]
                                : ((const double *)t->data)[index];
}

static bool is_within(ref_number right, double got)
{
    if (isinf(right.value))
        return (long double)got == right.value;
    return fabsl((long double)got - right.value) <= right.slip;
}

static bool check_shape(comparison *c, const ref_stage *right, const tensor *got)
{
    char right_shape[SHAPE_TEXT], shape[SHAPE_TEXT];
    if (got == NULL)
        return says(c, "%s is missing", right->name);
    bool is_same = got->rank == right->rank;
    for (int axis = 0; is_same && axis < got->rank; axis++)
        is_same = got->size[axis] == right->size[axis];
    return is_same ||
           says(c, "%s is %s, the reference's %s", right->name, tensor_shape_text(got, shape),
                sizes_text(right->rank, right->size, right_shape));
}

static bool check_stage(comparison *c, ref_stage_id id)
{
    const ref_stage *right = &c->reference.stage[id];
    if (right->at == NULL || right->is_not_made)
        return true;
    const tensor *got = bundle_tensor(&c->subject.result, right->name);
    c->made++;
    if (!check_shape(c, right, got))
        return false;
    for (size_t i = 0; i < right->count; i++) {
        if (!is_within(right->at[i], element(got, i)))
            return says(c, "%s[element %zu of %zu] is %.17g, the reference's %.17Lg ± %.3Lg",
                        right->name, i, right->count, element(got, i), right->at[i].value,
                        right->at[i].slip);
    }
    return true;
}

/* −0 never leaves a product (DESIGN.md §5). */
static bool check_no_negative_zero(comparison *c, ref_stage_id id)
{
    const ref_stage *right = &c->reference.stage[id];
    const tensor *got = bundle_tensor(&c->subject.result, right->name);
    for (size_t i = 0; i < right->count; i++) {
        if (element(got, i) == 0 && signbit(element(got, i)))
            return says(c, "%s[element %zu of %zu] is -0", right->name, i, right->count);
    }
    return true;
}

/* ---- rows of weights ---- */

/* An ulp of the type at a value in its normal range. */
static long double ulp_of(const ref_problem *p, long double value)
{
    int exponent;
    frexpl(value, &exponent);
    return ldexpl(1, exponent - (p->is_float32 ? 24 : 53));
}

/* Σⱼ exp(masked − max), for the program's own masked scores. A sink (−inf: none) is a term too. */
static long double sum_of_row(const tensor *masked, size_t first, size_t n, long double sink,
                              long double *max)
{
    long double sum = 0;
    *max = sink;
    for (size_t j = 0; j < n; j++)
        *max = fmaxl(*max, (long double)element(masked, first + j));
    for (size_t j = 0; j < n && !isinf(*max); j++)
        sum += expl((long double)element(masked, first + j) - *max);
    return isinf(*max) ? 0 : sum + expl(sink - *max);
}

/* Of the row that begins at this element of scores; −inf where there are no sinks. */
static long double sink_of(const comparison *c, size_t first)
{
    const ref_sizes *s = &c->reference.sizes;
    const double *sinks = c->problem->in[REF_SINKS].at;
    return sinks == NULL ? -INFINITY : (long double)sinks[first / s->n_k / s->n_q % s->h];
}

/* Within 3 ulp of the true softmax of the scores given; +0 where that is below the smallest normal
 * number, and where the key is masked. A weight at that border may fall on either side. */
static bool weight_is_right(const ref_problem *p, double got, double masked, long double exact)
{
    long double normal = p->is_float32 ? FLOAT32.normal : FLOAT64.normal;
    if (got == 0)
        return !signbit(got) && (isinf(masked) || exact < normal * (1 + 6 * FLOAT32.unit));
    return !isinf(masked) && (long double)got >= normal &&
           fabsl((long double)got - exact) <= 3 * ulp_of(p, exact);
}

/* Each weight is off by at most two roundings of its own, the division and its share of the sum: so
 * is the row's sum, and each weight may have been flushed. */
static bool check_row(comparison *c, const tensor *masked, const tensor *weights, size_t first,
                      size_t n)
{
    const precision *type = c->problem->is_float32 ? &FLOAT32 : &FLOAT64;
    long double max, sink = sink_of(c, first);
    long double sum = sum_of_row(masked, first, n, sink, &max);
    long double total = sum == 0 ? 0 : expl(sink - max) / sum;
    for (size_t j = first; j < first + n; j++) {
        double from = element(masked, j), got = element(weights, j);
        long double exact = sum == 0 ? 0 : expl((long double)from - max) / sum;
        total += (long double)got;
        if (!weight_is_right(c->problem, got, from, exact))
            return says(c, "weights[element %zu] is %.17g, of its own scores %.17Lg", j, got,
                        exact);
    }
    long double allowed = (isinf(sink) ? 2 : 3) * type->unit + (long double)n * type->normal;
    if (sum == 0 ? total == 0 : fabsl(total - 1) <= allowed)
        return true;
    return says(c, "weights[row from element %zu] sum to 1 + %.3Lg, allowed ± %.3Lg", first,
                total - 1, allowed);
}

static bool check_rows(comparison *c)
{
    const tensor *masked = bundle_tensor(&c->subject.result, "masked");
    const tensor *weights = bundle_tensor(&c->subject.result, "weights");
    size_t n = c->reference.sizes.n_k, count = tensor_count(weights), empty = 0;
    for (size_t first = 0; first < count; first += n) {
        long double max;
        empty += sum_of_row(masked, first, n, -INFINITY, &max) == 0;
        if (!check_row(c, masked, weights, first, n))
            return false;
    }
    return c->subject.report.empty_rows == empty ||
           says(c, "%zu rows are said to be empty, %zu are", c->subject.report.empty_rows, empty);
}

/* ---- a problem ---- */

/* No stage that the definition does not have. */
static bool check_count(comparison *c)
{
    size_t count = c->subject.result.count;
    return c->made == count ||
           says(c, "there are %zu stages, the reference has %zu", count, c->made);
}

static bool check_up_to_weights(comparison *c)
{
    bool is_right = true;
    for (ref_stage_id id = REF_STAGE_X; is_right && id <= REF_STAGE_WEIGHTS; id++)
        is_right = check_stage(c, id);
    return is_right && check_no_negative_zero(c, REF_STAGE_SCORES) && check_rows(c);
}

static bool check_from_weights(comparison *c)
{
    const tensor *weights = bundle_tensor(&c->subject.result, "weights");
    size_t count = tensor_count(weights);
    double *found = ref_alloc(count, sizeof found[0]);
    for (size_t i = 0; i < count; i++)
        found[i] = element(weights, i);
    ref_compute_rounded(c->problem, found, &c->reference);
    free(found);
    ref_compute_output(c->problem, &c->reference);
    bool is_right = true;
    for (ref_stage_id id = REF_STAGE_ROUNDED; is_right && id < REF_STAGES; id++)
        is_right = check_stage(c, id);
    return is_right && check_count(c) && check_no_negative_zero(c, REF_STAGE_WEIGHTED) &&
           check_no_negative_zero(c, REF_STAGE_ATTENDED) &&
           (c->problem->in[REF_WO].at == NULL || check_no_negative_zero(c, REF_STAGE_OUTPUT));
}

bool compare_stages(const ref_problem *p, char *wrong, size_t size)
{
    comparison c = {.problem = p};
    bool is_right;
    if (!subject_run(&c.subject, p, &(subject_way){.threads = 1})) {
        is_right = says(&c, "refused: %s", c.subject.failure.what);
    } else {
        ref_compute_weights(p, &c.reference);
        is_right = check_up_to_weights(&c) && check_from_weights(&c);
    }
    snprintf(wrong, size, "%s", c.wrong);
    ref_result_free(&c.reference);
    subject_free(&c.subject);
    return is_right;
}
