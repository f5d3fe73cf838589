#include "cli/check/check_document.h"

#include "cli/check/check_answers.h"
#include "cli/check/check_generation.h"
#include "cli/check/check_stack.h"
#include "cli/check/check_stages.h"
#include "cli/check/check_why.h"
#include "cli/report.h"
#include "cli/solve.h"
#include "model/keys.h"

#include <string.h>

/* What a result has of the document's own inputs is no stage that somebody computed. */
static bool check_actual(const checker *c, const document *one, const bundle *actual, err *e)
{
    const entry *own = NULL;
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        const char *name = stage_row(id)->key.named.name;
        const entry *found = bundle_find(actual, name);
        if (found != NULL && bundle_find(&one->contents, name) == NULL)
            return true;
        own = found != NULL ? found : own;
    }
    if (own == NULL)
        return check_refuse_numbers(c, actual, NULL, e);
    err_at(e, &own->at, "%s is an input of the document, and no stage is here that it makes",
           own->name);
    return err_remedy(e, "selfattn help stages lists them");
}

static bool want_expected(solution *s, const bundle *expected, err *e)
{
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        const stage *row = stage_row(id);
        const entry *needed = bundle_find(expected, row->key.named.name);
        if (needed != NULL && !plan_has_stage(&s->plan, id))
            return err_at(e, &needed->at, "%s is not made by this document: it needs %s",
                          needed->name, row->made_by);
        if (needed != NULL && !solution_want(s, &id, 1, e))
            return false;
    }
    return true;
}

/* What is compared with what is computed; NULL: nothing is known. */
static bool find_numbers(const checker *c, const document *one, const bundle **numbers, err *e)
{
    const entry *expected = bundle_find(&one->contents, "expected");
    if (c->actual != NULL)
        return check_actual_numbers(c->actual, document_type(one), numbers, e);
    *numbers = expected != NULL && expected->bundle->count > 0 ? expected->bundle : NULL;
    return true;
}

static bool has_inputs(const document *one, bool *has, err *e)
{
    problem probe;
    *has = problem_read(&probe, &one->contents, e) && problem_has_inputs(&probe);
    problem_free(&probe);
    return !e->is_set;
}

/* --answers: an exercise is marked. */
static bool mark(checker *c, const document *one, const solution *s, const bundle *answers, err *e)
{
    const step_wish no_step[STEP_COUNT] = {STEP_UNWANTED};
    trace t = {0};
    bool done = trace_make(&t, &s->plan, &s->stages, (trace_focus){0}, false, no_step, e) &&
                check_answers(c, &(exercise){one, answers, &s->stages, &t}, e);
    trace_free(&t);
    return done;
}

static bool compare(checker *c, const document *one, const solution *s, const bundle *numbers,
                    errata *known, err *e)
{
    char *name[STAGE_COUNT];
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        name[id] = (char *)stage_row(id)->key.named.name;
    const text_list there = {.item = name, .count = STAGE_COUNT};
    const named_stages of = {one, &there, numbers, &s->stages};
    const why_question asked = {.problem = &s->problem,
                                .with = s->plan.with,
                                .threads = solution_threads(s, c->given, c->world)};
    return check_judge(c, &of, &asked, known, e);
}

static bool solve_and_compare(checker *c, const document *one, const bundle *numbers, err *e)
{
    solution s = {0};
    errata known = {0};
    bool done = check_tolerances(&one->contents, NULL, e) &&
                (c->actual != NULL || errata_read(&known, &one->contents, NULL, e)) &&
                solution_plan(&s, one, c->given, e) && want_expected(&s, numbers, e);
    if (done && c->given->answers != NULL)
        trace_wants(&s.plan, (trace_focus){0}, &s.wanted); /* hints say what a stage is made of */
    done = done && solution_run(&s, c->given, c->world, e) &&
           (c->given->answers != NULL ? mark(c, one, &s, numbers, e)
                                      : compare(c, one, &s, numbers, &known, e));
    errata_free(&known);
    solution_free(&s);
    return done;
}

/* Without inputs and without anything expected there is nothing to do (a document of tokens alone),
 * and that is no failure. */
static bool check_numbers(checker *c, const document *one, err *e)
{
    const bundle *numbers;
    place at = document_place(one);
    bool has = false;
    if (c->actual != NULL && !check_actual_has(c->actual, at, e))
        return false;
    if (!find_numbers(c, one, &numbers, e))
        return false;
    c->saw_layers = c->saw_layers || check_is_stack(one);
    if (check_is_stack(one) && numbers == NULL)
        return err_at(e, &at, "there is no \"expected\" to compare with");
    if (check_is_stack(one))
        return check_is_generation(numbers) ? check_generation(c, one, numbers, e)
                                            : check_stack(c, one, numbers, e);
    if (!attention_keys_check(&one->contents, e) || !has_inputs(one, &has, e))
        return false;
    if (!has && numbers == NULL) {
        report_check(&c->out, one, &(comparison){0}, &(errata){0}, "");
        return true;
    }
    if (numbers == NULL)
        return err_at(e, &at, "there is no \"expected\" to compare with");
    return check_numbers_names(c, numbers, NULL, e) &&
           (c->actual == NULL || check_actual(c, one, numbers, e)) &&
           solve_and_compare(c, one, numbers, e);
}

bool check_document(checker *c, const document *one, err *e)
{
    return check_numbers(c, one, e) || document_blame(one, e);
}
