#include "why/rest.h"

#include "attn/engine/multiply.h"
#include "attn/engine/rounding.h"
#include "base/mem.h"

#include <math.h>

static bool is_there(const attempt *a, stage_id id)
{
    return a->stage[id].data != NULL;
}

/* The weights that values are summed by. */
static stage_id used_weights(const attempt *a)
{
    return is_there(a, STAGE_ROUNDED) ? STAGE_ROUNDED : STAGE_WEIGHTS;
}

/* Units that are handed out to a row one by one: more are not rounding. */
static const double UNITS_MOST = 10000;

/* What largest remainders would have to hand out is little, as it is in rows that sum to 1. */
static bool sums_are_near(const tensor *weights, int decimals)
{
    size_t at[4] = {0}, keys = weights->size[3];
    double units = pow(10, decimals), sum = 0;
    do {
        sum = at[3] == 0 ? 0 : sum;
        sum += tensor_get(weights, at);
        if (at[3] == keys - 1 && sum != 0 && !(fabs(sum - 1) * units <= UNITS_MOST))
            return false;
    } while (tensor_next(weights, at));
    return true;
}

bool rest_round(attempt *a, int decimals, bool keeps_sum, tensor *weights, err *e)
{
    if (keeps_sum && !sums_are_near(weights, decimals))
        return false;
    share *shares = mem_alloc(weights->size[3], sizeof shares[0], e);
    if (shares == NULL)
        return false;
    for (size_t unit = 0; unit < a->plan.batches * a->plan.heads; unit++) {
        tensor of = tensor_at(weights, unit / a->plan.heads);
        tensor rows = tensor_at(&of, unit % a->plan.heads);
        if (keeps_sum)
            rows_round_keep_sum(&rows, decimals, &rows, shares);
        else
            rows_round(&rows, decimals, &rows);
    }
    mem_free(shares);
    return true;
}

/* A mistake may have taken the place of the rounding. */
static bool round_weights(attempt *a, err *e)
{
    const problem *p = &a->problem;
    if (!is_there(a, STAGE_ROUNDED))
        return true;
    tensor exact = attempt_stage(a, STAGE_WEIGHTS), rounded = attempt_stage(a, STAGE_ROUNDED);
    tensor_copy(&exact, &rounded);
    return p->round_decimals < 0 ||
           rest_round(a, p->round_decimals, p->round_keeps_sum, &rounded, e);
}

static bool multiply_by_threads(const attempt *a, const tensor *rows, const tensor *b,
                                const tensor *bias, tensor *to, err *e)
{
    crew by;
    crew_open(&by, a->threads);
    bool done = multiply(a->plan.with, rows, b, bias, to, &by, e);
    crew_close(&by);
    return done;
}

/* attended = weights·v, head by head. */
static bool attend(attempt *a, err *e)
{
    const plan *p = &a->plan;
    tensor weights = attempt_stage(a, used_weights(a)), values = attempt_values(a),
           attended = attempt_stage(a, STAGE_ATTENDED);
    for (size_t unit = 0; unit < p->batches * p->heads; unit++) {
        size_t batch = unit / p->heads, head = unit % p->heads;
        tensor of[] = {tensor_at(&weights, batch), tensor_at(&values, batch),
                       tensor_at(&attended, batch)};
        tensor w = tensor_at(&of[0], head), v = tensor_at(&of[1], plan_kv_head(p, head)),
               out = tensor_at(&of[2], head);
        if (!multiply_by_threads(a, &w, &v, NULL, &out, e))
            return false;
    }
    return true;
}

/* The context with its heads apart: b × h × n_q × d_v. */
static tensor context_apart(const attempt *a)
{
    tensor context = attempt_stage(a, STAGE_CONTEXT);
    return plan_heads_apart(&context, a->plan.heads);
}

/* b × n_q × h·d_v, wherever the heads lie. */
static bool join_context(attempt *a, tensor *rows, err *e)
{
    const plan *p = &a->plan;
    size_t size[] = {p->batches, p->n_q, p->heads * p->v.width};
    tensor *joined = attempt_matrix(a, p->type, 3, size, e);
    if (joined == NULL)
        return false;
    tensor from = context_apart(a), to = plan_split_heads(joined, p->heads);
    tensor_copy(&from, &to);
    *rows = tensor_view_of(joined);
    return true;
}

bool rest_of_context(attempt *a, err *e)
{
    if (a->plan.wo.data != NULL) {
        const plan *p = &a->plan;
        tensor rows, output = attempt_stage(a, STAGE_OUTPUT);
        if (!join_context(a, &rows, e))
            return false;
        for (size_t batch = 0; batch < p->batches; batch++) {
            tensor from = tensor_at(&rows, batch), to = tensor_at(&output, batch);
            if (!multiply_by_threads(a, &from, &p->wo, &p->bo, &to, e))
                return false;
        }
        return true;
    }
    /* Without Wo the output is the context, and bo. */
    tensor from = context_apart(a), output = attempt_stage(a, STAGE_OUTPUT),
           to = plan_heads_apart(&output, a->plan.heads);
    size_t at[4] = {0};
    do {
        size_t column = at[1] * from.size[3] + at[3];
        double bias = a->plan.bo.data == NULL ? 0 : tensor_get(&a->plan.bo, &column);
        tensor_set(&to, at, tensor_get(&from, at) + bias);
    } while (tensor_next(&from, at));
    return true;
}

bool rest_of_weights(attempt *a, err *e)
{
    if (!round_weights(a, e) || !attend(a, e))
        return false;
    if (is_there(a, STAGE_WEIGHTED)) {
        /* weights[i,j]·v[j] */
        tensor weights = attempt_stage(a, used_weights(a)), values = attempt_values(a),
               weighted = attempt_stage(a, STAGE_WEIGHTED);
        size_t at[TENSOR_MAX_RANK] = {0};
        do {
            size_t value[] = {at[0], plan_kv_head(&a->plan, at[1]), at[3], at[4]};
            tensor_set(&weighted, at, tensor_get(&weights, at) * tensor_get(&values, value));
        } while (tensor_next(&weighted, at));
    }
    tensor attended = attempt_stage(a, STAGE_ATTENDED), context = context_apart(a);
    tensor_copy(&attended, &context);
    return rest_of_context(a, e);
}
