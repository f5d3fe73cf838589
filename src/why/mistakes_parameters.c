/* Mistakes in gradients of parameters alone, and of latents and what is made of these: those of
 * queries, keys, values and scores are right, and so is all that these are summed from. */
#include "why/mistake.h"

#include "why/attempt.h"

#include "base/mem.h"

static const stage_id PARAMETERS[] = {STAGE_BO_GRAD,
                                      STAGE_WO_GRAD,
                                      STAGE_BIAS_GRAD,
                                      STAGE_KEY_BIAS_GRAD,
                                      STAGE_RELATIVE_BIAS_GRAD,
                                      STAGE_SLOPES_GRAD,
                                      STAGE_SINKS_GRAD,
                                      STAGE_WS_GRAD,
                                      STAGE_BS_GRAD,
                                      STAGE_WA_GRAD,
                                      STAGE_UA_GRAD,
                                      STAGE_VA_GRAD,
                                      STAGE_BA_GRAD,
                                      STAGE_Q_GAIN_GRAD,
                                      STAGE_K_GAIN_GRAD,
                                      STAGE_BIAS_K_GRAD,
                                      STAGE_BIAS_V_GRAD,
                                      STAGE_WQ_GRAD,
                                      STAGE_WK_GRAD,
                                      STAGE_WV_GRAD,
                                      STAGE_BQ_GRAD,
                                      STAGE_BK_GRAD,
                                      STAGE_BV_GRAD,
                                      STAGE_Q_LATENT_GAIN_GRAD,
                                      STAGE_WQ_DOWN_GRAD,
                                      STAGE_BQ_DOWN_GRAD,
                                      STAGE_KV_LATENT_GAIN_GRAD,
                                      STAGE_WKV_DOWN_GRAD,
                                      STAGE_BKV_DOWN_GRAD};
#define COUNT(of) (sizeof(of) / sizeof((of)[0]))

/* A projection's weights and bias, and the gradient of what it makes, before a clip where there is
 * one. */
static const struct {
    stage_id weight, bias, made;
} PROJECTED[] = {
    {STAGE_WQ_GRAD, STAGE_BQ_GRAD, STAGE_Q_SUM_GRAD},
    {STAGE_WK_GRAD, STAGE_BK_GRAD, STAGE_K_SUM_GRAD},
    {STAGE_WV_GRAD, STAGE_BV_GRAD, STAGE_V_SUM_GRAD},
    {STAGE_WO_GRAD, STAGE_BO_GRAD, STAGE_OUTPUT_GRAD},
};

/* Of what is summed the first alone, the last, or the mean; or nothing. */
enum { SUM_FIRST, SUM_LAST, SUM_MEAN, SUM_NONE };

/* ---- entries of the batch ---- */

/* Nothing comes back to the other entries. */
static void clear_others(tensor *of, size_t kept)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        if (at[0] != kept)
            tensor_set(of, at, 0);
    } while (tensor_next(of, at));
}

static bool change_batch(attempt *a)
{
    size_t batches = a->plan.batches, kept = a->row->with == SUM_FIRST ? 0 : batches - 1;
    if (batches == 1)
        return false;
    if (a->row->with == SUM_MEAN) {
        attempt_scale(a, PARAMETERS, COUNT(PARAMETERS), 1 / (double)batches);
        return true;
    }
    /* Gradients of queries, keys and values that a mistake has changed are given, and all of
     * them. */
    if (a->back[STAGE_Q_GRAD].data != NULL)
        return false;
    tensor had_delta = a->back[STAGE_DELTA], had_grad = a->back[STAGE_OUTPUT_GRAD],
           delta = attempt_give(a, STAGE_DELTA, &a->stage[STAGE_DELTA]),
           grad = attempt_give(a, STAGE_OUTPUT_GRAD, &a->stage[STAGE_OUTPUT_GRAD]);
    if (delta.data == NULL || grad.data == NULL)
        return false;
    clear_others(&delta, kept);
    clear_others(&grad, kept);
    bool done = attempt_back(a, PARAMETERS, COUNT(PARAMETERS));
    a->back[STAGE_DELTA] = had_delta;
    a->back[STAGE_OUTPUT_GRAD] = had_grad;
    return done;
}

static bool double_all(attempt *a)
{
    attempt_scale(a, PARAMETERS, COUNT(PARAMETERS), 2);
    return true;
}

/* ---- weights and biases of projections ---- */

