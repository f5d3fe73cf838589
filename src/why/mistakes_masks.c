/* Mistakes in who sees whom, and in the bias of the scores. What was dropped in what is asked is
 * brought back, wrongly, once the scores are there. */
#include "why/mistake.h"

#include "attn/plan/plan.h"
#include "why/attempt.h"

#include <float.h>
#include <limits.h>
#include <math.h>

enum { FILL_LEAST = INT_MIN }; /* the least float32, which is not an int */
enum { HIDE_SELF, HIDE_FROM_SECOND, HIDE_PAST, HIDE_PAST_ONLY };

static bool invert_mask(attempt *a)
{
    a->problem.mask_true_is_masked = !a->problem.mask_true_is_masked;
    return a->problem.in[INPUT_MASK] != NULL;
}

/* Lower-right says where queries stand, by which windows, slopes and rotations go too: an offset
 * says it as well, unless they begin before the first key, or each batch entry has its own. */
static void keep_places(attempt *a)
{
    const plan *right = &a->right->plan;
    problem *p = &a->problem;
    if (p->causal != CAUSAL_LOWER_RIGHT || p->key_lengths != NULL ||
        plan_own_keys(right) < right->n_q)
        return;
    p->has_offset = true;
    p->offset = plan_own_keys(right) - right->n_q;
}

static bool change_causality(attempt *a, causal to)
{
    bool is_other = a->problem.causal != to;
    if (to == CAUSAL_NONE)
        keep_places(a);
    a->problem.causal = to;
    return is_other;
}

bool blunder_align(attempt *a)
{
    problem *p = &a->problem;
    bool is_here = (p->causal == CAUSAL_NONE) == (a->row->with == CAUSAL_ADDED);
    if (a->row->with == CAUSAL_LOWER_RIGHT)
        p->has_offset = false;
    return is_here && change_causality(a, a->row->with == CAUSAL_ADDED ? CAUSAL_UPPER_LEFT
                                                                       : (causal)a->row->with);
}

static bool drop_causal(attempt *a)
{
    return change_causality(a, CAUSAL_NONE);
}

/* Hidden without being masked: no query sees it. */
static bool hide(attempt *a)
{
    tensor masked = attempt_stage(a, STAGE_MASKED);
    size_t at[4] = {0}, own = plan_own_keys(&a->plan);
    if (!plan_is_causal(&a->right->plan))
        return false;
    do {
        int64_t position = visible_position(&a->right->plan, at[0], at[2]), key_at = (int64_t)at[3];
        const bool hides[] = {
            [HIDE_SELF] = key_at >= position,
            [HIDE_FROM_SECOND] = key_at > position + 1,
            [HIDE_PAST] = key_at < position,
            [HIDE_PAST_ONLY] = key_at <= position,
        };
        if (at[3] < own && hides[a->row->with])
            tensor_set(&masked, at, -INFINITY);
    } while (tensor_next(&masked, at));
    return true;
}

/* What is after the last whole block, or the last key: a bias, which only masked scores show. */
static bool leave_out_tail(attempt *a)
{
    const tensor *given = a->problem.in[INPUT_BIAS];
    size_t keys = plan_own_keys(&a->right->plan),
           tail = a->row->with == 0 ? 1 : keys % (size_t)a->row->with;
    if (tail == 0 || tail == keys)
        return false;
    tensor *bias =
        given == NULL ? attempt_matrix(a, a->problem.type, 1, &keys) : attempt_copy(a, given);
    if (bias == NULL)
        return false;
    for (size_t j = 0; given == NULL && j < keys; j++)
        tensor_set(bias, &j, 0);
    size_t at[TENSOR_MAX_RANK] = {0}, end = bias->size[bias->rank - 1];
    do {
        if (at[bias->rank - 1] >= end - tail)
            tensor_set(bias, at, -INFINITY);
    } while (tensor_next(bias, at));
    a->problem.in[INPUT_BIAS] = bias;
    return true;
}

static size_t moved(size_t side, int by)
{
    return side == SIZE_MAX ? side : by < 0 && side == 0 ? 0 : side + (size_t)(ptrdiff_t)by;
}

