#include "cli/check/check_generation.h"

#include "base/mem.h"
#include "cli/check/check_answers.h"
#include "cli/check/check_page.h"
#include "cli/check/check_stages.h"
#include "cli/check/check_why.h"
#include "cli/stack/generation_solve.h"
#include "cli/tracing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "step.";

/* ---- which steps ---- */

static bool is_of_step(const char *name)
{
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

bool check_is_generation(const bundle *numbers)
{
    for (size_t i = 0; i < numbers->count; i++) {
        if (is_of_step(numbers->entry[i].name))
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

/* The steps that the numbers are about, each once, in order. */
typedef struct said_steps {
    size_t *step, count;
} said_steps;

static bool find_steps(said_steps *all, const bundle *numbers, err *e)
{
    size_t read = 0;
    *all = (said_steps){.step = mem_alloc(numbers->count, sizeof all->step[0], e)};
    for (size_t i = 0; i < numbers->count && !e->is_set; i++) {
        if (!check_is_aside(&numbers->entry[i]) &&
            read_step(&numbers->entry[i], &all->step[read], e))
            read++;
    }
    if (e->is_set)
        return false;
    qsort(all->step, read, sizeof all->step[0], compare_steps);
    for (size_t i = 0; i < read; i++) {
        if (i == 0 || all->step[i] != all->step[i - 1])
            all->step[all->count++] = all->step[i];
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

/* What chooses an id, behind the stages of the layers. */
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

static bool list_stages(text_list *there, const said_steps *of, const generation *g, err *e)
{
    text_list once = {0};
    bool done = text_list_index(there, e) && stack_stage_names(&g->stack, &once, e);
    for (size_t i = 0; i < of->count && done; i++) {
        for (size_t j = 0; j < once.count && done; j++)
            done = add_cached(there, of->step[i], once.item[j], e) &&
                   add_name(there, of->step[i], once.item[j], e);
        done = done && add_choice(there, of->step[i], g->how.temperature > 0, e);
    }
    text_list_free(&once);
    return done;
}

/* ---- computing ---- */

/* A number or a row that only the trace has. */
static bool add_map(bundle *computed, const trace *whole, const entry *said, err *e)
{
    const trace_map *map = check_map_of(whole, said->name);
    tensor view = map == NULL ? (tensor){0} : tensor_view_of(&map->values);
    return map == NULL ? err_at(e, &said->at, "this step does not make %s", said->name)
                       : bundle_add_tensor(computed, said->name, &view, (place){0}, e);
}

/* Those that are compared, in the order in which they were made, out of what each step has left. */
static bool gather(bundle *computed, const generation_solution *s, const named_stages *of, err *e)
{
    for (size_t i = 0; i < of->there->count; i++) {
        const entry *said = bundle_find(of->numbers, of->there->item[i]);
        size_t step;
        if (said == NULL)
            continue;
        if (!read_step(said, &step, e))
            return false;
        const char *rest = strchr(said->name + sizeof PREFIX - 1, '.') + 1;
        const entry *kept = bundle_find(&s->trace.step[step].result, rest);
        if (kept != NULL ? bundle_borrow(computed, said->name, kept, e) == NULL
                         : !add_map(computed, &s->trace.made.whole, said, e))
            return false;
    }
    return true;
}

static bool mark(checker *c, const named_stages *of, const trace *whole, err *e)
{
    return check_answers(c, &(exercise){of->document, of->numbers, of->computed, whole}, e);
}

static bool compare(checker *c, const named_stages *of, const generation *g, errata *known, err *e)
{
    const why_question asked = check_asked_of_layers(c, &g->stack, &g->how);
    return check_judge(c, of, &asked, known, e);
}

static bool solve(checker *c, const named_stages *of, generation_solution *s, bundle *computed,
                  err *e)
{
    static const text_list NO_STEPS = {0};
    text_list names = {0};
    errata known = {0};
    bool done = check_stages_list(c, of, &known, &names, e) &&
                generation_solution_check(s, c->given, c->world, e) &&
                tracing_begin_generation(&s->trace, &s->of, &NO_STEPS, c->given, e) &&
                generation_solution_run(s, tracing_wants_weighted(of->there, &names), NULL,
                                        c->given, c->world, e) &&
                generation_trace_end(&s->trace, e) && gather(computed, s, of, e) &&
                (c->given->answers != NULL ? mark(c, of, &s->trace.made.whole, e)
                                           : compare(c, of, &s->of, &known, e));
    errata_free(&known);
    text_list_free(&names);
    return done;
}

bool check_generation(checker *c, const document *one, const bundle *numbers, err *e)
{
    said_steps steps;
    text_list there = {0};
    bundle computed = {0};
    generation_solution s = {0};
    const named_stages of = {one, &there, numbers, &computed};
    bool done =
        find_steps(&steps, numbers, e) &&
        generation_solution_open(&s, one, steps.step[steps.count - 1] + 1, true, c->given, e) &&
        list_stages(&there, &steps, &s.of, e) && solve(c, &of, &s, &computed, e);
    bundle_free(&computed);
    generation_solution_free(&s);
    text_list_free(&there);
    mem_free(steps.step);
    return done;
}
