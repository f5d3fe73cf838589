#include "why/missed_by_tolerance.h"

#include "base/mem.h"
#include "compare/measure.h"

#include <math.h>

/* What was recorded may come from someone's float32. */
static const double SAME_F32 = 2e-5;

typedef struct trial {
    const missed_question *of;
    claims claims;
    attempt right;
    missed_by_tolerance *to;
} trial;

static bool is_known(const missed_question *of, stage_id id)
{
    return of->claim[id].numbers != NULL;
}

static void begin(trial *t, attempt *a, const attempt *right)
{
    const missed_question *of = t->of;
    attempt_open(a, of->problem, of->with, of->threads, is_known(of, STAGE_WEIGHTED), right);
}

/* Whether what the problem gives is what was recorded, with the tolerance or nearly. */
static bool is_recorded(const trial *t)
{
    fit found = fit_of(&t->claims, t->right.stage);
    double allowed = SAME_F32;
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (is_known(t->of, id))
            allowed = fmax(allowed, t->of->within[id].rtol);
    }
    return found.is_within || found.error <= allowed;
}

static bool passes_stage(const trial *t, stage_id id, const tensor *mistaken)
{
    tensor a, b;
    const tensor *right = &t->right.stage[id];
    if (mistaken->data == NULL || !measure_align(right, mistaken, &a, &b))
        return false;
    measured_side side_a = {.of = &a}, side_b = {.of = &b};
    return measure(side_a, side_b, t->of->type[id], &t->of->within[id]).different == 0;
}

static bool passes(const trial *t, const attempt *a)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (is_known(t->of, id) && !passes_stage(t, id, &a->stage[id]))
            return false;
    }
    return true;
}

static bool keep(missed_by_tolerance *to, const mistake *made, err *e)
{
    const mistake **larger = mem_grow(to->made, to->count, &to->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    to->made = larger;
    to->made[to->count++] = made;
    return true;
}

static bool try_mistake(trial *t, const mistake *made, err *e)
{
    attempt a;
    begin(t, &a, &t->right);
    if (attempt_make(&a, &made, 1, e) && !fit_is_same(&t->claims, t->right.stage, a.stage)) {
        t->to->tried++;
        if (passes(t, &a))
            keep(t->to, made, e);
    }
    attempt_free(&a);
    return !e->is_set;
}

static bool try_each(trial *t, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < named_count(&MISTAKES); i++) {
        const mistake *one = mistake_at(i);
        done = one->is_of_digits || try_mistake(t, one, e);
    }
    return done;
}

/* 0 where the problem can't be computed, which the first attempt finds as well. */
static double operations_of(const missed_question *of)
{
    err refused = {0};
    plan p;
    double operations = plan_make(&p, of->problem, of->with, &refused) ? plan_operations(&p) : 0;
    plan_free(&p);
    return operations;
}

/* ---- what nobody computed ---- */

static double mean_of(const tensor *column)
{
    double sum = 0;
    for (size_t i = 0; i < column->size[0]; i++)
        sum += tensor_get(column, &i);
    return sum / (double)column->size[0];
}

/* Whether it passes in one column of a matrix; `changes` where a number is another one. */
static bool column_passes(const tensor *column, stand_in as, const tolerance *within,
                          number_type type, bool *changes)
{
    size_t rows = column->size[0];
    double mean = as == STAND_IN_MEANS ? mean_of(column) : 0;
    for (size_t i = 0; i < rows; i++) {
        double right = tensor_get(column, &i), stands = mean;
        if (as == STAND_IN_REVERSED)
            stands = tensor_get(column, (size_t[]){rows - 1 - i});
        if (tensor_is_hole(right) || fabs(right - stands) <= SAME_F32 * fabs(right))
            continue;
        *changes = true;
        if (!tolerance_admits(within, type, right, stands))
            return false;
    }
    return true;
}

static bool stage_passes(const tensor *numbers, stand_in as, const tolerance *within,
                         number_type type, bool *changes)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    int rows = numbers->rank < 2 ? 0 : numbers->rank - 2;
    do {
        tensor column = {.type = numbers->type,
                         .rank = 1,
                         .size = {numbers->rank == 0 ? 1 : numbers->size[rows]},
                         .stride = {numbers->rank == 0 ? 0 : numbers->stride[rows]},
                         .data = numbers->data};
        if (numbers->rank > 0 && at[rows] > 0)
            continue;
        for (int axis = 0; axis < numbers->rank; axis++)
            column.data = (char *)column.data + (ptrdiff_t)at[axis] * numbers->stride[axis] *
                                                    (ptrdiff_t)dtype_size(numbers->type);
        if (!column_passes(&column, as, within, type, changes))
            return false;
    } while (tensor_next(numbers, at));
    return true;
}

/* ---- the whole ---- */

bool missed_find(missed_by_tolerance *to, const missed_question *of, err *e)
{
    *to = (missed_by_tolerance){.operations = operations_of(of)};
    for (stand_in as = 0; as < STAND_INS; as++) {
        bool pass = true, changes = false;
        for (stage_id id = 0; pass && id < STAGE_COUNT; id++) {
            const entry *numbers = of->claim[id].numbers;
            pass = numbers == NULL ||
                   stage_passes(&numbers->tensor, as, &of->within[id], of->type[id], &changes);
        }
        to->stands_in[as] = pass && changes;
    }
    if (to->operations > OVERLOOKED_OPERATIONS)
        return true;
    trial t = {.of = of, .claims = {of->claim, STAGE_COUNT, NULL}, .to = to};
    begin(&t, &t.right, NULL);
    to->is_other = !attempt_make(&t.right, NULL, 0, e) || !is_recorded(&t);
    bool done = !e->is_set && (to->is_other || try_each(&t, e));
    attempt_free(&t.right);
    return done;
}

void missed_write_stand_ins(const missed_by_tolerance *found, const char *name, text *out)
{
    static const char *const CALLED[] = {"zeros", "the mean of all rows", "the rows in reverse"};
    size_t before = 0;
    for (stand_in as = 0; as < STAND_INS; as++) {
        if (!found->stands_in[as])
            continue;
        if (before++ == 0)
            text_add_format(out, "the tolerance proves nothing: it lets pass on %s:", name);
        text_add_format(out, "%s %s", before > 1 ? "," : "", CALLED[as]);
    }
    text_add_string(out, before > 0 ? "\n" : "");
}

void missed_write_mistakes(const missed_by_tolerance *found, const char *name, const char *but,
                           text *out)
{
    if (found->operations > OVERLOOKED_OPERATIONS)
        text_add_format(out,
                        "mistakes are not tried on %s, to see what the tolerance proves: an "
                        "attempt is %.0f products, and %d are quick\n",
                        name, found->operations, OVERLOOKED_OPERATIONS);
    if (found->count == 0)
        return;
    text_add_format(out, "the tolerance proves little: it lets %zu of %zu mistakes pass on %s%s:",
                    found->count, found->tried, name, but);
    for (size_t i = 0; i < found->count; i++)
        text_add_format(out, "%s %s", i == 0 ? "" : ",", found->made[i]->named.name);
    text_add_string(out, "\n");
}

void missed_free(missed_by_tolerance *to)
{
    mem_free(to->made);
    *to = (missed_by_tolerance){0};
}
