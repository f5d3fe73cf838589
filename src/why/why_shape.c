#include "why/why_shape.h"

#include "compare/measure.h"

#include <math.h>
#include <string.h>

typedef struct search {
    why_question of; /* about one stage */
    stage_id id;
    bool wanted[STAGE_COUNT];
    attempt right;
    shape_answers *to;
    tensor numbers[WHY_ANSWERS]; /* of the answers */
} search;

static const arrangement *arrangement_at(size_t index)
{
    return (const arrangement *)(const void *)named_row(&ARRANGEMENTS, index);
}

static bool has_shape(const search *s, const tensor *made)
{
    tensor a, b;
    return made->data != NULL && measure_align(&s->of.claim[s->id].numbers->tensor, made, &a, &b);
}

static bool is_same(const search *s, const tensor *a, const tensor *b)
{
    tensor of_a[STAGE_COUNT] = {0}, of_b[STAGE_COUNT] = {0};
    of_a[s->id] = *a;
    of_b[s->id] = *b;
    claims of = why_question_claims(&s->of);
    return fit_is_same(&of, of_a, of_b);
}

/* Numbers that an answer gives already are its own. */
static bool join(search *s, const shape_answer *one, const tensor *made)
{
    for (size_t i = 0; i < s->to->count; i++) {
        shape_answer *there = &s->to->answer[i];
        if (!is_same(s, &s->numbers[i], made))
            continue;
        bool is_alone = one->arranged == NULL || one->made == NULL;
        if (is_alone && there->same_count < WHY_SAME)
            there->same[there->same_count++] =
                one->arranged != NULL ? &one->arranged->named : &one->made->named;
        return true;
    }
    return false;
}

/* Behind all that are as good; the last of too many is left out. */
static void insert(search *s, const shape_answer *one, tensor *made)
{
    shape_answers *to = s->to;
    size_t at = to->count;
    while (at > 0 && to->answer[at - 1].digits < one->digits)
        at--;
    if (at == WHY_ANSWERS)
        return;
    if (to->count == WHY_ANSWERS)
        tensor_free(&s->numbers[--to->count]);
    memmove(&to->answer[at + 1], &to->answer[at], (to->count - at) * sizeof to->answer[0]);
    memmove(&s->numbers[at + 1], &s->numbers[at], (to->count - at) * sizeof s->numbers[0]);
    to->answer[at] = *one;
    s->numbers[at] = *made;
    *made = (tensor){0};
    to->count++;
}

/* Numbers of the right shape; they are taken where they are an answer. */
static void judge(search *s, const arrangement *arranged, const mistake *made, tensor *numbers)
{
    tensor stages[STAGE_COUNT] = {0};
    shape_answer one = {.arranged = arranged, .made = made};
    stages[s->id] = *numbers;
    claims of = why_question_claims(&s->of);
    fit found = fit_of(&of, stages);
    if (!fit_is_near(&found))
        return;
    one.error = found.error;
    one.digits = fit_digits(found.is_within ? fmax(found.error, found.tol) : found.error);
    if (!join(s, &one, numbers))
        insert(s, &one, numbers);
}

static void count_shaped(search *s, const named *row)
{
    if (s->to->shaped_count < WHY_ANSWERS)
        s->to->shaped[s->to->shaped_count] = row;
    s->to->shaped_count++;
}

/* Each arrangement of a stage of the attempt, in which this mistake was made, or none. */
static bool try_arrangements(search *s, const attempt *a, const mistake *made, err *e)
{
    for (size_t i = 0; i < ARRANGEMENTS.count && !e->is_set; i++) {
        const arrangement *how = arrangement_at(i);
        tensor numbers;
        if (arrangement_make(&numbers, how, a, s->id, e) && has_shape(s, &numbers)) {
            if (made == NULL)
                count_shaped(s, &how->named);
            judge(s, how, made, &numbers);
        }
        tensor_free(&numbers);
    }
    return !e->is_set;
}

static bool try_mistake(search *s, const mistake *made, bool is_arranged, err *e)
{
    attempt a;
    attempt_open(&a, s->of.problem, s->of.with, s->of.threads, s->wanted, &s->right);
    bool is_made = attempt_make(&a, &made, 1, e);
    if (is_made && is_arranged) {
        try_arrangements(s, &a, made, e);
    } else if (is_made && has_shape(s, &a.stage[s->id])) {
        count_shaped(s, &made->named);
        judge(s, NULL, made, &a.stage[s->id]);
    }
    attempt_free(&a);
    return !e->is_set;
}

static bool try_mistakes(search *s, bool are_arranged, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < MISTAKES.count; i++) {
        done = try_mistake(s, mistake_at(i), are_arranged, e);
    }
    return done;
}

bool why_shape_find(shape_answers *to, const why_question *of, stage_id id, err *e)
{
    search s = {.of = *of, .id = id, .to = to};
    *to = (shape_answers){0};
    for (stage_id other = 0; other < STAGE_COUNT; other++)
        s.of.claim[other].numbers = other == id ? of->claim[id].numbers : NULL;
    s.wanted[id] = true;
    attempt_open(&s.right, of->problem, of->with, of->threads, s.wanted, NULL);
    bool done = attempt_make(&s.right, NULL, 0, e)
                    ? try_arrangements(&s, &s.right, NULL, e) && try_mistakes(&s, false, e) &&
                          (to->count > 0 || try_mistakes(&s, true, e))
                    : !e->is_set;
    for (size_t i = 0; i < to->count; i++)
        tensor_free(&s.numbers[i]);
    attempt_free(&s.right);
    return done;
}
