#include "cli/run/generation_solve.h"

#include "base/mem.h"
#include "cli/run/stack_overruled.h"
#include "cli/run/stack_solve.h"
#include "random/generator.h"

#include <stdint.h>
#include <stdio.h>

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

static rows_in_focus rows_of(const trace_focus *focus)
{
    kept_stages row = {.weighted_is_one_row = true, .head = focus->head, .row = focus->row};
    kept_stages only = row;
    only.row = 0;
    return (rows_in_focus){row, only};
}

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
    rows_in_focus rows = rows_of(&s->trace.how.focus);
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
