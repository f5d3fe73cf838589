/* Numbers of a stack that are kept in fewer digits than they have. */

#include "why/stack_blunders.h"

static void keep_rows(void *context, tensor *rows)
{
    const stack_attempt *a = context;
    numbers_keep_as(rows, a->kept_as);
}

bool stack_blunder_layers_as(stack_attempt *a, int with, err *e)
{
    (void)e;
    a->kept_as = with;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        a->stack->layer[i].change = keep_rows;
        a->stack->layer[i].context = a;
    }
    return true;
}

bool stack_blunder_results_as(stack_attempt *a, int with, err *e)
{
    (void)e;
    a->kept_as = with;
    a->loses_digits = true;
    return a->scope.is_whole;
}
