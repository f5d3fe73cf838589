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

static bool passes_stage(const trial *t, stage_id id, const tensor *mistaken)
{
    tensor a, b;
    const tensor *right = &t->right.stage[id];
    if (mistaken->data == NULL || !measure_align(right, mistaken, &a, &b))
        return false;
    measured_side side_a = {.of = &a}, side_b = {.of = &b};
    return measure(side_a, side_b, t->of->type[id], &t->of->within[id]).different == 0;
}

/* Takes what gives other numbers, all of which pass. */
static bool try_mistake(trial *t, const mistake *made, err *e)
{
    missed_by_tolerance *to = t->to;
    attempt a;
    begin(t, &a, &t->right);
    bool is_other =
        attempt_make(&a, &made, 1, e) && !fit_is_same(&t->claims, t->right.stage, a.stage);
    bool passes = is_other;
    for (stage_id id = 0; passes && id < STAGE_COUNT; id++)
        passes = !is_known(t->of, id) || passes_stage(t, id, &a.stage[id]);
    attempt_free(&a);
    to->tried += is_other;
    if (!passes)
        return !e->is_set;
    const mistake **larger = mem_grow(to->made, to->count, &to->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    to->made = larger;
    to->made[to->count++] = made;
    return true;
}

/* ---- what nobody computed ---- */

/* Whether it passes in one column of a matrix; `changes` where a number is another one. */
static bool column_passes(const tensor *column, stand_in as, const tolerance *within,
                          number_type type, bool *changes)
{
    size_t rows = column->size[0];
    double sum = 0;
    for (size_t i = 0; i < rows && as == STAND_IN_MEANS; i++)
        sum += tensor_get(column, &i);
    for (size_t i = 0; i < rows; i++) {
        double right = tensor_get(column, &i), stands = sum / (double)rows;
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
    err refused = {0}; /* where the problem can't be computed, which the first attempt finds too */
    plan p;
    *to = (missed_by_tolerance){0};
    if (plan_make(&p, of->problem, of->with, &refused))
        to->operations = plan_operations(&p);
    plan_free(&p);
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
    to->is_other = !attempt_make(&t.right, NULL, 0, e);
    if (!to->is_other) {
        /* Whether what the problem gives is what was recorded, with the tolerance or nearly. */
        fit found = fit_of(&t.claims, t.right.stage);
        double allowed = SAME_F32;
        for (stage_id id = 0; id < STAGE_COUNT; id++) {
            if (is_known(of, id))
                allowed = fmax(allowed, of->within[id].rtol);
        }
        to->is_other = !found.is_within && found.error > allowed;
    }
    bool done = !e->is_set;
    for (size_t i = 0; done && !to->is_other && i < named_count(&MISTAKES); i++) {
        const mistake *one = mistake_at(i);
        done = one->is_of_digits || try_mistake(&t, one, e);
    }
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
