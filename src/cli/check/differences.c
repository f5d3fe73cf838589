/* How numbers move what comes after them, found without any gradient: each number is nudged up and
 * down, all is computed again, forward alone and in float64, and
 *
 *     (Δ output·output_grad + Δ logsumexp·logsumexp_grad) / Δ number, of layers Δ loss / Δ number
 *
 * is what its gradient must be. A stage in the middle of an attention is nudged by giving it to the
 * run. */
#include "cli/check/differences.h"

#include "base/mem.h"
#include "cli/check/check_shapes.h"
#include "cli/check/identities.h"
#include "cli/check/nudged.h"
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
 * disagree by more than SAME of what the sums are made of, or by SAME_BEND of how these bend, less
 * is tried, and at last the number is left out: it has a kink, or bends too much. */
static const double FIRST_STEP = 0x1p-10, LAST_STEP = 0x1p-22, NEXT_STEP = 0x1p-4;
static const double SAME = 1e-6, SAME_BEND = 1e-3;
/* Sums that cancel are compared with what they are made of: at least this much of it counts as the
 * greatest number. */
static const double CANCELLED = 1e-4;
/* Rounding alone moves a result by this share of it. */
static const double ROUNDING = 0x1p-48;

/* All numbers are nudged where that takes a few seconds; else so many of each gradient that it
 * does, and at least a few. */
static const double SECONDS = 1e10;
enum { FEW = 4, RUNS = 4 };

/* What the numbers of one gradient may be off by is in proportion to `unit`, and rounding and what
 * half a step changes have their own part in it. */
typedef struct found_gradient {
    double unit, rounding;
} found_gradient;

/* What became of all of it. */
typedef struct differences {
    bundle stages;         /* under the gradients' names; a hole: not found */
    found_gradient *of;    /* of each; owned */
    size_t numbers, taken; /* so many of so many were nudged */
    size_t left;           /* gradients were left out */
    size_t bent;           /* and of the numbers these */
    element first_bent;
} differences;

/* ---- one number ---- */

void moved_add(moved *to, const double term[NUDGED_WAYS], double by)
{
    double above = term[NUDGED_UP], below = term[NUDGED_DOWN];
    if (!isfinite(above) || !isfinite(below)) /* logsumexp of a row that sees nothing is −inf */
        return;
    to->sum += (above - below) * by;
    to->sizes += fabs((above - below) * by);
    to->rounding += ROUNDING * fabs(above * by);
    to->bends += fabs((above - 2 * term[NUDGED_NOT] + below) * by);
}

static bool nudge(nudged *n, tensor *numbers, const size_t *at, double step, moved *to, err *e)
{
    double value = tensor_get(numbers, at), above = value + step, below = value - step;
    *to = (moved){0};
    tensor_set(numbers, at, above);
    bool done = n->kind->run(n, NUDGED_UP, e);
    tensor_set(numbers, at, below);
    done = done && n->kind->run(n, NUDGED_DOWN, e);
    tensor_set(numbers, at, value);
    if (!done)
        return false;
    n->kind->add_moved(n, to);
    to->sum /= above - below;
    to->sizes /= above - below;
    to->rounding /= above - below;
    to->bends /= above - below;
    return true;
}

/* Of two steps, one half of the other, the error of the square is taken off. What is −inf stays
 * that. A hole where the steps disagree, or where the number stands on a kink: all that bends does
 * so half as much in half a step, but a kink. The result may be wrong by some of what the
 * steps disagree by, if a kink lies between them. */
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
        *found = (moved){.sum = (4 * narrow.sum - wide.sum) / 3,
                         .sizes = narrow.sizes,
                         .rounding = 2 * narrow.rounding};
        double same = SAME * narrow.sizes + found->rounding, kink = 2 * narrow.bends - wide.bends;
        if (fabs(wide.sum - narrow.sum) <= same && kink <= 4 * same + SAME_BEND * wide.bends) {
            found->rounding += fabs(wide.sum - narrow.sum);
            return true;
        }
        found->sum = tensor_hole();
    }
    return true;
}

/* ---- all of them ---- */

/* Where the greatest number of the gradient that is looked at stands, in index order. */
static size_t place_of_greatest(const tensor *t)
{
    size_t at[TENSOR_MAX_RANK] = {0}, found = 0, number = 0;
    double greatest = 0;
    do {
        double size = fabs(tensor_get(t, at));
        found = size > greatest ? number : found;
        greatest = fmax(greatest, size);
        number++;
    } while (tensor_next(t, at));
    return found;
}

