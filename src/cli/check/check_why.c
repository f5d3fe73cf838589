#include "cli/check/check_why.h"

#include "cli/report.h"
#include "compare/measure.h"
#include "why/misprint.h"
#include "why/overlooked.h"

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

static void add_names(text *out, const why_answer *answer)
{
    for (size_t i = 0; i < answer->together; i++)
        add_name(out, i == 0 ? "" : " + ", &answer->made[i]);
    text_add_string(out, ": ");
    for (size_t i = 0; i < answer->together; i++)
        text_add_format(out, "%s%s", i == 0 ? "" : ", and ", answer->made[i].row->help);
}

/* why: heads-interleaved: heads are split by interleaving columns (matches to 6 digits) */
static void add_answer(text *out, const why_answer *answer)
{
    text_add_string(out, "why: ");
    add_names(out, answer);
    text_add_format(out, " (matches to %d digit%s", answer->digits, answer->digits == 1 ? "" : "s");
    for (size_t i = 0; i < answer->same_count; i++)
        add_name(out, i == 0 ? "; the same numbers: " : ", ", &answer->same[i]);
    text_add_string(out, ")\n");
}

static void add_misprint(text *out, const comparison *of)
{
    const named *row = misprint_of(of);
    if (row != NULL)
        text_add_format(out, "why: %s: all numbers but %zu of %zu are right\n", row->name,
                        of->different, of->numbers);
}

static void add_nothing(text *out, const tried_numbers *of, const why_answers *found)
{
    text_add_format(out, "why: none of %zu mistakes%s%s gives these numbers", of->mistakes,
                    found->tried_layers ? ", in all layers or in one," : "",
                    !found->tried_pairs   ? ""
                    : found->tried_layers ? " and no two of them,"
                                          : ", and no two of them,");
    if (found->right_digits > 0)
        text_add_format(out, "; what is right agrees to %d digit%s", found->right_digits,
                        found->right_digits == 1 ? "" : "s");
    text_add_string(out, "; what differs first is ");
    report_element(out, &of->compared->first, of->numbers_name, "computed");
    text_add_string(out, "\n");
    add_misprint(out, of->compared);
}

static void add_nans(text *out, const why_answers *found)
{
    text_add_format(out, "why: every number of %s is NaN (%zu, the first ", found->first_nan.stage,
                    found->nans);
    element_write_name(&found->first_nan, out);
    text_add_string(out, "), which many mistakes give: a sum or a product that left the type's "
                         "range, a division of 0 by 0, memory that nobody wrote to\n");
}

known_elements check_listed(const errata *known)
{
    return (known_elements){is_erratum, (void *)known};
}

void check_list_answers(text *out, const why_answers *found, const tried_numbers *of)
{
    for (size_t i = 0; i < found->count; i++)
        add_answer(out, &found->answer[i]);
    if (found->nans > 0)
        add_nans(out, found);
    else if (found->count == 0)
        add_nothing(out, of, found);
}

static why_question question_of(const unexplained *of, const known_elements *listed, size_t threads)
{
    why_question question = {.problem = &of->solved->problem,
                             .with = of->solved->plan.with,
                             .threads = threads,
                             .known = listed};
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        why_question_claim(&question, id, bundle_find(of->numbers, stage_row(id)->key.named.name),
                           of->tol[id]);
    return question;
}

bool check_explain(text *out, const unexplained *of, size_t threads, err *e)
{
    known_elements listed = check_listed(of->known);
    why_question question = question_of(of, &listed, threads);
    tried_numbers tried = {of->compared, of->numbers_name, named_count(&MISTAKES)};
    why_answers found;
    if (!why_find(&found, &question, e))
        return false;
    check_list_answers(out, &found, &tried);
    return true;
}

bool check_overlooked(text *notes, const unexplained *of, const char *name, size_t threads, err *e)
{
    overlooked_question question = {.of = question_of(of, NULL, threads)};
    overlooked found;
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        question.within[id] = (tolerance){.atol = of->tol[id]};
        question.type[id] = NUMBER_F64;
    }
    bool done = overlooked_find(&found, &question, e);
    if (done) {
        overlooked_write_stand_ins(&found, name, notes);
        overlooked_write_mistakes(&found, name, "", notes);
    }
    overlooked_free(&found);
    return done;
}

