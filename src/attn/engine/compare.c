#include "attn/engine/compare.h"

#include "base/text.h"
#include "compare/measure.h"

#include <assert.h>
#include <string.h>

/* What was read knows its batches and heads, but calls all other axes q and k. */
void element_write_indices(const element *one, int count, text *out)
{
    /* By the letters of a stage's axes, from the end: leading ones may lack, and one of a single
     * number ("1") says nothing. What is not a stage, or has more axes than it knows, has rows and
     * columns. */
    static const char LETTERS[] = "bhqkr";
    static const char *const NAMES[] = {"batch", "head", "query", "key", "row"};
    static const char *const UNKNOWN[TENSOR_MAX_RANK + 1] = {"", "c", "rc", "hrc", "bhrc", "bhrce"};
    const char *own = stage_axes_of(one->stage);
    size_t rank = (size_t)one->rank, length = strlen(own);
    const char *axes = rank <= length ? own + (length - rank) : UNKNOWN[rank];
    const char *between = "";
    for (int axis = 0; axis < count; axis++) {
        if (axes[axis] == '1')
            continue;
        bool is_chosen = one->rows != NULL && (axes[axis] == 'q' || axes[axis] == 'r');
        size_t index = is_chosen ? one->rows[one->index[axis]] : one->index[axis];
        bool is_leading = one->axes != NULL && (one->axes[axis] == 'b' || one->axes[axis] == 'h');
        const char *letter = strchr(LETTERS, is_leading ? one->axes[axis] : axes[axis]);
        text_add_format(out, "%s%s %zu", between,
                        letter == NULL ? "column" : NAMES[letter - LETTERS], index + 1);
        between = ", ";
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

typedef enum verdict { VERDICT_HOLE, VERDICT_RIGHT, VERDICT_KNOWN, VERDICT_WRONG } verdict;

static verdict verdict_of(const comparison *c, const element *one, const known_elements *known)
{
    const tolerance by = {.atol = one->tol};
    if (tensor_is_hole(one->wanted) && !c->holes_differ)
        return VERDICT_HOLE;
    if (tolerance_admits(&by, NUMBER_F64, one->wanted, one->got))
        return VERDICT_RIGHT;
    bool is_known = known != NULL && known->is_known(known->context, one);
    return is_known ? VERDICT_KNOWN : VERDICT_WRONG;
}

/* The two matrices of a stage, in one shape. */
typedef struct compared_pair {
    tensor wanted, got;
} compared_pair;

static void take_numbers(element *one, const compared_pair *of)
{
    one->wanted = tensor_get(&of->wanted, one->index);
    one->got = tensor_get(&of->got, one->index);
}

/* Some line has more than one number, and none of them right. Whatever is wrong as a whole, a head
 * or a stage, has such lines. */
static bool has_wrong_line(const comparison *c, const compared_pair *of, const element *like,
                           const known_elements *known)
{
    element at = *like;
    memset(at.index, 0, sizeof at.index);
    do {
        for (int axis = 0; axis < at.rank; axis++) {
            element one = at;
            size_t right = 0, wrong = 0, size = at.index[axis] == 0 ? of->wanted.size[axis] : 0;
            for (; right == 0 && one.index[axis] < size; one.index[axis]++) {
                take_numbers(&one, of);
                verdict found = verdict_of(c, &one, known);
                right += found == VERDICT_RIGHT || found == VERDICT_KNOWN;
                wrong += found == VERDICT_WRONG;
            }
            if (right == 0 && wrong > 1)
                return true;
        }
    } while (tensor_next(&of->wanted, at.index));
    return false;
}

bool compare_refuse_shape(const char *name, const entry *wanted, const tensor *got, err *e)
{
    char shape[SHAPE_TEXT], computed[SHAPE_TEXT];
    return err_at(e, &wanted->at, "%s is %s here, and %s as computed", name,
                  tensor_shape_text(&wanted->tensor, shape), tensor_shape_text(got, computed));
}

bool compare_stage(comparison *c, const char *name, const entry *wanted, const entry *got,
                   double tol, const known_elements *known, err *e)
{
    compared_pair both;
    if (!measure_align(&wanted->tensor, &got->tensor, &both.wanted, &both.got))
        return compare_refuse_shape(name, wanted, &got->tensor, e);
    element one = {.stage = name,
                   .axes = entry_last_axes(got, both.got.rank),
                   .rank = both.wanted.rank,
                   .rows = c->rows,
                   .tol = tol,
                   .is_f32 = both.wanted.type == DTYPE_F32};
    /* What is wanted is read as float32 only for computed numbers that are. */
    assert(!one.is_f32 || both.got.type == DTYPE_F32);
    size_t before = c->different;
    c->stages++;
    do {
        take_numbers(&one, &both);
        verdict found = verdict_of(c, &one, known);
        c->numbers += found != VERDICT_HOLE;
        c->known += found == VERDICT_KNOWN;
        if (found == VERDICT_WRONG && c->different++ == 0)
            c->first = one;
    } while (tensor_next(&both.wanted, one.index));
    if (c->different > before + 1 && !c->has_wrong_line)
        c->has_wrong_line = has_wrong_line(c, &both, &one, known);
    return true;
}
