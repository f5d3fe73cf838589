/* Mistakes in the way back alone: what it is asked differs from what the way forward was, or what
 * it takes of that, or what it made. */
#include "why/mistake.h"

#include "why/attempt.h"

static const stage_id DELTA[] = {STAGE_DELTA}, OUTPUT_GRAD[] = {STAGE_OUTPUT_GRAD};

static const stage_id KEYS[] = {STAGE_PRESENT_K_GRAD, STAGE_PAST_K_GRAD, STAGE_K_ROPE_GRAD,
                                STAGE_K_NORM_GRAD,    STAGE_K_GAIN_GRAD, STAGE_K_GRAD,
                                STAGE_K_SUM_GRAD,     STAGE_BIAS_K_GRAD};
static const stage_id VALUES[] = {STAGE_PRESENT_V_GRAD, STAGE_PAST_V_GRAD, STAGE_V_GRAD,
                                  STAGE_V_SUM_GRAD, STAGE_BIAS_V_GRAD};
static const stage_id QUERIES[] = {STAGE_Q_ROPE_GRAD, STAGE_Q_NORM_GRAD, STAGE_Q_GAIN_GRAD,
                                   STAGE_Q_GRAD, STAGE_Q_SUM_GRAD};
#define COUNT(of) (sizeof(of) / sizeof((of)[0]))

/* ---- what the way back is asked ---- */

static bool forget_scale(attempt *a)
{
    double scale = a->plan.scale;
    a->problem.scale_kind = SCALE_NUMBER;
    a->problem.scale_number = a->row->with == 0 ? 1 : scale * scale;
    return scale != 1;
}

/* A loss that is the mean of what is summed, or the other way round. */
static bool change_loss(attempt *a)
{
    loss_kind had = a->problem.loss, to = (loss_kind)a->row->with;
    a->problem.loss = to;
    return had != to && (had == LOSS_SUM || had == LOSS_MEAN);
}

static bool negate_logsumexp_grad(attempt *a)
{
    const tensor *given = a->problem.in[INPUT_LOGSUMEXP_GRAD];
    tensor *copy = given == NULL ? NULL : attempt_copy(a, given);
    a->problem.in[INPUT_LOGSUMEXP_GRAD] = copy;
    if (copy != NULL)
        numbers_scale(copy, -1);
    return copy != NULL;
}

/* ---- what it is given ---- */

/* The scores of what it is asked, less the logarithm that the way forward kept of each row's sum;
 * or divided by their own sum. */
static bool again(attempt *a, bool keeps_sum)
{
    static const stage_id TAKEN[] = {STAGE_CAPPED, STAGE_ROW_MAX, STAGE_ROW_SUM, STAGE_WEIGHTS};
    kept_stages w = {0};
    bundle made = {0};
    run_report report;
    tensor forms[STAGE_COUNT] = {{0}};
    for (stage_id id = 0; id < STAGE_SCORES; id++)
        forms[id] = a->back[id];
    w.given = forms;
    kept_stages_add(&w, STAGE_MASKED);
    for (size_t i = 0; i < COUNT(TAKEN); i++) {
        if (plan_has_stage(&a->back_plan, TAKEN[i]))
            kept_stages_add(&w, TAKEN[i]);
    }
    if (!run_plan(&a->back_plan, &w, a->threads, &made, &report, a->e)) {
        bundle_free(&made);
        return false;
    }
    for (size_t i = 0; i < COUNT(TAKEN); i++) {
        const tensor *one = bundle_tensor(&made, stage_row(TAKEN[i])->key.named.name);
        bool is_taken = one != NULL && (!keeps_sum || TAKEN[i] == STAGE_CAPPED);
        if (is_taken && attempt_give(a, TAKEN[i], one).data == NULL)
            break;
    }
    const tensor *numbers = bundle_tensor(&made, stage_row(STAGE_MASKED)->key.named.name);
    tensor logsumexp = attempt_stage(a, STAGE_LOGSUMEXP);
    if (keeps_sum && attempt_give(a, STAGE_WEIGHTS, numbers).data != NULL)
        attempt_exponents(a, &a->back[STAGE_WEIGHTS], &logsumexp);
    bundle_free(&made);
    return !a->e->is_set;
}

static bool weights_again(attempt *a)
{
    return again(a, true);
}

static bool softmax_again(attempt *a)
{
    return again(a, false);
}

