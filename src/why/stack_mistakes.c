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
#define ROW(name, help, make, as) {{name, help}, WHOLE(make, as), .is_of_digits = true}
#define NARROW_ROWS(type, as) \
    ROW(type "-layers", "what each layer gives is rounded to " type, layers_as, as), \
    ROW(type "-results", "results are rounded to " type " when all is computed", results_as, as)
#define ROUNDED_ROW(n, decimals) \
    ROW("layers-rounded-" #n, "what each layer gives is rounded to " decimals, layers_as, \
        n + AS_AWAY)

static const stack_mistake DIGIT_ROWS[] = {
    NARROW_ROWS("float16", AS_FLOAT16),
    NARROW_ROWS("bfloat16", AS_BFLOAT16),
    ROUNDED_ROW(1, "1 decimal"),
    ROUNDED_ROW(2, "2 decimals"),
    ROUNDED_ROW(3, "3 decimals"),
    ROUNDED_ROW(4, "4 decimals"),
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