/* Rows that the projection makes, of all entries of the batch. */
static size_t rows_of(const attempt *a, stage_id made)
{
    const projection *role = plan_role(&a->plan, made);
    return a->plan.batches * (role == NULL ? a->plan.n_q : role->n);
}

static bool average_weights(attempt *a)
{
    bool is_any = false;
    for (size_t i = 0; i < COUNT(PROJECTED); i++) {
        is_any = is_any || a->stage[PROJECTED[i].weight].data != NULL;
        attempt_scale(a, &PROJECTED[i].weight, 1, 1 / (double)rows_of(a, PROJECTED[i].made));
    }
    return is_any;
}

static bool turn_weights(attempt *a)
{
    bool is_any = false;
    for (size_t i = 0; i < COUNT(PROJECTED); i++) {
        tensor *grad = &a->stage[PROJECTED[i].weight];
        if (grad->data == NULL || grad->size[grad->rank - 2] != grad->size[grad->rank - 1])
            continue;
        tensor *right = attempt_copy(a, grad);
        if (right == NULL)
            return false;
        tensor turned = tensor_transposed(right);
        tensor_copy(&turned, grad);
        is_any = true;
    }
    return is_any;
}

/* The last row of the last entry of the batch, without numbers that keys share. */
static void take_last_row(const attempt *a, stage_id made, const tensor *grad)
{
    tensor all = plan_all_axes(&a->plan, made, &a->stage[made]), flat = tensor_flat(grad);
    const projection *role = plan_role(&a->plan, made);
    size_t row = rows_of(a, made) / a->plan.batches - 1, shared = role == NULL ? 0 : role->shared,
           own = role == NULL ? flat.size[0] : role->width - shared;
    for (size_t n = 0; n < flat.size[0]; n++) {
        const size_t at[] = {a->plan.batches - 1, row, n + n / own * shared};
        tensor_set(&flat, &n, tensor_get(&all, at));
    }
}

static bool change_biases(attempt *a)
{
    bool is_any = false;
    for (size_t i = 0; i < COUNT(PROJECTED); i++) {
        stage_id made = plan_stand_in(&a->plan, PROJECTED[i].made);
        tensor *grad = &a->stage[PROJECTED[i].bias];
        double rows = (double)rows_of(a, made);
        if (grad->data == NULL)
            continue;
        is_any = true;
        if (a->row->with == SUM_LAST)
            take_last_row(a, made, grad);
        else
            numbers_scale(grad, a->row->with == SUM_MEAN ? 1 / rows : 0);
    }
    return is_any;
}

/* Weights of another problem's rows, and of the right gradients of what these made. */
static bool sum_again(attempt *a, const problem *of)
{
    enum { ROLES = 3 };
    const plan had_plan = a->back_plan;
    stage_id made[ROLES], weights[ROLES];
    tensor had[ROLES];
    bool done = plan_make(&a->back_plan, of, a->with, a->e);
    for (size_t i = 0; i < ROLES; i++) {
        made[i] = plan_stand_in(&a->plan, PROJECTED[i].made);
        weights[i] = PROJECTED[i].weight;
        had[i] = a->back[made[i]];
        a->back[made[i]] = a->stage[made[i]];
    }
    done = done && attempt_back(a, weights, ROLES);
    for (size_t i = 0; i < ROLES; i++)
        a->back[made[i]] = had[i];
    plan_free(&a->back_plan);
    a->back_plan = had_plan;
    return done;
}

/* The rows `from` in the place of the rows `with`. */
static bool take_rows(attempt *a)
{
    problem other = a->problem;
    const tensor *of = other.in[a->row->with], *taken = other.in[a->row->from];
    if (of == NULL || taken == NULL || !tensor_same_shape(of, taken))
        return false;
    other.in[a->row->with] = taken;
    return sum_again(a, &other);
}

static bool forget_positions(attempt *a)
{
    problem other = a->problem;
    other.adds_positions = false;
    return a->problem.adds_positions && sum_again(a, &other);
}

/* ---- latents ---- */

static const stage_id LATENTS[] = {STAGE_KV_LATENT_NORM_GRAD, STAGE_KV_LATENT_GAIN_GRAD,
                                   STAGE_KV_LATENT_GRAD},
                      OF_LATENTS[] = {STAGE_WQ_DOWN_GRAD,  STAGE_BQ_DOWN_GRAD, STAGE_WKV_DOWN_GRAD,
                                      STAGE_BKV_DOWN_GRAD, STAGE_X_GRAD,       STAGE_XK_GRAD};