static bool window(attempt *a)
{
    a->problem.window_left = moved(a->problem.window_left, a->row->with);
    a->problem.window_right = moved(a->problem.window_right, a->row->with);
    return a->problem.has_window;
}

static bool drop_masks(attempt *a)
{
    problem *p = &a->problem;
    bool is_masked = p->in[INPUT_MASK] != NULL || p->causal != CAUSAL_NONE || p->has_window ||
                     p->key_lengths != NULL;
    keep_places(a);
    p->in[INPUT_MASK] = NULL;
    p->causal = CAUSAL_NONE;
    p->has_window = false;
    p->key_lengths = NULL;
    return is_masked;
}

static bool is_hidden(const attempt *a, const size_t *at)
{
    tensor right = attempt_stage(a->right, STAGE_MASKED);
    return isinf(tensor_get(&right, at));
}

static bool add_mask(attempt *a)
{
    tensor masked = attempt_stage(a, STAGE_MASKED);
    size_t at[4] = {0};
    do {
        if (is_hidden(a, at) == (a->row->with < 0))
            tensor_set(&masked, at, tensor_get(&masked, at) + 1);
    } while (tensor_next(&masked, at));
    return true;
}

static bool fill_hidden(attempt *a)
{
    tensor made = attempt_stage(a, a->now == POINT_WEIGHTS ? STAGE_WEIGHTS : STAGE_MASKED);
    double value = a->row->with == FILL_LEAST ? -(double)FLT_MAX : a->row->with;
    size_t at[4] = {0};
    do {
        if (is_hidden(a, at))
            tensor_set(&made, at, value);
    } while (tensor_next(&made, at));
    return true;
}

/* Where nothing else hides or changes what stands after the last key. */
static bool fill_up_keys(attempt *a)
{
    const problem *p = &a->problem;
    size_t keys = plan_own_keys(&a->right->plan), block = (size_t)a->row->with;
    bool is_score_0 = p->score->is_product && p->in[INPUT_BS] == NULL && !p->has_alibi;
    bool is_seen = p->causal == CAUSAL_NONE && !p->has_window && p->key_lengths == NULL;
    return is_score_0 && is_seen && keys % block > 0 && attempt_add_to_sum(a, block - keys % block);
}

/* ---- the bias ---- */

/* Every finite number, times −1 or the scale: what is −inf stays hidden. */
static bool multiply_bias(attempt *a)
{
    const tensor *given = a->problem.in[INPUT_BIAS];
    tensor *made = given == NULL ? NULL : attempt_copy(a, given);
    double factor = a->row->with == 0 ? a->right->plan.scale : a->row->with;
    size_t at[TENSOR_MAX_RANK] = {0};
    if (made == NULL)
        return false;
    do {
        double value = tensor_get(made, at);
        tensor_set(made, at, isfinite(value) ? value * factor : value);
    } while (tensor_next(made, at));
    a->problem.in[INPUT_BIAS] = made;
    return true;
}

static bool transpose_places(attempt *a)
{
    const tensor *given = a->problem.in[a->row->with];
    if (given == NULL || given->rank < 2)
        return false;
    tensor turned = tensor_transposed(given);
    a->problem.in[a->row->with] = attempt_copy(a, &turned);
    return a->problem.in[a->row->with] != NULL;
}

