#include "cli/check/check_document.h"

#include "cli/check/check_answers.h"
#include "cli/check/check_page.h"
#include "cli/check/check_stages.h"
#include "cli/check/check_why.h"
#include "cli/out/report.h"
#include "model/keys.h"

#include <string.h>

/* What is compared with what is computed; NULL: nothing is known. */
static bool find_numbers(const checker *c, const document *one, const bundle **numbers, err *e)
{
    const entry *expected = bundle_find(&one->contents, "expected");
    if (c->actual != NULL)
        return check_actual_has(c->actual, document_place(one), e) &&
               check_actual_numbers(c->actual, document_type(one), numbers, e);
    *numbers = expected != NULL && expected->bundle->count > 0 ? expected->bundle : NULL;
    return true;
}

/* Without inputs and without anything expected there is nothing to do (a document of tokens alone),
 * and that is not a failure. */
static bool pass(checker *c, const document *one, bool is_stack, err *e)
{
    problem probe = {0};
    place at = document_place(one);
    bool has_inputs =
        is_stack || (attention_keys_check(&one->contents, e) &&
                     problem_read(&probe, &one->contents, e) && problem_has_inputs(&probe));
    problem_free(&probe);
    if (has_inputs)
        return err_at(e, &at, "there is no \"expected\" to compare with");
    if (!e->is_set)
        report_check(&c->out, one, &(comparison){0}, &(errata){0}, "");
    return !e->is_set;
}

/* A document without a name may be any. */
static bool check_answered(const checker *c, const document *one, const bundle *answers, err *e)
{
    const char *said = check_page_document(answers);
    const char *name = bundle_text(&one->contents, "name");
    place at = check_actual_place(c->actual);
    return said == NULL || name == NULL || strcmp(said, name) == 0 ||
           err_at(e, &at, "it answers \"%s\", and this document is \"%s\"", said, name);
}

/* As a page of answers was computed, else as the document says; of a generation, as many steps as
 * the numbers are of. */
static bool plan_work(const checker *c, const document *one, bool is_stack, const bundle *numbers,
                      work *w, err *e)
{
    const char *command = check_page_command(numbers), *as = NULL;
    if (is_stack && named_steps_are(numbers))
        return work_plan_steps(w, one, numbers, c->given, e);
    if (is_stack && command != NULL)
        as = strcmp(command, "decode") == 0 ? "decoder" : "encoder";
    return work_plan(w, one, as, c->given, e);
}

/* Everything that can be refused is refused before the numbers are looked at. --answers: an
 * exercise is marked, of which hints say what a stage is made of. */
static bool compare(checker *c, document *one, const named_stages *of, work *w, errata *known,
                    err *e)
{
    if (!check_stages_want(c, of, w, known, e) || !document_reader_look(c->documents, one, e))
        return false;
    if (c->given->answers.count > 0)
        return w->kind->show(w, FOR_FORMULAS, c->given, c->world, e) &&
               check_answers(c, of, w->shown, e);
    return w->kind->run(w, c->given, c->world, e) && check_judge(c, of, w, known, e);
}

static bool check_numbers(checker *c, document *one, err *e)
{
    const bundle *numbers;
    work w = {0};
    text_list there = {0};
    errata known = {0};
    bool is_stack = bundle_find(&one->contents, "layers") != NULL;
    c->saw_layers = c->saw_layers || is_stack;
    if (!find_numbers(c, one, &numbers, e))
        return false;
    if (numbers == NULL)
        return pass(c, one, is_stack, e);
    bool done = (c->given->answers.count == 0 || check_answered(c, one, numbers, e)) &&
                plan_work(c, one, is_stack, numbers, &w, e) && text_list_index(&there, e) &&
                w.kind->names(&w, &there, e);
    const row_choice *rows = done ? work_rows(&w) : NULL;
    bundle of_rows = {0};
    const named_stages of = {one, &there, rows == NULL ? numbers : &of_rows, w.stages, rows};
    done = done && (rows == NULL || stack_choose_rows(rows, numbers, &of_rows, e)) &&
           compare(c, one, &of, &w, &known, e);
    errata_free(&known);
    bundle_free(&of_rows);
    text_list_free(&there);
    work_free(&w);
    return done;
}

bool check_document(checker *c, document *one, err *e)
{
    return check_numbers(c, one, e) || document_blame(one, e);
}
