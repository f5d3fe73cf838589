#include "why/why.h"

#include "base/mem.h"
#include "why/fit.h"

#include <math.h>
#include <string.h>

/* Numbers beyond the tolerance are still explained by a mistake that comes this much nearer to them
 * than what is right, and near enough to be no accident: someone's float32 is not our float64. */
static const double NEARER = 100, NEAR = 1e-3;

/* Every pair of mistakes is some thousand attempts: only where one is done at once. */
static const double PAIRS_MOST = 20000;

enum { CANDIDATES = 24 };

typedef struct candidate {
    why_answer answer;
    tensor stage[STAGE_COUNT]; /* those asked about */
    size_t order;              /* in which it was tried */
} candidate;

typedef struct search {
    const why_question *of;
    bool wanted[STAGE_COUNT];
    attempt right;
    fit right_fit;
    candidate found[CANDIDATES];
    size_t count, tried;
} search;

static void begin(const search *s, attempt *a, const attempt *right)
{
    attempt_open(a, s->of->problem, s->of->with, s->of->threads, s->wanted, right);
}

static bool explains(const search *s, const fit *one)
{
    return one->is_within || (one->error <= NEAR && one->error * NEARER <= s->right_fit.error);
}

static void candidate_free(candidate *one)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        tensor_free(&one->stage[id]);
    *one = (candidate){0};
}

/* More digits first; else what stands higher in the table, which is what happens more often. */
static bool is_better(const candidate *a, const candidate *b)
{
    int of_a = fit_digits(a->answer.error), of_b = fit_digits(b->answer.error);
    return of_a != of_b ? of_a > of_b : a->order < b->order;
}

static candidate *same_as(search *s, const attempt *a)
{
    for (size_t i = 0; i < s->count; i++) {
        if (fit_is_same(s->of, s->found[i].stage, a->stage))
            return &s->found[i];
    }
    return NULL;
}

/* The last place, once the worst has left it. */
static candidate *free_place(search *s, const candidate *one)
{
    if (s->count < CANDIDATES)
        return &s->found[s->count++];
    candidate *worst = &s->found[0];
    for (size_t i = 1; i < s->count; i++)
        worst = is_better(worst, &s->found[i]) ? &s->found[i] : worst;
    if (!is_better(one, worst))
        return NULL;
    candidate_free(worst);
    return worst;
}

static void keep(search *s, attempt *a, const mistake *const *made, size_t count, const fit *found)
{
    candidate one = {.order = s->tried, .answer = {.together = count, .error = found->error}};
    one.answer.digits =
        fit_digits(found->is_within ? fmax(found->error, found->tol) : found->error);
    memcpy(one.answer.made, made, count * sizeof made[0]);
    candidate *to = same_as(s, a);
    if (to != NULL) {
        if (count == 1 && to->answer.same_count < WHY_SAME)
            to->answer.same[to->answer.same_count++] = made[0];
        return;
    }
    to = free_place(s, &one);
    if (to == NULL)
        return;
    *to = one;
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (s->of->numbers[id] == NULL)
            continue;
        to->stage[id] = a->stage[id];
        a->stage[id] = (tensor){0};
    }
}

static bool try_mistakes(search *s, const mistake *const *made, size_t count, err *e)
{
    attempt a;
    begin(s, &a, &s->right);
    s->tried++;
    if (attempt_make(&a, made, count, e)) {
        fit found = fit_of(s->of, a.stage);
        if (explains(s, &found))
            keep(s, &a, made, count, &found);
    }
    attempt_free(&a);
    return !e->is_set;
}

static const mistake *mistake_at(size_t index)
{
    return (const mistake *)(const void *)named_row(&MISTAKES, index);
}

static bool try_each(search *s, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < MISTAKES.count; i++) {
        const mistake *one = mistake_at(i);
        done = try_mistakes(s, &one, 1, e);
    }
    return done;
}

/* What changes only digits comes alone: with a second mistake nobody would notice it. */
static bool try_pairs(search *s, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < MISTAKES.count; i++) {
        for (size_t j = i + 1; done && j < MISTAKES.count; j++) {
            const mistake *both[] = {mistake_at(i), mistake_at(j)};
            if (!both[0]->is_of_digits && !both[1]->is_of_digits)
                done = try_mistakes(s, both, 2, e);
        }
    }
    return done;
}

static void sort_answers(search *s, why_answers *to)
{
    bool is_taken[CANDIDATES] = {false};
    while (to->count < s->count && to->count < WHY_ANSWERS) {
        size_t best = CANDIDATES;
        for (size_t i = 0; i < s->count; i++) {
            if (!is_taken[i] && (best == CANDIDATES || is_better(&s->found[i], &s->found[best])))
                best = i;
        }
        is_taken[best] = true;
        to->answer[to->count++] = s->found[best].answer;
    }
}

static bool find(search *s, why_answers *to, err *e)
{
    begin(s, &s->right, NULL);
    if (!attempt_make(&s->right, NULL, 0, e))
        return !e->is_set;
    s->right_fit = fit_of(s->of, s->right.stage);
    if (s->right_fit.is_within)
        return true;
    to->right_digits = fit_digits(s->right_fit.error);
    if (!try_each(s, e))
        return false;
    to->tried_pairs = s->count == 0 && plan_operations(&s->right.plan) <= PAIRS_MOST;
    if (to->tried_pairs && !try_pairs(s, e))
        return false;
    sort_answers(s, to);
    return true;
}

bool why_find(why_answers *to, const why_question *of, err *e)
{
    *to = (why_answers){0};
    search *s = mem_alloc_zeroed(1, sizeof *s, e);
    if (s == NULL)
        return false;
    s->of = of;
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        s->wanted[id] = of->numbers[id] != NULL;
    bool done = find(s, to, e);
    for (size_t i = 0; i < s->count; i++)
        candidate_free(&s->found[i]);
    attempt_free(&s->right);
    mem_free(s);
    return done;
}
