#include "why/overlooked.h"

#include "base/mem.h"
#include "compare/measure.h"

#include <math.h>

/* What was recorded may come from someone's float32. */
static const double SAME_F32 = 2e-5;

typedef struct trial {
    const overlooked_question *of;
    claims claims;
    bool wanted[STAGE_COUNT];
    attempt right;
    overlooked *to;
} trial;

static void begin(trial *t, attempt *a, const attempt *right)
{
    const why_question *of = &t->of->of;
    attempt_open(a, of->problem, of->with, of->threads, t->wanted, right);
}

/* Whether what the problem gives is what was recorded, with the tolerance or nearly. */
static bool is_recorded(const trial *t)
{
    fit found = fit_of(&t->claims, t->right.stage);
    double allowed = SAME_F32;
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (t->wanted[id])
            allowed = fmax(allowed, t->of->within[id].rtol);
    }
    return found.is_within || found.error <= allowed;
}

static bool passes_stage(const trial *t, stage_id id, const tensor *mistaken)
{
    tensor a, b;
    const tensor *right = &t->right.stage[id];
    if (mistaken->data == NULL || !measure_align(right, mistaken, &a, &b))
        return false;
    measured_side side_a = {.of = &a}, side_b = {.of = &b};
    return measure(side_a, side_b, t->of->type[id], &t->of->within[id]).different == 0;
}

static bool passes(const trial *t, const attempt *a)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (t->wanted[id] && !passes_stage(t, id, &a->stage[id]))
            return false;
    }
    return true;
}

static bool keep(overlooked *to, const mistake *made, err *e)
{
    const mistake **larger = mem_grow(to->made, to->count, &to->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    to->made = larger;
    to->made[to->count++] = made;
    return true;
}

static bool try_mistake(trial *t, const mistake *made, err *e)
{
    attempt a;
    begin(t, &a, &t->right);
    if (attempt_make(&a, &made, 1, e) && !fit_is_same(&t->claims, t->right.stage, a.stage)) {
        t->to->tried++;
        if (passes(t, &a))
            keep(t->to, made, e);
    }
    attempt_free(&a);
    return !e->is_set;
}

static bool try_each(trial *t, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < MISTAKES.count; i++) {
        const mistake *one = mistake_at(i);
        done = one->is_of_digits || try_mistake(t, one, e);
    }
    return done;
}

/* 0 where the problem can't be computed, which the first attempt finds as well. */
static double operations_of(const why_question *of)
{
    err refused = {0};
    plan p;
    double operations = plan_make(&p, of->problem, of->with, &refused) ? plan_operations(&p) : 0;
    plan_free(&p);
    return operations;
}

bool overlooked_find(overlooked *to, const overlooked_question *of, err *e)
{
    *to = (overlooked){.operations = operations_of(&of->of)};
    if (to->operations > OVERLOOKED_OPERATIONS)
        return true;
    trial t = {.of = of, .claims = why_question_claims(&of->of), .to = to};
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        t.wanted[id] = of->of.claim[id].numbers != NULL;
    begin(&t, &t.right, NULL);
    to->is_other = !attempt_make(&t.right, NULL, 0, e) || !is_recorded(&t);
    bool done = !e->is_set && (to->is_other || try_each(&t, e));
    attempt_free(&t.right);
    return done;
}

void overlooked_free(overlooked *to)
{
    mem_free(to->made);
    *to = (overlooked){0};
}
