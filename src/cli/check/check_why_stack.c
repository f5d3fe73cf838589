#include "cli/check/check_why_stack.h"

#include "base/mem.h"
#include "cli/check/check_why.h"
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

static bool explain(checker *c, const unexplained_stack *of, const claims *claimed, err *e)
{
    const stack *right = &of->solved->stack;
    stack_question question = {.document = right->document,
                               .how = right->how,
                               .by = right->isa,
                               .threads = stack_threads(right, c->given, c->world),
                               .claims = *claimed};
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
