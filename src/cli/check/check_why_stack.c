#include "cli/check/check_why_stack.h"

#include "base/mem.h"
#include "cli/check/check_why.h"
#include "cli/stack/stack_solve.h"
#include "why/why_stack.h"

/* In the order in which the stages are made; `room` is for each of them. */
static claims claims_of(const checker *c, const unexplained_stack *of, const known_elements *known,
                        claim *room)
{
    const text_list *names = of->stages->there;
    claims all = {.claim = room, .known = known};
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i];
        const entry *given = bundle_find(of->stages->numbers, name);
        if (given == NULL)
            continue;
        room[all.count++] =
            (claim){.name = name,
                    .numbers = given,
                    .tol = check_tolerance(c, &of->stages->document->contents, name)};
    }
    return all;
}

static stack_question question_of(const checker *c, const unexplained_stack *of,
                                  const claims *claimed)
{
    return (stack_question){.document = of->stack->document,
                            .how = of->stack->how,
                            .steps = of->steps,
                            .by = of->stack->isa,
                            .threads = stack_threads(of->stack, c->given, c->world),
                            .claims = *claimed};
}

static bool explain(checker *c, const unexplained_stack *of, const claims *claimed, err *e)
{
    const stack_question question = question_of(c, of, claimed);
    tried_numbers tried = {of->compared, check_numbers_name(c), why_stack_mistakes()};
    why_answers found;
    if (!why_stack_find(&found, &question, e))
        return false;
    check_stages_place(&c->out, of->stages, of->compared->first.stage);
    check_list_answers(&c->out, &found, &tried);
    return true;
}

bool check_explain_stack(checker *c, const unexplained_stack *of, err *e)
{
    known_elements listed = check_listed(of->known);
    check_list_errata(&c->out, of->known);
    if (of->compared->different == 0)
        return true;
    claim *room = mem_alloc(of->stages->there->count, sizeof room[0], e);
    if (room == NULL)
        return false;
    claims claimed = claims_of(c, of, &listed, room);
    bool done = explain(c, of, &claimed, e);
    mem_free(room);
    return done;
}

static const char *first_misshapen(const named_stages *of)
{
    for (size_t i = 0; i < of->there->count; i++) {
        const char *name = of->there->item[i];
        if (check_is_misshapen(of->numbers, of->computed, name))
            return name;
    }
    return NULL;
}

static bool explain_shape(checker *c, const unexplained_stack *of, const char *name, text *lines,
                          err *e)
{
    const entry *numbers = bundle_find(of->stages->numbers, name);
    const claim one = {name, numbers, check_tolerance(c, &of->stages->document->contents, name)};
    const claims claimed = {&one, 1, NULL};
    const stack_question question = question_of(c, of, &claimed);
    const misshapen wrong = {name, &numbers->tensor, bundle_tensor(of->stages->computed, name),
                             check_numbers_name(c), why_stack_mistakes()};
    shape_answers found;
    if (!why_stack_shape_find(&found, &question, &one, e))
        return false;
    check_list_shapes(lines, &found, &wrong);
    return text_ok(lines, e);
}

void check_explain_stack_shape(checker *c, const unexplained_stack *of)
{
    const char *name = c->given->why ? first_misshapen(of->stages) : NULL;
    text lines = {0};
    err missing = {0}; /* memory: then the error itself has to do */
    if (name != NULL && explain_shape(c, of, name, &lines, &missing))
        text_add(&c->out, text_string(&lines), lines.length);
    text_free(&lines);
}
