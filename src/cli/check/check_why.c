#include "cli/check/checker.h"

#include "base/mem.h"
#include "cli/out/note.h"
#include "cli/out/report.h"
#include "compare/measure.h"
#include "why/missed_by_tolerance.h"
#include "why/mistake.h"
#include "why/why_shape.h"

#include <string.h>

/* A document that was computed, and numbers that are not what came out. */
typedef struct unexplained {
    const named_stages *stages;
    why_question asked; /* without claims */
    const comparison *compared;
} unexplained;

static bool is_erratum(void *context, const element *one)
{
    return errata_lists(context, one);
}

/* "norm-pre", "norm-pre in layer.1" */
static void add_name(text *out, const char *before, const made_mistake *made)
{
    bool is_somewhere = made->where[0] != '\0';
    text_add_format(out, "%s%s%s%s", before, made->row->name, is_somewhere ? " in " : "",
                    made->where);
}

static void add_errata(text *out, const errata *known)
{
    for (size_t i = 0; i < known->count; i++) {
        const erratum *one = &known->one[i];
        element at = {.stage = one->stage,
                      .rank = one->rank,
                      .rows = known->rows,
                      .wanted = one->published,
                      .got = one->computed};
        for (int axis = 0; axis < one->rank; axis++)
            at.index[axis] = one->index[axis];
        text_add_string(out, "why: misprint: ");
        report_numbers(out, &at, "published", "computed");
        text_add_string(out, "\n");
    }
}

static claim claim_of(const checker *c, const named_stages *of, const char *name)
{
    return (claim){name, bundle_find(of->numbers, name),
                   check_tolerance(c, &of->document->contents, name)};
}

/* Where they first differ, where more than one is compared; a line that tells the one before it,
 * which agrees. */
static void add_place(text *out, const named_stages *of, const char *first)
{
    const char *before = NULL;
    size_t compared = 0;
    bool is_before = true;
    for (size_t i = 0; i < of->there->count; i++) {
        const char *name = of->there->item[i];
        if (bundle_find(of->numbers, name) == NULL)
            continue;
        compared++;
        is_before = is_before && strcmp(name, first) != 0;
        if (is_before)
            before = name;
    }
    if (compared < 2)
        return;
    text_add_format(out, "why: first differs in %s", first);
    if (before != NULL)
        text_add_format(out, "; %s, before it, agrees", before);
    text_add_string(out, "\n");
}

static void add_answers(checker *c, const unexplained *of, const why_answers *found)
{
    text *out = &c->file.lines;
    if (of->asked.problem == NULL)
        add_place(out, of->stages, of->compared->first.stage);
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
    } else if (found->count == 0) {
        text_add_format(out, "why: none of %zu mistakes%s%s gives these numbers",
                        work_mistakes(&of->asked),
                        found->tried_layers ? ", in all layers or in one," : "",
                        !found->tried_pairs   ? ""
                        : found->tried_layers ? " and no two of them,"
                                              : ", and no two of them,");
        if (found->right_digits > 0)
            text_add_format(out, "; what is right agrees to %d digit%s", found->right_digits,
                            found->right_digits == 1 ? "" : "s");
        text_add_string(out, "; what differs first is ");
        report_element(out, &of->compared->first, check_numbers_name(c), "computed");
        text_add_string(out, "\n");
        const named *row = misprint_of(of->compared);
        if (row != NULL)
            text_add_format(out, "why: %s: all numbers but %zu of %zu are right\n", row->name,
                            of->compared->different, of->compared->numbers);
    }
}

/* A line for each erratum of the document, whose misprints are known, and of what differs. */
static bool explain(checker *c, const unexplained *of, err *e)
{
    const known_elements listed = {is_erratum, of->stages->known};
    why_question question = of->asked;
    why_answers found;
    add_errata(&c->file.lines, of->stages->known);
    if (of->compared->different == 0)
        return true;
    claim *room = mem_alloc(of->stages->there->count, sizeof room[0], e);
    if (room == NULL)
        return false;
    /* In the order in which the stages are made. */
    const text_list *names = of->stages->there;
    question.claims = (claims){.claim = room, .known = &listed};
    for (size_t i = 0; i < names->count; i++) {
        room[question.claims.count] = claim_of(c, of->stages, names->item[i]);
        question.claims.count += room[question.claims.count].numbers != NULL;
    }
    bool done = why_find(&found, &question, e);
    if (done)
        add_answers(c, of, &found);
    mem_free(room);
    return done;
}

/* --tol, where the numbers of an attention are right within it: what would be so too. */
static bool tell_overlooked(const checker *c, const unexplained *of, err *e)
{
    missed_question question = {
        .problem = of->asked.problem, .with = of->asked.with, .threads = of->asked.threads};
    missed_by_tolerance found;
    text notes = {0}, name = {0};
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        question.claim[id] = claim_of(c, of->stages, stage_row(id)->key.named.name);
        question.within[id] = (tolerance){.atol = question.claim[id].tol};
        question.type[id] = NUMBER_F64;
    }
    report_document(&name, of->stages->document);
    bool done = missed_find(&found, &question, e) && text_ok(&name, e);
    if (done) {
        missed_write_stand_ins(&found, text_string(&name), &notes);
        missed_write_mistakes(&found, text_string(&name), "", &notes);
        done = text_ok(&notes, e);
    }
    missed_free(&found);
    if (done && notes.length > 0)
        note_say_lines(c->world, c->given, text_string(&notes));
    text_free(&notes);
    text_free(&name);
    return done;
}

