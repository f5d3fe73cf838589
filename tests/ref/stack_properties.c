#include "ref/stack_properties.h"

#include "ref/dice.h"
#include "ref/stack_subject.h"
#include "ref/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stack, computed whole, with all stages, in one thread. */
typedef struct trial {
    const ref_stack *stack;
    const stack_subject *whole;
    verdict says;
} trial;

static bool same_run(trial *t, stack_way way)
{
    stack_subject other;
    t->says.runs++;
    way.document = &t->whole->document;
    bool is_same = stack_subject_open(&other, t->stack, SIZE_MAX, &way) ||
                   verdict_differs(&t->says, "refused", other.failure.what);
    if (is_same && other.result.count != (way.emits == NULL ? other.names.count : 1))
        is_same = verdict_differs(&t->says, "stages", "not those that were wanted");
    for (size_t i = 0; is_same && i < other.result.count; i++) {
        const entry *one = &other.result.entry[i];
        is_same = same_bytes(bundle_tensor(&t->whole->result, one->name), &one->tensor) ||
                  verdict_differs(&t->says, one->name, "other bytes");
    }
    stack_subject_free(&other);
    return is_same;
}

/* ---- the properties; each is true where it holds, and where it says nothing ---- */

static bool output_alone(trial *t)
{
    return same_run(t, (stack_way){.emits = "output"});
}

static bool many_threads(trial *t)
{
    return same_run(t, (stack_way){.threads = 2}) && same_run(t, (stack_way){.threads = 3}) &&
           same_run(t, (stack_way){.threads = 7, .emits = "output"});
}

static bool instruction_sets(trial *t)
{
    bool is_same = true;
    for (size_t i = 0; is_same && i < ISAS.count; i++) {
        const isa *by = (const isa *)(const void *)named_row(&ISAS, i);
        is_same = !by->is_here() || same_run(t, (stack_way){.by = by});
    }
    return is_same;
}

static bool batch_entry_alone(trial *t, size_t batch)
{
    stack_subject alone;
    t->says.runs++;
    bool is_same = stack_subject_open(&alone, t->stack, batch, &(stack_way){0}) ||
                   verdict_differs(&t->says, "refused", alone.failure.what);
    for (size_t i = 0; is_same && i < alone.result.count; i++) {
        const entry *one = &alone.result.entry[i];
        tensor entry_of = tensor_at(bundle_tensor(&t->whole->result, one->name), batch);
        is_same = same_bytes(&entry_of, &one->tensor) ||
                  verdict_differs(&t->says, one->name, "other bytes");
    }
    stack_subject_free(&alone);
    return is_same;
}

static bool batch_entries_alone(trial *t)
{
    size_t batches = t->whole->stack.batches;
    bool is_same = true;
    for (size_t batch = 0; is_same && batch < batches; batch += 1 + batches / 4)
        is_same = batch_entry_alone(t, batch);
    return is_same;
}

/* ---- some of the rows ---- */

/* Those of all that some run made, out of it and out of the whole. */
static bool same_chosen(trial *t, const row_choice *rows, const bundle *made)
{
    bundle of_whole = {0}, own = {0};
    err e = {0};
    bool is_same = stack_choose_rows(rows, &t->whole->result, &of_whole, &e) &&
                   stack_choose_rows(rows, made, &own, &e);
    for (size_t i = 0; is_same && i < own.count; i++) {
        const entry *one = &own.entry[i];
        is_same = same_bytes(bundle_tensor(&of_whole, one->name), &one->tensor) ||
                  verdict_differs(&t->says, one->name, "other bytes");
    }
    bundle_free(&of_whole);
    bundle_free(&own);
    return is_same;
}

/* Some of them, in turn or with others between, which go through the last layer alone; but where
 * rollout is wanted, as among all stages. */
static bool rows_chosen(trial *t)
{
    static const char *const EMITS[] = {NULL, "layer.*", "output"};
    size_t n = t->whole->stack.rows, *index = ref_alloc(n, sizeof index[0]);
    dice throws = {n + 1};
    bool is_same = true;
    for (size_t i = 0; is_same && i < sizeof EMITS / sizeof EMITS[0]; i++) {
        row_choice rows = {.row = index, .of = n};
        size_t first = dice_below(&throws, n), step = 1 + dice_below(&throws, 3);
        for (size_t row = first; row < n; row += step)
            index[rows.count++] = row;
        stack_subject some;
        stack_way way = {
            .document = &t->whole->document, .threads = 2, .emits = EMITS[i], .chosen = &rows};
        t->says.runs++;
        is_same = stack_subject_open(&some, t->stack, SIZE_MAX, &way)
                      ? same_chosen(t, &rows, &some.result)
                      : verdict_differs(&t->says, "refused", some.failure.what);
        const tensor *output = is_same ? bundle_tensor(&some.result, "output") : NULL;
        if (output != NULL && EMITS[i] != NULL && output->size[output->rank - 2] != rows.count)
            is_same = verdict_differs(&t->says, "output", "of rows that were not chosen");
        stack_subject_free(&some);
    }
    free(index);
    return is_same;
}

