#include "cli/check/check_document.h"

#include "base/mem.h"
#include "cli/check/check_actual.h"
#include "cli/check/check_answers.h"
#include "cli/check/check_shapes.h"
#include "cli/check/check_update.h"
#include "cli/check/checker.h"
#include "cli/check/differences.h"
#include "cli/check/errata.h"
#include "cli/out/said.h"
#include "cli/out/stage_names.h"
#include "model/stack_keys.h"
#include "why/why.h"

#include <string.h>

/* ---- names and tolerances ---- */

/* Tolerances without a tol: for a document's own numbers, which come from a calculator in float64,
 * and for another program's, which mostly are float32. */
static const double DEFAULT_TOL = 1e-9, ACTUAL_TOL = 1e-5;

double check_tolerance(const checker *c, const named_stages *of, const char *name)
{
    const entry *tol = bundle_find(&of->document->contents, "tol");
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

static bool check_names(const bundle *by_stage, const text_list *of_stack, err *e)
{
    for (size_t i = 0; i < by_stage->count; i++) {
        const entry *one = &by_stage->entry[i];
        if (!stage_names_have(of_stack, one->name))
            return refuse_name(one, of_stack, e);
    }
    return true;
}

/* Another program's result may have other things than stages; answers may not. */
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
        if (stage_names_have(of_stack, one->name) || one->name[0] == '_' ||
            key_find(&STACK_DOCUMENT, one->name, length) != NULL)
            continue;
        if (c->given->answers.count > 0 || check_map_gives(&c->actual->map, one->name))
            return refuse_name(one, of_stack, e);
        if (has_stage && unknown++ < NOTED_MOST) {
            /* No stage of an attention is a single number, so a number is a remark. A name is
             * likely a slip if the stage with a similar name is missing. */
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

/* ---- stages next to what is said of them ---- */

/* A setting may have the name of a stage, as loss and logits do. */
static bool gives_matrix(const bundle *contents, const char *name)
{
    const tensor *found = bundle_tensor(contents, name);
    return found != NULL && found->rank > 0;
}

/* Asks for the stages that are compared, before anything is computed. Stages that a document's
 * numbers, errata and tolerances are about must exist; of another program's result, those are
 * compared that do. */
static bool want_stages(const checker *c, const named_stages *of, work *w, err *e)
{
    const bundle *contents = &of->document->contents, *numbers = of->numbers;
    const text_list *of_stack = w->kind->layers != NULL ? of->there : NULL;
    if (!tolerances_check(c->given, of_stack, e))
        return false;
    /* A tolerance is from 0; one a stage is for stages that there are. */
    const entry *tol = bundle_find(contents, "tol");
    bool is_one = tol != NULL && tol->kind != ENTRY_BUNDLE;
    for (size_t i = 0; tol != NULL && i < (is_one ? 1 : tol->bundle->count); i++) {
        const entry *one = is_one ? tol : &tol->bundle->entry[i];
        double value = tensor_get(&one->tensor, NULL);
        if (!(value >= 0))
            return err_at(e, &one->at, "the tolerance is %g, it must be a number from 0", value);
    }
    if (tol != NULL && !is_one && !check_names(tol->bundle, of_stack, e))
        return false;
    bool is_computed = c->actual == NULL;
    if (is_computed
            ? !check_names(numbers, of_stack, e) || !errata_read(of->known, contents, of_stack, e)
            : !check_names_of_result(c, numbers, of_stack, e))
        return false;
    const entry *own = NULL;
    for (size_t i = 0; i < of->there->count && !is_computed; i++) {
        const entry *said = bundle_find(numbers, of->there->item[i]);
        is_computed = said != NULL && !gives_matrix(contents, said->name);
        own = said != NULL ? said : own;
    }
    /* A copy of the document's own inputs in a result is not a computed stage. */
    if (!is_computed && own != NULL) {
        err_at(e, &own->at, "%s is an input of the document, and no stage is here that it makes",
               own->name);
        return err_remedy(e, "selfattn help stages lists them");
    }
    /* Where all have other names, one of them may be a slip. */
    for (size_t i = 0; i < numbers->count && !is_computed; i++) {
        const char *name = numbers->entry[i].name;
        if (stage_names_nearest(of_stack, name, strlen(name)) != NULL ||
            stage_names_needs(of_stack, name) != NULL)
            return refuse_name(&numbers->entry[i], of_stack, e);
    }
    if (!is_computed && of_stack == NULL)
        return check_actual_refuse_stageless(c->actual, e);
    if (!is_computed) {
        place at = check_actual_place(c->actual);
        err_at(e, &at, "there is no stage of this stack in this %s", at.line > 0 ? "line" : "file");
        return stage_names_suggest(of_stack, "", "", e);
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

/* What the numbers are called that are compared. */
static const char *numbers_name(const checker *c)
{
    return c->actual != NULL ? "actual" : "expected";
}

/* The line of one checked document, and whether it holds. */
static void report(checker *c, const named_stages *of, const comparison *found)
{
    text *out = &c->file.lines;
    const errata *known = of->known;
    const erratum *bad = NULL; /* the first that is not an erratum */
    for (size_t i = 0; i < known->count && bad == NULL && found->different == 0; i++) {
        const erratum *one = &known->one[i];
        bad = one->is_confirmed || one->is_within_tolerance ? NULL : one;
    }
    bool holds = found->different == 0 && bad == NULL;
    c->file.failed += !holds;
    text_add_string(out, holds ? "ok    " : "FAIL  ");
    report_document(out, of->document);
    if (bad != NULL) {
        text_add_format(out, ": the erratum in line %zu is none: %s publishes ",
                        bad->record->at.line, bad->at.stage);
        report_number(out, bad->at.wanted);
        text_add_string(out, " there, and to compute ");
        report_number(out, bad->at.got);
        text_add_string(out, " instead is not what happens\n");
        return;
    }
    text_add_string(out, ": ");
    if (found->different > 0) {
        report_element(out, &found->first, numbers_name(c), "computed");
        if (found->different > 1)
            text_add_format(out, ", and %zu more", found->different - 1);
    } else {
        text_add_format(out, "%zu number%s in %zu stage%s", found->numbers,
                        found->numbers == 1 ? "" : "s", found->stages,
                        found->stages == 1 ? "" : "s");
    }
    if (found->known > 0)
        text_add_format(out, ", %zu known errat%s", found->known, found->known == 1 ? "um" : "a");
    if (known->within_tolerance > 0)
        text_add_format(out, ", %zu errat%s within the tolerance", known->within_tolerance,
                        known->within_tolerance == 1 ? "um" : "a");
    text_add_string(out, "\n");
}

/* Compares what was computed, and adds the line that says it, or records it. */
static bool compare(checker *c, const named_stages *of, comparison *found, err *e)
{
    known_elements by = {errata_knows, of->known};
    if (!errata_check(of->known, of->numbers, of->computed, e))
        return false;
    found->holes_differ = c->actual != NULL;
    found->rows = of->rows == NULL ? NULL : of->rows->row;
    for (size_t i = 0; i < of->there->count; i++) {
        const char *name = of->there->item[i];
        const entry *said = bundle_find(of->numbers, name);
        if (said != NULL && !compare_stage(found, name, said, bundle_find(of->computed, name),
                                           check_tolerance(c, of, name), &by, e))
            return false;
    }
    /* All expected numbers are null. */
    if (found->numbers == 0)
        return err_at(e, &of->numbers->entry[0].at,
                      "there is no number in \"expected\" to compare with");
    errata_settle(of->known, of->numbers, of->computed);
    if (c->given->update && of->rows != NULL)
        return err_set(e, "--update records whole stages, and rows are chosen");
    if (c->given->update && found->different > 0)
        return check_update(c, of, e);
    report(c, of, found);
    return true;
}

/* ---- what differs, explained ---- */

/* "norm-pre", "norm-pre in layer.1" */
static void add_name(text *out, const char *before, const made_mistake *made)
{
    bool is_somewhere = made->where[0] != '\0';
    text_add_format(out, "%s%s%s%s", before, made->row->name, is_somewhere ? " in " : "",
                    made->where);
}

static claim claim_of(const checker *c, const named_stages *of, const char *name)
{
    return (claim){.name = name,
                   .numbers = bundle_find(of->numbers, name),
                   .tol = check_tolerance(c, of, name)};
}

/* why: float16-stored: results are rounded to float16 when all is computed; before that they are
 * right, within 3 units in the last place of float32 */
static void add_rounding(text *out, const rounding *found)
{
    const char *stored = number_type_name(found->stored);
    if (found->stored == NUMBER_F64)
        text_add_string(out, "why: rounding: the numbers are right, ");
    else
        text_add_format(out,
                        "why: %s-stored: results are rounded to %s when all is computed; before "
                        "that they are right, ",
                        stored, stored);
    text_add_format(out, "within %zu unit%s in the last place of %s\n", found->units,
                    found->units == 1 ? "" : "s", number_type_name(found->computed));
}

/* Where the numbers of layers first differ, and which stage before it agrees. */
static void add_first_stage(text *out, const named_stages *of, const char *first)
{
    const char *before = NULL, *name;
    for (size_t i = 0; strcmp(name = of->there->item[i], first) != 0; i++)
        before = bundle_find(of->numbers, name) != NULL ? name : before;
    text_add_format(out, "why: first differs in %s", first);
    if (before != NULL)
        text_add_format(out, "; %s, before it, agrees", before);
    text_add_string(out, "\n");
}

static void add_answers(checker *c, const why_question *asked, const comparison *compared,
                        const why_answers *found)
{
    text *out = &c->file.lines;
    if (found->is_right_back)
        text_add_string(out, "why: the gradients are right for the results of the way forward that "
                             "are there, and these are not\n");
    /* why: heads-interleaved: heads are split by interleaving columns (matches to 6 digits) */
    for (size_t i = 0; i < found->count; i++) {
        const why_answer *answer = &found->answer[i];
        text_add_string(out, "why: ");
        for (size_t j = 0; j < answer->together; j++)
            add_name(out, j == 0 ? "" : " + ", &answer->made[j]);
        text_add_string(out, ": ");
        for (size_t j = 0; j < answer->together; j++)
            text_add_format(out, "%s%s", j == 0 ? "" : ", and ", answer->made[j].row->help);
        text_add_format(out, " (matches to %d digit%s", answer->digits,
                        answer->digits == 1 ? "" : "s");
        for (size_t j = 0; j < answer->same_count; j++)
            add_name(out, j == 0 ? "; the same numbers: " : ", ", &answer->same[j]);
        text_add_string(out, ")\n");
    }
    if (found->nans > 0) {
        text_add_format(out, "why: every number of %s is NaN (%zu, the first ",
                        found->first_nan.stage, found->nans);
        element_write_name(&found->first_nan, out);
        text_add_string(out, "), which many mistakes give: a sum or a product that left the type's "
                             "range, a division of 0 by 0, memory that nobody wrote to\n");
    } else if (found->rounding.is_it) {
        add_rounding(out, &found->rounding);
    } else if (found->count == 0) {
        text_add_format(out, "why: none of %zu mistakes%s%s gives these numbers",
                        why_mistakes(asked),
                        found->tried_layers ? ", in all layers or in one," : "",
                        !found->tried_pairs   ? ""
                        : found->tried_layers ? " and no two of them,"
                                              : ", and no two of them,");
        if (found->right_digits > 0)
            text_add_format(out, "; what is right agrees to %d digit%s", found->right_digits,
                            found->right_digits == 1 ? "" : "s");
        text_add_string(out, "; what differs first is ");
        report_element(out, &compared->first, numbers_name(c), "computed");
        text_add_string(out, "\n");
        const named *row = misprint_of(compared);
        if (row != NULL)
            text_add_format(out, "why: %s: all numbers but %zu of %zu are right\n", row->name,
                            compared->different, compared->numbers);
    }
}

/* Adds a line for each erratum of the document, whose misprints are known, and lines for what
 * differs. */
static bool explain(checker *c, const named_stages *of, const work *w, const comparison *compared,
                    err *e)
{
    why_question question = work_question(w, c->world);
    const errata *known = of->known;
    const known_elements listed = {errata_lists, of->known};
    text *out = &c->file.lines;
    for (size_t i = 0; i < known->count; i++) {
        text_add_string(out, "why: misprint: ");
        report_numbers(out, &known->one[i].at, "published", "computed");
        text_add_string(out, "\n");
    }
    if (compared->different == 0)
        return true;
    claim *room = mem_alloc(of->there->count, sizeof room[0], e);
    if (room == NULL)
        return false;
    /* In the order in which the stages are made. */
    question.claims = (claims){.claim = room, .known = &listed};
    question.shapes_are_right = true;
    for (size_t i = 0; i < of->there->count; i++) {
        room[question.claims.count] = claim_of(c, of, of->there->item[i]);
        question.claims.count += room[question.claims.count].numbers != NULL;
    }
    why_answers found;
    bool done = why_find(&found, &question, e);
    if (done && w->kind->layers != NULL && compared->stages > 1)
        add_first_stage(out, of, compared->first.stage);
    if (done)
        add_answers(c, &question, compared, &found);
    mem_free(room);
    return done;
}

/* With --tol, if the numbers of an attention are right within it: tells which mistakes would pass
 * too. */
static bool tell_overlooked(const checker *c, const named_stages *of, const work *w, err *e)
{
    const why_question asked = work_question(w, c->world);
    missed_question question = {
        .problem = asked.problem, .with = asked.with, .threads = asked.threads};
    missed_by_tolerance found;
    text notes = {0}, name = {0};
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        question.claim[id] = claim_of(c, of, stage_row(id)->key.named.name);
        question.within[id] = (tolerance){.atol = question.claim[id].tol};
        question.type[id] = NUMBER_F64;
    }
    report_document(&name, of->document);
    bool done = missed_find(&found, &question, e) && text_ok(&name, e);
    if (done) {
        missed_write_stand_ins(&found, text_string(&name), &notes);
        missed_write_mistakes(&found, text_string(&name), "", &notes);
        done = note_say_lines(c->world, c->given, &notes, e);
    }
    missed_free(&found);
    text_free(&name);
    return done;
}

/* ---- numbers of another shape ---- */

/* Explains numbers of another shape, which are an error in any case. If memory runs out, that error
 * must do. */
static void explain_shape(checker *c, const named_stages *of, why_question question)
{
    static const named NOTHING = {"", ""};
    const char *name = NULL; /* of the first stage of another shape */
    for (size_t i = 0; i < of->there->count && name == NULL; i++) {
        const char *other = of->there->item[i];
        const tensor *a = bundle_tensor(of->numbers, other);
        const tensor *b = bundle_tensor(of->computed, other);
        tensor view_a, view_b;
        if (a != NULL && !measure_align(a, b, &view_a, &view_b))
            name = other;
    }
    if (name == NULL)
        return;
    const claim one = claim_of(c, of, name);
    shape_answers found;
    text lines = {0};
    err missing = {0};
    question.claims = (claims){&one, 1, NULL};
    if (!why_shape_find(&found, &question, &missing))
        return;
    for (size_t i = 0; i < found.count; i++) {
        /* why: heads-averaged: the mean over the heads is taken (matches to 6 digits) */
        const shape_answer *answer = &found.answer[i];
        const named *way = answer->arranged == NULL ? &NOTHING : answer->arranged;
        const named *made = answer->made == NULL ? &NOTHING : answer->made;
        bool are_both = way != &NOTHING && made != &NOTHING;
        text_add_format(&lines, "why: %s%s%s: %s%s%s", way->name, are_both ? " + " : "", made->name,
                        way->help, are_both ? ", and " : "", made->help);
        text_add_format(&lines, " (matches to %d digit%s", answer->digits,
                        answer->digits == 1 ? "" : "s");
        for (size_t j = 0; j < answer->same_count; j++)
            text_add_format(&lines, "%s%s", j == 0 ? "; the same numbers: " : ", ",
                            answer->same[j]->name);
        text_add_string(&lines, ")\n");
    }
    if (found.count == 0) {
        /* Both shapes, and what would give the one that is there. */
        const tensor *computed = bundle_tensor(of->computed, name);
        char there[SHAPE_TEXT], made[SHAPE_TEXT];
        text_add_format(&lines, "why: %s is %s as %s, and %s as computed; ", name,
                        tensor_shape_text(&one.numbers->tensor, there), numbers_name(c),
                        tensor_shape_text(computed, made));
        if (found.shaped_count == 0)
            text_add_format(&lines, "none of %zu mistakes gives such a shape",
                            why_mistakes(&question) + ARRANGEMENTS.count);
        else
            text_add_format(&lines, "%zu mistake%s such a shape, but not these numbers:",
                            found.shaped_count, found.shaped_count == 1 ? " gives" : "s give");
        for (size_t i = 0; i < found.shaped_count && i < WHY_ANSWERS; i++)
            text_add_format(&lines, "%s %s", i == 0 ? "" : ",", found.shaped[i]->name);
        text_add_string(&lines, found.shaped_count > WHY_ANSWERS ? ", …\n" : "\n");
    }
    if (text_ok(&lines, &missing))
        text_add(&c->file.lines, text_string(&lines), lines.length);
    text_free(&lines);
}

/* ---- the whole ---- */

/* Compares what the work computed, and adds the line that says how it went. With --why, lines name
 * the mistakes that give what differs, numbers or shape; with --tol, notes tell what else would
 * pass. */
static bool judge(checker *c, const named_stages *of, const work *w, err *e)
{
    comparison found = {0};
    bool is_loose = c->given->has_tol || c->given->tols.count > 0;
    bool may_tell = w->kind->layers == NULL && is_loose && !c->given->quiet;
    size_t before = c->file.lines.length;
    if (!compare(c, of, &found, e)) {
        if (c->given->why)
            explain_shape(c, of, work_question(w, c->world));
        return check_shapes_suggest(c, of, w, e);
    }
    bool explains = c->given->why && !(c->given->update && found.different > 0);
    bool done = (!may_tell || found.different > 0 || tell_overlooked(c, of, w, e)) &&
                (!explains || explain(c, of, w, &found, e));
    if (!done)
        c->file.lines.length = before; /* only the error is said of the document */
    return done;
}

/* ---- a document ---- */

/* Without inputs and without anything expected there is nothing to do (a document of tokens alone),
 * and that is not a failure. */
static bool check_nothing(checker *c, const document *one, bool is_stack, err *e)
{
    problem probe = {0};
    place at = document_place(one);
    bool has_inputs =
        is_stack || (attention_keys_check(&one->contents, e) &&
                     problem_read(&probe, &one->contents, e) && problem_has_inputs(&probe));
    problem_free(&probe);
    if (has_inputs || e->is_set)
        return err_at(e, &at, "there is no \"expected\" to compare with");
    text_add_string(&c->file.lines, "ok    ");
    report_document(&c->file.lines, one);
    text_add_string(&c->file.lines, ": nothing to compute, nothing expected\n");
    return true;
}

/* The numbers that the computed ones are compared with; NULL: there are none. */
static bool find_numbers(const checker *c, const document *one, const bundle **numbers, err *e)
{
    const entry *expected = bundle_find(&one->contents, "expected");
    *numbers = NULL;
    if (c->actual != NULL)
        return check_actual_has(c->actual, document_place(one), e) &&
               check_actual_numbers(c->actual, document_type(one), numbers, e);
    if (expected != NULL && expected->bundle->count > 0)
        *numbers = expected->bundle;
    return true;
}

/* Answers that say themselves how many steps they are of could leave some out. */
static bool refuse_own_length(const checker *c, err *e)
{
    place at = check_actual_place(c->actual);
    err_at(e, &at, "it answers a generation, and how many steps that has is not said");
    return err_remedy(e, "--length, as it was computed with");
}

bool check_document(checker *c, document *one, err *e)
{
    bool marks = c->given->answers.count > 0;
    bool is_stack = bundle_find(&one->contents, "layers") != NULL;
    const text_list *exercise = bundle_list(&one->contents, "exercise");
    bool asks = marks && (c->given->blank.count > 0 || (exercise != NULL && exercise->count > 0));
    const bundle *numbers;
    c->file.saw_layers = c->file.saw_layers || is_stack;
    if (!find_numbers(c, one, &numbers, e))
        return false;
    if (c->given->differences)
        return check_differences(c, one, c->actual != NULL ? numbers : NULL, e);
    if (numbers == NULL)
        return check_nothing(c, one, is_stack, e);
    /* A document without a name may be any. */
    const char *said = bundle_text(numbers, CHECK_DOCUMENT);
    const char *name = bundle_text(&one->contents, "name");
    if (marks && said != NULL && name != NULL && strcmp(said, name) != 0) {
        place at = check_actual_place(c->actual);
        return err_at(e, &at, "it answers \"%s\", and this document is \"%s\"", said, name);
    }
    /* As a page of answers was computed, else as the document says; of a generation, as many steps
     * as --length says, else as the numbers are of, which can't say what is asked for. */
    const char *command = is_stack ? bundle_text(numbers, CHECK_COMMAND) : NULL;
    const char *as = command == NULL                  ? NULL
                     : strcmp(command, "decode") == 0 ? "decoder"
                                                      : "encoder";
    work w = {0};
    errata known = {0};
    options own = *c->given;
    bool done = (!is_stack || own.generated > 0 || named_steps(numbers, &own.generated, e)) &&
                (!asks || own.generated == c->given->generated || refuse_own_length(c, e)) &&
                work_plan(&w, one, own.generated > 0 ? "decoder" : as, &own, e) && work_list(&w, e);
    /* Everything that can be refused is refused before the numbers are looked at. */
    const row_choice *rows = done ? work_rows(&w) : NULL;
    bundle laid = {0}, of_rows = {0};
    const named_stages of = {one,       &w.there, rows == NULL ? &laid : &of_rows,
                             &w.stages, rows,     &known};
    /* Sizes come before numbers, but where --why looks for what gives such a shape, and where a
     * page's answers may be a part of a stage. */
    bool may_be_other = marks || c->given->why;
    done = done && check_shapes_lay(c, &w, numbers, &laid, e) &&
           (rows == NULL || stack_choose_rows(rows, &laid, &of_rows, e)) &&
           (asks ? check_names_of_result(c, of.numbers, is_stack ? &w.there : NULL, e)
                 : want_stages(c, &of, &w, e)) &&
           (may_be_other || check_shapes(c, &of, &w, e)) &&
           document_reader_look(c->documents, one, e);
    /* --answers: an exercise is marked, by what its page asks for; hints say what a stage is made
     * of. */
    if (marks) {
        done = done && w.kind->show(&w, asks ? FOR_STEPS : FOR_FORMULAS, c->world, e);
        const why_question asked = done ? work_question(&w, c->world) : (why_question){0};
        done = done && check_answers(c, &of, w.shown, &asked, e);
    } else {
        done = done && w.kind->run(&w, c->world, e) && judge(c, &of, &w, e);
    }
    errata_free(&known);
    bundle_free(&of_rows);
    bundle_free(&laid);
    work_free(&w);
    return done;
}