enum { DELTA_ZERO, DELTA_OF_ALL_HEADS, DELTA_UNDIVIDED, DELTA_MEAN };

static bool change_delta(attempt *a)
{
    if (!attempt_back(a, DELTA, 1))
        return false;
    tensor delta = attempt_stage(a, STAGE_DELTA), sums = attempt_stage(a, STAGE_ROW_SUM);
    tensor to = attempt_give(a, STAGE_DELTA, &a->stage[STAGE_DELTA]);
    size_t at[TENSOR_MAX_RANK] = {0};
    if (to.data == NULL)
        return false;
    do {
        double all = 0, own = tensor_get(&delta, at);
        for (size_t head = 0; head < delta.size[1]; head++)
            all += tensor_get(&delta, (size_t[]){at[0], head, at[2], 0});
        const double as[] = {
            [DELTA_ZERO] = 0,
            [DELTA_OF_ALL_HEADS] = all,
            [DELTA_UNDIVIDED] = own * tensor_get(&sums, at),
            [DELTA_MEAN] = own / (double)a->plan.v.width,
        };
        tensor_set(&to, at, as[a->row->with]);
    } while (tensor_next(&to, at));
    tensor_copy(&to, &delta);
    return a->row->with != DELTA_OF_ALL_HEADS || a->plan.heads > 1;
}

/* Times −1, 2 or 1/2, or divided by how many there are. */
enum { GRAD_NEGATIVE, GRAD_TWICE, GRAD_HALF, GRAD_MEAN };

static bool change_output_grad(attempt *a)
{
    if (!attempt_back(a, OUTPUT_GRAD, 1))
        return false;
    tensor *grad = &a->stage[STAGE_OUTPUT_GRAD];
    const double by[] = {[GRAD_NEGATIVE] = -1,
                         [GRAD_TWICE] = 2,
                         [GRAD_HALF] = 0.5,
                         [GRAD_MEAN] = 1 / (double)tensor_count(grad)};
    numbers_scale(grad, by[a->row->with]);
    return attempt_give(a, STAGE_OUTPUT_GRAD, grad).data != NULL;
}

/* Keys from the last whole block on, or the last one, or each query's own, have weight 0. */
enum { DROP_LAST = 1, DROP_OWN = 0 };

static bool drop_weights(attempt *a)
{
    tensor weights = attempt_give(a, STAGE_WEIGHTS, &a->stage[STAGE_WEIGHTS]);
    size_t at[TENSOR_MAX_RANK] = {0}, keys = plan_own_keys(&a->plan), block = (size_t)a->row->with;
    bool is_own = a->row->with == DROP_OWN;
    size_t tail = is_own ? 0 : block == DROP_LAST ? 1 : keys % block;
    if (weights.data == NULL || (is_own ? !plan_is_causal(&a->plan) : tail == 0 || tail == keys))
        return false;
    do {
        bool is_dropped = is_own ? (int64_t)at[3] == visible_position(&a->plan, at[0], at[2])
                                 : at[3] >= keys - tail && at[3] < keys;
        if (is_dropped)
            tensor_set(&weights, at, 0);
    } while (tensor_next(&weights, at));
    return true;
}

static bool undivided_weights(attempt *a)
{
    return attempt_give(a, STAGE_WEIGHTS, &a->stage[STAGE_EXP]).data != NULL;
}

static bool weights_as(attempt *a)
{
    tensor weights = attempt_give(a, STAGE_WEIGHTS, &a->stage[STAGE_WEIGHTS]);
    if (weights.data == NULL)
        return false;
    numbers_keep_as(&weights, a->row->with);
    return true;
}

/* Each score gains what its weight does: no softmax is gone back through. */
static bool skip_softmax(attempt *a)
{
    tensor weights = attempt_give(a, STAGE_WEIGHTS, &a->stage[STAGE_WEIGHTS]),
           right = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[TENSOR_MAX_RANK] = {0};
    if (weights.data == NULL || !change_delta(a))
        return false;
    do
        tensor_set(&weights, at, tensor_get(&right, at) != 0);
    while (tensor_next(&weights, at));
    return true;
}

/* ---- gradients of q, k and v ---- */

/* Those of values as they are with the right weights. */
static bool values_right(attempt *a)
{
    a->back[STAGE_WEIGHTS] = a->stage[STAGE_WEIGHTS];
    return attempt_back(a, VALUES, COUNT(VALUES));
}

