#include "why/shape_search.h"

#include "compare/measure.h"

#include <string.h>

static const arrangement *arrangement_at(size_t index)
{
    return (const arrangement *)(const void *)named_row(&ARRANGEMENTS, index);
}

static bool has_shape(const shape_search *s, const tensor *made)
{
    tensor a, b;
    return made->data != NULL && measure_align(&s->of.claim->numbers->tensor, made, &a, &b);
}

/* Numbers that an answer gives already are its own. */
static bool join(shape_search *s, const shape_answer *one, const tensor *made)
{
    for (size_t i = 0; i < s->to->count; i++) {
        shape_answer *there = &s->to->answer[i];
        if (!fit_is_same(&s->of, &s->numbers[i], made))
            continue;
        bool is_alone = one->arranged == NULL || one->made == NULL;
        if (is_alone && there->same_count < WHY_SAME)
            there->same[there->same_count++] = one->arranged != NULL ? one->arranged : one->made;
        return true;
    }
    return false;
}

/* Behind all that are as good; the last of too many is left out. */
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
    fit found = fit_of(&s->of, numbers);
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

bool shape_search_arrange(shape_search *s, const arrangeable *of, const named *made, err *e)
{
    for (size_t i = 0; i < ARRANGEMENTS.count && !e->is_set; i++) {
        const arrangement *how = arrangement_at(i);
        tensor numbers;
        if (arrangement_make(&numbers, how, of, e) && has_shape(s, &numbers)) {
            if (made == NULL)
                count_shaped(s, &how->named);
            judge(s, &how->named, made, &numbers);
        }
        tensor_free(&numbers);
    }
    return !e->is_set;
}

void shape_search_take(shape_search *s, const named *made, tensor *numbers)
{
    if (!has_shape(s, numbers))
        return;
    count_shaped(s, made);
    judge(s, NULL, made, numbers);
}

void shape_search_end(shape_search *s)
{
    for (size_t i = 0; i < s->to->count; i++)
        tensor_free(&s->numbers[i]);
}
