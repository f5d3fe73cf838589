/* How an attention's numbers move what comes after them, found without any gradient: each number is
 * nudged up and down, all is computed again, forward alone and in float64, and
 *
 *     (Δ output·output_grad + Δ logsumexp·logsumexp_grad) / Δ number
 *
 * is what its gradient must be. A stage in the middle is nudged by giving it to the run. */
#include "cli/check/differences.h"

#include "attn/engine/run.h"
#include "base/mem.h"
#include "cli/check/check_shapes.h"
#include "cli/check/identities.h"
#include "cli/out/said.h"
#include "cli/out/stage_names.h"
#include "io/number_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In proportion to the greatest number of the stage, where no --tol is given: ours in float64, and
 * float32 or another program's. */
static const double OWN_TOL = 1e-6, NARROW_TOL = 1e-4;
/* The same of sums that are to be equal, in proportion to their terms. */
static const double OWN_SUM = 1e-9, NARROW_SUM = 1e-5;
/* Sums of float32 that cancel keep this much of the greatest gradient of all. */
static const double NARROW_REST = 0x1p-20;

/* Numbers are nudged by this much of the greatest one of their kind, and by half of it. Where both
 * disagree by more than SAME of what the sums are made of, less is tried, and at last the number is
 * left out: it has a kink, or bends too much. */
static const double FIRST_STEP = 0x1p-10, LAST_STEP = 0x1p-22, NEXT_STEP = 0x1p-4;
static const double SAME = 1e-6;
/* Sums that cancel are compared with what they are made of: at least this much of it counts as the
 * greatest number. */
static const double CANCELLED = 1e-4;
/* Rounding alone moves a result by this share of it. */
static const double ROUNDING = 0x1p-48;

/* All numbers are nudged where that takes a few seconds; else so many of each gradient that it
 * does, and at least a few. A run costs as much as RUN more products of two numbers. */
static const double SECONDS = 1e10, RUN = 20000;
enum { FEW = 4, RUNS = 4 };

/* Stages as wide as scores are not kept where they are larger than that. */
static const size_t WIDE = 1 << 22;

/* The attention in float64. */
typedef struct nudged {
    problem problem;
    tensor in[INPUT_COUNT]; /* owned */
    plan plan;              /* of the way forward */
    bundle stages;          /* as they are: those whose gradients are looked at */
    tensor output_grad, logsumexp_grad;
    bool has_empty_rows;
    run_room *room;
    crew by;
    bundle up, down; /* what comes of a nudge */
} nudged;

/* What became of all of it. */
typedef struct differences {
    bundle stages;         /* under the gradients' names; a hole: not found */
    size_t numbers, taken; /* so many of so many were nudged */
    size_t bent;           /* and of these are left out */
    element first_bent;
    double unit[STAGE_COUNT], rounding[STAGE_COUNT];
} differences;

/* ---- which gradients ---- */

/* Of an input, or of a stage that a run can begin at. */
static bool can_nudge(const plan *p, stage_id id)
{
    const stage *row = stage_row(id), *of = stage_row(row->of);
    bool is_of_stage = row->of != STAGE_X && (of->is_door || of->by == STAGE_BY_PROJECTION);
    return stage_is_backward(id) && plan_has_stage(p, id) &&
           (is_of_stage || row->of_input != NULL || id == STAGE_SLOPES_GRAD);
}

/* ---- the attention that is nudged ---- */

static bool open_inputs(nudged *n, err *e)
{
    problem *p = &n->problem;
    p->type = DTYPE_F64;
    p->allow_nonfinite = true;
    p->packed_weights = NULL;
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        const tensor *given = p->in[which];
        if (given == NULL || given->type == DTYPE_BOOL)
            continue;
        if (!tensor_new(&n->in[which], DTYPE_F64, given->rank, given->size, e))
            return false;
        tensor_copy(given, &n->in[which]);
        p->in[which] = &n->in[which];
    }
    return true;
}