/* clang-format off */
#define TAIL_MISSING(n) \
    {{"tail-missing-" #n, "keys after the last multiple of " #n " are left out"}, \
     .at[POINT_ASKED] = leave_out_tail, .with = n}
#define TAIL_ZEROS(n) \
    {{"tail-zeros-" #n, "keys of zeros, up to a multiple of " #n ", take weight"}, \
     .at[POINT_ASKED] = fill_up_keys, .with = n}

static const mistake MASK_ROWS[] = {
    {{"causal-missing", "causality is left out"}, AT(ASKED, blunder_align, CAUSAL_NONE)},
    {{"causal-added", "queries see no later keys, though all should be seen"},
     AT(ASKED, blunder_align, CAUSAL_ADDED)},
    {{"causal-upper-left", "causality begins at the first key (upper-left)"},
     AT(ASKED, blunder_align, CAUSAL_UPPER_LEFT)},
    {{"causal-lower-right", "causality ends at the last key (lower-right)"},
     AT(ASKED, blunder_align, CAUSAL_LOWER_RIGHT)},
    {{"causal-strict", "a query does not see its own key"}, AT(MASKED, hide, HIDE_SELF)},
    {{"causal-late", "a query sees one key too many"},
     .at[POINT_ASKED] = drop_causal, .at[POINT_MASKED] = hide, .with = HIDE_FROM_SECOND},
    {{"causal-reversed", "a query sees its own key and later ones"},
     .at[POINT_ASKED] = drop_causal, .at[POINT_MASKED] = hide, .with = HIDE_PAST},
    {{"causal-inverted", "a query sees only later keys"},
     .at[POINT_ASKED] = drop_causal, .at[POINT_MASKED] = hide, .with = HIDE_PAST_ONLY},
    {{"offset-missing", "the offset of the queries is left out"},
     AT(ASKED, blunder_forget, FORGET_OFFSET)},
    {{"mask-missing", "the mask is left out"}, AT(ASKED, blunder_leave_out, INPUT_MASK)},
    {{"mask-inverted", "the mask is inverted: true is taken for false"}, AT(ASKED, invert_mask, 0)},
    {{"mask-transposed", "the mask is transposed"}, AT(ASKED, transpose_places, INPUT_MASK)},
    {{"mask-after-softmax", "what is masked is set to 0 after the softmax"},
     .at[POINT_ASKED] = drop_masks, .at[POINT_WEIGHTS] = fill_hidden},
    {{"mask-added", "the mask is added as 1 and 0"},
     .at[POINT_ASKED] = drop_masks, .at[POINT_MASKED] = add_mask, .with = 1},
    {{"mask-added-inverted", "the inverted mask is added as 1 and 0"},
     .at[POINT_ASKED] = drop_masks, .at[POINT_MASKED] = add_mask, .with = -1},
    {{"mask-zero", "masked scores are 0, not -inf"},
     .at[POINT_ASKED] = drop_masks, .at[POINT_MASKED] = fill_hidden},
    {{"mask-1e9", "masked scores are -1e9, not -inf"},
     .at[POINT_ASKED] = drop_masks, .at[POINT_MASKED] = fill_hidden, .with = -1000000000},
    {{"mask-1e4", "masked scores are -1e4, not -inf"},
     .at[POINT_ASKED] = drop_masks, .at[POINT_MASKED] = fill_hidden, .with = -10000},
    {{"mask-least", "masked scores are the least float32, not -inf"},
     .at[POINT_ASKED] = drop_masks, .at[POINT_MASKED] = fill_hidden, .with = FILL_LEAST},
    {{"bias-missing", "the bias of the scores is left out"},
     AT(ASKED, blunder_leave_out, INPUT_BIAS)},
    {{"bias-subtracted", "the bias of the scores is subtracted"}, AT(ASKED, multiply_bias, -1)},
    {{"bias-scaled", "the bias is added before scores are scaled"}, AT(ASKED, multiply_bias, 0)},
    {{"bias-transposed", "the bias of the scores is transposed"},
     AT(ASKED, transpose_places, INPUT_BIAS)},
    {{"window-missing", "the window is left out"}, AT(ASKED, blunder_forget, FORGET_WINDOW)},
    {{"window-wide", "the window is one key wider on both sides"}, AT(ASKED, window, 1)},
    {{"window-narrow", "the window is one key narrower on both sides"}, AT(ASKED, window, -1)},
    {{"key-lengths-missing", "keys that only fill up are seen"},
     AT(ASKED, blunder_forget, FORGET_LENGTHS)},
    {{"last-key-missing", "the last key is left out"}, AT(ASKED, leave_out_tail, 0)},
    TAIL_MISSING(4), TAIL_MISSING(8), TAIL_MISSING(16), TAIL_MISSING(32), TAIL_MISSING(64),
    TAIL_ZEROS(4), TAIL_ZEROS(8), TAIL_ZEROS(16), TAIL_ZEROS(32), TAIL_ZEROS(64),
};
/* clang-format on */

const named_table MASK_MISTAKES = NAMED_TABLE("mistake", MASK_ROWS);
