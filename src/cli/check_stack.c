#include "cli/check_stack.h"

#include "cli/check_answers.h"
#include "cli/check_update.h"
#include "cli/check_why_stack.h"
#include "cli/report.h"
#include "cli/stack_solve.h"
#include "cli/tolerances.h"
#include "cli/tracing.h"

#include <string.h>

bool check_is_stack(const document *one)
{
    return bundle_find(&one->contents, "layers") != NULL;
}

/* What a document expects must be there; of another's result, what is. */
static bool list_names(const checker *c, const stack_solution *s, const bundle *numbers,
                       text_list *names, err *e)
{
    if (c->actual == NULL && !check_stage_names(numbers, &s->there, e))
        return false;
    for (size_t i = 0; i < numbers->count; i++) {
        const entry *one = &numbers->entry[i];
        if (text_list_find(&s->there, one->name) != NULL &&
            !text_list_add(names, one->name, strlen(one->name), e))
            return false;
    }
    return names->count > 0 || check_refuse_stageless(numbers->entry[0].at.file, e);
}

/* In the order in which the stages are made. */
static bool compare_all(const checker *c, const document *one, const stack_solution *s,
                        const bundle *numbers, errata *known, comparison *of, err *e)
{
    known_elements by = {errata_knows, known};
    for (size_t i = 0; i < s->there.count; i++) {
        const char *name = s->there.item[i];
        const entry *wanted_one = bundle_find(numbers, name);
        if (wanted_one != NULL &&
            !compare_stage(of, name, wanted_one, bundle_find(&s->stages, name),
                           check_tolerance(c, &one->contents, name), &by, e))
            return false;
    }
    return true;
}

/* Compares what these stages are with what they should be, and reports or records it. */
static bool solve_and_compare(checker *c, const document *one, stack_solution *s,
                              const text_list *names, const bundle *numbers, err *e)
{
    comparison of = {0};
    errata known = {0};
    bool done = (c->actual != NULL || errata_read(&known, &one->contents, &s->there, e)) &&
                stack_solution_run(s, names, c->given, c->world, e) &&
                compare_all(c, one, s, numbers, &known, &of, e);
    if (done && c->given->update && of.different > 0)
        done = check_update(c, &(new_numbers){one, numbers, &s->stages, &known}, e);
    else if (done) {
        c->failed += !report_check(&c->out, one, &of, &known, check_numbers_name(c));
        done = !c->given->why ||
               check_explain_stack(c, &(unexplained_stack){one, s, numbers, &of, &known}, e);
    }
    errata_free(&known);
    return done;
}

/* --answers: an exercise is marked. */
static bool solve_and_mark(checker *c, const document *one, stack_solution *s,
                           const text_list *names, const bundle *answers, err *e)
{
    static const text_list NO_STEPS = {0};
    stack_trace t;
    bool done = tracing_make_stack(&t, s, names, &NO_STEPS, c->given, c->world, e) &&
                check_answers(c, &(exercise){one, answers, &s->stages, &t.whole}, e);
    stack_trace_free(&t);
    return done;
}

bool check_stack(checker *c, const document *one, const bundle *numbers, err *e)
{
    bool is_decoder = bundle_find(&one->contents, "memory") != NULL;
    stack_solution s;
    text_list names = {0};
    bool done = stack_solution_plan(&s, one, is_decoder, c->given, e) &&
                tolerances_check(c->given, &s.there, e) &&
                check_tolerances(&one->contents, &s.there, e) &&
                list_names(c, &s, numbers, &names, e) &&
                (c->given->answers != NULL ? solve_and_mark(c, one, &s, &names, numbers, e)
                                           : solve_and_compare(c, one, &s, &names, numbers, e));
    text_list_free(&names);
    stack_solution_free(&s);
    return done;
}