/* ---- numbers of another shape ---- */

/* why: heads-averaged: the mean over the heads is taken (matches to 6 digits) */
static void add_shape_answer(text *out, const shape_answer *answer)
{
    const named *rows[] = {answer->arranged, answer->made};
    const char *both = rows[0] != NULL && rows[1] != NULL ? " + " : "";
    const char *also = both[0] == '\0' ? "" : ", and ";
    text_add_format(out, "why: %s%s%s: %s%s%s", rows[0] == NULL ? "" : rows[0]->name, both,
                    rows[1] == NULL ? "" : rows[1]->name, rows[0] == NULL ? "" : rows[0]->help,
                    also, rows[1] == NULL ? "" : rows[1]->help);
    text_add_format(out, " (matches to %d digit%s", answer->digits, answer->digits == 1 ? "" : "s");
    for (size_t i = 0; i < answer->same_count; i++)
        text_add_format(out, "%s%s", i == 0 ? "; the same numbers: " : ", ", answer->same[i]->name);
    text_add_string(out, ")\n");
}

/* Both shapes, and what would give the one that is there. */
static void add_no_shape(text *out, const misshapen *of, const shape_answers *found)
{
    char shape[SHAPE_TEXT], computed[SHAPE_TEXT];
    text_add_format(out, "why: %s is %s as %s, and %s as computed; ", of->name,
                    tensor_shape_text(of->numbers, shape), of->numbers_name,
                    tensor_shape_text(of->computed, computed));
    if (found->shaped_count == 0)
        text_add_format(out, "none of %zu mistakes gives such a shape",
                        of->mistakes + ARRANGEMENTS.count);
    else
        text_add_format(out,
                        "%zu mistake%s such a shape, but not these numbers:", found->shaped_count,
                        found->shaped_count == 1 ? " gives" : "s give");
    for (size_t i = 0; i < found->shaped_count && i < WHY_ANSWERS; i++)
        text_add_format(out, "%s %s", i == 0 ? "" : ",", found->shaped[i]->name);
    text_add_string(out, found->shaped_count > WHY_ANSWERS ? ", …\n" : "\n");
}

void check_list_shapes(text *out, const shape_answers *found, const misshapen *of)
{
    for (size_t i = 0; i < found->count; i++)
        add_shape_answer(out, &found->answer[i]);
    if (found->count == 0)
        add_no_shape(out, of, found);
}

bool check_is_misshapen(const bundle *numbers, const bundle *computed, const char *name)
{
    const tensor *a = bundle_tensor(numbers, name), *b = bundle_tensor(computed, name);
    tensor view_a, view_b;
    return a != NULL && b != NULL && !measure_align(a, b, &view_a, &view_b);
}

stage_id check_misshapen(const bundle *numbers, const bundle *computed)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (check_is_misshapen(numbers, computed, stage_row(id)->key.named.name))
            return id;
    }
    return STAGE_COUNT;
}

bool check_explain_shape(text *out, const unexplained *of, stage_id id, size_t threads, err *e)
{
    why_question question = question_of(of, NULL, threads);
    shape_answers found;
    if (!why_shape_find(&found, &question, id, e))
        return false;
    const char *name = stage_row(id)->key.named.name;
    const misshapen one = {name, bundle_tensor(of->numbers, name),
                           bundle_tensor(&of->solved->stages, name), of->numbers_name,
                           named_count(&MISTAKES)};
    check_list_shapes(out, &found, &one);
    return true;
}

void check_list_errata(text *out, const errata *known)
{
    for (size_t i = 0; i < known->count; i++) {
        const erratum *one = &known->one[i];
        element at = {
            .stage = one->stage, .rank = one->rank, .wanted = one->published, .got = one->computed};
        for (int axis = 0; axis < one->rank; axis++)
            at.index[axis] = one->index[axis];
        text_add_string(out, "why: misprint: ");
        report_numbers(out, &at, "published", "computed");
        text_add_string(out, "\n");
    }
}