/* ---- rows after rows ---- */

/* Of the memory, which is there whole from the first row on. */
static bool is_of_memory(const char *name)
{
    static const char *const KEYS[] = {"xk", "xv", "k", "v", "k_norm", "k_rope"};
    const char *last = strrchr(name, '.');
    bool is_key = false;
    for (size_t i = 0; last != NULL && i < sizeof KEYS / sizeof KEYS[0]; i++)
        is_key = is_key || strcmp(last + 1, KEYS[i]) == 0;
    return is_key && strstr(name, ".cross.") != NULL;
}

static bool same_rows(trial *t, const stack_subject *some, size_t first)
{
    for (size_t i = 0; i < some->result.count; i++) {
        const entry *one = &some->result.entry[i];
        const tensor *whole = bundle_tensor(&t->whole->result, one->name);
        const char *last = strrchr(one->name, '.');
        int before_end = last != NULL && strcmp(last, ".weighted") == 0 ? 3 : 2;
        if (!same_part(whole, &one->tensor, whole->rank - before_end,
                       is_of_memory(one->name) ? 0 : first))
            return verdict_differs(&t->says, one->name, "other bytes");
    }
    return true;
}

/* A row must not depend on those after it. */
static bool is_causal(const ref_stack *s)
{
    bool is_so = true;
    for (size_t i = 0; i < s->layers; i++) {
        const char *own = s->layer[i].attention.causal;
        is_so =
            is_so && (own == NULL ? s->is_decoder || s->causal != NULL : strcmp(own, "true") == 0);
    }
    return is_so;
}

/* Rows that come later are of the segment of the last one before them. */
static bool stays_in_segment(const ref_stack *s, size_t row, size_t n)
{
    while (s->segments != NULL && row < n && s->segments[row] == s->segments[row - 1])
        row++;
    return s->segments == NULL || row == n;
}

/* The first half at once, then row by row. A stream counts its rows from 0, and refuses an
 * offset. */
static bool rows_one_by_one(trial *t)
{
    const ref_stack *s = t->stack;
    size_t n = t->whole->stack.rows, row = (n + 1) / 2;
    stack_subject some;
    stack_way way = {.rows = row};
    if (s->ids == NULL || s->offset > 0 || !is_causal(s) || n < 2 || !stays_in_segment(s, row, n))
        return true;
    t->says.runs++;
    bool is_same = stack_subject_open(&some, s, SIZE_MAX, &way)
                       ? same_rows(t, &some, 0)
                       : verdict_differs(&t->says, "refused", some.failure.what);
    for (; is_same && row < n; row++)
        is_same = stack_subject_go_on(&some, s, 1, &way)
                      ? same_rows(t, &some, row)
                      : verdict_differs(&t->says, "refused", some.failure.what);
    stack_subject_free(&some);
    return is_same;
}

static const struct {
    const char *name;
    bool (*holds)(trial *t);
} PROPERTIES[] = {
    {"output alone", output_alone},         {"threads", many_threads},
    {"instruction sets", instruction_sets}, {"batch entries alone", batch_entries_alone},
    {"rows chosen", rows_chosen},           {"rows one by one", rows_one_by_one},
};

void stack_properties_try(const ref_stack *s, const char *where, size_t *passed, size_t *failed)
{
    stack_subject whole;
    bool done = stack_subject_open(&whole, s, SIZE_MAX, &(stack_way){0});
    for (size_t i = 0; done && i < sizeof PROPERTIES / sizeof PROPERTIES[0]; i++) {
        trial t = {.stack = s, .whole = &whole};
        bool holds = PROPERTIES[i].holds(&t);
        verdict_count(&t.says, holds, where, PROPERTIES[i].name, passed, failed);
    }
    *failed += !done;
    if (!done)
        verdict_tell(where, "refused", whole.failure.what);
    stack_subject_free(&whole);
}
