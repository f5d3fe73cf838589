#include "cli/run/generation_solve.h"

#include "base/mem.h"
#include "cli/run/stack_solve.h"
#include "cli/run/trace_command.h"
#include "random/generator.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool generation_solution_open(generation_solution *s, const document *one, size_t steps,
                              bool is_traced, const options *o, err *e)
{
    static char *const EVERYTHING[] = {"*"};
    static const text_list ALL_STAGES = {.item = (char **)EVERYTHING, .count = 1};
    *s = (generation_solution){.is_traced = is_traced, .number = draw_numbers(o, steps, e)};
    const stack_settings of_stack = {.is_decoder = true,
                                     .allow_nonfinite = o->allow_nonfinite,
                                     .goes_on = true,
                                     .keeps_plans = is_traced};
    const generation_settings how = {steps, o->temperature, s->number,
                                     is_traced ? &ALL_STAGES : NULL};
    const isa *by = isa_by_name(o->isa, e);
    bool is_decoder;
    return s->number != NULL && by != NULL &&
           stack_find_kind(&one->contents, "decoder", &is_decoder, e) &&
           generation_open(&s->of, &one->contents, &of_stack, &how, by, e);
}

bool generation_solution_check(const generation_solution *s, const options *o, const env *world,
                               err *e)
{
    const generation *g = &s->of;
    size_t threads = stack_threads(&g->stack, o, world), bytes;
    char steps[64];
    snprintf(steps, sizeof steps, " for the prompt and %zu steps", g->how.steps);
    if (!generation_memory(g, threads, &bytes, e) ||
        !stack_check_memory(&g->stack, bytes, " for the prompt", o, e) ||
        !generation_memory_in_all(g, threads, &bytes, e))
        return false;
    if (s->is_traced && !size_add(bytes, generation_trace_begin_memory(g), &bytes))
        bytes = SIZE_MAX;
    return stack_check_memory(&g->stack, bytes, steps, o, e);
}

/* ---- steps ---- */

/* Of weighted, the row that a trace spells out: of the prompt the one in focus, then the only
 * one. */
typedef struct rows_in_focus {
    kept_stages prompt, later;
} rows_in_focus;

static bool run_steps(generation_solution *s, const rows_in_focus *rows, const step_listener *each,
                      crew *by, err *e)
{
    generation *g = &s->of;
    while (!generation_is_done(g)) {
        if (rows != NULL)
            g->stack.how.one_row = g->step == 0 ? &rows->prompt : &rows->later;
        if (!generation_step(g, by, e) || (s->is_traced && !generation_trace_add(&s->trace, e)) ||
            (each != NULL && !each->hear(each->context, g, e)))
            return false;
    }
    return true;
}

bool generation_solution_run(generation_solution *s, bool all_weighted, const step_listener *each,
                             const options *o, const env *world, err *e)
{
    const trace_focus *focus = &s->trace.how.focus;
    const kept_stages row = {.weighted_is_one_row = true, .head = focus->head, .row = focus->row};
    rows_in_focus rows = {row, row};
    rows.later.row = 0;
    crew by;
    stack_say_overruled(&s->of.stack, o, world);
    crew_open(&by, stack_threads(&s->of.stack, o, world));
    bool done = run_steps(s, s->is_traced && !all_weighted ? &rows : NULL, each, &by, e);
    s->of.stack.how.one_row = NULL;
    crew_close(&by);
    if (done)
        stack_say_missing_threads(&by, o, world);
    return done;
}

void generation_solution_free(generation_solution *s)
{
    generation_trace_free(&s->trace);
    generation_close(&s->of);
    mem_free(s->number);
}

/* ---- which steps are named ---- */

static const char PREFIX[] = "step.";

static bool is_of_step(const char *name)
{
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

bool named_steps_are(const bundle *names)
{
    for (size_t i = 0; i < names->count; i++) {
        if (is_of_step(names->entry[i].name))
            return true;
    }
    return false;
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

static int compare_steps(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Names that begin with _ are of no stage. */
static bool find_steps(named_steps *s, const bundle *names, err *e)
{
    size_t read = 0;
    s->step = mem_alloc(names->count, sizeof s->step[0], e);
    for (size_t i = 0; i < names->count && !e->is_set; i++) {
        if (names->entry[i].name[0] != '_' && read_step(&names->entry[i], &s->step[read], e))
            read++;
    }
    if (e->is_set)
        return false;
    qsort(s->step, read, sizeof s->step[0], compare_steps);
    for (size_t i = 0; i < read; i++) {
        if (i == 0 || s->step[i] != s->step[i - 1])
            s->step[s->count++] = s->step[i];
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

static bool list_stages(named_steps *s, err *e)
{
    const generation *g = &s->solved.of;
    text_list once = {0};
    bool done = text_list_index(&s->there, e) && stack_stage_names(&g->stack, &once, e);
    for (size_t i = 0; i < s->count && done; i++) {
        for (size_t j = 0; j < once.count && done; j++)
            done = add_cached(&s->there, s->step[i], once.item[j], e) &&
                   add_name(&s->there, s->step[i], once.item[j], e);
        done = done && add_choice(&s->there, s->step[i], g->how.temperature > 0, e);
    }
    text_list_free(&once);
    return done;
}

bool named_steps_plan(named_steps *s, const document *one, const bundle *names, const options *o,
                      err *e)
{
    *s = (named_steps){.names = names};
    return find_steps(s, names, e) &&
           generation_solution_open(&s->solved, one, s->step[s->count - 1] + 1, true, o, e) &&
           list_stages(s, e);
}

/* ---- computing ---- */

/* A number or a row that only the trace has. */
static bool keep_map(named_steps *s, const char *name, err *e)
{
    const trace_map *map = trace_command_map_of(&s->solved.trace.made.whole, name);
    tensor view = map == NULL ? (tensor){0} : tensor_view_of(&map->values);
    return map == NULL
               ? err_at(e, &bundle_find(s->names, name)->at, "this step does not make %s", name)
               : bundle_add_tensor(&s->stages, name, &view, (place){0}, e);
}

/* Out of what each step has left. */
static bool keep_wanted(named_steps *s, err *e)
{
    for (size_t i = 0; i < s->wanted.count; i++) {
        const char *name = s->wanted.item[i];
        char *rest;
        size_t step = strtoul(name + sizeof PREFIX - 1, &rest, 10);
        const entry *kept = bundle_find(&s->solved.trace.step[step].result, rest + 1);
        if (kept != NULL ? bundle_borrow(&s->stages, name, kept, e) == NULL : !keep_map(s, name, e))
            return false;
    }
    return true;
}

bool named_steps_run(named_steps *s, const options *o, const env *world, err *e)
{
    static const text_list NO_STEPS = {0};
    generation_solution *of = &s->solved;
    return generation_solution_check(of, o, world, e) &&
           trace_command_begin_generation(&of->trace, &of->of, &NO_STEPS, o, e) &&
           generation_solution_run(of, trace_command_wants_weighted(&s->there, &s->wanted), NULL, o,
                                   world, e) &&
           generation_trace_end(&of->trace, e) && keep_wanted(s, e);
}

void named_steps_free(named_steps *s)
{
    bundle_free(&s->stages);
    text_list_free(&s->wanted);
    text_list_free(&s->there);
    generation_solution_free(&s->solved);
    mem_free(s->step);
}
