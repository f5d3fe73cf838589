#include "cli/check/checker.h"

#include "attn/spec/stage.h"
#include "cli/out/note.h"
#include "cli/out/report.h"
#include "cli/out/stage_names.h"
#include "model/keys.h"

#include <string.h>

/* ---- names and tolerances ---- */

/* Where a document has no tol: published numbers come from a calculator, in float64. And where
 * another program's are checked: most often they are float32. */
static const double DEFAULT_TOL = 1e-9, ACTUAL_TOL = 1e-5;

double check_tolerance(const checker *c, const bundle *contents, const char *name)
{
    const entry *tol = bundle_find(contents, "tol");
    const tensor *number = NULL;
    double given;
    if (tolerance_given(c->given, name, &given))
        return given;
    if (c->given->has_tol)
        return c->given->tol;
    if (c->actual != NULL)
        return ACTUAL_TOL;
    if (tol != NULL)
        number = tol->kind == ENTRY_BUNDLE ? bundle_tensor(tol->bundle, name) : &tol->tensor;
    return number == NULL ? DEFAULT_TOL : tensor_get(number, NULL);
}

static bool refuse_name(const entry *one, const text_list *of_stack, err *e)
{
    err_at(e, &one->at, "there is no stage \"%s\"%s", one->name,
           of_stack == NULL ? "" : " in this stack");
    return stage_names_suggest(of_stack, one->name, "", e);
}

/* The error of a result whose numbers all have other names, of which one may be a slip. */
static bool refuse_numbers(const checker *c, const bundle *numbers, const text_list *of_stack,
                           err *e)
{
    place at = check_actual_place(c->actual);
    for (size_t i = 0; i < numbers->count; i++) {
        const char *name = numbers->entry[i].name;
        if (stage_names_nearest(of_stack, name, strlen(name)) != NULL ||
            stage_names_needs(of_stack, name) != NULL)
            return refuse_name(&numbers->entry[i], of_stack, e);
    }
    if (of_stack == NULL)
        return check_actual_refuse_stageless(c->actual, e);
    err_at(e, &at, "there is no stage of this stack in this %s", at.line > 0 ? "line" : "file");
    return stage_names_suggest(of_stack, "", "", e);
}

static bool check_names(const bundle *by_stage, const text_list *of_stack, err *e)
{
    for (size_t i = 0; i < by_stage->count; i++) {
        const entry *one = &by_stage->entry[i];
        if (!stage_names_have(of_stack, one->name))
            return refuse_name(one, of_stack, e);
    }
    return true;
}

/* Another program's result may have anything besides stages, and answers nothing else. */
static bool check_names_of_result(const checker *c, const bundle *numbers,
                                  const text_list *of_stack, err *e)
{
    enum { NOTED_MOST = 16 }; /* each is compared with every stage, for the nearest */
    bool has_stage = false;
    size_t unknown = 0;
    for (size_t i = 0; i < numbers->count && !has_stage; i++)
        has_stage = stage_names_have(of_stack, numbers->entry[i].name);
    for (size_t i = 0; i < numbers->count; i++) {
        const entry *one = &numbers->entry[i];
        size_t length = strlen(one->name);
        /* A stage, or what stands besides stages: remarks, and what a document has, of which they
         * may be a copy. */
        if (stage_names_have(of_stack, one->name) || check_is_aside(one) ||
            key_find(&STACK_DOCUMENT, one->name, length) != NULL)
            continue;
        if (c->given->answers.count > 0 || check_map_gives(&c->actual->map, one->name))
            return refuse_name(one, of_stack, e);
        if (has_stage && unknown++ < NOTED_MOST) {
            /* Of attention no stage is one number: that is a remark. A slip is likely where the
             * stage that was meant is not there. */
            const char *near = stage_names_nearest(of_stack, one->name, length);
            bool is_slip = near != NULL && bundle_find(numbers, near) == NULL;
            if (one->tensor.rank > 0 || (of_stack != NULL && is_slip))
                note_say(c->world, c->given, NULL, "%s has %s, which is not a stage%s%s%s%s",
                         one->at.file, one->name, of_stack == NULL ? "" : " of this stack",
                         is_slip ? "; did you mean " : "", is_slip ? near : "", is_slip ? "?" : "");
        }
    }
    if (unknown > NOTED_MOST)
        note_say(c->world, c->given, NULL, "%zu more names in it are not stages",
                 unknown - NOTED_MOST);
    return true;
}