/* What is made of the gradient of a latent, which was changed. */
static bool go_on_from(attempt *a, stage_id id)
{
    const tensor had = a->back[id];
    a->back[id] = a->stage[id];
    bool done = attempt_back(a, OF_LATENTS, COUNT(OF_LATENTS));
    a->back[id] = had;
    return done;
}

/* Of the latent `with` the gradient is that of what its norm made, `from`. */
static bool pass_by_norm(attempt *a)
{
    stage_id id = (stage_id)a->row->with;
    const tensor *of = &a->stage[a->row->from], *to = &a->stage[id];
    if (of->data == NULL || to->data == NULL)
        return false;
    tensor own = tensor_range(to, to->rank - 1, 0, of->size[of->rank - 1]);
    tensor_copy(of, &own);
    return go_on_from(a, id);
}

/* Numbers that the keys of all heads end with gain from one of the heads, or the mean. */
static bool change_shared(attempt *a)
{
    const projection *k = &a->plan.k;
    const tensor *grad = &a->stage[STAGE_KV_LATENT_GRAD];
    if (grad->data == NULL || k->shared == 0 || k->heads == 1)
        return false;
    stage_id sums = plan_stand_in(&a->plan, STAGE_K_SUM_GRAD);
    tensor keys = attempt_stage(a, sums), all = attempt_stage(a, STAGE_KV_LATENT_GRAD),
           rest = tensor_range(&all, 2, all.size[2] - k->shared, k->shared);
    size_t head = a->row->with == SUM_FIRST ? 0 : k->heads - 1, at[TENSOR_MAX_RANK] = {0};
    do {
        const size_t of_head[] = {at[0], at[1], (head + 1) * k->width - k->shared + at[2]};
        tensor_set(&rest, at,
                   a->row->with == SUM_MEAN ? tensor_get(&rest, at) / (double)k->heads
                                            : tensor_get(&keys, of_head));
    } while (tensor_next(&rest, at));
    return go_on_from(a, STAGE_KV_LATENT_GRAD);
}

/* Keys, or values, give nothing back to the latent; numbers that keys share do. with: which. */
static bool forget_taker(attempt *a)
{
    bool is_of_keys = a->row->with == STAGE_K_SUM_GRAD;
    const projection *k = &a->plan.k;
    stage_id taker = plan_stand_in(&a->plan, (stage_id)a->row->with);
    const tensor had = a->back[taker];
    if (a->stage[STAGE_KV_LATENT_GRAD].data == NULL)
        return false;
    tensor none = attempt_give(a, taker, &a->stage[taker]);
    size_t at[TENSOR_MAX_RANK] = {0};
    if (none.data == NULL)
        return false;
    do {
        if (!is_of_keys || at[2] % k->width < k->width - k->shared)
            tensor_set(&none, at, 0);
    } while (tensor_next(&none, at));
    bool done = attempt_back(a, LATENTS, COUNT(LATENTS));
    a->back[taker] = had;
    return done && go_on_from(a, STAGE_KV_LATENT_GRAD);
}

/* ---- what is added to scores, and sinks ---- */

/* What a number of the bias, or of the table that it is read from, is added to. */
typedef struct met_scores {
    size_t count, first, last; /* scores, in index order */
} met_scores;

static size_t number_met(const plan *p, const size_t at[TENSOR_MAX_RANK])
{
    ptrdiff_t number = 0;
    for (int axis = 0; axis < p->bias.rank; axis++)
        number += p->bias.stride[axis] * (ptrdiff_t)at[axis];
    if (p->bucket.data == NULL)
        return (size_t)number;
    return (size_t)tensor_get(&p->bucket, (size_t[]){at[0], at[2], at[3]}) * p->heads + at[1];
}

static void meet(const plan *p, met_scores *met)
{
    size_t at[TENSOR_MAX_RANK] = {0}, n = 0;
    do {
        met_scores *one = &met[number_met(p, at)];
        one->first = one->count == 0 ? n : one->first;
        one->last = n++;
        one->count++;
    } while (tensor_next(&p->bias, at));
}