/* Everything at first, once; then the way forward alone. */
static bool nudged_open(nudged *n, const problem *asked, const kernels *with, size_t threads,
                        const stage_id *id, size_t count, err *e)
{
    kept_stages base = {0};
    run_report report;
    plan whole = {0};
    *n = (nudged){.problem = *asked};
    crew_open(&n->by, threads);
    n->room = run_room_new(e);
    bool done = n->room != NULL && open_inputs(n, e) && plan_make(&whole, &n->problem, with, e);
    kept_stages_add(&base, STAGE_OUTPUT_GRAD);
    kept_stages_add(&base, STAGE_ATTENDED_GRAD);
    for (size_t i = 0; i < count; i++) {
        if (stage_row(id[i])->of != STAGE_X)
            kept_stages_add(&base, stage_row(id[i])->of);
    }
    done = done && run_plan_by(&whole, &base, &n->by, &n->stages, &report, e);
    if (done) {
        const tensor *grad =
            bundle_tensor(&n->stages, stage_row(STAGE_OUTPUT_GRAD)->key.named.name);
        n->output_grad = plan_all_axes(&whole, STAGE_OUTPUT_GRAD, grad);
        n->logsumexp_grad = plan_given_like(&whole, INPUT_LOGSUMEXP_GRAD);
        n->has_empty_rows = report.empty_rows > 0;
    }
    plan_free(&whole);
    problem_go_forward(&n->problem);
    return done && plan_make(&n->plan, &n->problem, with, e);
}

static void nudged_free(nudged *n)
{
    run_room_free(n->room);
    crew_close(&n->by);
    plan_free(&n->plan);
    bundle_free(&n->stages);
    bundle_free(&n->up);
    bundle_free(&n->down);
    for (input which = INPUT_X; which < INPUT_COUNT; which++)
        tensor_free(&n->in[which]);
}

/* Where the numbers lie that the gradient is of. */
static tensor *numbers_for(nudged *n, stage_id id)
{
    const stage *row = stage_row(id);
    if (id == STAGE_SLOPES_GRAD)
        return &n->plan.slopes;
    if (row->of_input != NULL)
        return &n->in[input_of_key(row->of_input)];
    return &bundle_find(&n->stages, stage_row(row->of)->key.named.name)->tensor;
}

/* ---- one number ---- */

/* A sum, that of its terms' sizes, and what rounding may add to it. */
typedef struct moved {
    double sum, sizes, rounding;
} moved;

static void add_moved(const nudged *n, stage_id id, const tensor *grad, moved *to)
{
    const char *name = stage_row(id)->key.named.name;
    const tensor *up = bundle_tensor(&n->up, name), *down = bundle_tensor(&n->down, name);
    size_t at[TENSOR_MAX_RANK] = {0};
    if (grad->data == NULL || up == NULL)
        return;
    tensor above = plan_all_axes(&n->plan, id, up), below = plan_all_axes(&n->plan, id, down);
    do {
        double one = tensor_get(&above, at), other = tensor_get(&below, at);
        double by = tensor_get(grad, at), apart = (one - other) * by;
        if (!isfinite(one) || !isfinite(other)) /* logsumexp of a row that sees nothing is −inf */
            continue;
        to->sum += apart;
        to->sizes += fabs(apart);
        to->rounding += ROUNDING * fabs(one * by);
    } while (tensor_next(grad, at));
}

static bool nudge(nudged *n, tensor *numbers, const size_t *at, double step, moved *to, err *e)
{
    run_report report;
    double value = tensor_get(numbers, at), above = value + step, below = value - step;
    *to = (moved){0};
    tensor_set(numbers, at, above);
    bool done = run_again(n->room, &n->by, &n->up, &report, e);
    tensor_set(numbers, at, below);
    done = done && run_again(n->room, &n->by, &n->down, &report, e);
    tensor_set(numbers, at, value);
    if (!done)
        return false;
    add_moved(n, STAGE_OUTPUT, &n->output_grad, to);
    add_moved(n, STAGE_LOGSUMEXP, &n->logsumexp_grad, to);
    to->sum /= above - below;
    to->sizes /= above - below;
    to->rounding /= above - below;
    return true;
}

/* Of two steps, one half of the other, the error of the square is taken off. What is −inf stays
 * that. A hole where the steps disagree. */
static bool difference_at(nudged *n, tensor *numbers, const size_t *at, double unit, moved *found,
                          err *e)
{
    moved wide, narrow;
    *found = (moved){0};
    for (double part = FIRST_STEP; isfinite(tensor_get(numbers, at)) && part >= LAST_STEP;
         part *= NEXT_STEP) {
        if (!nudge(n, numbers, at, unit * part, &wide, e) ||
            !nudge(n, numbers, at, unit * part / 2, &narrow, e))
            return false;
        *found = (moved){(4 * narrow.sum - wide.sum) / 3, narrow.sizes, 2 * narrow.rounding};
        if (fabs(wide.sum - narrow.sum) <= SAME * narrow.sizes + found->rounding)
            return true;
        found->sum = tensor_hole();
    }
    return true;
}

