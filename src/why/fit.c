#include "why/fit.h"

#include "compare/measure.h"

#include <math.h>
#include <string.h>

/* Two ways to one number differ by roundings of the type, and these grow along chains. */
static const double SAME_F64 = 1e-11, SAME_F32 = 2e-5;

static double greatest_of(const tensor *t)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    double greatest = 0;
    do {
        double size = fabs(tensor_get(t, at));
        if (isfinite(size) && size > greatest)
            greatest = size;
    } while (tensor_next(t, at));
    return greatest;
}

/* Infinite where only one is none, or infinite. */
static double difference_of(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

static bool is_left_out(const claims *of, const element *one)
{
    return tensor_is_hole(one->wanted) ||
           (of->known != NULL && of->known->is_known(of->known->context, one));
}

static void fit_stage(const claims *of, const claim *one_of, const tensor *computed, fit *to)
{
    tensor numbers, stages;
    if (computed->data == NULL ||
        !measure_align(&one_of->numbers->tensor, computed, &numbers, &stages)) {
        *to = (fit){INFINITY, 0, false};
        return;
    }
    double greatest = greatest_of(&numbers), unit = greatest > 0 ? greatest : 1;
    element one = {.stage = one_of->name, .rank = numbers.rank, .tol = one_of->tol};
    to->tol = fmax(to->tol, one.tol / unit);
    do {
        one.wanted = tensor_get(&numbers, one.index);
        one.got = tensor_get(&stages, one.index);
        double difference = difference_of(one.wanted, one.got);
        if (difference == 0 || is_left_out(of, &one))
            continue;
        to->is_within = to->is_within && difference <= one.tol;
        to->error = fmax(to->error, difference / unit);
    } while (tensor_next(&numbers, one.index));
}

fit fit_of(const claims *of, const tensor *computed)
{
    fit found = {0, 0, true};
    for (size_t i = 0; i < of->count; i++) {
        if (of->claim[i].numbers != NULL)
            fit_stage(of, &of->claim[i], &computed[i], &found);
    }
    return found;
}

bool claims_tell(const claims *of)
{
    for (size_t i = 0; i < of->count; i++) {
        const entry *numbers = of->claim[i].numbers;
        if (numbers != NULL && greatest_of(&numbers->tensor) > 0)
            return true;
    }
    return false;
}

/* Holes are not numbers; 0 where one is none of them. */
static size_t count_nans(const claim *one, element *first)
{
    const tensor *numbers = &one->numbers->tensor;
    size_t at[TENSOR_MAX_RANK] = {0}, count = 0;
    do {
        double value = tensor_get(numbers, at);
        if (tensor_is_hole(value))
            continue;
        if (!isnan(value))
            return 0;
        if (count++ > 0)
            continue;
        *first = (element){.stage = one->name, .rank = numbers->rank, .axes = one->numbers->axes};
        memcpy(first->index, at, sizeof at);
    } while (tensor_next(numbers, at));
    return count;
}

size_t claims_nothing_but_nan(const claims *of, element *first)
{
    size_t count = 0;
    for (size_t i = 0; count == 0 && i < of->count; i++) {
        if (of->claim[i].numbers != NULL)
            count = count_nans(&of->claim[i], first);
    }
    return count;
}

static bool is_same_stage(const tensor *a, const tensor *b)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    if (!tensor_same_shape(a, b))
        return false;
    double allowed = (a->type == DTYPE_F32 ? SAME_F32 : SAME_F64) * greatest_of(a);
    do {
        if (difference_of(tensor_get(a, at), tensor_get(b, at)) > allowed)
            return false;
    } while (tensor_next(a, at));
    return true;
}

bool fit_is_same(const claims *of, const tensor *a, const tensor *b)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->claim[i].numbers != NULL && !is_same_stage(&a[i], &b[i]))
            return false;
    }
    return true;
}

bool fit_is_near(const fit *one)
{
    static const double NEAR = 1e-3;
    return one->is_within || one->error <= NEAR;
}

int fit_digits(double error)
{
    if (!(error > 1e-15))
        return 15;
    return error >= 1 ? 0 : (int)-log10(error);
}

int fit_digits_told(const fit *one)
{
    static const double NO_ACCIDENT = 100;
    bool is_far_nearer = one->error * NO_ACCIDENT <= one->tol;
    return fit_digits(one->is_within && !is_far_nearer ? fmax(one->error, one->tol) : one->error);
}