/* A tolerance is from 0; one a stage is for stages that there are. */
static bool check_tolerances(const bundle *contents, const text_list *of_stack, err *e)
{
    const entry *tol = bundle_find(contents, "tol");
    if (tol == NULL)
        return true;
    bool is_one = tol->kind != ENTRY_BUNDLE;
    size_t count = is_one ? 1 : tol->bundle->count;
    for (size_t i = 0; i < count; i++) {
        const entry *one = is_one ? tol : &tol->bundle->entry[i];
        double value = tensor_get(&one->tensor, NULL);
        if (!(value >= 0))
            return err_at(e, &one->at, "the tolerance is %g, it must be a number from 0", value);
    }
    return is_one || check_names(tol->bundle, of_stack, e);
}

const char *check_numbers_name(const checker *c)
{
    return c->actual != NULL ? "actual" : "expected";
}

/* ---- stages next to what is said of them ---- */

/* Wants those that are compared, before anything is computed. What a document expects must be
 * there, and so must what its errata and tolerances are about; of another's result, what is. */
static bool want_stages(const checker *c, const named_stages *of, work *w, err *e)
{
    const bundle *contents = &of->document->contents, *numbers = of->numbers;
    const text_list *of_stack = work_stack(w) == NULL ? NULL : of->there;
    if (!tolerances_check(c->given, of_stack, e) || !check_tolerances(contents, of_stack, e))
        return false;
    if (c->actual != NULL && !check_names_of_result(c, numbers, of_stack, e))
        return false;
    if (c->actual == NULL &&
        (!check_names(numbers, of_stack, e) || !errata_read(of->known, contents, of_stack, e)))
        return false;
    bool is_computed = c->actual == NULL;
    const entry *own = NULL;
    for (size_t i = 0; i < of->there->count && !is_computed; i++) {
        const entry *said = bundle_find(numbers, of->there->item[i]);
        is_computed = said != NULL && bundle_find(contents, said->name) == NULL;
        own = said != NULL ? said : own;
    }
    if (!is_computed && own == NULL)
        return refuse_numbers(c, numbers, of_stack, e);
    /* What a result has of the document's own inputs is not a stage that somebody computed. */
    if (!is_computed) {
        err_at(e, &own->at, "%s is an input of the document, and no stage is here that it makes",
               own->name);
        return err_remedy(e, "selfattn help stages lists them");
    }
    for (size_t i = 0; i < of->there->count; i++) {
        const entry *said = bundle_find(numbers, of->there->item[i]);
        if (said != NULL && !w->kind->want(w, said->name, false, e))
            return err_place(e, &said->at);
    }
    if (of->rows != NULL)
        errata_choose(of->known, of->rows);
    return true;
}

/* The line of one checked document; true where it holds. */
static bool report(text *out, const document *one, const comparison *of, const errata *known,
                   const char *wanted_name)
{
    const erratum *bad = errata_unconfirmed(known);
    if (of->different == 0 && bad != NULL) {
        text_add_string(out, "FAIL  ");
        report_document(out, one);
        text_add_format(out, ": the erratum in line %zu is none: %s publishes ",
                        bad->record->at.line, bad->stage);
        report_number(out, bad->published);
        text_add_string(out, " there, and to compute ");
        report_number(out, bad->computed);
        text_add_string(out, " instead is not what happens\n");
        return false;
    }
    text_add_string(out, of->different == 0 ? "ok    " : "FAIL  ");
    report_document(out, one);
    text_add_string(out, ": ");
    if (of->different > 0) {
        report_element(out, &of->first, wanted_name, "computed");
        if (of->different > 1)
            text_add_format(out, ", and %zu more", of->different - 1);
    } else if (of->stages == 0) {
        text_add_string(out, "nothing to compute, nothing expected");
    } else {
        text_add_format(out, "%zu number%s in %zu stage%s", of->numbers,
                        of->numbers == 1 ? "" : "s", of->stages, of->stages == 1 ? "" : "s");
    }
    if (of->known > 0)
        text_add_format(out, ", %zu known errat%s", of->known, of->known == 1 ? "um" : "a");
    if (known->within_tolerance > 0)
        text_add_format(out, ", %zu errat%s within the tolerance", known->within_tolerance,
                        known->within_tolerance == 1 ? "um" : "a");
    text_add_string(out, "\n");
    return of->different == 0;
}

