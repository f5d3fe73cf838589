/* Mistakes in the settings. */
#include "why/blunders.h"

#include <math.h>

/* What the scores are multiplied by; 0 where that is not known. */
static double scale_as(const plan *right, int with)
{
    double d_k = (double)right->k.width, keys = (double)plan_own_keys(right);
    size_t m = right->q.rows.data == NULL ? 0 : right->q.rows.size[2];
    switch (with) {
    case SCALE_AS_NONE:
        return 1;
    case SCALE_AS_SQUARED:
        return right->scale * right->scale;
    case SCALE_AS_EMBED:
        return m == 0 ? 0 : 1 / sqrt((double)m);
    case SCALE_AS_HEAD:
        return 1 / sqrt(d_k);
    case SCALE_AS_WIDTH:
        return 1 / sqrt((double)right->heads * d_k);
    case SCALE_AS_VALUES:
        return 1 / sqrt((double)right->v.width);
    case SCALE_AS_KEYS:
        return 1 / sqrt(keys);
    case SCALE_AS_KEYS_WHOLE:
        return 1 / keys;
    case SCALE_AS_INVERSE:
        return right->scale == 0 ? 0 : 1 / right->scale;
    default:
        return right->scale > 0 ? sqrt(right->scale) : 0;
    }
}

bool blunder_scale(attempt *a, int with, err *e)
{
    (void)e;
    a->problem.scale_kind = SCALE_NUMBER;
    a->problem.scale_number = scale_as(&a->right->plan, with);
    return a->problem.scale_number != 0;
}

bool blunder_forget(attempt *a, int with, err *e)
{
    problem *p = &a->problem;
    (void)e;
    switch (with) {
    case FORGET_WINDOW:
        p->has_window = false;
        return true;
    case FORGET_LENGTHS:
        p->key_lengths = NULL;
        return true;
    case FORGET_ALIBI:
        p->has_alibi = false;
        return true;
    case FORGET_SOFTCAP:
        p->softcap = 0;
        return true;
    case FORGET_ZERO:
        p->adds_zero = false;
        return true;
    case FORGET_LEARNED:
        p->in[INPUT_BIAS_K] = p->in[INPUT_BIAS_V] = NULL;
        return true;
    case FORGET_ROPE:
        p->rope = (rope_settings){0};
        return true;
    case FORGET_NORM:
        p->normalizes = false;
        p->in[INPUT_Q_GAIN] = p->in[INPUT_K_GAIN] = NULL;
        return true;
    default:
        p->has_offset = p->causal != CAUSAL_LOWER_RIGHT;
        p->offset = 0;
        return p->has_offset;
    }
}

/* A sink of log(n) adds n to the sum, as n keys with scores of 0 do whose values are 0. */
static bool add_to_sum(attempt *a, size_t n, err *e)
{
    if (a->problem.in[INPUT_SINKS] != NULL)
        return false;
    tensor *sinks = attempt_matrix(a, a->problem.type, 1, &a->right->plan.heads, e);
    if (sinks == NULL)
        return false;
    for (size_t head = 0; head < sinks->size[0]; head++)
        tensor_set(sinks, &head, log((double)n));
    a->problem.in[INPUT_SINKS] = sinks;
    return true;
}

bool blunder_softmax_plus_one(attempt *a, int with, err *e)
{
    (void)with;
    return add_to_sum(a, 1, e);
}

/* Where nothing else hides or changes what stands behind the last key. */
bool blunder_fill_up_keys(attempt *a, int with, err *e)
{
    const problem *p = &a->problem;
    size_t keys = plan_own_keys(&a->right->plan), block = (size_t)with;
    bool is_score_0 = p->score->is_product && p->in[INPUT_BS] == NULL && !p->has_alibi;
    bool is_seen = p->causal == CAUSAL_NONE && !p->has_window && p->key_lengths == NULL;
    return is_score_0 && is_seen && keys % block > 0 && add_to_sum(a, block - keys % block, e);
}
