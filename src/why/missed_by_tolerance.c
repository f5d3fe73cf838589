#include "why/why.h"

#include "base/mem.h"
#include "why/attempt.h"

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
    kept_stages asked_for = {0};
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (is_known(of, id))
            kept_stages_add(&asked_for, id);
    }
    attempt_open(a, of->problem, of->with, of->threads, &asked_for, right);
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT && of->problem->goes_back; id++)
        a->keeps_gradients = a->keeps_gradients || is_known(of, id);
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
    for (stage_id id = 0; passes && id < STAGE_COUNT; id++) {
        const tensor *right = &t->right.stage[id], *mistaken = &a.stage[id];
        tensor one, other;
        if (!is_known(t->of, id))
            continue;
        passes = mistaken->data != NULL && measure_align(right, mistaken, &one, &other) &&
                 measure((measured_side){.of = &one}, (measured_side){.of = &other},
                         t->of->type[id], &t->of->within[id])
                         .different == 0;
    }
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

/* Column by column; `changes` where a number is another one. */
static bool stage_passes(const tensor *numbers, stand_in as, const tolerance *within,
                         number_type type, bool *changes)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    int axis = numbers->rank < 2 ? 0 : numbers->rank - 2;
    size_t rows = numbers->rank == 0 ? 1 : numbers->size[axis];
    do {
        double sum = 0;
        if (at[axis] > 0)
            continue;
        for (; as == STAND_IN_MEANS && at[axis] < rows; at[axis]++)
            sum += tensor_get(numbers, at);
        for (size_t i = 0; i < rows; i++) {
            at[axis] = rows - 1 - i;
            double stands = as == STAND_IN_REVERSED ? tensor_get(numbers, at) : sum / (double)rows;
            at[axis] = i;
            double right = tensor_get(numbers, at);
            if (tensor_is_hole(right) || fabs(right - stands) <= SAME_F32 * fabs(right))
                continue;
            *changes = true;
            if (!tolerance_admits(within, type, right, stands))
                return false;
        }
        at[axis] = 0;
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
        const mistake *one = mistake_at(&MISTAKES, i);
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
