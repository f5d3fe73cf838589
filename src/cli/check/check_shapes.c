#include "cli/check/check_shapes.h"

#include "attn/plan/plan.h"
#include "cli/check/checker.h"
#include "cli/out/said.h"

#include <string.h>

/* ---- other programs' layouts ---- */

/* The axes that a stage of one attention can have: batch, head, row and column. */
enum { AXES = 4 };
static const char LETTERS[AXES + 1] = "bhnc";

typedef struct axis_sizes {
    size_t size[AXES]; /* as LETTERS */
    bool is_joined;    /* the heads of a row stand side by side: b × n × hc */
} axis_sizes;

/* What kernels write where the document's stage is b × n × hc, or b × h × n × 1. The one that a
 * document may expect besides is nothing but that without its last axis. */
typedef struct layout {
    const char *axes;
    bool is_of_documents;
    const char *said; /* of what has an axis to spare; NULL: nothing */
} layout;

static const layout LAYOUTS[] = {
    {"bhnc", false, "head x row x column"},
    {"bnhc", false, "row x head x column"},
    {"bhn", true, NULL},
    {"bnh", false, "row x head"},
};

/* False where the stage has other axes: weighted. */
static bool find_axes(const plan *p, stage_id id, const tensor *like, axis_sizes *to)
{
    tensor all = plan_all_axes(p, id, like);
    if (all.rank < 3 || all.rank > AXES)
        return false;
    size_t heads = plan_heads_joined(p, id);
    to->is_joined = all.rank == 3;
    to->size[0] = all.size[0];
    to->size[1] = to->is_joined ? heads : all.size[1];
    to->size[2] = all.size[all.rank - 2];
    to->size[3] = to->is_joined ? all.size[2] / heads : all.size[3];
    return true;
}

/* The numbers with all axes, in the order of LETTERS; false where they have not this layout. */
static bool see_as(const layout *as, const tensor *numbers, const axis_sizes *of, tensor *view)
{
    const char *axes = as->axes;
    bool has_columns = strchr(axes, 'c') != NULL;
    /* Leading axes of 1 may be missing. */
    while (strlen(axes) > (size_t)numbers->rank && of->size[strchr(LETTERS, *axes) - LETTERS] == 1)
        axes++;
    if (strlen(axes) != (size_t)numbers->rank ||
        (!has_columns && (of->is_joined || of->size[3] != 1)))
        return false;
    *view = tensor_view_of(numbers);
    view->rank = AXES;
    for (int i = 0; i < AXES; i++) {
        const char *found = strchr(axes, LETTERS[i]);
        view->size[i] = found == NULL ? 1 : numbers->size[found - axes];
        view->stride[i] = found == NULL ? 0 : numbers->stride[found - axes];
        if (view->size[i] != of->size[i])
            return false;
    }
    return true;
}

/* The only layout that they can have; where rows and heads are as many, one of heads' own axis may
 * be either, and none is taken. A stage that is itself b × h × n × c has its own order first. */
static const layout *layout_of(const tensor *numbers, const axis_sizes *of, bool is_of_document,
                               tensor *view)
{
    const layout *found = NULL;
    for (size_t i = 0; i < sizeof LAYOUTS / sizeof LAYOUTS[0]; i++) {
        tensor one;
        if ((is_of_document && !LAYOUTS[i].is_of_documents) ||
            !see_as(&LAYOUTS[i], numbers, of, &one))
            continue;
        if (found != NULL)
            return of->is_joined ? NULL : found;
        found = &LAYOUTS[i];
        *view = one;
    }
    return found;
}

/* Adds the numbers in the axes that the stage has: b × n × hc or b × h × n × c, without the axes
 * that it lacks itself. */
static bool add_laid(bundle *to, const char *name, const entry *one, const tensor *view,
                     const axis_sizes *of, const tensor *like, err *e)
{
    tensor ordered = *view, copy;
    tensor own = *like; /* of as many rows as there are */
    own.size[own.rank - 2] = of->size[2];
    for (int i = 1; of->is_joined && i < 3; i++) { /* rows before heads */
        ordered.size[i] = view->size[3 - i];
        ordered.stride[i] = view->stride[3 - i];
    }
    if (!tensor_new_copy(&copy, &ordered, e))
        return false;
    tensor_own(&copy, copy.type, own.rank, own.size, copy.data);
    if (!bundle_add_tensor(to, name, &copy, one->at, e))
        return false;
    entry *added = bundle_find(to, name);
    added->stored = one->stored;
    added->has_unprinted = one->has_unprinted;
    return true;
}

/* Heads that share keys: the gradients of a group's heads, each alone, added in their order. */
static bool sum_groups(const plan *p, const tensor *of_heads, tensor *sum, err *e)
{
    const size_t *all = of_heads->size, group = p->heads / p->kv_heads;
    const size_t size[] = {all[0], p->kv_heads, all[2], all[3]};
    size_t at[TENSOR_MAX_RANK] = {0};
    if (!tensor_new(sum, DTYPE_F64, AXES, size, e))
        return false;
    do {
        double value = 0;
        for (size_t i = 0; i < group; i++)
            value += tensor_get(of_heads, (size_t[]){at[0], at[1] * group + i, at[2], at[3]});
        tensor_set(sum, at, value);
    } while (tensor_next(sum, at));
    return true;
}