/* Turned on, by their positions, in the place of back. */
static bool turn_on(attempt *a)
{
    static const stage_id TO[] = {STAGE_Q_GRAD, STAGE_K_GRAD},
                          FROM[] = {STAGE_Q_ROPE, STAGE_K_ROPE};
    bundle made = {0};
    bool done = a->problem.rope.is_asked && !a->problem.normalizes &&
                attempt_turn(a, STAGE_Q_ROPE_GRAD, STAGE_K_ROPE_GRAD, &made);
    for (size_t i = 0; done && i < COUNT(TO); i++) {
        tensor *to = &a->stage[TO[i]];
        const tensor *from = bundle_tensor(&made, stage_row(FROM[i])->key.named.name);
        done = tensor_same_shape(from, to);
        if (done)
            tensor_copy(from, to);
    }
    bundle_free(&made);
    return done && a->plan.appended == 0;
}

enum { OF_QUERIES = 0, OF_KEYS = 1 }; /* twice the scale, or without it */

static bool scale_role(attempt *a)
{
    double scale = a->plan.scale, by = a->row->with == 0 ? 1 / scale : scale;
    if (a->row->from == OF_QUERIES)
        attempt_scale(a, QUERIES, COUNT(QUERIES), by);
    else
        attempt_scale(a, KEYS, COUNT(KEYS), by);
    return scale != 1 && scale != 0;
}

/* Heads that share keys: of one of them, or the mean. */
enum { GROUP_FIRST, GROUP_LAST, GROUP_MEAN };

static bool change_groups(attempt *a)
{
    size_t group = a->plan.heads / a->plan.kv_heads;
    size_t kept = a->row->with == GROUP_FIRST ? 0 : group - 1, at[TENSOR_MAX_RANK] = {0};
    if (group == 1)
        return false;
    if (a->row->with == GROUP_MEAN) {
        attempt_scale(a, KEYS, COUNT(KEYS), 1 / (double)group);
        attempt_scale(a, VALUES, COUNT(VALUES), 1 / (double)group);
        return true;
    }
    /* Nothing comes back to the other heads. */
    tensor delta = attempt_give(a, STAGE_DELTA, &a->stage[STAGE_DELTA]),
           grad = attempt_give(a, STAGE_CONTEXT_GRAD, &a->stage[STAGE_CONTEXT_GRAD]);
    if (delta.data == NULL || grad.data == NULL)
        return false;
    tensor heads = plan_heads_apart(&grad, a->plan.heads);
    do {
        if (at[1] % group != kept)
            tensor_set(&heads, at, 0);
    } while (tensor_next(&heads, at));
    do {
        if (at[1] % group != kept)
            tensor_set(&delta, at, 0);
    } while (tensor_next(&delta, at));
    bool done = attempt_back(a, KEYS, COUNT(KEYS)) && attempt_back(a, VALUES, COUNT(VALUES));
    a->back[STAGE_DELTA] = a->back[STAGE_CONTEXT_GRAD] = (tensor){0};
    return done;
}

/* Of the values with weights that are turned, or not divided. */
enum { VALUES_TURNED, VALUES_UNDIVIDED };

static bool change_values(attempt *a)
{
    bool is_turned = a->row->with == VALUES_TURNED;
    tensor right = attempt_stage(a, STAGE_WEIGHTS);
    if (is_turned && right.size[2] != right.size[3])
        return false;
    tensor weights =
        attempt_give(a, STAGE_WEIGHTS, &a->stage[is_turned ? STAGE_WEIGHTS : STAGE_EXP]);
    if (weights.data == NULL)
        return false;
    tensor turned = is_turned ? tensor_transposed(&right) : weights;
    if (is_turned)
        tensor_copy(&turned, &weights);
    return attempt_back(a, VALUES, COUNT(VALUES));
}

/* ---- at the end ---- */

bool blunder_exchange_grads(attempt *a)
{
    tensor *one = &a->stage[a->row->with], *other = &a->stage[a->row->from], kept = *one;
    if (one->data == NULL || !tensor_same_shape(one, other))
        return false;
    *one = *other;
    *other = kept;
    return true;
}

static bool gradients_as(attempt *a)
{
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT; id++) {
        if (a->stage[id].data != NULL)
            numbers_keep_as(&a->stage[id], a->row->with);
    }
    return true;
}

