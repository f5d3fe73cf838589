#include "cli/run/solve.h"

#include "base/mem.h"
#include "cli/out/note.h"
#include "cli/out/stage_names.h"
#include "cli/run/trace_command.h"
#include "model/embed.h"
#include "random/generator.h"
#include "weights/names.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* An option stands at the top, for layers that say nothing else: a note names the first that
 * does. */
static void stack_say_overruled(const stack *s, const options *o, const env *world)
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
    *s = (stack_solution){0};
    const isa *by = isa_by_name(o->isa, e);
    return by != NULL && stack_read(&s->stack, &one->contents, &how, by, e) &&
           row_choice_read(&s->rows, bundle_find(&one->contents, "rows"), "row", s->stack.rows,
                           e) &&
           stack_stage_names(&s->stack, &s->there, e);
}

/* ---- names ---- */

bool stack_check_name(const text_list *there, const char *name, err *e)
{
    if (text_list_find(there, name) != NULL)
        return true;
    for (size_t i = 0; i < there->count && strchr(name, '*') != NULL; i++) {
        if (stage_name_matches(name, there->item[i]))
            return true;
    }
    err_set(e, "there is no stage \"%s\" in this stack", name);
    return stage_names_suggest(there, name, "; --emit '*' is all", e);
}

/* ---- computing ---- */

size_t stack_threads(const stack *s, const options *o, const env *world)
{
    return o->has_threads ? o->threads : threads_worth(world->processors, stack_operations(s));
}

/* Whether --max-memory lets it have so many bytes, which the error says are for `of_what`. */
static bool stack_check_memory(const stack *s, size_t bytes, const char *of_what, const options *o,
                               err *e)
{
    if (bytes <= o->max_memory)
        return true;
    err_set(e,
            "%zu bytes of memory are needed%s, %zu may be used: layers %zu, rows %zu, columns %zu",
            bytes, of_what, o->max_memory, s->layers, s->rows, s->width);
    return err_remedy(e, "raise --max-memory");
}

/* Not all of the threads could be started. */
static void stack_say_missing_threads(const crew *by, const options *o, const env *world)
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

/* ---- a generation ---- */

/* ---- before the first step ---- */

/* A temperature of 0 that is given may be one of several, all with one seed. */
bool generation_check_seed(const options *o, err *e)
{
    return !o->has_seed || o->has_temperature ||
           err_set(e, "--seed is for the numbers that --temperature draws, and it is not given");
}

/* All numbers that will be drawn, one a step. */
static double *draw_numbers(const options *o, size_t steps, err *e)
{
    const generator *own = (const generator *)(const void *)named_row(&GENERATORS, 0);
    stream s = stream_begin(own, o->seed);
    draw d = {.law = {LAW_UNIFORM, 0, 1}, .type = DTYPE_F64, .total = steps};
    double *number = mem_alloc(steps, sizeof number[0], e);
    if (number != NULL)
        stream_draw(&s, &d, 0, steps, number);
    return number;
}

/* The id of the word, or of the digits, after which --stop ends. */
static bool find_stop(generation *g, const char *stop, err *e)
{
    char digits[ID_DIGITS];
    nearest_names nearest = {.wanted = stop};
    size_t ids = g->logits.size[1];
    for (size_t id = 0; stop != NULL && id < ids; id++) {
        const char *name = stack_name_of_id(&g->stack, id, digits);
        if (strcmp(stop, name) == 0)
            g->stop = id;
        if (name != digits)
            nearest_names_look(&nearest, name);
    }
    if (stop == NULL || g->stop != SIZE_MAX)
        return true;
    err_set(e, "--stop: none of the %zu ids is \"%s\"", ids, stop);
    nearest_names_suggest(&nearest, "", e);
    return false;
}

bool generation_solution_plan(generation_solution *s, const document *one, const options *o, err *e)
{
    const stack_settings of_stack = {
        .is_decoder = true, .allow_nonfinite = o->allow_nonfinite, .goes_on = true};
    *s = (generation_solution){0};
    s->number = draw_numbers(o, o->generated, e);
    const generation_settings how = {o->generated, o->temperature, s->number, NULL};
    const isa *by = isa_by_name(o->isa, e);
    return s->number != NULL && by != NULL &&
           generation_open(&s->of, &one->contents, &of_stack, &how, by, e) &&
           find_stop(&s->of, o->stop, e);
}

/* Checks the memory against --max-memory: for the prompt, and then for all steps and the house of
 * their trace. */