/* ---- numbers of another shape ---- */

static bool is_misshapen(const named_stages *of, const char *name)
{
    const tensor *a = bundle_tensor(of->numbers, name), *b = bundle_tensor(of->computed, name);
    tensor view_a, view_b;
    return a != NULL && b != NULL && !measure_align(a, b, &view_a, &view_b);
}

/* Where numbers can't be compared for their shape, which is an error all the same; where memory is
 * missing, that error has to do. */
static void explain_shape(checker *c, const unexplained *of)
{
    const text_list *names = of->stages->there;
    why_question question = of->asked;
    shape_answers found;
    text lines = {0};
    err missing = {0};
    size_t at = 0;
    while (at < names->count && !is_misshapen(of->stages, names->item[at]))
        at++;
    if (!c->given->why || at == names->count)
        return;
    const claim one = claim_of(c, of->stages, names->item[at]);
    question.claims = (claims){&one, 1, NULL};
    if (!why_shape_find(&found, &question, &missing))
        return;
    for (size_t i = 0; i < found.count; i++) {
        /* why: heads-averaged: the mean over the heads is taken (matches to 6 digits) */
        const shape_answer *answer = &found.answer[i];
        const named *rows[] = {answer->arranged, answer->made};
        const char *both = rows[0] != NULL && rows[1] != NULL ? " + " : "";
        const char *also = both[0] == '\0' ? "" : ", and ";
        text_add_format(&lines, "why: %s%s%s: %s%s%s", rows[0] == NULL ? "" : rows[0]->name, both,
                        rows[1] == NULL ? "" : rows[1]->name, rows[0] == NULL ? "" : rows[0]->help,
                        also, rows[1] == NULL ? "" : rows[1]->help);
        text_add_format(&lines, " (matches to %d digit%s", answer->digits,
                        answer->digits == 1 ? "" : "s");
        for (size_t j = 0; j < answer->same_count; j++)
            text_add_format(&lines, "%s%s", j == 0 ? "; the same numbers: " : ", ",
                            answer->same[j]->name);
        text_add_string(&lines, ")\n");
    }
    if (found.count == 0) {
        /* Both shapes, and what would give the one that is there. */
        const tensor *computed = bundle_tensor(of->stages->computed, one.name);
        char there[SHAPE_TEXT], made[SHAPE_TEXT];
        text_add_format(&lines, "why: %s is %s as %s, and %s as computed; ", one.name,
                        tensor_shape_text(&one.numbers->tensor, there), check_numbers_name(c),
                        tensor_shape_text(computed, made));
        if (found.shaped_count == 0)
            text_add_format(&lines, "none of %zu mistakes gives such a shape",
                            work_mistakes(&of->asked) + ARRANGEMENTS.count);
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

/* The only matrix of a result may be another stage than it was taken for. */
static void suggest_stage(const named_stages *of, const work *w, err *e)
{
    const entry *only = &of->numbers->entry[0], *computed = bundle_find(of->computed, only->name);
    if (of->numbers->count > 1 || work_stack(w) != NULL || computed == NULL ||
        tensor_same_shape(&only->tensor, &computed->tensor))
        return;
    for (size_t i = STAGES.count; i-- > 0;) {
        tensor like = {0};
        const char *name = named_row(&STAGES, i)->name;
        if (!plan_has_stage(&w->of.attention.plan, (stage_id)i))
            continue;
        plan_stage_shape(&w->of.attention.plan, (stage_id)i, &like.rank, like.size);
        if (tensor_same_shape(&like, &only->tensor)) {
            err_remedy(e, "it has the shape of %s: --map %s=%s", name, name, only->name);
            return;
        }
    }
}

bool check_judge(checker *c, const named_stages *of, const work *w, err *e)
{
    comparison found = {0};
    const unexplained left = {of, work_question(w, c->world), &found};
    bool is_loose = c->given->has_tol || c->given->tols.count > 0;
    bool may_tell = work_stack(w) == NULL && is_loose && !c->given->quiet;
    size_t before = c->file.lines.length;
    if (!check_stages_compare(c, of, &found, e)) {
        explain_shape(c, &left);
        if (c->actual != NULL)
            suggest_stage(of, w, e);
        return false;
    }
    bool explains = c->given->why && !(c->given->update && found.different > 0);
    bool done = (!may_tell || found.different > 0 || tell_overlooked(c, &left, e)) &&
                (!explains || explain(c, &left, e));
    if (!done)
        c->file.lines.length = before; /* its error is all that is said of the document */
    return done;
}
