#include "why/shape_search.h"

#include <string.h>

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
    const char *last = strrchr(name, '.'), *behind = strchr(name + strlen("layer."), '.');
    const named *row = named_find(&STAGES, last + 1, strlen(last + 1));
    if (behind == NULL || behind == last || row == NULL)
        return NULL;
    const char *part = behind + 1;
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

static bool arrange_of_stack(shape_search *s, const stack_attempt *made_by, const named *made,
                             err *e)
{
    arrangeable of;
    stage_id id;
    const plan *p = plan_of_stage(made_by->stack, stack_stage_of(made_by->of, s->of.claim), &id);
    const tensor *numbers = &made_by->computed[0];
    bool can = p == NULL ? arrangeable_rows(&of, numbers) : arrangeable_of(&of, p, id, numbers);
    return !can || shape_search_arrange(s, &of, made, e);
}

static bool try_in_stack(shape_search *s, const stack_question *of, const stack_made *made,
                         size_t count, bool is_arranged, err *e)
{
    const size_t layers = bundle_find(of->document, "layers")->bundle->count;
    const stack_scope whole = {true, 0, layers, true, true};
    const named *row = count == 0 ? NULL : stack_made_row(made);
    stack_attempt a;
    bool is_made = stack_attempt_make(&a, of, &whole, made, count, e);
    if (is_made && is_arranged)
        arrange_of_stack(s, &a, row, e);
    else if (is_made)
        shape_search_take(s, row, &a.computed[0]);
    stack_attempt_free(&a);
    return !e->is_set;
}

static bool try_all_in_stack(shape_search *s, const stack_question *of, bool are_arranged, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < why_stack_mistakes(); i++) {
        stack_made one = why_stack_mistake(i);
        done = try_in_stack(s, of, &one, 1, are_arranged, e);
    }
    return done;
}

bool why_stack_shape_find(shape_answers *to, const stack_question *of, const claim *one, err *e)
{
    shape_search s = {.of = {one, 1, of->claims.known}, .to = to};
    stack_question about = *of;
    about.claims = s.of;
    *to = (shape_answers){0};
    bool done = try_in_stack(&s, &about, NULL, 0, true, e) &&
                try_all_in_stack(&s, &about, false, e) &&
                (to->count > 0 || try_all_in_stack(&s, &about, true, e));
    shape_search_end(&s);
    return done;
}
