#include "why/ranking.h"

#include "base/mem.h"

#include <string.h>

/* Numbers beyond the tolerance are still explained by a mistake that comes this much nearer to them
 * than what is right, and near enough to be no accident: someone's float32 is not our float64. */
static const double NEARER = 100;

static bool explains(const ranking *r, const fit *one)
{
    return one->is_within || (fit_is_near(one) && one->error * NEARER <= r->right.error);
}

static void candidate_free(const ranking *r, candidate *one)
{
    for (size_t i = 0; i < r->of->count && one->computed != NULL; i++)
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

static candidate *same_as(ranking *r, const tensor *computed)
{
    for (size_t i = 0; i < r->count; i++) {
        if (fit_is_same(r->of, r->found[i].computed, computed))
            return &r->found[i];
    }
    return NULL;
}

/* The last place, once the worst has left it. */
static candidate *free_place(ranking *r, const candidate *one)
{
    if (r->count < CANDIDATES)
        return &r->found[r->count++];
    candidate *worst = &r->found[0];
    for (size_t i = 1; i < r->count; i++)
        worst = is_better(worst, &r->found[i]) ? &r->found[i] : worst;
    if (!is_better(one, worst))
        return NULL;
    candidate_free(r, worst);
    return worst;
}

/* The same mistake in fewer places, which gives the same numbers, says nothing new. */
static bool is_listed(const why_answer *in, const named *row)
{
    bool is_there = in->together == 1 && in->made[0].row == row;
    for (size_t i = 0; i < in->same_count; i++)
        is_there = is_there || in->same[i].row == row;
    return is_there;
}

static bool keep(ranking *r, tensor *computed, const candidate *one, err *e)
{
    candidate *to = same_as(r, computed);
    if (to != NULL) {
        if (one->answer.together == 1 && to->answer.same_count < WHY_SAME &&
            !is_listed(&to->answer, one->answer.made[0].row))
            to->answer.same[to->answer.same_count++] = one->answer.made[0];
        return true;
    }
    to = free_place(r, one);
    if (to == NULL)
        return true;
    *to = *one;
    to->computed = mem_alloc_zeroed(r->of->count, sizeof to->computed[0], e);
    for (size_t i = 0; i < r->of->count && to->computed != NULL; i++) {
        if (r->of->claim[i].numbers == NULL)
            continue;
        to->computed[i] = computed[i];
        computed[i] = (tensor){0};
    }
    return to->computed != NULL;
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

bool ranking_judge(ranking *r, tensor *computed, const made_mistake *made, size_t count, err *e)
{
    fit found = fit_of(r->of, computed);
    candidate one = {.order = r->tried++, .answer = {.together = count, .error = found.error}};
    if (!explains(r, &found))
        return true;
    r->has_exact = r->has_exact || found.is_within;
    one.answer.digits = fit_digits_told(&found);
    memcpy(one.answer.made, made, count * sizeof made[0]);
    return keep(r, computed, &one, e);
}

bool ranking_wants_pairs(const ranking *r)
{
    return r->count == 0 && claims_tell(r->of);
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
