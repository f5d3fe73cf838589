#include "why/why.h"

#include "base/mem.h"

/* Every pair of mistakes is some thousand attempts: only where one is done at once. */
static const double PAIRS_MOST = 20000;

typedef struct search {
    const why_question *of;
    claims claims;
    bool wanted[STAGE_COUNT];
    attempt right;
    ranking ranking;
} search;

static void begin(const search *s, attempt *a, const attempt *right)
{
    attempt_open(a, s->of->problem, s->of->with, s->of->threads, s->wanted, right);
}

static bool try_mistakes(search *s, const mistake *const *made, size_t count, err *e)
{
    attempt a;
    made_mistake names[WHY_TOGETHER] = {{0}};
    for (size_t i = 0; i < count; i++)
        names[i].row = &made[i]->named;
    begin(s, &a, &s->right);
    if (attempt_make(&a, made, count, e))
        ranking_judge(&s->ranking, a.stage, names, count, e);
    attempt_free(&a);
    return !e->is_set;
}

static bool try_each(search *s, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < named_count(&MISTAKES); i++) {
        const mistake *one = mistake_at(i);
        done = try_mistakes(s, &one, 1, e);
    }
    return done;
}

/* What changes only digits comes alone: with a second mistake nobody would notice it. */
static bool try_pairs(search *s, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < named_count(&MISTAKES); i++) {
        for (size_t j = i + 1; done && j < named_count(&MISTAKES); j++) {
            const mistake *both[] = {mistake_at(i), mistake_at(j)};
            if (!both[0]->is_of_digits && !both[1]->is_of_digits)
                done = try_mistakes(s, both, 2, e);
        }
    }
    return done;
}

static bool find(search *s, why_answers *to, err *e)
{
    begin(s, &s->right, NULL);
    if (!attempt_make(&s->right, NULL, 0, e))
        return !e->is_set;
    ranking_open(&s->ranking, &s->claims, s->right.stage);
    to->nans = claims_nothing_but_nan(&s->claims, &to->first_nan);
    if (s->ranking.right.is_within || to->nans > 0)
        return true;
    to->right_digits = fit_digits(s->ranking.right.error);
    if (!try_each(s, e))
        return false;
    to->tried_pairs =
        ranking_wants_pairs(&s->ranking) && plan_operations(&s->right.plan) <= PAIRS_MOST;
    if (to->tried_pairs && !try_pairs(s, e))
        return false;
    ranking_write(&s->ranking, to);
    return true;
}

void why_question_claim(why_question *q, stage_id id, const entry *numbers, double tol)
{
    q->claim[id] = (claim){stage_row(id)->key.named.name, numbers, tol};
}

claims why_question_claims(const why_question *q)
{
    return (claims){q->claim, STAGE_COUNT, q->known};
}

bool why_find(why_answers *to, const why_question *of, err *e)
{
    *to = (why_answers){0};
    search *s = mem_alloc_zeroed(1, sizeof *s, e);
    if (s == NULL)
        return false;
    s->of = of;
    s->claims = why_question_claims(of);
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        s->wanted[id] = of->claim[id].numbers != NULL;
    bool done = find(s, to, e);
    ranking_free(&s->ranking);
    attempt_free(&s->right);
    mem_free(s);
    return done;
}