/* Of all scores that a number was added to one gives it its gradient. */
static bool pick_one(attempt *a, const met_scores *met)
{
    const stage_id of[] = {plan_bias_gradient(&a->plan)};
    const tensor had = a->back[STAGE_MASKED_GRAD];
    tensor masked = attempt_give(a, STAGE_MASKED_GRAD, &a->stage[STAGE_MASKED_GRAD]);
    size_t at[TENSOR_MAX_RANK] = {0}, n = 0;
    if (masked.data == NULL)
        return false;
    do {
        const met_scores *one = &met[number_met(&a->plan, at)];
        if (n++ != (a->row->with == SUM_FIRST ? one->first : one->last))
            tensor_set(&masked, at, 0);
    } while (tensor_next(&a->plan.bias, at));
    bool done = attempt_back(a, of, COUNT(of));
    a->back[STAGE_MASKED_GRAD] = had;
    return done;
}

static void average(tensor *grad, const met_scores *met)
{
    size_t at[TENSOR_MAX_RANK] = {0}, n = 0;
    do {
        const met_scores *one = &met[n++];
        if (one->count > 1)
            tensor_set(grad, at, tensor_get(grad, at) / (double)one->count);
    } while (tensor_next(grad, at));
}

static bool change_spread(attempt *a)
{
    const plan *p = &a->plan;
    tensor *grad = &a->stage[plan_bias_gradient(p)];
    if (grad->data == NULL)
        return false;
    size_t count = tensor_count(grad), shared = 0;
    met_scores *met = mem_alloc_zeroed(count, sizeof met[0], a->e);
    if (met == NULL)
        return false;
    meet(p, met);
    for (size_t i = 0; i < count; i++)
        shared += met[i].count > 1;
    bool done = shared > 0;
    if (done && a->row->with == SUM_MEAN)
        average(grad, met);
    else if (done)
        done = pick_one(a, met);
    mem_free(met);
    return done;
}

/* Of the bias, it may be that of a table. */
static tensor *meant_by(attempt *a)
{
    stage_id id = (stage_id)a->row->with;
    return &a->stage[id == STAGE_BIAS_GRAD ? plan_bias_gradient(&a->plan) : id];
}

static bool scale_one(attempt *a)
{
    numbers_scale(meant_by(a), a->plan.scale);
    return meant_by(a)->data != NULL && a->plan.scale != 1;
}

static bool negate_one(attempt *a)
{
    numbers_scale(meant_by(a), -1);
    return meant_by(a)->data != NULL;
}

static bool clear_one(attempt *a)
{
    numbers_scale(meant_by(a), 0);
    return meant_by(a)->data != NULL;
}

/* What comes back to logsumexp was taken off delta. */
static bool forget_logsumexp(attempt *a)
{
    static const stage_id SINKS[] = {STAGE_SINKS_GRAD};
    const tensor less = plan_given_like(&a->back_plan, INPUT_LOGSUMEXP_GRAD),
                 had = a->back[STAGE_DELTA];
    size_t at[TENSOR_MAX_RANK] = {0};
    if (less.data == NULL || a->stage[STAGE_SINKS_GRAD].data == NULL)
        return false;
    tensor delta = attempt_give(a, STAGE_DELTA, &a->stage[STAGE_DELTA]);
    if (delta.data == NULL)
        return false;
    do
        tensor_set(&delta, at, tensor_get(&delta, at) + tensor_get(&less, at));
    while (tensor_next(&delta, at));
    bool done = attempt_back(a, SINKS, COUNT(SINKS));
    a->back[STAGE_DELTA] = had;
    return done;
}

