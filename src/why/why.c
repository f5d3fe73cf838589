#include "why/why.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* ---- an attention or layers, computed with mistakes ---- */

/* Those of layers, of an attention none. */
static size_t own_mistakes(const why_question *of)
{
    return of->problem == NULL ? named_count(&STACK_MISTAKES) : 0;
}

size_t work_mistakes(const why_question *of)
{
    return own_mistakes(of) + named_count(&MISTAKES);
}

any_mistake work_mistake(const why_question *of, size_t index)
{
    size_t own = own_mistakes(of);
    return index < own ? (any_mistake){.of_stack = stack_mistake_at(index)}
                       : (any_mistake){.of_attention = mistake_at(index - own)};
}

bool work_attempt_make(work_attempt *a, const why_question *of, const work_attempt *right,
                       const stack_scope *where, const any_mistake *made, size_t count, err *e)
{
    const mistake *wrong[WHY_TOGETHER];
    stage_id ids[STAGE_COUNT];
    bool keeps_weighted = false;
    a->of = of;
    a->right = right;
    a->computed = NULL;
    if (of->problem == NULL) {
        bool done = stack_attempt_make(&a->layers, of, where, made, count, e);
        a->computed = a->layers.computed;
        return done;
    }
    for (size_t i = 0; i < count; i++)
        wrong[i] = made[i].of_attention;
    for (size_t i = 0; i < of->claims.count; i++) {
        const char *name = of->claims.claim[i].name;
        ids[i] = stage_of(named_find(&STAGES, name, strlen(name)));
        keeps_weighted = keeps_weighted || ids[i] == STAGE_WEIGHTED;
    }
    attempt_open(&a->attention, of->problem, of->with, of->threads, keeps_weighted,
                 right == NULL ? NULL : &right->attention);
    if (!attempt_make(&a->attention, wrong, count, e))
        return false;
    a->computed = a->of_attention;
    /* Mistakes look at the right one's stages, which it keeps. */
    for (size_t i = 0; i < of->claims.count; i++) {
        a->of_attention[i] = a->attention.stage[ids[i]];
        if (right != NULL)
            a->attention.stage[ids[i]] = (tensor){0};
    }
    return true;
}

void work_attempt_free(work_attempt *a)
{
    if (a->of->problem == NULL) {
        stack_attempt_free(&a->layers);
        return;
    }
    for (size_t i = 0; i < a->of->claims.count; i++) {
        if (a->computed != NULL && a->right != NULL)
            tensor_free(&a->of_attention[i]);
    }
    attempt_free(&a->attention);
}

/* Every pair of mistakes is some thousand attempts: only where one is done at once; so is every
 * mistake in every layer. */
static const double PAIRS_MOST = 20000, LAYERS_MOST = 1e9;

typedef struct search {
    const why_question *of;
    work_attempt right;
    ranking ranking;
    size_t layers;
    bool is_crossed; /* has cross-attention somewhere */
} search;

/* What changes only digits comes alone: with a second mistake nobody would notice it. */
static bool comes_alone(const any_mistake *one)
{
    return one->of_stack != NULL ? one->of_stack->is_of_digits : one->of_attention->is_of_digits;
}

/* ---- scopes ---- */

static stack_scope whole_of(const search *s)
{
    return (stack_scope){true, 0, s->layers, true, true};
}

/* ---- trying ---- */

/* Where a mistake was made is "layer.1.cross", "cross", or "". */
static bool try_made(search *s, const stack_scope *where, const any_mistake *made, size_t count,
                     err *e)
{
    work_attempt a;
    made_mistake names[WHY_TOGETHER] = {{0}};
    const char *kind = part_name(where->self ? PART_ATTENTION : PART_CROSS);
    for (size_t i = 0; i < count; i++) {
        bool is_part = made[i].of_attention != NULL && s->is_crossed && where->self != where->cross;
        const char *part = is_part ? kind : "";
        names[i].row = any_mistake_row(&made[i]);
        if (where->is_whole)
            snprintf(names[i].where, WHY_WHERE, "%s", part);
        else
            snprintf(names[i].where, WHY_WHERE, "layer.%zu%s%s", where->first, is_part ? "." : "",
                     part);
    }
    if (work_attempt_make(&a, s->of, &s->right, where, made, count, e))
        ranking_judge(&s->ranking, a.computed, names, count, e);
    work_attempt_free(&a);
    return !e->is_set;
}

