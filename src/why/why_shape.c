#include "why/why_shape.h"

#include "compare/measure.h"

#include <string.h>

typedef struct shape_search {
    const why_question *of; /* one claim */
    shape_answers *to;
    tensor numbers[WHY_ANSWERS]; /* of the answers */
    work_attempt right;
} shape_search;

/* ---- answers ---- */

static bool has_shape(const shape_search *s, const tensor *made)
{
    tensor a, b;
    return made->data != NULL && measure_align(&s->of->claims.claim->numbers->tensor, made, &a, &b);
}

/* Numbers that an answer gives already are its own. */
static bool join(shape_search *s, const shape_answer *one, const tensor *made)
{
    for (size_t i = 0; i < s->to->count; i++) {
        shape_answer *there = &s->to->answer[i];
        if (!fit_is_same(&s->of->claims, &s->numbers[i], made))
            continue;
        bool is_alone = one->arranged == NULL || one->made == NULL;
        if (is_alone && there->same_count < WHY_SAME)
            there->same[there->same_count++] = one->arranged != NULL ? one->arranged : one->made;
        return true;
    }
    return false;
}

/* After all that are as good; the last of too many is left out. */
static void insert(shape_search *s, const shape_answer *one, tensor *made)
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
static void judge(shape_search *s, const named *arranged, const named *made, tensor *numbers)
{
    shape_answer one = {.arranged = arranged, .made = made};
    fit found = fit_of(&s->of->claims, numbers);
    if (!fit_is_near(&found))
        return;
    one.error = found.error;
    one.digits = fit_digits_told(&found);
    if (!join(s, &one, numbers))
        insert(s, &one, numbers);
}

static void count_shaped(shape_search *s, const named *row)
{
    if (s->to->shaped_count < WHY_ANSWERS)
        s->to->shaped[s->to->shaped_count] = row;
    s->to->shaped_count++;
}

/* ---- attempts ---- */

static const plan *plan_of_part(const stack *of, size_t number, const char *part, size_t length)
{
    for (size_t j = 0; number < of->layers && j < of->layer[number].parts; j++) {
        const layer_part *p = &of->layer[number].part[j];
        const char *name = part_name(p->as->kind);
        if (p->as->kind != PART_FEED_FORWARD && strlen(name) == length &&
            memcmp(name, part, length) == 0)
            return &p->attention->plan;
    }
    return NULL;
}

/* "layer.1.attention.weights" is a stage of that plan; NULL: rows are all that it can be. */
static const plan *plan_of_stage(const stack *of, const char *name, stage_id *id)
{
    size_t number;
    if (!stack_stage_layer(name, &number))
        return NULL;
    const char *last = strrchr(name, '.'), *after = strchr(name + strlen("layer."), '.');
    const named *row = named_find(&STAGES, last + 1, strlen(last + 1));
    if (after == NULL || after == last || row == NULL)
        return NULL;
    const char *part = after + 1;
    *id = stage_of(row);
    return plan_of_part(of, number, part, (size_t)(last - part));
}

/* Rows of a stack: b × n × m, of one head. */
static bool arrangeable_rows(arrangeable *to, const tensor *numbers)
{
    if (numbers->data == NULL || numbers->rank > 3 || numbers->rank == 0)
        return false;
    *to = (arrangeable){{.type = numbers->type, .rank = 3, .data = numbers->data}, 1};
    for (int axis = 2, from = numbers->rank - 1; axis >= 0; axis--, from--) {
        to->all.size[axis] = from >= 0 ? numbers->size[from] : 1;
        to->all.stride[axis] = from >= 0 ? numbers->stride[from] : 0;
    }
    return true;
}

static bool can_be_arranged(arrangeable *to, const work_attempt *made_by)
{
    const claim *one = made_by->of->claims.claim;
    const tensor *numbers = &made_by->computed[0];
    stage_id id;
    if (made_by->of->problem != NULL)
        return arrangeable_of(to, &made_by->attention.plan,
                              stage_of(named_find(&STAGES, one->name, strlen(one->name))), numbers);
    const plan *p = plan_of_stage(made_by->layers.stack, stack_stage_of(made_by->of, one), &id);
    return p == NULL ? arrangeable_rows(to, numbers) : arrangeable_of(to, p, id, numbers);
}

/* Each arrangement of numbers in which this mistake was made, or none (NULL). */
static void arrange(shape_search *s, const work_attempt *made_by, const named *made, err *e)
{
    arrangeable of;
    bool can = can_be_arranged(&of, made_by);
    for (size_t i = 0; can && i < ARRANGEMENTS.count && !e->is_set; i++) {
        const arrangement *how = (const arrangement *)(const void *)named_row(&ARRANGEMENTS, i);
        tensor numbers;
        if (arrangement_make(&numbers, how, &of, e) && has_shape(s, &numbers)) {
            if (made == NULL)
                count_shaped(s, &how->named);
            judge(s, &how->named, made, &numbers);
        }
        tensor_free(&numbers);
    }
}

static bool try_each(shape_search *s, const stack_scope *whole, bool are_arranged, err *e)
{
    for (size_t i = 0; !e->is_set && i < work_mistakes(s->of); i++) {
        const any_mistake one = work_mistake(s->of, i);
        const named *row = any_mistake_row(&one);
        work_attempt a;
        bool is_made = work_attempt_make(&a, s->of, &s->right, whole, &one, 1, e);
        if (is_made && are_arranged) {
            arrange(s, &a, row, e);
        } else if (is_made && has_shape(s, &a.computed[0])) {
            count_shaped(s, row);
            judge(s, NULL, row, &a.computed[0]);
        }
        work_attempt_free(&a);
    }
    return !e->is_set;
}

bool why_shape_find(shape_answers *to, const why_question *of, err *e)
{
    const stack_scope whole = {
        true, 0, of->problem == NULL ? bundle_find(of->document, "layers")->bundle->count : 1, true,
        true};
    shape_search s = {.of = of, .to = to};
    *to = (shape_answers){0};
    bool is_made = work_attempt_make(&s.right, of, NULL, &whole, NULL, 0, e);
    if (is_made)
        arrange(&s, &s.right, NULL, e);
    bool done = !e->is_set && (!is_made || (try_each(&s, &whole, false, e) &&
                                            (to->count > 0 || try_each(&s, &whole, true, e))));
    for (size_t i = 0; i < to->count; i++)
        tensor_free(&s.numbers[i]);
    work_attempt_free(&s.right);
    return done;
}
