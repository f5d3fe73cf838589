/* Who may attend to whom: causality, masks and biases, each spread over b × h × n_q × n_k. */
#include "attn/plan_parts.h"

bool plan_is_causal(const plan *p)
{
    return p->asked->causal != CAUSAL_NONE;
}

size_t plan_visible_keys(const plan *p, size_t query)
{
    size_t end = p->n_k;
    if (p->asked->causal == CAUSAL_UPPER_LEFT && p->offset < p->n_k &&
        query + 1 < p->n_k - p->offset)
        end = query + 1 + p->offset;
    if (p->asked->causal == CAUSAL_LOWER_RIGHT) {
        size_t from_end = p->n_q - query - 1;
        end = from_end < p->n_k ? p->n_k - from_end : 0;
    }
    return end;
}

bool plan_find_causality(plan *p, err *e)
{
    const problem *asked = p->asked;
    if (asked->causal == CAUSAL_LOWER_RIGHT && asked->has_offset) {
        place at = problem_place(asked, "offset");
        return err_at(
            e, &at,
            "offset is %zu, and lower-right already places the queries at the end of the keys",
            asked->offset);
    }
    bool is_open = asked->causal == CAUSAL_UPPER_LEFT && !asked->alignment_is_named &&
                   !asked->has_offset && p->past == 0;
    if (!is_open || p->n_q == p->n_k)
        return true;
    return plan_note(p, e,
                     "n_q is %zu and n_k %zu: causal is upper-left (query i sees keys 1 to i); "
                     "--causal=lower-right would let the last query see the last key",
                     p->n_q, p->n_k);
}

/* The axes b, h, n_q, n_k that the input's axes are, by its rank; −1 ends the list. False where the
 * rank does not decide. */
static bool axes_of(const plan *p, input which, int axes[4], err *e)
{
    const tensor *given = p->asked->in[which];
    mask_axis said = p->asked->mask_axis;
    switch (given->rank) {
    case 1:
        axes[0] = 3;
        return true;
    case 2:
        axes[0] = said == MASK_AXIS_BATCH ? 0 : 2;
        axes[1] = 3;
        return true;
    case 3:
        if (said == MASK_AXIS_UNSAID) {
            plan_wrong_shape(p, which, e, "its first axis could be batches or heads");
            return err_remedy(e, "--mask-axis batch or --mask-axis head says which");
        }
        axes[0] = said == MASK_AXIS_BATCH ? 0 : 1;
        axes[1] = 2;
        axes[2] = 3;
        return true;
    case 4:
        for (int axis = 0; axis < 4; axis++)
            axes[axis] = axis;
        return true;
    default:
        return plan_wrong_shape(p, which, e,
                                "it must be n_k long, n_q x n_k, or b x h x n_q x n_k");
    }
}

/* An axis of 1 is spread where the rank is 4, but never the keys'. */
static bool axis_fits(const tensor *given, int axis, size_t whole, bool is_keys)
{
    return given->size[axis] == whole || (given->size[axis] == 1 && given->rank == 4 && !is_keys);
}

static bool spread(const plan *p, input which, tensor *out, err *e)
{
    static const char *const AXIS_NAMES[] = {"batches", "heads", "queries", "keys"};
    const tensor *given = p->asked->in[which];
    const size_t whole[] = {p->batches, p->heads, p->n_q, p->n_k};
    int axes[4] = {0};
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (!axes_of(p, which, axes, e))
        return false;
    *out = (tensor){.type = given->type, .rank = 4, .data = given->data};
    for (int axis = 0; axis < 4; axis++)
        out->size[axis] = whole[axis];
    for (int axis = 0; axis < given->rank; axis++) {
        int to = axes[axis];
        if (!axis_fits(given, axis, whole[to], to == 3))
            return plan_wrong_shape(p, which, e, "its %s are %zu and not %zu", AXIS_NAMES[to],
                                    given->size[axis], whole[to]);
        out->stride[to] = given->size[axis] == 1 ? 0 : given->stride[axis];
    }
    return true;
}

bool plan_find_masks(plan *p, err *e)
{
    return spread(p, INPUT_MASK, &p->mask, e) && spread(p, INPUT_BIAS, &p->bias, e);
}