bool check_stages_compare(checker *c, const named_stages *of, comparison *found, err *e)
{
    known_elements by = {errata_knows, of->known};
    if (!errata_check(of->known, of->numbers, of->computed, e))
        return false;
    found->holes_differ = c->actual != NULL;
    found->rows = of->rows == NULL ? NULL : of->rows->row;
    for (size_t i = 0; i < of->there->count; i++) {
        const char *name = of->there->item[i];
        const entry *said = bundle_find(of->numbers, name);
        if (said != NULL &&
            !compare_stage(found, name, said, bundle_find(of->computed, name),
                           check_tolerance(c, &of->document->contents, name), &by, e))
            return false;
    }
    /* All that is expected is null. */
    if (found->numbers == 0)
        return err_at(e, &of->numbers->entry[0].at,
                      "there is no number in \"expected\" to compare with");
    errata_settle(of->known, of->numbers, of->computed);
    if (c->given->update && of->rows != NULL)
        return err_set(e, "--update records whole stages, and rows are chosen");
    if (c->given->update && found->different > 0)
        return check_update(c, of, e);
    bool holds = report(&c->file.lines, of->document, found, of->known, check_numbers_name(c));
    c->file.failed += !holds;
    return true;
}

/* ---- a document ---- */

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
        report(&c->file.lines, one, &(comparison){0}, &(errata){0}, "");
    return !e->is_set;
}

bool check_document(checker *c, document *one, err *e)
{
    const entry *expected = bundle_find(&one->contents, "expected");
    bool marks = c->given->answers.count > 0;
    bool is_stack = bundle_find(&one->contents, "layers") != NULL;
    /* What is compared with what is computed; NULL: nothing is known. */
    const bundle *numbers = NULL;
    c->file.saw_layers = c->file.saw_layers || is_stack;
    if (c->actual == NULL && expected != NULL && expected->bundle->count > 0)
        numbers = expected->bundle;
    if (c->actual != NULL && (!check_actual_has(c->actual, document_place(one), e) ||
                              !check_actual_numbers(c->actual, document_type(one), &numbers, e)))
        return false;
    if (numbers == NULL)
        return pass(c, one, is_stack, e);
    /* A document without a name may be any. */
    const char *said = bundle_text(numbers, CHECK_DOCUMENT);
    const char *name = bundle_text(&one->contents, "name");
    if (marks && said != NULL && name != NULL && strcmp(said, name) != 0) {
        place at = check_actual_place(c->actual);
        return err_at(e, &at, "it answers \"%s\", and this document is \"%s\"", said, name);
    }
    /* As a page of answers was computed, else as the document says; of a generation, as many steps
     * as the numbers are of. */
    const char *command = is_stack ? bundle_text(numbers, CHECK_COMMAND) : NULL, *as = NULL;
    work w = {0};
    errata known = {0};
    options own = *c->given;
    if (command != NULL)
        as = strcmp(command, "decode") == 0 ? "decoder" : "encoder";
    bool done = (!is_stack || named_steps(numbers, &own.generated, e)) &&
                work_plan(&w, one, own.generated > 0 ? "decoder" : as, &own, e) && work_list(&w, e);
    /* Everything that can be refused is refused before the numbers are looked at. */
    const row_choice *rows = done ? work_rows(&w) : NULL;
    bundle of_rows = {0};
    const named_stages of = {one,       &w.there, rows == NULL ? numbers : &of_rows,
                             &w.stages, rows,     &known};
    done = done && (rows == NULL || stack_choose_rows(rows, numbers, &of_rows, e)) &&
           want_stages(c, &of, &w, e) && document_reader_look(c->documents, one, e);
    /* --answers: an exercise is marked, of which hints say what a stage is made of. */
    if (marks)
        done = done && w.kind->show(&w, FOR_FORMULAS, c->world, e) &&
               check_answers(c, &of, w.shown, e);
    else
        done = done && w.kind->run(&w, c->world, e) && check_judge(c, &of, &w, e);
    errata_free(&known);
    bundle_free(&of_rows);
    work_free(&w);
    return done;
}
