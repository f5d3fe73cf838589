#include "why/ranking.h"

#include "base/mem.h"
#include "compare/measure.h"
#include "why/mistake.h"

#include <math.h>
#include <string.h>

/* ---- how well computed stages are the numbers that somebody got ---- */

/* Two ways to one number differ by roundings of the type, and these grow along chains. */
static const double SAME_F64 = 1e-11, SAME_F32 = 2e-5;

/* Infinite where only one is none, or infinite. */
static double difference_of(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

/* What rounding to the type can be off, of this number. */
static double half_unit(number_type stored, double of)
{
    static const int DIGITS[] = {[NUMBER_F32] = 24, [NUMBER_F16] = 11, [NUMBER_BF16] = 8};
    int exponent;
    if (stored == NUMBER_F64 || !isfinite(of))
        return 0;
    frexp(of, &exponent);
    return ldexp(0.5, exponent - DIGITS[stored]);
}

fit fit_of(const claims *of, const tensor *computed)
{
    fit to = {0, 0, true};
    for (size_t i = 0; i < of->count; i++) {
        const claim *claimed = &of->claim[i];
        tensor numbers, stages;
        if (claimed->numbers == NULL)
            continue;
        if (computed[i].data == NULL ||
            !measure_align(&claimed->numbers->tensor, &computed[i], &numbers, &stages)) {
            to = (fit){INFINITY, 0, false};
            continue;
        }
        double greatest = tensor_greatest(&numbers), unit = greatest > 0 ? greatest : 1;
        element one = {.stage = claimed->name, .rank = numbers.rank, .tol = claimed->tol};
        to.tol = fmax(to.tol, one.tol / unit);
        double wanted[TENSOR_RUN], got[TENSOR_RUN];
        size_t at[TENSOR_MAX_RANK] = {0}, count;
        do {
            count = tensor_get_run(&numbers, at, wanted);
            tensor_get_run(&stages, at, got);
            for (size_t j = 0; j < count; j++) {
                if (wanted[j] == got[j])
                    continue;
                double difference = difference_of(wanted[j], got[j]);
                difference = fmax(0, difference - half_unit(claimed->stored, wanted[j]));
                if (difference == 0 || tensor_is_hole(wanted[j]))
                    continue;
                memcpy(one.index, at, sizeof at);
                one.index[one.rank > 0 ? one.rank - 1 : 0] += j;
                one.wanted = wanted[j];
                one.got = got[j];
                if (of->known != NULL && of->known->is_known(of->known->context, &one))
                    continue;
                to.is_within = to.is_within && difference <= one.tol;
                to.error = fmax(to.error, difference / unit);
            }
        } while (tensor_next_run(&numbers, at, count));
    }
    return to;
}

bool claims_tell(const claims *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (tensor_greatest(&of->claim[i].numbers->tensor) > 0)
            return true;
    }
    return false;
}

size_t claims_nothing_but_nan(const claims *of, element *first)
{
    size_t count = 0;
    for (size_t i = 0; count == 0 && i < of->count; i++) {
        const entry *numbers = of->claim[i].numbers;
        size_t at[TENSOR_MAX_RANK] = {0};
        bool has_others = false; /* holes are not numbers */
        do {
            double value = tensor_get(&numbers->tensor, at);
            has_others = !isnan(value);
            if (has_others || tensor_is_hole(value) || count++ > 0)
                continue;
            *first = (element){
                .stage = of->claim[i].name, .rank = numbers->tensor.rank, .axes = numbers->axes};
            memcpy(first->index, at, sizeof at);
        } while (!has_others && tensor_next(&numbers->tensor, at));
        count = has_others ? 0 : count;
    }
    return count;
}

bool fit_is_same(const claims *of, const tensor *a, const tensor *b)
{
    for (size_t i = 0; i < of->count; i++) {
        size_t at[TENSOR_MAX_RANK] = {0};
        if (of->claim[i].numbers == NULL)
            continue;
        if (!tensor_same_shape(&a[i], &b[i]))
            return false;
        double allowed = (a[i].type == DTYPE_F32 ? SAME_F32 : SAME_F64) * tensor_greatest(&a[i]);
        do {
            if (difference_of(tensor_get(&a[i], at), tensor_get(&b[i], at)) > allowed)
                return false;
        } while (tensor_next(&a[i], at));
    }
    return true;
}

/* ---- rounding ---- */

/* How far off right numbers may be, in the last places of the greatest one of their stage, before
 * they were stored in a type. */
typedef struct rounding_limit {
    number_type computed, stored;
    int digits;  /* binary ones of `computed` */
    double most; /* relative to the greatest */
} rounding_limit;

static const rounding_limit LIMITS[] = {
    {NUMBER_F64, NUMBER_F64, 53, 1e-11},
    {NUMBER_F32, NUMBER_F64, 24, 2e-5},
    {NUMBER_F32, NUMBER_F16, 24, 2e-5},
    {NUMBER_F32, NUMBER_BF16, 24, 2e-5},
};

/* Of numbers of float32 this far off, relative to themselves, are 15 of 16; of copied ones few. */
static const double INEXACT = 0x1p-28;

/* Rounding keeps the order of numbers: what was stored of a number next to the right one lies
 * between what is stored of the ends that they may have. */
