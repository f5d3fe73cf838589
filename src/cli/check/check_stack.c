#include "cli/check/check_stack.h"

#include "cli/check/check_answers.h"
#include "cli/check/check_page.h"
#include "cli/check/check_stages.h"
#include "cli/check/check_why.h"
#include "cli/stack/stack_solve.h"
#include "cli/tracing.h"

#include <string.h>

bool check_is_stack(const document *one)
{
    return bundle_find(&one->contents, "layers") != NULL;
}

static bool solve_and_compare(checker *c, const named_stages *of, stack_solution *s,
                              const text_list *names, errata *known, err *e)
{
    const why_question asked = check_asked_of_layers(c, &s->stack, NULL);
    return stack_solution_run(s, names, c->given, c->world, e) &&
           check_judge(c, of, &asked, known, e);
}

/* --answers: an exercise is marked. */
static bool solve_and_mark(checker *c, const named_stages *of, stack_solution *s,
                           const text_list *names, err *e)
{
    static const text_list NO_STEPS = {0};
    stack_trace t;
    bool done = tracing_make_stack(&t, s, names, &NO_STEPS, c->given, c->world, e) &&
                check_answers(c, &(exercise){of->document, of->numbers, of->computed, &t.whole}, e);
    stack_trace_free(&t);
    return done;
}

/* As a page of answers was computed, else as the document says. */
static bool find_kind(const document *one, const bundle *numbers, bool *is_decoder, err *e)
{
    const char *command = check_page_command(numbers);
    if (command == NULL)
        return stack_find_kind(&one->contents, NULL, is_decoder, e);
    *is_decoder = strcmp(command, "decode") == 0;
    return true;
}

bool check_stack(checker *c, const document *one, const bundle *numbers, err *e)
{
    bool is_decoder;
    stack_solution s = {0};
    text_list names = {0};
    errata known = {0};
    const named_stages of = {one, &s.there, numbers, &s.stages};
    bool done = find_kind(one, numbers, &is_decoder, e) &&
                stack_solution_plan(&s, one, is_decoder, c->given, e) &&
                check_stages_list(c, &of, &known, &names, e) &&
                (c->given->answers != NULL ? solve_and_mark(c, &of, &s, &names, e)
                                           : solve_and_compare(c, &of, &s, &names, &known, e));
    errata_free(&known);
    text_list_free(&names);
    stack_solution_free(&s);
    return done;
}
