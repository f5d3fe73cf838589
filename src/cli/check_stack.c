#include "cli/check_stack.h"

#include "cli/report.h"
#include "cli/stack_solve.h"
#include "cli/tolerances.h"

#include <string.h>

bool check_is_stack(const document *one)
{
    return bundle_find(&one->contents, "layers") != NULL;
}

/* What a document expects must be there; of another's result, what is. */
static bool list_names(const checker *c, const stack_solution *s, const bundle *numbers,
                       text_list *names, err *e)
{
    for (size_t i = 0; i < numbers->count; i++) {
        const entry *one = &numbers->entry[i];
        bool is_there = text_list_find(&s->there, one->name) != NULL;
        if (!is_there && c->actual == NULL) {
            stack_solution_refuse(s, one->name, e);
            err_place(e, &one->at);
            return false;
        }
        if (is_there && !text_list_add(names, one->name, strlen(one->name), e))
            return false;
    }
    return names->count > 0 || check_refuse_stageless(numbers->entry[0].at.file, e);
}

/* In the order in which the stages are made. */
static bool compare_all(const checker *c, const document *one, const stack_solution *s,
                        const bundle *numbers, comparison *of, err *e)
{
    for (size_t i = 0; i < s->there.count; i++) {
        const char *name = s->there.item[i];
        const entry *wanted_one = bundle_find(numbers, name);
        if (wanted_one != NULL &&
            !compare_stage(of, name, wanted_one, bundle_find(&s->stages, name),
                           check_tolerance(c, &one->contents, name), NULL, e))
            return false;
    }
    return true;
}

/* What explains and records numbers knows single attentions. */
static bool check_options(const checker *c, const document *one, err *e)
{
    place at = document_place(one);
    const char *asked = c->given->why               ? "why"
                        : c->given->update          ? "update"
                        : c->given->answers != NULL ? "answers"
                                                    : NULL;
    return asked == NULL ||
           err_at(e, &at, "--%s is for one attention, and this document has layers", asked);
}

bool check_stack(checker *c, const document *one, const bundle *numbers, err *e)
{
    bool is_decoder = bundle_find(&one->contents, "memory") != NULL;
    stack_solution s;
    comparison of = {0};
    text_list names = {0};
    bool done = stack_solution_plan(&s, one, is_decoder, c->given, e) && check_options(c, one, e) &&
                list_names(c, &s, numbers, &names, e) &&
                stack_solution_run(&s, &names, c->given, c->world, e) &&
                compare_all(c, one, &s, numbers, &of, e);
    if (done)
        c->failed += !report_check(&c->out, one, &of, &(errata){0},
                                   c->actual != NULL ? "actual" : "expected");
    text_list_free(&names);
    stack_solution_free(&s);
    return done;
}