/* clang-format off */
static const mistake PARAMETER_ROWS[] = {
    {{"batch-grads-first", "parameters gain from the first of the batch alone"},
     AT(BACK_END, change_batch, SUM_FIRST)},
    {{"batch-grads-last", "parameters gain from the last of the batch alone"},
     AT(BACK_END, change_batch, SUM_LAST)},
    {{"batch-grads-averaged", "parameters gain the mean of the batch, not its sum"},
     AT(BACK_END, change_batch, SUM_MEAN)},
    {{"parameter-grads-twice", "gradients of parameters are added to older ones: doubled"},
     AT(BACK_END, double_all, 0)},
    {{"weight-grads-transposed", "gradients of weights are transposed"},
     AT(BACK_END, turn_weights, 0)},
    {{"weight-grads-averaged", "weights gain a mean over rows, not a sum"},
     AT(BACK_END, average_weights, 0)},
    {{"bias-grads-averaged", "biases gain a mean over rows, not a sum"},
     AT(BACK_END, change_biases, SUM_MEAN)},
    {{"bias-grads-last", "biases gain from the last row alone"},
     AT(BACK_END, change_biases, SUM_LAST)},
    {{"bias-grads-missing", "biases gain nothing"}, AT(BACK_END, change_biases, SUM_NONE)},
    {{"key-weight-grads-of-x", "weights of keys gain of the rows x, not of xk"},
     AT(BACK_END, take_rows, INPUT_XK), .from = INPUT_X},
    {{"value-weight-grads-of-xk", "weights of values gain of the rows xk, not of xv"},
     AT(BACK_END, take_rows, INPUT_XV), .from = INPUT_XK},
    {{"weight-grads-unplaced", "weights gain of rows without their positions"},
     AT(BACK_END, forget_positions, 0)},
    {{"qk-weight-grads-exchanged", "the gradients of Wq and Wk are exchanged"},
     AT(BACK_END, blunder_exchange_grads, STAGE_WQ_GRAD), .from = STAGE_WK_GRAD},
    {{"kv-weight-grads-exchanged", "the gradients of Wk and Wv are exchanged"},
     AT(BACK_END, blunder_exchange_grads, STAGE_WK_GRAD), .from = STAGE_WV_GRAD},
    {{"kv-latent-norm-not-gone-back", "gradients pass by the norm of keys' and values' latent"},
     AT(BACK_END, pass_by_norm, STAGE_KV_LATENT_GRAD), .from = STAGE_KV_LATENT_NORM_GRAD},
    {{"q-latent-norm-not-gone-back", "gradients pass by the norm of the queries' latent"},
     AT(BACK_END, pass_by_norm, STAGE_Q_LATENT_GRAD), .from = STAGE_Q_LATENT_NORM_GRAD},
    {{"shared-grad-first", "numbers that keys share gain from the first head alone"},
     AT(BACK_END, change_shared, SUM_FIRST)},
    {{"shared-grad-last", "numbers that keys share gain from the last head alone"},
     AT(BACK_END, change_shared, SUM_LAST)},
    {{"shared-grad-averaged", "numbers that keys share gain the mean of the heads"},
     AT(BACK_END, change_shared, SUM_MEAN)},
    {{"latent-grad-of-keys", "the latent of keys and values gains by keys alone"},
     AT(BACK_END, forget_taker, STAGE_V_SUM_GRAD)},
    {{"latent-grad-of-values", "the latent of keys and values gains by values alone"},
     AT(BACK_END, forget_taker, STAGE_K_SUM_GRAD)},
    {{"score-bias-grad-first", "a shared bias gains from the first score it is added to"},
     AT(BACK_END, change_spread, SUM_FIRST)},
    {{"score-bias-grad-last", "a shared bias gains from the last score it is added to"},
     AT(BACK_END, change_spread, SUM_LAST)},
    {{"score-bias-grad-averaged", "a shared bias gains the mean of its scores, not the sum"},
     AT(BACK_END, change_spread, SUM_MEAN)},
    {{"score-bias-grad-scaled", "the gradient of the scores' bias is scaled as scores are"},
     AT(BACK_END, scale_one, STAGE_BIAS_GRAD)},
    {{"score-bias-grad-missing", "the bias of the scores gains nothing"},
     AT(BACK_END, clear_one, STAGE_BIAS_GRAD)},
    {{"sinks-grad-missing", "the sinks gain nothing"},
     AT(BACK_END, clear_one, STAGE_SINKS_GRAD)},
    {{"sinks-grad-negated", "the gradient of the sinks has the other sign"},
     AT(BACK_END, negate_one, STAGE_SINKS_GRAD)},
    {{"sinks-grad-of-output", "the sinks gain nothing of what comes back to logsumexp"},
     AT(BACK_END, forget_logsumexp, 0)},
    {{"slopes-grad-missing", "the slopes of the position bias gain nothing"},
     AT(BACK_END, clear_one, STAGE_SLOPES_GRAD)},
    {{"slopes-grad-negated", "the gradient of the slopes has the other sign"},
     AT(BACK_END, negate_one, STAGE_SLOPES_GRAD)},
    {{"slopes-grad-scaled", "the gradient of the slopes is scaled as scores are"},
     AT(BACK_END, scale_one, STAGE_SLOPES_GRAD)},
};
/* clang-format on */

const named_table PARAMETER_MISTAKES = NAMED_TABLE("mistake", PARAMETER_ROWS);
