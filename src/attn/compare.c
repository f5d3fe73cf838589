#include "attn/compare.h"

#include "base/text.h"
#include "compare/measure.h"

#include <string.h>

/* What a message calls an axis, by its letter in a stage's axes. */
static const struct {
    char letter;
    const char *name;
} AXES[] = {{'b', "batch"}, {'h', "head"}, {'q', "query"}, {'k', "key"}, {'r', "row"}};

static const char *axis_name(char letter)
{
    for (size_t i = 0; i < sizeof AXES / sizeof AXES[0]; i++) {
        if (AXES[i].letter == letter)
            return AXES[i].name;
    }
    return "column";
}

/* The letters of a stage's axes from the end: leading ones may lack. What is no stage, or has more
 * axes than it knows, has rows and columns. */
static const char *axes_of(const char *name, int rank)
{
    static const char *const AXES_OF[TENSOR_MAX_RANK + 1] = {"", "c", "rc", "hrc", "bhrc", "bhrce"};
    const char *own = stage_axes_of(name);
    size_t count = (size_t)rank, length = strlen(own);
    return count <= length ? own + (length - count) : AXES_OF[rank];
}

/* What was read knows its batches and heads, but calls all other axes q and k. */
void element_write_indices(const element *one, int count, text *out)
{
    const char *axes = axes_of(one->stage, one->rank);
    for (int axis = 0; axis < count; axis++) {
        bool is_leading = one->axes != NULL && (one->axes[axis] == 'b' || one->axes[axis] == 'h');
        text_add_format(out, "%s%s %zu", axis == 0 ? "" : ", ",
                        axis_name(is_leading ? one->axes[axis] : axes[axis]), one->index[axis] + 1);
    }
}

void element_write_name(const element *one, text *out)
{
    text_add_string(out, one->stage);
    if (one->rank == 0)
        return;
    text_add_string(out, "[");
    element_write_indices(one, one->rank, out);
    text_add_string(out, "]");
}

static void compare_element(comparison *c, const element *one, const known_elements *known)
{
    const tolerance by = {.atol = one->tol};
    if (tensor_is_hole(one->wanted))
        return;
    c->numbers++;
    if (tolerance_admits(&by, NUMBER_F64, one->wanted, one->got))
        return;
    if (known != NULL && known->is_known(known->context, one)) {
        c->known++;
        return;
    }
    if (c->different++ == 0)
        c->first = *one;
}

/* What is compared with was computed, or stands in a file. */
static bool refuse_shape(const char *name, const entry *wanted, const entry *got, err *e)
{
    char wanted_shape[SHAPE_TEXT], got_shape[SHAPE_TEXT];
    tensor_shape_text(&wanted->tensor, wanted_shape);
    tensor_shape_text(&got->tensor, got_shape);
    if (got->at.file == NULL)
        return err_at(e, &wanted->at, "%s is %s here, and %s as computed", name, wanted_shape,
                      got_shape);
    return err_at(e, &wanted->at, "%s is %s here, and %s in %s", name, wanted_shape, got_shape,
                  got->at.file);
}

bool compare_stage(comparison *c, const char *name, const entry *wanted, const entry *got,
                   double tol, const known_elements *known, err *e)
{
    tensor a, b;
    if (!measure_align(&wanted->tensor, &got->tensor, &a, &b))
        return refuse_shape(name, wanted, got, e);
    const char *axes = got->axes == NULL ? NULL : got->axes + (got->tensor.rank - b.rank);
    element one = {.stage = name, .axes = axes, .rank = a.rank, .tol = tol};
    c->stages++;
    do {
        one.wanted = tensor_get(&a, one.index);
        one.got = tensor_get(&b, one.index);
        compare_element(c, &one, known);
    } while (tensor_next(&a, one.index));
    return true;
}
