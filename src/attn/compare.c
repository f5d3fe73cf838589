#include "attn/compare.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* What a message calls an axis, by its letter in a stage's axes. */
static const struct {
    char letter;
    const char *name;
} AXES[] = {{'b', "batch"}, {'h', "head"}, {'q', "query"}, {'k', "key"}};

static const char *axis_name(char letter)
{
    for (size_t i = 0; i < sizeof AXES / sizeof AXES[0]; i++) {
        if (AXES[i].letter == letter)
            return AXES[i].name;
    }
    return "column";
}

/* Axes of a result that came without letters, by its rank. */
static const char *axes_by_rank(int rank)
{
    static const char *const AXES_OF[TENSOR_MAX_RANK + 1] = {"", "k", "qk", "hqk", "bhqk", "bhqke"};
    return AXES_OF[rank];
}

void element_write_name(const element *one, text *out)
{
    const char *axes = one->axes != NULL ? one->axes : axes_by_rank(one->rank);
    text_add_format(out, "%s[", one->stage);
    for (int axis = 0; axis < one->rank; axis++)
        text_add_format(out, "%s%s %zu", axis == 0 ? "" : ", ", axis_name(axes[axis]),
                        one->index[axis] + 1);
    text_add_string(out, "]");
}

static bool is_within(double wanted, double got, double tol)
{
    return got == wanted || fabs(got - wanted) <= tol;
}

static void compare_element(comparison *c, const element *one, const known_elements *known)
{
    if (tensor_is_hole(one->wanted))
        return;
    c->numbers++;
    if (is_within(one->wanted, one->got, one->tol))
        return;
    if (known != NULL && known->is_known(known->context, one)) {
        c->known++;
        return;
    }
    if (c->different++ == 0)
        c->first = *one;
}

bool compare_stage(comparison *c, const char *name, const entry *wanted, const entry *got,
                   double tol, const known_elements *known, err *e)
{
    const tensor *a = &wanted->tensor, *b = &got->tensor;
    char wanted_shape[SHAPE_TEXT], got_shape[SHAPE_TEXT];
    if (!tensor_same_shape(a, b))
        return err_at(e, &wanted->at, "%s is %s here, and %s in what it is compared with", name,
                      tensor_shape_text(a, wanted_shape), tensor_shape_text(b, got_shape));
    element one = {.stage = name, .axes = got->axes, .rank = a->rank, .tol = tol};
    c->stages++;
    do {
        one.wanted = tensor_get(a, one.index);
        one.got = tensor_get(b, one.index);
        compare_element(c, &one, known);
    } while (tensor_next(a, one.index));
    return true;
}