/* Each mistake; attention's also in the one kind of attention, and in the other. */
static bool try_each(search *s, const stack_scope *where, err *e)
{
    stack_scope self = *where, cross = *where;
    bool done = true;
    self.cross = cross.self = false;
    for (size_t i = 0; done && i < work_mistakes(s->of); i++) {
        any_mistake one = work_mistake(s->of, i);
        done = try_made(s, where, &one, 1, e);
        if (done && one.of_attention != NULL && s->is_crossed)
            done = try_made(s, &self, &one, 1, e) && try_made(s, &cross, &one, 1, e);
    }
    return done;
}

/* Of layers one of them at least is their own. */
static bool try_pairs(search *s, err *e)
{
    const named_table *first = s->of->problem == NULL ? &STACK_MISTAKES : &MISTAKES;
    stack_scope where = whole_of(s);
    bool done = true;
    for (size_t i = 0; done && i < named_count(first); i++) {
        for (size_t j = i + 1; done && j < work_mistakes(s->of); j++) {
            any_mistake both[] = {work_mistake(s->of, i), work_mistake(s->of, j)};
            if (!comes_alone(&both[0]) && !comes_alone(&both[1]))
                done = try_made(s, &where, both, 2, e);
        }
    }
    return done;
}

/* ---- where it went wrong ---- */

static fit fit_at(const search *s, size_t index)
{
    claims one = {&s->of->claims.claim[index], 1, NULL};
    return fit_of(&one, &s->right.computed[index]);
}

/* The layers in which one mistake can have been made: not before a stage that is right, and not
 * after the first one that is too wrong to be someone's float32. */
static void find_layers(const search *s, size_t *first, size_t *end)
{
    const claims *of = &s->of->claims;
    size_t i = 0, number;
    *first = 0;
    *end = s->layers;
    for (; i < of->count && fit_at(s, i).is_within; i++) {
        if (stack_stage_layer(of->claim[i].name, &number))
            *first = number;
    }
    for (; i < of->count; i++) {
        fit found = fit_at(s, i);
        if (fit_is_near(&found))
            continue;
        if (stack_stage_layer(of->claim[i].name, &number))
            *end = number + 1;
        return;
    }
}

/* False, with the error set, where memory is missing. */
static bool find(search *s, why_answers *to, err *e)
{
    static const stack_scope NOWHERE = {0};
    const why_question *of = s->of;
    bool has_layers = of->problem == NULL;
    if (!work_attempt_make(&s->right, of, NULL, &NOWHERE, NULL, 0, e))
        return !e->is_set;
    const stack *layers = s->right.layers.stack;
    s->layers = has_layers ? layers->layers : 1;
    s->is_crossed = has_layers && stack_has_cross(layers);
    ranking_open(&s->ranking, &of->claims, s->right.computed);
    to->nans = claims_nothing_but_nan(&of->claims, &to->first_nan);
    if (s->ranking.right.is_within || to->nans > 0)
        return true;
    to->right_digits = fit_digits(s->ranking.right.error);
    /* Each step of a generation counts as much as its prompt. */
    size_t passes = of->steps == NULL ? 1 : of->steps->steps, first, end;
    double operations = has_layers ? (double)passes * stack_operations(layers)
                                   : plan_operations(&s->right.attention.plan);
    stack_scope whole = whole_of(s);
    find_layers(s, &first, &end);
    if (!try_each(s, &whole, e))
        return false;
    to->tried_layers =
        !s->ranking.has_exact && s->layers > 1 && operations * (double)(end - first) <= LAYERS_MOST;
    for (size_t i = first; to->tried_layers && i < end; i++) {
        stack_scope alone = {false, i, i + 1, true, true};
        if (!try_each(s, &alone, e))
            return false;
    }
    to->tried_pairs = ranking_wants_pairs(&s->ranking) && operations <= PAIRS_MOST;
    if (to->tried_pairs && !try_pairs(s, e))
        return false;
    ranking_write(&s->ranking, to);
    return true;
}

bool why_find(why_answers *to, const why_question *of, err *e)
{
    *to = (why_answers){0};
    search *s = mem_alloc_zeroed(1, sizeof *s, e);
    if (s == NULL)
        return false;
    s->of = of;
    bool done = find(s, to, e);
    ranking_free(&s->ranking);
    work_attempt_free(&s->right);
    mem_free(s);
    return done;
}