/* Where a kernel has a gradient of keys or values for each query head, of which the stage is a
 * group's sum; false without an error where it has not. */
static bool add_groups(const checker *c, const plan *p, stage_id id, const char *name,
                       const entry *one, axis_sizes *of, const tensor *like, bundle *laid, err *e)
{
    const projection *role = plan_role(p, id);
    bool is_shared = role == &p->k || role == &p->v;
    tensor of_heads, sum;
    if (!stage_is_backward(id) || !is_shared || p->heads == p->kv_heads || c->actual == NULL)
        return false;
    of->size[1] = p->heads;
    const layout *found = layout_of(&one->tensor, of, false, &of_heads);
    of->size[1] = p->kv_heads;
    if (found == NULL || !sum_groups(p, &of_heads, &sum, e))
        return false;
    note_say(c->world, c->given, NULL, "%s is taken as %s by query head, and each group is summed",
             one->name, found->said);
    bool done = add_laid(laid, name, one, &sum, of, like, e);
    tensor_free(&sum);
    return done;
}

/* The stage that the numbers are of: its own name comes first, then what kernels call it. */
static const char *stage_name_of(const checker *c, const bundle *numbers, const bundle *laid,
                                 const entry *one)
{
    const named *row = c->given->answers.count > 0 ? NULL : stage_called(one->name);
    bool is_free = row != NULL && bundle_find(numbers, row->name) == NULL &&
                   bundle_find(laid, row->name) == NULL;
    return is_free ? row->name : one->name;
}

bool check_shapes_lay(const checker *c, const work *w, const bundle *numbers, bundle *laid, err *e)
{
    const row_choice *rows = work_rows(w);
    const plan *p = w->kind->attention == NULL ? NULL : w->kind->attention(w);
    for (size_t i = 0; i < numbers->count; i++) {
        const entry *one = &numbers->entry[i];
        const char *name = p == NULL ? one->name : stage_name_of(c, numbers, laid, one);
        const named *row = named_find(&STAGES, name, strlen(name));
        const layout *found = NULL;
        tensor like, view, a, b;
        axis_sizes sizes;
        bool may_be = c->given->answers.count == 0 && p != NULL && row != NULL &&
                      one->kind == ENTRY_TENSOR && w->kind->shape(w, name, &like) &&
                      !measure_align(&one->tensor, &like, &a, &b) &&
                      find_axes(p, stage_of(row), &like, &sizes);
        if (may_be)
            found = layout_of(&one->tensor, &sizes, c->actual == NULL, &view);
        if (may_be && found == NULL &&
            add_groups(c, p, stage_of(row), name, one, &sizes, &like, laid, e))
            continue;
        /* The numbers may be of all rows, of which some will be taken. */
        if (may_be && found == NULL && rows != NULL) {
            sizes.size[2] = rows->of;
            found = layout_of(&one->tensor, &sizes, c->actual == NULL, &view);
        }
        if (e->is_set || (found == NULL && bundle_borrow(laid, name, one, e) == NULL))
            return false;
        if (found == NULL)
            continue;
        if (found->said != NULL)
            note_say(c->world, c->given, NULL, "%s is taken as %s", one->name, found->said);
        if (!add_laid(laid, name, one, &view, &sizes, &like, e))
            return false;
    }
    return true;
}

/* ---- the shapes that all of it must have ---- */

bool check_shapes(const checker *c, const named_stages *of, const work *w, err *e)
{
    for (size_t i = 0; i < of->there->count && w->kind->shape != NULL; i++) {
        const entry *one = bundle_find(of->numbers, of->there->item[i]);
        tensor like, a, b;
        if (one == NULL || !w->kind->shape(w, one->name, &like) ||
            measure_align(&one->tensor, &like, &a, &b))
            continue;
        compare_refuse_shape(one->name, one, &like, e);
        return check_shapes_suggest(c, of, w, e);
    }
    return true;
}

/* The only matrix of a result may be another stage than it was taken for. */
bool check_shapes_suggest(const checker *c, const named_stages *of, const work *w, err *e)
{
    const entry *only = &of->numbers->entry[0];
    bool may_be_other = c->actual != NULL && of->numbers->count == 1 && w->kind->layers == NULL;
    for (size_t i = STAGES.count; i-- > 0 && may_be_other;) {
        const char *name = named_row(&STAGES, i)->name;
        tensor like = {0};
        if (w->kind->shape(w, name, &like) && tensor_same_shape(&like, &only->tensor))
            return err_remedy(e, "it has the shape of %s: --map %s=%s", name, name, only->name);
    }
    return false;
}
