#include "cli/check/check_stages.h"

#include "cli/check/check_update.h"
#include "cli/report.h"
#include "cli/tolerances.h"

#include <string.h>

bool check_stages_list(const checker *c, const named_stages *of, errata *known, text_list *names,
                       err *e)
{
    const bundle *contents = &of->document->contents, *numbers = of->numbers;
    if (!tolerances_check(c->given, of->there, e) || !check_tolerances(contents, of->there, e))
        return false;
    if (!check_numbers_names(c, numbers, of->there, e) ||
        (c->actual == NULL && !errata_read(known, contents, of->there, e)))
        return false;
    if (!text_list_index(names, e))
        return false;
    for (size_t i = 0; i < numbers->count; i++) {
        const char *name = numbers->entry[i].name;
        if (text_list_find(of->there, name) != NULL && !text_list_add(names, name, strlen(name), e))
            return false;
    }
    return names->count > 0 || check_refuse_numbers(c, numbers, of->there, e);
}

static bool compare_all(const checker *c, const named_stages *of, errata *known, comparison *found,
                        err *e)
{
    known_elements by = {errata_knows, known};
    found->holes_differ = c->actual != NULL;
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

/* All that is expected is null. */
static bool refuse_numberless(const named_stages *of, err *e)
{
    return err_at(e, &of->numbers->entry[0].at,
                  "there is no number in \"expected\" to compare with");
}

bool check_stages_compare(checker *c, const named_stages *of, errata *known, comparison *found,
                          err *e)
{
    if (!errata_check(known, of->numbers, of->computed, e) || !compare_all(c, of, known, found, e))
        return false;
    if (found->numbers == 0)
        return refuse_numberless(of, e);
    errata_settle(known, of->numbers, of->computed);
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
