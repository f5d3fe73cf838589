#include "why/stack_attempt.h"

/* ---- numbers of a stack that are kept in fewer digits than they have ---- */

static void keep_rows(void *context, tensor *rows)
{
    const stack_attempt *a = context;
    numbers_keep_as(rows, a->kept_as);
}

static bool layers_as(stack_attempt *a, int with, err *e)
{
    (void)e;
    a->kept_as = with;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        a->stack->layer[i].change = keep_rows;
        a->stack->layer[i].context = a;
    }
    return true;
}

static bool results_as(stack_attempt *a, int with, err *e)
{
    (void)e;
    a->kept_as = with;
    a->loses_digits = true;
    return a->scope.is_whole;
}

/* clang-format off */
static const stack_mistake DIGIT_ROWS[] = {
    {{"float16-layers", "what each layer gives is rounded to float16"},
     .make = layers_as, .with = AS_FLOAT16, .is_of_digits = true},
    {{"float16-results", "results are rounded to float16 when all is computed"},
     .make = results_as, .with = AS_FLOAT16, .is_of_digits = true},
    {{"bfloat16-layers", "what each layer gives is rounded to bfloat16"},
     .make = layers_as, .with = AS_BFLOAT16, .is_of_digits = true},
    {{"bfloat16-results", "results are rounded to bfloat16 when all is computed"},
     .make = results_as, .with = AS_BFLOAT16, .is_of_digits = true},
    {{"layers-rounded-1", "what each layer gives is rounded to 1 decimal"},
     .make = layers_as, .with = 1 + AS_AWAY, .is_of_digits = true},
    {{"layers-rounded-2", "what each layer gives is rounded to 2 decimals"},
     .make = layers_as, .with = 2 + AS_AWAY, .is_of_digits = true},
    {{"layers-rounded-3", "what each layer gives is rounded to 3 decimals"},
     .make = layers_as, .with = 3 + AS_AWAY, .is_of_digits = true},
    {{"layers-rounded-4", "what each layer gives is rounded to 4 decimals"},
     .make = layers_as, .with = 4 + AS_AWAY, .is_of_digits = true},
};
/* clang-format on */

static const named_table STACK_DIGIT_MISTAKES = NAMED_TABLE("layer mistake", DIGIT_ROWS);

/* ---- all ---- */

/* The more common first: of mistakes that explain numbers equally well, the first is named. */
static const named_table *const THEMES[] = {
    &STACK_NORM_MISTAKES, &STACK_PART_MISTAKES, &STACK_ROW_MISTAKES, &STACK_DIGIT_MISTAKES, NULL,
};

const named_table STACK_MISTAKES = {.what = "layer mistake", .parts = THEMES};

const stack_mistake *stack_mistake_at(size_t index)
{
    return (const stack_mistake *)(const void *)named_row(&STACK_MISTAKES, index);
}