/* The i-th of some that are spread over `count`, of which the last is one. Of a few the first is
 * `greatest`: in a table of many ids most rows have the gradient 0. */
static void choose(const tensor *of, size_t i, size_t taken, size_t greatest, size_t *at)
{
    static const double GOLDEN = 0.6180339887498949;
    size_t count = tensor_count(of), number = i;
    if (taken < count)
        number = i == 0 ? greatest : (size_t)(fmod((double)i * GOLDEN, 1) * (double)count);
    if (i + 1 == taken)
        number = count - 1;
    for (int axis = of->rank - 1; axis >= 0; axis--) {
        at[axis] = number % of->size[axis];
        number /= of->size[axis];
    }
}

/* The weight of a hidden key has no gradient. */
static bool has_gradient(const char *name, double number)
{
    const char *last = strrchr(name, '.'), *own = last == NULL ? name : last + 1;
    return number != 0 || strcmp(own, stage_row(STAGE_WEIGHTS_GRAD)->key.named.name) != 0;
}

/* A matrix of holes, to be filled. */
static tensor *add_holes(bundle *to, const char *name, const tensor *like, err *e)
{
    tensor made;
    size_t at[TENSOR_MAX_RANK] = {0};
    if (!tensor_new(&made, DTYPE_F64, like->rank, like->size, e) ||
        !bundle_add_tensor(to, name, &made, (place){0}, e))
        return NULL;
    tensor *holes = &bundle_find(to, name)->tensor;
    do
        tensor_set(holes, at, tensor_hole());
    while (tensor_next(holes, at));
    return holes;
}

static bool find_gradient(nudged *n, const entry *looked_at, size_t most, differences *to, err *e)
{
    const char *name = looked_at->name;
    tensor *numbers = n->kind->begin(n, name), *made = add_holes(&to->stages, name, numbers, e);
    if (made == NULL)
        return false;
    found_gradient *found = &to->of[to->stages.count - 1];
    size_t at[TENSOR_MAX_RANK] = {0}, count = tensor_count(numbers);
    size_t taken = count < most ? count : most, greatest = place_of_greatest(&looked_at->tensor);
    double unit = tensor_greatest(numbers), sizes = 0;
    unit = unit > 0 ? unit : 1;
    to->numbers += count;
    if (!n->kind->run(n, NUDGED_NOT, e))
        return false;
    for (size_t i = 0; i < taken; i++) {
        moved by;
        choose(numbers, i, taken, greatest, at);
        bool takes_part = has_gradient(name, tensor_get(numbers, at));
        to->numbers -= !takes_part;
        if (!takes_part || !tensor_is_hole(tensor_get(made, at)))
            continue;
        if (!difference_at(n, numbers, at, unit, &by, e))
            return false;
        tensor_set(made, at, by.sum);
        sizes = fmax(sizes, by.sizes);
        found->rounding = fmax(found->rounding, by.rounding);
        to->taken++;
        if (tensor_is_hole(by.sum) && to->bent++ == 0) {
            to->first_bent = (element){.stage = name,
                                       .axes = entry_last_axes(looked_at, numbers->rank),
                                       .rank = numbers->rank};
            memcpy(to->first_bent.index, at, sizeof at);
        }
    }
    found->unit = fmax(tensor_greatest(made), CANCELLED * sizes);
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
    if (by->left > 0)
        text_add_format(out,
                        "; %zu of stages are not: a run is long, and --actual compares those that "
                        "it has",
                        by->left);
    if (by->bent > 0) {
        text_add_format(out, "; %zu left out, where a smaller step says otherwise, the first ",
                        by->bent);
        element_write_name(&by->first_bent, out);
    }
    text_add_string(out, "\n");
}

