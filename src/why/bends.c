/* What stands between scores and masked scores, done wrong: the soft cap and the linear bias. */
#include "why/blunders.h"

#include <math.h>

static double capped_as(double scaled, double cap, double scale, int with)
{
    switch (with) {
    case CAP_BEFORE_SCALE:
        return scale * cap * tanh(scaled / scale / cap);
    case CAP_UNDIVIDED:
        return cap * tanh(scaled);
    case CAP_UNMULTIPLIED:
        return tanh(scaled / cap);
    default:
        return fmax(-cap, fmin(scaled, cap));
    }
}

/* What was added to the capped score is added to the other. */
bool blunder_cap(attempt *a, int with, err *e)
{
    double cap = a->problem.softcap, scale = a->plan.scale;
    size_t at[4] = {0};
    (void)e;
    if (cap == 0 || scale == 0)
        return false;
    tensor scaled = attempt_stage(a, STAGE_SCALED), capped = attempt_stage(a, STAGE_CAPPED),
           masked = attempt_stage(a, STAGE_MASKED);
    do {
        double right = tensor_get(&capped, at);
        double wrong = capped_as(tensor_get(&scaled, at), cap, scale, with);
        tensor_set(&capped, at, wrong);
        tensor_set(&masked, at, tensor_get(&masked, at) + (wrong - right));
    } while (tensor_next(&capped, at));
    return true;
}

/* tanh(−∞) is −1: hidden keys get −C. */
bool blunder_cap_masked(attempt *a, int with, err *e)
{
    double cap = a->problem.softcap;
    size_t at[4] = {0};
    (void)with, (void)e;
    if (cap == 0)
        return false;
    tensor scaled = attempt_stage(a, STAGE_SCALED), capped = attempt_stage(a, STAGE_CAPPED),
           masked = attempt_stage(a, STAGE_MASKED);
    do {
        double added = tensor_get(&masked, at) - tensor_get(&capped, at);
        tensor_set(&masked, at, cap * tanh((tensor_get(&scaled, at) + added) / cap));
    } while (tensor_next(&masked, at));
    return true;
}

static double slope_as(const plan *right, size_t head, int with)
{
    size_t first = 0;
    double own = tensor_get(&right->slopes, &head);
    switch (with) {
    case SLOPE_ADDED:
        return -own;
    case SLOPE_SCALED:
        return own * right->scale;
    case SLOPE_EARLY:
        return own * exp2(8 / (double)right->heads);
    default:
        return tensor_get(&right->slopes, &first);
    }
}

/* A bias before the scale lies before the cap, and a step of the published slopes is one where the
 * heads are a power of two. */
static bool can_slope(const attempt *a, int with)
{
    size_t heads = a->right->plan.heads;
    bool is_even_step = a->problem.slopes == NULL && (heads & (heads - 1)) == 0;
    return a->problem.has_alibi && (with != SLOPE_SCALED || a->problem.softcap == 0) &&
           (with != SLOPE_EARLY || is_even_step);
}

bool blunder_slopes(attempt *a, int with, err *e)
{
    const plan *right = &a->right->plan;
    if (!can_slope(a, with))
        return false;
    tensor *slopes = attempt_matrix(a, DTYPE_F64, 1, &right->heads, e);
    for (size_t head = 0; slopes != NULL && head < right->heads; head++)
        tensor_set(slopes, &head, slope_as(right, head, with));
    a->problem.slopes = slopes;
    return slopes != NULL;
}
