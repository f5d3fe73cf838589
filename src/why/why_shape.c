#include "why/shape_search.h"

typedef struct attention_search {
    shape_search s;
    const why_question *of;
    stage_id id;
    bool wanted[STAGE_COUNT];
    attempt right;
} attention_search;

static bool arrange(attention_search *a, const attempt *made_by, const named *made, err *e)
{
    arrangeable of;
    return !arrangeable_of(&of, &made_by->plan, a->id, &made_by->stage[a->id]) ||
           shape_search_arrange(&a->s, &of, made, e);
}

static bool try_mistake(attention_search *a, const mistake *made, bool is_arranged, err *e)
{
    attempt wrong;
    attempt_open(&wrong, a->of->problem, a->of->with, a->of->threads, a->wanted, &a->right);
    bool is_made = attempt_make(&wrong, &made, 1, e);
    if (is_made && is_arranged)
        arrange(a, &wrong, &made->named, e);
    else if (is_made)
        shape_search_take(&a->s, &made->named, &wrong.stage[a->id]);
    attempt_free(&wrong);
    return !e->is_set;
}

static bool try_mistakes(attention_search *a, bool are_arranged, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < named_count(&MISTAKES); i++)
        done = try_mistake(a, mistake_at(i), are_arranged, e);
    return done;
}

bool why_shape_find(shape_answers *to, const why_question *of, stage_id id, err *e)
{
    attention_search a = {.s = {{&of->claim[id], 1, of->known}, to, {{0}}}, .of = of, .id = id};
    *to = (shape_answers){0};
    a.wanted[id] = true;
    attempt_open(&a.right, of->problem, of->with, of->threads, a.wanted, NULL);
    bool done = attempt_make(&a.right, NULL, 0, e)
                    ? arrange(&a, &a.right, NULL, e) && try_mistakes(&a, false, e) &&
                          (to->count > 0 || try_mistakes(&a, true, e))
                    : !e->is_set;
    shape_search_end(&a.s);
    attempt_free(&a.right);
    return done;
}