static bool lies_between(const element *one, number_type stored, double room)
{
    return number_round(stored, one->got - room) <= one->wanted &&
           one->wanted <= number_round(stored, one->got + room);
}

static bool is_rounded(const claims *of, const tensor *right, const rounding_limit *by,
                       size_t *units)
{
    size_t numbers = 0, inexact = 0;
    for (size_t i = 0; i < of->count; i++) {
        tensor claimed, own;
        int exponent;
        if (!measure_align(&of->claim[i].numbers->tensor, &right[i], &claimed, &own))
            return false;
        double greatest = tensor_greatest(&own);
        frexp(greatest, &exponent);
        element one = {.stage = of->claim[i].name, .rank = claimed.rank, .tol = of->claim[i].tol};
        do {
            one.wanted = tensor_get(&claimed, one.index);
            one.got = tensor_get(&own, one.index);
            bool is_known = of->known != NULL && of->known->is_known(of->known->context, &one);
            if (tensor_is_hole(one.wanted) || is_known || (one.wanted == one.got && one.got == 0))
                continue;
            numbers++;
            inexact += !(fabs(one.wanted - one.got) < INEXACT * fabs(one.got));
            if (number_round(by->stored, one.wanted) != one.wanted)
                return false;
            for (;; ++*units) {
                double room = ldexp((double)*units, exponent - by->digits);
                if (lies_between(&one, by->stored, room))
                    break;
                if (!(room < by->most * greatest))
                    return false;
            }
        } while (tensor_next(&claimed, one.index));
    }
    return by->computed == NUMBER_F64 || 2 * inexact >= numbers;
}

rounding claims_rounding(const claims *of, const tensor *right)
{
    for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++) {
        rounding found = {true, LIMITS[i].computed, 0, LIMITS[i].stored};
        if (is_rounded(of, right, &LIMITS[i], &found.units))
            return found;
    }
    return (rounding){0};
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

/* Numbers beyond the tolerance are still explained by a mistake that comes this much nearer to them
 * than what is right, and near enough to be no accident: someone's float32 is not our float64. */
static const double NEARER = 100;

/* ---- the best ---- */

static void candidate_free(const ranking *r, candidate *one)
{
    for (size_t i = 0; i < r->of->count; i++)
        tensor_free(&one->computed[i]);
    mem_free(one->computed);
    *one = (candidate){0};
}

/* More digits first; else what stands higher in the table, which is what happens more often. */
static bool is_better(const candidate *a, const candidate *b)
{
    int of_a = fit_digits(a->answer.error), of_b = fit_digits(b->answer.error);
    return of_a != of_b ? of_a > of_b : a->order < b->order;
}

void ranking_open(ranking *r, const claims *of, const tensor *right)
{
    *r = (ranking){.of = of, .right = fit_of(of, right)};
}

void ranking_free(ranking *r)
{
    for (size_t i = 0; i < r->count; i++)
        candidate_free(r, &r->found[i]);
}

void ranking_judge(ranking *r, tensor *computed, const made_mistake *made, size_t count, err *e)
{
    fit found = fit_of(r->of, computed);
    candidate one = {.order = r->tried++, .answer = {.together = count, .error = found.error}};
    if (!found.is_within && !(fit_is_near(&found) && found.error * NEARER <= r->right.error))
        return;
    r->has_exact = r->has_exact || found.is_within;
    one.answer.digits = fit_digits_told(&found);
    memcpy(one.answer.made, made, count * sizeof made[0]);
    for (size_t i = 0; i < r->count; i++) {
        why_answer *like = &r->found[i].answer;
        if (!fit_is_same(r->of, r->found[i].computed, computed))
            continue;
        /* The same mistake in fewer places, which gives the same numbers, says nothing new. */
        bool is_listed = like->together == 1 && like->made[0].row == made[0].row;
        for (size_t j = 0; j < like->same_count; j++)
            is_listed |= like->same[j].row == made[0].row;
        if (count == 1 && like->same_count < WHY_SAME && !is_listed)
            like->same[like->same_count++] = made[0];
        return;
    }
    one.computed = mem_alloc_zeroed(r->of->count, sizeof one.computed[0], e);
    if (one.computed == NULL)
        return;
    for (size_t i = 0; i < r->of->count; i++) {
        one.computed[i] = computed[i];
        computed[i] = (tensor){0};
    }
    r->found[r->count++] = one;
    if (r->count <= CANDIDATES)
        return;
    /* Of one too many the worst goes. */
    candidate *worst = &r->found[0];
    for (size_t i = 1; i < r->count; i++)
        worst = is_better(worst, &r->found[i]) ? &r->found[i] : worst;
    candidate_free(r, worst);
    *worst = r->found[--r->count];
}

void ranking_write(const ranking *r, why_answers *to)
{
    bool is_taken[CANDIDATES] = {false};
    while (to->count < r->count && to->count < WHY_ANSWERS) {
        size_t best = CANDIDATES;
        for (size_t i = 0; i < r->count; i++) {
            if (!is_taken[i] && (best == CANDIDATES || is_better(&r->found[i], &r->found[best])))
                best = i;
        }
        is_taken[best] = true;
        to->answer[to->count++] = r->found[best].answer;
    }
}