/* clang-format off */
#define FORGET_BACK(what) .at[POINT_BACK] = what, .at[POINT_BACK_GIVEN] = weights_again

/* The more common first. */
static const mistake BACK_ROWS[] = {
    {{"delta-missing", "going back, delta is not taken off"},
     AT(BACK_GIVEN, change_delta, DELTA_ZERO)},
    {{"delta-of-all-heads", "going back, delta is the sum of all heads'"},
     AT(BACK_GIVEN, change_delta, DELTA_OF_ALL_HEADS)},
    {{"delta-undivided", "delta is of attended before it is divided by the row's sum"},
     AT(BACK_GIVEN, change_delta, DELTA_UNDIVIDED)},
    {{"delta-averaged", "delta is a mean over the values' columns, not a sum"},
     AT(BACK_GIVEN, change_delta, DELTA_MEAN)},
    {{"softmax-not-gone-back", "scores gain what weights do, not through the softmax"},
     .at[POINT_BACK_GIVEN] = skip_softmax, .at[POINT_BACK_ROWS] = values_right, .with = DELTA_ZERO},
    {{"logsumexp-grad-missing", "what comes back to logsumexp is left out"},
     AT(BACK, blunder_leave_out, INPUT_LOGSUMEXP_GRAD)},
    {{"logsumexp-grad-added", "what comes back to logsumexp is added, not taken off"},
     AT(BACK, negate_logsumexp_grad, 0)},
    {{"back-scale-missing", "going back, gradients of scores are not scaled"},
     AT(BACK, forget_scale, 0)},
    {{"back-scale-twice", "going back, gradients of scores are scaled twice"},
     AT(BACK, forget_scale, 1)},
    {{"q-grad-scale-missing", "the gradient of q is not scaled"},
     AT(BACK_ROWS, scale_role, 0), .from = OF_QUERIES},
    {{"k-grad-scale-missing", "the gradient of k is not scaled"},
     AT(BACK_ROWS, scale_role, 0), .from = OF_KEYS},
    {{"q-grad-scale-twice", "the gradient of q is scaled twice"},
     AT(BACK_ROWS, scale_role, 1), .from = OF_QUERIES},
    {{"k-grad-scale-twice", "the gradient of k is scaled twice"},
     AT(BACK_ROWS, scale_role, 1), .from = OF_KEYS},
    {{"group-grad-first", "keys and values gain from the first head that shares them"},
     AT(BACK_ROWS, change_groups, GROUP_FIRST)},
    {{"group-grad-last", "keys and values gain from the last head that shares them"},
     AT(BACK_ROWS, change_groups, GROUP_LAST)},
    {{"group-grad-averaged", "keys and values gain the mean of the heads that share them"},
     AT(BACK_ROWS, change_groups, GROUP_MEAN)},
    {{"back-causal-missing", "going back, causality is left out"},
     FORGET_BACK(blunder_align), .with = CAUSAL_NONE},
    {{"back-causal-upper-left", "going back, causality begins at the first key (upper-left)"},
     FORGET_BACK(blunder_align), .with = CAUSAL_UPPER_LEFT},
    {{"back-causal-lower-right", "going back, causality ends at the last key (lower-right)"},
     FORGET_BACK(blunder_align), .with = CAUSAL_LOWER_RIGHT},
    {{"back-causal-strict", "going back, a query does not see its own key"},
     AT(BACK_GIVEN, drop_weights, DROP_OWN)},
    {{"back-offset-missing", "going back, the offset of the queries is left out"},
     FORGET_BACK(blunder_forget), .with = FORGET_OFFSET},
    {{"back-mask-missing", "going back, the mask is left out"},
     FORGET_BACK(blunder_leave_out), .with = INPUT_MASK},
    {{"back-bias-missing", "going back, the bias of the scores is left out"},
     FORGET_BACK(blunder_leave_out), .with = INPUT_BIAS},
    {{"back-window-missing", "going back, the window is left out"},
     FORGET_BACK(blunder_forget), .with = FORGET_WINDOW},
    {{"back-key-lengths-missing", "going back, keys that only fill up are seen"},
     FORGET_BACK(blunder_forget), .with = FORGET_LENGTHS},
    {{"back-alibi-missing", "going back, the linear position bias is left out"},
     FORGET_BACK(blunder_forget), .with = FORGET_ALIBI},
    {{"back-softcap-missing", "going back, the cap's derivative is left out"},
     AT(BACK, blunder_forget, FORGET_SOFTCAP)},
    {{"back-sinks-missing", "going back, weights are divided by a sum without the sinks"},
     .at[POINT_BACK] = blunder_leave_out, .at[POINT_BACK_GIVEN] = softmax_again,
     .with = INPUT_SINKS},
    {{"back-rope-missing", "going back, gradients of q and k are not turned back"},
     AT(BACK, blunder_forget, FORGET_ROPE)},
    {{"back-rope-turned-on", "going back, gradients of q and k are turned on, not back"},
     AT(BACK_ROWS, turn_on, 0)},
    {{"back-rope-attention-factor-missing", "going back, attention_factor is left out"},
     AT(BACK, blunder_forget, FORGET_ROPE_FACTOR)},
    {{"back-norm-missing", "going back, the norms of q and k are left out"},
     AT(BACK, blunder_forget, FORGET_NORM)},
    {{"back-clip-missing", "going back, what clip cut gains as if it had not been"},
     AT(BACK, blunder_forget, FORGET_CLIP)},
    {{"v-grad-transposed", "v gains weights·attended_grad, not by their transpose"},
     AT(BACK_ROWS, change_values, VALUES_TURNED)},
    {{"v-grad-undivided", "v gains exponentials that are not divided by their sum"},
     AT(BACK_ROWS, change_values, VALUES_UNDIVIDED)},
    {{"back-weights-undivided", "going back, weights are not divided by their sum"},
     AT(BACK_GIVEN, undivided_weights, 0)},
    {{"back-last-key-missing", "going back, the last key is left out"},
     AT(BACK_GIVEN, drop_weights, DROP_LAST)},
    {{"back-tail-missing-16", "going back, keys after the last multiple of 16 are left out"},
     AT(BACK_GIVEN, drop_weights, 16)},
    {{"back-tail-missing-32", "going back, keys after the last multiple of 32 are left out"},
     AT(BACK_GIVEN, drop_weights, 32)},
    {{"back-tail-missing-64", "going back, keys after the last multiple of 64 are left out"},
     AT(BACK_GIVEN, drop_weights, 64)},
    {{"output-grad-negated", "the gradient of the output has the other sign"},
     AT(BACK_GIVEN, change_output_grad, GRAD_NEGATIVE)},
    {{"output-grad-twice", "the gradient of the output is doubled"},
     AT(BACK_GIVEN, change_output_grad, GRAD_TWICE)},
    {{"output-grad-half", "the gradient of the output is halved"},
     AT(BACK_GIVEN, change_output_grad, GRAD_HALF)},
    {{"output-grad-averaged", "the output's gradient is divided by its count of numbers"},
     AT(BACK_GIVEN, change_output_grad, GRAD_MEAN)},
    {{"loss-summed", "the loss is the sum of the output, not its mean"},
     AT(BACK, change_loss, LOSS_SUM)},
    {{"back-wo-transposed", "going back, Wo is used in the place of its transpose"},
     AT(BACK, blunder_transpose, INPUT_WO)},
    {{"qk-grads-exchanged", "q's gradient holds k's, and k's that of q"},
     AT(BACK_END, blunder_exchange_grads, STAGE_Q_GRAD), .from = STAGE_K_GRAD},
    {{"kv-grads-exchanged", "k's gradient holds v's, and v's that of k"},
     AT(BACK_END, blunder_exchange_grads, STAGE_K_GRAD), .from = STAGE_V_GRAD},
    {{"float16-back-weights", "going back, weights are rounded to float16"},
     AT(BACK_GIVEN, weights_as, AS_FLOAT16), .is_of_digits = true},
    {{"bfloat16-back-weights", "going back, weights are rounded to bfloat16"},
     AT(BACK_GIVEN, weights_as, AS_BFLOAT16), .is_of_digits = true},
    {{"float16-gradients", "gradients are rounded to float16 when all is computed"},
     AT(BACK_END, gradients_as, AS_FLOAT16), .is_of_digits = true},
    {{"bfloat16-gradients", "gradients are rounded to bfloat16 when all is computed"},
     AT(BACK_END, gradients_as, AS_BFLOAT16), .is_of_digits = true},
};
/* clang-format on */

const named_table BACK_MISTAKES = NAMED_TABLE("mistake", BACK_ROWS);