static bool check_steps_memory(const generation *g, size_t house, const options *o,
                               const env *world, err *e)
{
    size_t threads = stack_threads(&g->stack, o, world), bytes;
    char steps[64];
    snprintf(steps, sizeof steps, " for the prompt and %zu steps", g->how.steps);
    if (!generation_memory(g, threads, &bytes, e) ||
        !stack_check_memory(&g->stack, bytes, " for the prompt", o, e) ||
        !generation_memory_in_all(g, threads, &bytes, e))
        return false;
    if (!size_add(bytes, house, &bytes))
        bytes = SIZE_MAX;
    return stack_check_memory(&g->stack, bytes, steps, o, e);
}

/* ---- which steps are named ---- */

static const char PREFIX[] = "step.";

static bool is_of_step(const char *name)
{
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

/* The 3 of "step.3.logits". */
static bool read_step(const entry *one, size_t *step, err *e)
{
    char *end = NULL;
    size_t most = option_by_name("length", strlen("length"))->most;
    if (!is_of_step(one->name)) {
        err_at(e, &one->at, "%s is of no step, and others are", one->name);
        return err_remedy(e, "step.0.%s is of the prompt's", one->name);
    }
    const char *digits = one->name + sizeof PREFIX - 1;
    *step = strtoul(digits, &end, 10);
    if (*digits >= '0' && *digits <= '9' && *end == '.' && *step < most)
        return true;
    return err_at(e, &one->at, "there is no step in %s: step.0. is the first, and %zu are the most",
                  one->name, most);
}

/* Names that begin with _ are of no stage. */
bool named_steps(const bundle *names, size_t *steps, err *e)
{
    bool are_some = false;
    for (size_t i = 0; i < names->count; i++)
        are_some = are_some || is_of_step(names->entry[i].name);
    *steps = 0;
    for (size_t i = 0; are_some && i < names->count; i++) {
        size_t step = 0;
        if (names->entry[i].name[0] != '_' && !read_step(&names->entry[i], &step, e))
            return false;
        *steps = step < *steps ? *steps : step + 1;
    }
    return true;
}

/* ---- their stages ---- */

static bool add_name(text_list *there, size_t step, const char *name, err *e)
{
    char full[2 * STAGE_NAME];
    int length = snprintf(full, sizeof full, "%s%zu.%s", PREFIX, step, name);
    return text_list_add(there, full, (size_t)length, e);
}

/* What chooses an id, after the stages of the layers. */
static bool add_choice(text_list *there, size_t step, bool draws, err *e)
{
    static const char *const DRAWN[] = {"tempered", "exponentials", "probabilities"};
    bool done = add_name(there, step, "logits", e);
    for (size_t i = 0; draws && done && i < sizeof DRAWN / sizeof DRAWN[0]; i++)
        done = add_name(there, step, DRAWN[i], e);
    return done && add_name(there, step, "choice", e);
}

/* What a step finds in its cache, and leaves there, is known before its scores. */
static bool add_cached(text_list *there, size_t step, const char *scores, err *e)
{
    static const char LAST[] = ".attention.scores", *const CACHED[] = {"present_k", "present_v"};
    size_t length = strlen(scores), before = length + 1 - sizeof "scores";
    bool done = true;
    if (step == 0 || length < sizeof LAST || strcmp(scores + length + 1 - sizeof LAST, LAST) != 0)
        return true;
    for (size_t i = 0; done && i < sizeof CACHED / sizeof CACHED[0]; i++) {
        char name[STAGE_NAME];
        snprintf(name, sizeof name, "%.*s%s", (int)before, scores, CACHED[i]);
        done = add_name(there, step, name, e);
    }
    return done;
}

/* Rollout is of all rows. */
bool generation_solution_list(generation_solution *s, err *e)
{
    const generation *g = &s->of;
    text_list once = {0};
    if (s->there.count > 0)
        return true;
    bool done = text_list_index(&s->there, e) && stack_stage_names(&g->stack, &once, e);
    for (size_t step = 0; step < g->how.steps && done; step++) {
        for (size_t i = 0; i < once.count && done; i++) {
            const char *name = once.item[i];
            done = (step > 0 && strcmp(name, "rollout") == 0) ||
                   (add_cached(&s->there, step, name, e) && add_name(&s->there, step, name, e));
        }
        done = done && add_choice(&s->there, step, g->how.temperature > 0, e);
    }
    text_list_free(&once);
    return done;
}

/* Out of what each step has left, or of a number or a row that only the trace has. Steps after
 * --stop's word, which were not made, may be meant by a name with *. */
static bool keep_one(generation_solution *s, const char *name, err *e)
{
    char *rest;
    size_t step = strtoul(name + sizeof PREFIX - 1, &rest, 10);
    if (step >= s->trace.steps)
        return text_list_find(&s->wanted, name) == NULL ||
               err_set(e, "there is no %s: the generation ended with step %zu", name,
                       s->trace.steps - 1);
    const entry *kept = bundle_find(&s->trace.step[step].result, rest + 1);
    if (kept != NULL)
        return bundle_borrow(&s->stages, name, kept, e) != NULL;
    const trace_map *map = trace_command_map_of(&s->trace.made.whole, name);
    assert(map != NULL); /* what generation_solution_list names is made */
    tensor view = tensor_at(&map->values, 0);
    while (map->is_number && view.rank > 0)
        view = tensor_at(&view, 0);
    return bundle_add_tensor(&s->stages, name, &view, (place){0}, e);
}

static bool keep_wanted(generation_solution *s, err *e)
{
    keeper by = keeper_of(&s->wanted);
    for (size_t i = 0; i < s->there.count; i++) {
        if (keeper_wants(&by, s->there.item[i]) && !keep_one(s, s->there.item[i], e))
            return false;
    }
    return true;
}

/* ---- steps ---- */

/* Of weighted, the row that a trace spells out: of the prompt the one in focus, then the only
 * one. */
typedef struct rows_in_focus {
    kept_stages prompt, later;
} rows_in_focus;

static bool run_steps(generation_solution *s, const rows_in_focus *rows, crew *by, err *e)
{
    generation *g = &s->of;
    while (!generation_is_done(g)) {
        if (rows != NULL)
            g->stack.how.one_row = g->step == 0 ? &rows->prompt : &rows->later;
        if (!generation_step(g, by, e) || (s->is_traced && !generation_trace_add(&s->trace, e)) ||
            (s->each.hear != NULL && !s->each.hear(s->each.context, g, e)))
            return false;
    }
    return true;
}

static bool run_all(generation_solution *s, const rows_in_focus *rows, const options *o,
                    const env *world, err *e)
{
    crew by;
    stack_say_overruled(&s->of.stack, o, world);
    crew_open(&by, stack_threads(&s->of.stack, o, world));
    bool done = run_steps(s, rows, &by, e);
    s->of.stack.how.one_row = NULL;
    crew_close(&by);
    if (done)
        stack_say_missing_threads(&by, o, world);
    return done;
}

bool generation_solution_run(generation_solution *s, const options *o, const env *world, err *e)
{
    return check_steps_memory(&s->of, 0, o, world, e) && run_all(s, NULL, o, world, e);
}

bool generation_solution_show(generation_solution *s, const text_list *asked, const options *o,
                              const env *world, err *e)
{
    static char *const EVERYTHING[] = {"*"};
    static const text_list ALL_STAGES = {.item = (char **)EVERYTHING, .count = 1};
    generation *g = &s->of;
    s->is_traced = g->stack.how.keeps_plans = true;
    g->how.emit = &ALL_STAGES;
    if (!check_steps_memory(g, generation_trace_begin_memory(g), o, world, e) ||
        !trace_command_begin_generation(&s->trace, g, asked, o, e))
        return false;
    const trace_focus *focus = &s->trace.how.focus;
    const kept_stages row = {.weighted_is_one_row = true, .head = focus->head, .row = focus->row};
    rows_in_focus rows = {row, row};
    rows.later.row = 0;
    bool wants_all = trace_command_wants_weighted(&s->there, &s->wanted);
    return run_all(s, wants_all ? NULL : &rows, o, world, e) &&
           generation_trace_end(&s->trace, e) && keep_wanted(s, e);
}

/* What there is to be noted was noted of the steps. */
bool generation_solution_decode(generation_solution *s, const document *one, const options *o,
                                const env *world, err *e)
{
    static const text_list NONE = {0};
    options quiet = *o;
    quiet.quiet = true;
    s->whole = (document){.file = one->file, .line = one->line};
    return generation_document(&s->of, &s->whole.contents, e) &&
           stack_solution_plan(&s->decoded, &s->whole, true, &quiet, e) &&
           trace_command_make_stack(&s->drawn, &s->decoded, &NONE, &NONE, &quiet, world, e);
}

void generation_solution_free(generation_solution *s)
{
    stack_trace_free(&s->drawn);
    stack_solution_free(&s->decoded);
    document_free(&s->whole);
    bundle_free(&s->stages);
    text_list_free(&s->wanted);
    text_list_free(&s->there);
    generation_trace_free(&s->trace);
    generation_close(&s->of);
    mem_free(s->number);
}