/* ---- all of them ---- */

static double greatest_of(const tensor *t)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    double greatest = 0;
    do {
        double size = fabs(tensor_get(t, at));
        greatest = isfinite(size) ? fmax(greatest, size) : greatest;
    } while (tensor_next(t, at));
    return greatest;
}

/* The i-th of some that are spread over `count`, of which the last is one. */
static void choose(const tensor *of, size_t i, size_t taken, size_t *at)
{
    static const double GOLDEN = 0.6180339887498949;
    size_t count = tensor_count(of), number = i;
    if (taken < count)
        number = (size_t)(fmod((double)i * GOLDEN, 1) * (double)count);
    if (i + 1 == taken)
        number = count - 1;
    for (int axis = of->rank - 1; axis >= 0; axis--) {
        at[axis] = number % of->size[axis];
        number /= of->size[axis];
    }
}

static bool find_gradient(nudged *n, stage_id id, size_t most, differences *to, err *e)
{
    const stage *row = stage_row(id);
    const char *name = row->key.named.name;
    tensor *numbers = numbers_for(n, id), made;
    tensor given[STAGE_COUNT] = {{0}};
    kept_stages wanted = {0};
    bool is_of_stage = row->of != STAGE_X;
    if (is_of_stage) {
        given[row->of] = *numbers;
        wanted.given = given;
    }
    kept_stages_add(&wanted, STAGE_OUTPUT);
    if (n->logsumexp_grad.data != NULL &&
        (!is_of_stage || plan_is_made_of(&n->plan, STAGE_LOGSUMEXP, row->of)))
        kept_stages_add(&wanted, STAGE_LOGSUMEXP);
    bundle_free(&n->up);
    bundle_free(&n->down);
    run_room_set(n->room, &n->plan, &wanted, n->by.most);
    size_t at[TENSOR_MAX_RANK] = {0}, count = tensor_count(numbers);
    size_t taken = count < most ? count : most;
    double unit = greatest_of(numbers), sizes = 0;
    unit = unit > 0 ? unit : 1;
    if (!tensor_new(&made, DTYPE_F64, numbers->rank, numbers->size, e) ||
        !bundle_add_tensor(&to->stages, name, &made, (place){0}, e))
        return false;
    made = tensor_view_of(&bundle_find(&to->stages, name)->tensor);
    do
        tensor_set(&made, at, tensor_hole());
    while (tensor_next(&made, at));
    to->numbers += count;
    for (size_t i = 0; i < taken; i++) {
        moved found;
        choose(numbers, i, taken, at);
        bool takes_part = id != STAGE_WEIGHTS_GRAD || tensor_get(numbers, at) != 0;
        to->numbers -= !takes_part; /* the weight of a hidden key has no gradient */
        if (!takes_part || !tensor_is_hole(tensor_get(&made, at)))
            continue;
        if (!difference_at(n, numbers, at, unit, &found, e))
            return false;
        tensor_set(&made, at, found.sum);
        sizes = fmax(sizes, found.sizes);
        to->rounding[id] = fmax(to->rounding[id], found.rounding);
        to->taken++;
        if (tensor_is_hole(found.sum) && to->bent++ == 0) {
            to->first_bent = (element){.stage = name, .rank = numbers->rank};
            memcpy(to->first_bent.index, at, sizeof at);
        }
    }
    to->unit[id] = fmax(greatest_of(&made), CANCELLED * sizes);
    return true;
}

/* ---- the line ---- */

static void report(checker *c, const document *one, const differences *by, const comparison *found)
{
    text *out = &c->file.lines;
    c->file.failed += found->different > 0;
    text_add_string(out, found->different == 0 ? "ok    " : "FAIL  ");
    report_document(out, one);
    text_add_string(out, ": ");
    if (found->different > 0) {
        report_element(out, &found->first, "by differences",
                       c->actual != NULL ? "actual" : "computed");
        if (found->different > 1)
            text_add_format(out, ", and %zu more", found->different - 1);
        text_add_string(out, "; ");
    }
    if (by->taken < by->numbers)
        text_add_format(out, "%zu of ", by->taken);
    text_add_format(out, "%zu number%s in %zu gradient%s nudged", by->numbers,
                    by->numbers == 1 ? "" : "s", by->stages.count,
                    by->stages.count == 1 ? "" : "s");
    if (by->bent > 0) {
        text_add_format(out, "; %zu left out, where a smaller step says otherwise, the first ",
                        by->bent);
        element_write_name(&by->first_bent, out);
    }
    text_add_string(out, "\n");
}

