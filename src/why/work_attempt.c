#include "why/work_attempt.h"

#include <string.h>

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

/* Mistakes look at the right one's stages, which it keeps. */
static void take(work_attempt *a, const stage_id *ids)
{
    for (size_t i = 0; i < a->of->claims.count; i++) {
        a->of_attention[i] = a->attention.stage[ids[i]];
        if (a->right != NULL)
            a->attention.stage[ids[i]] = (tensor){0};
    }
}

static bool make_attention(work_attempt *a, const any_mistake *made, size_t count, err *e)
{
    const why_question *of = a->of;
    const mistake *wrong[WHY_TOGETHER];
    stage_id ids[STAGE_COUNT];
    bool keeps_weighted = false;
    for (size_t i = 0; i < count; i++)
        wrong[i] = made[i].of_attention;
    for (size_t i = 0; i < of->claims.count; i++) {
        const char *name = of->claims.claim[i].name;
        ids[i] = stage_of(named_find(&STAGES, name, strlen(name)));
        keeps_weighted = keeps_weighted || ids[i] == STAGE_WEIGHTED;
    }
    attempt_open(&a->attention, of->problem, of->with, of->threads, keeps_weighted,
                 a->right == NULL ? NULL : &a->right->attention);
    if (!attempt_make(&a->attention, wrong, count, e))
        return false;
    a->computed = a->of_attention;
    take(a, ids);
    return true;
}

bool work_attempt_make(work_attempt *a, const why_question *of, const work_attempt *right,
                       const stack_scope *where, const any_mistake *made, size_t count, err *e)
{
    a->of = of;
    a->right = right;
    a->computed = NULL;
    if (of->problem != NULL)
        return make_attention(a, made, count, e);
    bool done = stack_attempt_make(&a->layers, of, where, made, count, e);
    a->computed = a->layers.computed;
    return done;
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
