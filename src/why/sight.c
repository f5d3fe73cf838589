/* Mistakes in who sees whom. What was dropped in what is asked is brought back, wrongly, once the
 * scores are there. */
#include "why/blunders.h"

#include "attn/visible.h"

#include <float.h>
#include <math.h>

bool blunder_invert_mask(attempt *a, int with, err *e)
{
    (void)with, (void)e;
    a->problem.mask_true_is_masked = !a->problem.mask_true_is_masked;
    return a->problem.in[INPUT_MASK] != NULL;
}

/* Lower-right says where queries stand, by which windows, slopes and rotations go too: an offset
 * says it as well, unless they begin before the first key, or each batch entry has its own. */
static bool keep_places(attempt *a)
{
    const plan *right = &a->right->plan;
    problem *p = &a->problem;
    if (p->causal != CAUSAL_LOWER_RIGHT)
        return true;
    if (p->key_lengths != NULL || plan_own_keys(right) < right->n_q)
        return !(p->has_window || p->has_alibi || p->rope.is_asked);
    p->has_offset = true;
    p->offset = plan_own_keys(right) - right->n_q;
    return true;
}

static bool change_causality(attempt *a, causal to)
{
    bool is_other = a->problem.causal != to;
    bool stays = to != CAUSAL_NONE || keep_places(a);
    a->problem.causal = to;
    return stays && is_other;
}

/* One alignment in the place of the other; none; or one where there is none. */
bool blunder_causal(attempt *a, int with, err *e)
{
    problem *p = &a->problem;
    bool is_here = (p->causal == CAUSAL_NONE) == (with == CAUSAL_ADDED);
    (void)e;
    if (with == CAUSAL_LOWER_RIGHT)
        p->has_offset = false;
    return is_here && change_causality(a, with == CAUSAL_ADDED ? CAUSAL_UPPER_LEFT : (causal)with);
}

bool blunder_drop_causal(attempt *a, int with, err *e)
{
    (void)with, (void)e;
    return change_causality(a, CAUSAL_NONE);
}

/* Hidden without being masked: no query sees it. */
static bool hides(int with, int64_t position, int64_t at)
{
    switch (with) {
    case HIDE_SELF:
        return at >= position;
    case HIDE_FROM_SECOND:
        return at > position + 1;
    case HIDE_PAST:
        return at < position;
    default:
        return at <= position;
    }
}

bool blunder_hide(attempt *a, int with, err *e)
{
    tensor masked = attempt_stage(a, STAGE_MASKED);
    size_t at[4] = {0}, own = plan_own_keys(&a->plan);
    (void)e;
    if (!plan_is_causal(&a->right->plan))
        return false;
    do {
        int64_t position = visible_position(&a->right->plan, at[0], at[2]);
        if (at[3] < own && hides(with, position, (int64_t)at[3]))
            tensor_set(&masked, at, -INFINITY);
    } while (tensor_next(&masked, at));
    return true;
}

static void hide_tail(tensor *bias, size_t tail)
{
    size_t at[TENSOR_MAX_RANK] = {0}, keys = bias->size[bias->rank - 1];
    do {
        if (at[bias->rank - 1] >= keys - tail)
            tensor_set(bias, at, -INFINITY);
    } while (tensor_next(bias, at));
}

/* What is behind the last whole block, or the last key: a bias, which only masked scores show. */
bool blunder_leave_out_tail(attempt *a, int with, err *e)
{
    const tensor *given = a->problem.in[INPUT_BIAS];
    size_t keys = plan_own_keys(&a->right->plan), tail = with == 0 ? 1 : keys % (size_t)with;
    if (tail == 0 || tail == keys)
        return false;
    tensor *bias =
        given == NULL ? attempt_matrix(a, a->problem.type, 1, &keys, e) : attempt_copy(a, given, e);
    if (bias == NULL)
        return false;
    for (size_t j = 0; given == NULL && j < keys; j++)
        tensor_set(bias, &j, 0);
    hide_tail(bias, tail);
    a->problem.in[INPUT_BIAS] = bias;
    return true;
}

static size_t moved(size_t side, int by)
{
    return side == SIZE_MAX ? side : by < 0 && side == 0 ? 0 : side + (size_t)(long)by;
}

bool blunder_window(attempt *a, int with, err *e)
{
    (void)e;
    a->problem.window_left = moved(a->problem.window_left, with);
    a->problem.window_right = moved(a->problem.window_right, with);
    return a->problem.has_window;
}

bool blunder_drop_masks(attempt *a, int with, err *e)
{
    problem *p = &a->problem;
    (void)with, (void)e;
    bool is_masked = p->in[INPUT_MASK] != NULL || p->causal != CAUSAL_NONE || p->has_window ||
                     p->key_lengths != NULL;
    bool stays = keep_places(a);
    p->in[INPUT_MASK] = NULL;
    p->causal = CAUSAL_NONE;
    p->has_window = false;
    p->key_lengths = NULL;
    return is_masked && stays;
}

static bool is_hidden(const attempt *a, const size_t *at)
{
    tensor right = attempt_stage(a->right, STAGE_MASKED);
    return isinf(tensor_get(&right, at));
}

bool blunder_add_mask(attempt *a, int with, err *e)
{
    tensor masked = attempt_stage(a, STAGE_MASKED);
    size_t at[4] = {0};
    (void)e;
    do {
        if (is_hidden(a, at) == (with < 0))
            tensor_set(&masked, at, tensor_get(&masked, at) + 1);
    } while (tensor_next(&masked, at));
    return true;
}

static void fill_hidden(attempt *a, stage_id id, double value)
{
    tensor made = attempt_stage(a, id);
    size_t at[4] = {0};
    do {
        if (is_hidden(a, at))
            tensor_set(&made, at, value);
    } while (tensor_next(&made, at));
}

bool blunder_fill_scores(attempt *a, int with, err *e)
{
    (void)e;
    fill_hidden(a, STAGE_MASKED, with == FILL_LEAST ? -(double)FLT_MAX : with);
    return true;
}

bool blunder_mask_weights(attempt *a, int with, err *e)
{
    (void)with, (void)e;
    fill_hidden(a, STAGE_WEIGHTS, 0);
    return true;
}
