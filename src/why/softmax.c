/* Mistakes in the softmax, and in the use of its weights. */
#include "why/blunders.h"

#include <math.h>

/* The place in a tensor that has 1 of each axis that is summed over. */
static void group_of(const tensor *groups, const size_t *at, size_t *group)
{
    for (int axis = 0; axis < groups->rank; axis++)
        group[axis] = groups->size[axis] == 1 ? 0 : at[axis];
}

static tensor *new_groups(attempt *a, const tensor *of, int with, double first, err *e)
{
    static const int SUMMED[] = {SUM_BATCH, SUM_HEADS, SUM_QUERIES, SUM_KEYS};
    size_t size[4], at[4] = {0};
    for (int axis = 0; axis < 4; axis++)
        size[axis] = with & SUMMED[axis] ? 1 : of->size[axis];
    tensor *groups = attempt_matrix(a, DTYPE_F64, 4, size, e);
    if (groups == NULL)
        return NULL;
    do
        tensor_set(groups, at, first);
    while (tensor_next(groups, at));
    return groups;
}

static double power(double x, int with)
{
    return with & SOFTMAX_BASE_2 ? exp2(x) : exp(x);
}

/* weights = exp(from − max) / Σ exp(from − max), max and Σ over the axes in `with`; 0 where all of
 * a group is −inf. */
static bool softmax_of(attempt *a, const tensor *from, int with, tensor *weights, err *e)
{
    tensor *most = new_groups(a, from, with, -INFINITY, e);
    tensor *sum = most == NULL ? NULL : new_groups(a, from, with, 0, e);
    size_t at[4] = {0}, group[4];
    if (sum == NULL)
        return false;
    do {
        group_of(most, at, group);
        tensor_set(most, group, fmax(tensor_get(most, group), tensor_get(from, at)));
    } while (tensor_next(from, at));
    do {
        group_of(most, at, group);
        double less = tensor_get(from, at) - tensor_get(most, group);
        double value = isnan(less) ? 0 : power(less, with);
        tensor_set(sum, group, tensor_get(sum, group) + value);
    } while (tensor_next(from, at));
    do {
        group_of(most, at, group);
        double less = tensor_get(from, at) - tensor_get(most, group);
        tensor_set(weights, at, isnan(less) ? 0 : power(less, with) / tensor_get(sum, group));
    } while (tensor_next(from, at));
    return true;
}

/* Axes that the document has: nobody sums over others. */
static bool has_axes(const plan *p, int with)
{
    return (!(with & SUM_HEADS) || p->has_heads) && (!(with & SUM_BATCH) || p->has_batch);
}

bool blunder_softmax(attempt *a, int with, err *e)
{
    if (!has_axes(&a->right->plan, with))
        return false;
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    return softmax_of(a, &masked, with, &weights, e);
}

bool blunder_softmax_twice(attempt *a, int with, err *e)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    return softmax_of(a, &weights, with, &weights, e);
}

bool blunder_no_softmax(attempt *a, int with, err *e)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0};
    (void)with, (void)e;
    do {
        double value = tensor_get(&masked, at);
        tensor_set(&weights, at, isinf(value) ? 0 : value);
    } while (tensor_next(&masked, at));
    return true;
}

/* score / Σ scores, over the keys that are seen. */
bool blunder_linear(attempt *a, int with, err *e)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0}, keys = weights.size[3];
    if (!blunder_no_softmax(a, with, e))
        return false;
    do {
        double sum = 0;
        size_t first[] = {at[0], at[1], at[2], 0};
        for (size_t j = 0; j < keys; j++)
            sum += tensor_get(&weights, (size_t[]){at[0], at[1], at[2], j});
        for (; first[3] < keys; first[3]++)
            tensor_set(&weights, first, tensor_get(&weights, first) / sum);
        at[3] = keys - 1;
    } while (tensor_next(&weights, at));
    return true;
}

bool blunder_no_sum(attempt *a, int with, err *e)
{
    tensor from = attempt_stage(a, with ? STAGE_MASKED : STAGE_EXP),
           weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0};
    (void)e;
    do {
        double value = tensor_get(&from, at);
        tensor_set(&weights, at, with ? exp(value) : value);
    } while (tensor_next(&from, at));
    return true;
}

static double seen_in_row(const tensor *masked, const size_t *row)
{
    double seen = 0;
    for (size_t j = 0; j < masked->size[3]; j++)
        seen += !isinf(tensor_get(masked, (size_t[]){row[0], row[1], row[2], j}));
    return seen;
}

/* As of scores that are all 0. A sink's score is no key's. */
bool blunder_even(attempt *a, int with, err *e)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0};
    double seen = 0;
    (void)with, (void)e;
    if (a->problem.in[INPUT_SINKS] != NULL)
        return false;
    do {
        seen = at[3] == 0 ? seen_in_row(&masked, at) : seen;
        tensor_set(&weights, at, isinf(tensor_get(&masked, at)) ? 0 : 1 / seen);
    } while (tensor_next(&weights, at));
    return true;
}

bool blunder_scale_weights(attempt *a, int with, err *e)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0};
    (void)with, (void)e;
    do
        tensor_set(&weights, at, tensor_get(&weights, at) * a->right->plan.scale);
    while (tensor_next(&weights, at));
    return true;
}

/* wᵀ in the place of w; a second time, w again. */
bool blunder_turn_weights(attempt *a, int with, err *e)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    (void)with;
    if (weights.size[2] != weights.size[3])
        return false;
    tensor *kept = attempt_copy(a, &weights, e);
    if (kept == NULL)
        return false;
    tensor turned = tensor_transposed(kept);
    tensor_copy(&turned, &weights);
    return true;
}

static bool is_empty_row(const tensor *masked, const size_t *row)
{
    size_t at[] = {row[0], row[1], row[2], 0};
    while (at[3] < masked->size[3] && isinf(tensor_get(masked, at)))
        at[3]++;
    return at[3] == masked->size[3];
}

bool blunder_empty_rows(attempt *a, int with, err *e)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0};
    bool is_any = false;
    (void)e;
    do {
        if (!is_empty_row(&masked, at))
            continue;
        tensor_set(&weights, at, with ? 1 / (double)masked.size[3] : (double)NAN);
        is_any = true;
    } while (tensor_next(&weights, at));
    return is_any;
}
