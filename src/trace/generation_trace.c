#include "trace/generation_trace.h"

#include "base/mem.h"
#include "model/embed.h"
#include "trace/choice_rooms.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NAME_DIGITS = 32 };

/* ---- names ---- */

/* The word of the vocab, or "id 5". */
static const char *name_of_id(const generation *g, size_t id, const char *before,
                              char digits[NAME_DIGITS])
{
    const char *word = stack_word_of_id(&g->stack, id);
    snprintf(digits, NAME_DIGITS, "%s%zu", before, id);
    return word != NULL ? word : digits;
}

static const char *name_of_row(const generation *g, size_t row, char digits[NAME_DIGITS])
{
    const entry *tokens = bundle_find(g->stack.document, "tokens");
    const tensor *ids = bundle_tensor(g->stack.document, "ids");
    if (tokens != NULL && tokens->kind == ENTRY_LIST && row < tokens->list.count)
        return tokens->list.item[row];
    if (ids != NULL)
        return name_of_id(g, (size_t)stack_id_given(ids, row), "id ", digits);
    snprintf(digits, NAME_DIGITS, "row %zu", row + 1);
    return digits;
}

static bool add_name(generation_trace *t, const char *name, err *e)
{
    t->name[t->names] = mem_copy_text(name, strlen(name), e);
    return t->name[t->names] != NULL && ++t->names > 0;
}

static bool name_prompt(generation_trace *t, err *e)
{
    char digits[NAME_DIGITS];
    for (size_t i = 0; i < t->of->stack.rows; i++) {
        if (!add_name(t, name_of_row(t->of, i, digits), e))
            return false;
    }
    return true;
}

static bool name_ids(generation_trace *t, err *e)
{
    char digits[NAME_DIGITS];
    for (size_t id = 0; id < t->of->logits.size[1]; id++) {
        const char *name = name_of_id(t->of, id, "", digits);
        if (!text_list_add(&t->ids, name, strlen(name), e))
            return false;
    }
    return true;
}

static text_list names_from(const generation_trace *t, size_t first, size_t count)
{
    return (text_list){.item = t->name + first, .count = count};
}

/* ---- what the trace borrows ---- */

/* b × heads × room × width of a cache, of which so many rows are there: as rows, heads side by
 * side. */
static bool keep_present(bundle *result, const stage_way *way, const char *name, const tensor *of,
                         size_t rows, err *e)
{
    char full[STAGE_NAME];
    const size_t size[] = {1, rows, of->size[1] * of->size[3]};
    tensor present, from = tensor_range(of, 2, 0, rows);
    if (!tensor_new(&present, of->type, 3, size, e))
        return false;
    tensor apart = plan_split_heads(&present, of->size[1]);
    tensor_copy(&from, &apart);
    tensor_own(&present, of->type, 2, size + 1, present.data);
    stage_name_in_full(way, name, full);
    return bundle_add_tensor(result, full, &present, (place){0}, e);
}

/* A cache grows, and moves; a trace has the keys and values that a step found and left. */
static bool keep_caches(const stack *s, bundle *result, err *e)
{
    for (size_t i = 0; i < s->layers; i++) {
        stage_way of_layer = stage_way_of_layer(i);
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            if (p->as->kind != PART_ATTENTION || p->attention->plan.past == 0)
                continue;
            const plan *by = &p->attention->plan;
            stage_way way = stage_way_on(&of_layer, part_name(p->as->kind));
            if (!keep_present(result, &way, "present_k", &p->cache->k, by->n_k, e) ||
                !keep_present(result, &way, "present_v", &p->cache->v, by->n_k, e))
                return false;
        }
    }
    return true;
}

static bool keep_step(generation_trace *t, kept_step *k, err *e)
{
    generation *g = t->of;
    char digits[NAME_DIGITS];
    size_t before = g->stack.before, rows = g->stack.rows;
    k->result = g->made;
    g->made = (bundle){0};
    if (!add_name(t, name_of_id(g, g->next, "id ", digits), e))
        return false;
    k->rows = names_from(t, before, rows);
    k->keys = names_from(t, 0, before + rows);
    k->last = names_from(t, before + rows - 1, 1);
    k->next = names_from(t, before + rows, 1);
    return keep_caches(&g->stack, &k->result, e) &&
           bundle_add_copy(&k->result, "logits", &g->logits, (place){0}, e) &&
           bundle_add_copy(&k->result, "tempered", &g->tempered, (place){0}, e) &&
           bundle_add_copy(&k->result, "exponentials", &g->exponentials, (place){0}, e);
}

/* ---- the house ---- */

/* Of all steps, at most; SIZE_MAX where no size holds them. */
static size_t rooms_of(const generation *g)
{
    size_t rooms;
    return size_mul(stack_trace_rooms(&g->stack) + CHOICE_ROOMS, g->how.steps, &rooms) ? rooms
                                                                                       : SIZE_MAX;
}

size_t generation_trace_begin_memory(const generation *g)
{
    return stack_trace_memory(rooms_of(g));
}

bool generation_trace_begin(generation_trace *t, generation *g,
                            const generation_trace_settings *how, err *e)
{
    size_t steps = g->how.steps;
    *t = (generation_trace){.how = *how, .of = g};
    t->name = mem_alloc_zeroed(g->stack.rows + steps, sizeof t->name[0], e);
    t->step = t->name == NULL ? NULL : mem_alloc_zeroed(steps, sizeof t->step[0], e);
    return t->step != NULL && name_prompt(t, e) && name_ids(t, e) &&
           stack_trace_begin(&t->made, g->stack.document, how->focus, rooms_of(g), e);
}

bool generation_trace_add(generation_trace *t, err *e)
{
    generation *g = t->of;
    kept_step *k = &t->step[t->steps++];
    char step[48], way[32];
    snprintf(step, sizeof step, "step %zu, ", t->steps);
    snprintf(way, sizeof way, "step.%zu.", t->steps - 1);
    if (!keep_step(t, k, e))
        return false;
    floors f = {.out = &t->made,
                .stack = &g->stack,
                .result = &k->result,
                .focus = t->how.focus,
                .is_full = t->how.is_full,
                .asked = t->how.asked,
                .e = e,
                .step = step,
                .step_way = way,
                .keys = &k->keys,
                .place = "",
                .labels = {&k->rows, NULL},
                .maps = t->maps};
    floor_rows rows;
    if (g->stack.before > 0)
        f.focus.row = 0;
    bool done = floors_of_stack(&f, &rows) &&
                choice_rooms(&f, &(choice_shown){g, &t->ids, &k->last, &k->next});
    t->maps = f.maps;
    return done;
}

bool generation_trace_end(generation_trace *t, err *e)
{
    return stack_trace_end(&t->made, e);
}

void generation_trace_free(generation_trace *t)
{
    stack_trace_free(&t->made);
    for (size_t i = 0; i < t->steps; i++)
        bundle_free(&t->step[i].result);
    for (size_t i = 0; i < t->names; i++)
        mem_free(t->name[i]);
    mem_free(t->name);
    mem_free(t->step);
    text_list_free(&t->ids);
    *t = (generation_trace){0};
}