static bool compare(checker *c, const work *w, const bundle *theirs, const differences *by,
                    bool is_narrow, err *e)
{
    comparison found = {.holes_differ = false};
    double greatest = 0, most = is_narrow ? NARROW_TOL : OWN_TOL;
    for (size_t i = 0; i < by->stages.count; i++)
        greatest = fmax(greatest, by->of[i].unit);
    for (size_t i = 0; i < by->stages.count; i++) {
        const entry *one = &by->stages.entry[i];
        const char *name = one->name;
        double exact = most * by->of[i].unit + by->of[i].rounding;
        double tol = 0; /* in two digits, which a line has room for */
        char digits[NUMBER_TEXT];
        snprintf(digits, sizeof digits, "%.1e", exact + is_narrow * NARROW_REST * greatest);
        number_read_f64(digits, digits + strlen(digits), &tol);
        if (!tolerance_given(c->given, name, &tol) && c->given->has_tol)
            tol = c->given->tol;
        if (!compare_stage(&found, name, one, bundle_find(theirs, name), tol, NULL, e))
            return false;
    }
    report(c, w->document, by, &found);
    return true;
}

/* Of all gradients that are there in `theirs`. */
static bool find_all(nudged *n, const text_list *names, const bundle *theirs, differences *to,
                     err *e)
{
    double each = RUNS * (double)names->count * n->kind->operations(n);
    size_t most = FEW + (size_t)(SECONDS / each);
    to->of = mem_alloc_zeroed(names->count, sizeof to->of[0], e);
    bool done = to->of != NULL;
    for (size_t i = 0; done && i < names->count; i++) {
        const char *name = names->item[i];
        done = find_gradient(n, bundle_find(theirs, name), most, to, e);
    }
    return done;
}

/* The gradients that are compared: ours are computed, and of another's those that are there. */
static bool choose_gradients(const checker *c, work *w, const nudged_kind *kind,
                             const bundle *actual, text_list *names, size_t *left, err *e)
{
    text_list all = {0};
    place at = document_place(w->document);
    bool done = tolerances_check(c->given, w->kind->layers == NULL ? NULL : &w->there, e) &&
                kind->list(w, actual != NULL, &all, left, e);
    for (size_t i = 0; done && i < all.count; i++) {
        const char *name = all.item[i];
        if (actual == NULL)
            done = w->kind->want(w, name, false, e);
        else if (bundle_find(actual, name) == NULL)
            continue;
        done = done && text_list_add(names, name, strlen(name), e);
    }
    text_list_free(&all);
    return done &&
           (names->count > 0 || err_at(e, &at, "there is no gradient to compare with differences"));
}

bool check_differences(checker *c, document *one, const bundle *actual, err *e)
{
    work w = {0};
    bundle laid = {0};
    text_list names = {0};
    differences found = {0};
    nudged *n = mem_alloc_zeroed(1, sizeof *n, e);
    bool done = n != NULL && work_plan(&w, one, NULL, c->given, e) && work_list(&w, e) &&
                (actual == NULL || check_shapes_lay(c, &w, actual, &laid, e));
    const named_stages of = {one, &w.there, &laid, &w.stages, NULL, NULL};
    const plan *p = done && w.kind->attention != NULL ? w.kind->attention(&w) : NULL;
    const nudged_kind *kind = p != NULL ? &NUDGED_ATTENTION : &NUDGED_LAYERS;
    done = done &&
           choose_gradients(c, &w, kind, actual == NULL ? NULL : &laid, &names, &found.left, e) &&
           (actual == NULL || check_shapes(c, &of, &w, e)) &&
           document_reader_look(c->documents, one, e) &&
           (actual != NULL || w.kind->run(&w, c->world, e));
    const bundle *theirs = actual == NULL ? &w.stages : &laid;
    if (done) {
        n->kind = kind;
        crew_open(&n->by, work_threads(&w, c->world));
        done = kind->open(n, &w, &names, c->world, e) && find_all(n, &names, theirs, &found, e);
    }
    bool is_narrow = actual != NULL || document_type(one) == DTYPE_F32;
    done = done && compare(c, &w, theirs, &found, is_narrow, e);
    /* What a number may be off says nothing of what sums may be. */
    if (done && p != NULL && !c->given->has_tol && c->given->tols.count == 0)
        check_identities(c, one,
                         &(identities){p, theirs, &n->of.attention.stages,
                                       n->of.attention.has_empty_rows,
                                       is_narrow ? NARROW_SUM : OWN_SUM});
    if (n != NULL && n->kind != NULL) {
        crew_close(&n->by);
        kind->free(n);
    }
    mem_free(n);
    mem_free(found.of);
    bundle_free(&found.stages);
    bundle_free(&laid);
    text_list_free(&names);
    work_free(&w);
    return done;
}
