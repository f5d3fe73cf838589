#include "cli/run/stack_solve.h"

#include "base/mem.h"
#include "cli/out/note.h"
#include "cli/out/stage_names.h"

#include <stdint.h>
#include <string.h>

/* ---- options that a layer overrules ---- */

static bool has_same_numbers(const tensor *a, const tensor *b)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    if (!tensor_same_shape(a, b))
        return false;
    do {
        if (tensor_get(a, index) != tensor_get(b, index))
            return false;
    } while (tensor_next(a, index));
    return true;
}

static bool says_the_same(const entry *a, const entry *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == ENTRY_TEXT)
        return strcmp(a->text, b->text) == 0;
    return a->kind == ENTRY_TENSOR && has_same_numbers(&a->tensor, &b->tensor);
}

/* The first layer that says something else than the top does, or where nothing stands there
 * anything, from 1; 0: none does. */
static size_t overruled_by(const bundle *layers, const char *name, const entry *top)
{
    for (size_t i = 0; i < layers->count; i++) {
        const entry *own = bundle_find(layers->entry[i].bundle, name);
        if (own != NULL && (top == NULL || !says_the_same(own, top)))
            return i + 1;
    }
    return 0;
}

void stack_say_overruled(const stack *s, const options *o, const env *world)
{
    const bundle *layers = bundle_find(s->document, "layers")->bundle;
    for (size_t i = 0; i < o->given_count; i++) {
        const given_key *one = &o->given[i];
        size_t number =
            overruled_by(layers, one->row->key, bundle_find(s->document, one->row->key));
        if (number > 0)
            note_say(world, o, NULL,
                     "--%s%s is for layers that say nothing else, and layer %zu does",
                     one->value == NULL ? "no-" : "", one->row->named.name, number);
    }
}

bool stack_solution_plan(stack_solution *s, const document *one, bool is_decoder, const options *o,
                         err *e)
{
    stack_settings how = {.is_decoder = is_decoder,
                          .allow_nonfinite = o->allow_nonfinite,
                          .packed_weights = one->packed_weights};
    *s = (stack_solution){.at = document_place(one)};
    const isa *by = isa_by_name(o->isa, e);
    return by != NULL && stack_read(&s->stack, &one->contents, &how, by, e) &&
           row_choice_read(&s->rows, bundle_find(&one->contents, "rows"), s->stack.rows, e) &&
           stack_stage_names(&s->stack, &s->there, e);
}

/* ---- names ---- */

bool stack_solution_check(const stack_solution *s, const char *name, err *e)
{
    if (text_list_find(&s->there, name) != NULL)
        return true;
    for (size_t i = 0; i < s->there.count && strchr(name, '*') != NULL; i++) {
        if (stage_name_matches(name, s->there.item[i]))
            return true;
    }
    err_set(e, "there is no stage \"%s\" in this stack", name);
    return stage_names_suggest(&s->there, name, "; --emit '*' is all", e);
}

/* ---- computing ---- */

size_t stack_threads(const stack *s, const options *o, const env *world)
{
    return o->has_threads ? o->threads : threads_worth(world->processors, stack_operations(s));
}

bool stack_check_memory(const stack *s, size_t bytes, const char *of_what, const options *o, err *e)
{
    if (bytes <= o->max_memory)
        return true;
    err_set(e,
            "%zu bytes of memory are needed%s, %zu may be used: layers %zu, rows %zu, columns %zu",
            bytes, of_what, o->max_memory, s->layers, s->rows, s->width);
    return err_remedy(e, "raise --max-memory");
}

void stack_say_missing_threads(const crew *by, const options *o, const env *world)
{
    if (by->ran < by->wanted)
        note_missing_threads(world, o, NULL, by->ran, by->wanted);
}

static bool check_memory(const stack_solution *s, const text_list *emit, size_t threads,
                         const options *o, err *e)
{
    size_t bytes;
    if (!stack_memory(&s->stack, emit, threads, &bytes, e))
        return false;
    if (!size_add(bytes, s->house, &bytes))
        bytes = SIZE_MAX;
    if (!stack_check_memory(&s->stack, bytes, "", o, e))
        return false;
    if (s->stack.how.packed_weights != NULL)
        packed_weights_yield(s->stack.how.packed_weights, mem_spare(o->max_memory, bytes));
    return true;
}

bool stack_solution_run(stack_solution *s, const text_list *emit, const options *o,
                        const env *world, err *e)
{
    size_t threads = stack_threads(&s->stack, o, world);
    run_report report = {0};
    crew by;
    if (!check_memory(s, emit, threads, o, e))
        return false;
    for (size_t i = 0; i < s->stack.layers; i++) {
        for (size_t j = 0; j < s->stack.layer[i].parts; j++) {
            const attention *a = s->stack.layer[i].part[j].attention;
            for (size_t k = 0; a != NULL && k < a->plan.notes.count; k++)
                note_say(world, o, NULL, "layer %zu: %s", i + 1, a->plan.notes.item[k]);
        }
    }
    stack_say_overruled(&s->stack, o, world);
    crew_open(&by, threads);
    bool done = stack_run(&s->stack, emit, &by, &s->stages, &report, e);
    crew_close(&by);
    if (done && s->rows.count > 0) {
        s->all = s->stages;
        s->stages = (bundle){0};
        done = stack_choose_rows(&s->rows, &s->all, &s->stages, e);
    }
    if (done)
        stack_say_missing_threads(&by, o, world);
    if (done && report.empty_rows > 0)
        note_empty_rows(world, o, NULL, &report, "query rows of the layers");
    return done;
}

void stack_solution_free(stack_solution *s)
{
    text_list_free(&s->there);
    text_list_free(&s->wanted);
    bundle_free(&s->stages);
    bundle_free(&s->all);
    row_choice_free(&s->rows);
    stack_free(&s->stack);
}