static bool compare(checker *c, const work *w, const bundle *theirs, const differences *by, err *e)
{
    comparison found = {.holes_differ = false};
    bool is_narrow = c->actual != NULL || w->kind->attention(w)->type == DTYPE_F32;
    double greatest = 0, most = is_narrow ? NARROW_TOL : OWN_TOL;
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT; id++)
        greatest = fmax(greatest, by->unit[id]);
    for (size_t i = 0; i < by->stages.count; i++) {
        const entry *one = &by->stages.entry[i];
        const char *name = one->name;
        stage_id id = stage_of(named_find(&STAGES, name, strlen(name)));
        double exact = most * by->unit[id] + by->rounding[id] + is_narrow * NARROW_REST * greatest;
        double tol = 0; /* in two digits, which a line has room for */
        char digits[NUMBER_TEXT];
        snprintf(digits, sizeof digits, "%.1e", exact);
        number_read_f64(digits, digits + strlen(digits), &tol);
        if (!tolerance_given(c->given, name, &tol) && c->given->has_tol)
            tol = c->given->tol;
        if (!compare_stage(&found, name, one, bundle_find(theirs, name), tol, NULL, e))
            return false;
    }
    report(c, w->document, by, &found);
    return true;
}

bool check_differences(checker *c, document *one, const bundle *actual, err *e)
{
    work w = {0};
    bundle laid = {0};
    differences found = {0};
    nudged *n = mem_alloc_zeroed(1, sizeof *n, e);
    stage_id id[STAGE_COUNT];
    size_t count = 0;
    place at = document_place(one);
    bool done = n != NULL && work_plan(&w, one, NULL, c->given, e) && work_list(&w, e) &&
                tolerances_check(c->given, NULL, e);
    const plan *p = done && w.kind->attention != NULL ? w.kind->attention(&w) : NULL;
    if (done && p == NULL)
        done = err_at(e, &at, "--differences is about one attention, and this has layers");
    done = done && plan_check_stage(p, STAGE_OUTPUT_GRAD, e) &&
           (actual == NULL || check_shapes_lay(c, &w, actual, &laid, e));
    const named_stages of = {one, &w.there, &laid, &w.stages, NULL, NULL};
    done = done && (actual == NULL || check_shapes(c, &of, &w, e));
    for (stage_id one_of = STAGE_LOSS; done && one_of < STAGE_COUNT; one_of++) {
        const char *name = stage_row(one_of)->key.named.name;
        if (!can_nudge(p, one_of) || (actual == NULL ? plan_stage_numbers(p, one_of) > WIDE
                                                     : bundle_find(&laid, name) == NULL))
            continue;
        id[count++] = one_of;
        done = actual != NULL || w.kind->want(&w, name, false, e);
    }
    if (done && count == 0)
        done = err_at(e, &at, "there is no gradient to compare with differences");
    done = done && document_reader_look(c->documents, one, e) &&
           (actual != NULL || w.kind->run(&w, c->world, e));
    const isa *by = done ? isa_by_name(c->given->isa, e) : NULL;
    const problem *asked = done ? work_question(&w, c->world).problem : NULL;
    done = by != NULL &&
           nudged_open(n, asked, by->table(DTYPE_F64), work_threads(&w, c->world), id, count, e);
    double each = done ? RUNS * (double)count * (plan_operations(&n->plan) + RUN) : 0;
    for (size_t i = 0; done && i < count; i++)
        done = find_gradient(n, id[i], FEW + (size_t)(SECONDS / each), &found, e);
    const bundle *theirs = actual == NULL ? &w.stages : &laid;
    done = done && compare(c, &w, theirs, &found, e);
    /* What a number may be off says nothing of what sums may be. */
    if (done && !c->given->has_tol && c->given->tols.count == 0) {
        bool is_narrow = actual != NULL || p->type == DTYPE_F32;
        check_identities(c, one,
                         &(identities){p, theirs, &n->stages, n->has_empty_rows,
                                       is_narrow ? NARROW_SUM : OWN_SUM});
    }
    if (n != NULL)
        nudged_free(n);
    mem_free(n);
    bundle_free(&found.stages);
    bundle_free(&laid);
    work_free(&w);
    return done;
}
