#include "cli/check/check_stages.h"

#include "cli/check/check_update.h"
#include "cli/out/report.h"
#include "cli/line/tolerances.h"

#include <string.h>

/* What a result has of the document's own inputs is not a stage that somebody computed. */
static bool check_computed(const checker *c, const named_stages *of, const text_list *of_stack,
                           err *e)
{
    const entry *own = NULL;
    for (size_t i = 0; i < of->there->count; i++) {
        const entry *said = bundle_find(of->numbers, of->there->item[i]);
        if (said != NULL && bundle_find(&of->document->contents, said->name) == NULL)
            return true;
        own = said != NULL ? said : own;
    }
    if (own == NULL)
        return check_refuse_numbers(c, of->numbers, of_stack, e);
    err_at(e, &own->at, "%s is an input of the document, and no stage is here that it makes",
           own->name);
    return err_remedy(e, "selfattn help stages lists them");
}

bool check_stages_want(const checker *c, const named_stages *of, work *w, errata *known, err *e)
{
    const bundle *contents = &of->document->contents, *numbers = of->numbers;
    const text_list *of_stack = work_is_attention(w) ? NULL : of->there;
    if (!tolerances_check(c->given, of_stack, e) || !check_tolerances(contents, of_stack, e) ||
        !check_numbers_names(c, numbers, of_stack, e) ||
        (c->actual == NULL ? !errata_read(known, contents, of_stack, e)
                           : !check_computed(c, of, of_stack, e)))
        return false;
    for (size_t i = 0; i < of->there->count; i++) {
        const entry *said = bundle_find(numbers, of->there->item[i]);
        if (said != NULL && !w->kind->want(w, said->name, false, e))
            return err_place(e, &said->at);
    }
    if (of->rows != NULL)
        errata_choose(known, of->rows);
    return true;
}

static bool compare_all(const checker *c, const named_stages *of, errata *known, comparison *found,
                        err *e)
{
    known_elements by = {errata_knows, known};
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
    return true;
}

bool check_stages_compare(checker *c, const named_stages *of, errata *known, comparison *found,
                          err *e)
{
    if (!errata_check(known, of->numbers, of->computed, e) || !compare_all(c, of, known, found, e))
        return false;
    /* All that is expected is null. */
    if (found->numbers == 0)
        return err_at(e, &of->numbers->entry[0].at,
                      "there is no number in \"expected\" to compare with");
    errata_settle(known, of->numbers, of->computed);
    if (c->given->update && of->rows != NULL)
        return err_set(e, "--update records whole stages, and rows are chosen");
    if (c->given->update && found->different > 0)
        return check_update(c, &(new_numbers){of->document, of->numbers, of->computed, known}, e);
    c->failed += !report_check(&c->out, of->document, found, known, check_numbers_name(c));
    return true;
}

bool check_stages_explains(const checker *c, const comparison *found)
{
    return c->given->why && !(c->given->update && found->different > 0);
}

void check_stages_place(text *out, const named_stages *of, const char *first)
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
