/* Mistakes in the way back of layers alone: the stack that goes back differs from the one that went
 * forward, in what its parts are or in a rule of theirs (a slip); or gradients are changed when all
 * is computed. */
#include "why/mistake.h"

#include "model/stack_back.h"
#include "why/stack_attempt.h"

#include <stdio.h>
#include <string.h>

/* ---- norms ---- */

static bool norm_slips(stack_attempt *a, norm *one)
{
    norm_slip to = (norm_slip)a->with;
    bool has_mean = !one->is_rms || (to != NORM_WITHOUT_MEAN && to != NORM_OF_CONSTANTS),
         has_gain = one->gain.data != NULL || to != NORM_GAIN_LATE;
    one->slip = to;
    return has_mean && has_gain;
}

/* Where it stands from now on it finds the rows that it was given. with: 1 after the sum, 0 before
 * the part */
static bool move_norm(stack_attempt *a, layer_part *p, part_row *row)
{
    tensor *of_part = &a->tape->kept[tape_of_part(a->stack, p, 0)], kept = of_part[TAPE_GIVEN];
    size_t *from = a->with == 1 ? &row->ln_before : &row->ln_after,
           *to = a->with == 1 ? &row->ln_after : &row->ln_before;
    if (*from == 0 || *to > 0)
        return false;
    *to = *from;
    *from = 0;
    of_part[TAPE_GIVEN] = of_part[TAPE_SUM];
    of_part[TAPE_SUM] = kept;
    return true;
}

/* ---- parts ---- */

static bool part_slips(stack_attempt *a, layer_part *p, part_row *row)
{
    p->slip = (part_slip)a->with;
    return p->slip != PART_ADDS_TWICE || row->adds == RESIDUAL_PART;
}

/* ---- feed-forward parts ---- */

static bool feed_forward_slips(stack_attempt *a, feed_forward *f)
{
    f->slip = (feed_forward_slip)a->with;
    bool is_of_gate = f->slip >= FFN_UNGATED && f->slip <= FFN_X_OF_GATE;
    return f->w3.data != NULL || !is_of_gate;
}

static void slope_of_one(const kernels *in64, const double *x, size_t n, double *out)
{
    (void)x;
    in64->fill(out, n, 1);
}

static const activation NO_SLOPE = {.slope = slope_of_one};

/* with: a row of ACTIVATIONS; −1: none */
static bool set_slope(stack_attempt *a, feed_forward *f)
{
    f->slope_of = a->with < 0
                      ? &NO_SLOPE
                      : (const activation *)(const void *)named_row(&ACTIVATIONS, (size_t)a->with);
    return f->slope_of != f->by;
}

/* ---- the rows that parameters gain from ---- */

enum { GAIN_LAST_ROW, GAIN_FIRST_ENTRY, GAIN_LAST_ENTRY };

static bool gain_from(stack_attempt *a, gainer of)
{
    stack *s = a->stack;
    size_t all = s->embedded.size[0], each = s->rows;
    s->gained[of] = a->with == GAIN_LAST_ROW      ? (row_span){all - 1, 1, true}
                    : a->with == GAIN_FIRST_ENTRY ? (row_span){0, each, true}
                                                  : (row_span){all - each, each, true};
    return a->scope.is_whole && s->gained[of].count < all;
}

static bool norms_gain_from(stack_attempt *a)
{
    return gain_from(a, GAINER_NORM);
}

static bool biases_gain_from(stack_attempt *a)
{
    return gain_from(a, GAINER_BIAS);
}

static bool weights_gain_from(stack_attempt *a)
{
    return gain_from(a, GAINER_WEIGHT);
}

static bool tables_gain_from(stack_attempt *a)
{
    return gain_from(a, GAINER_TABLE);
}

/* ---- the stack, and the loss ---- */

static bool stack_slips(stack_attempt *a)
{
    a->stack->slip = (stack_slip)a->with;
    return a->scope.is_whole;
}

static bool repeat_slips(stack_attempt *a)
{
    return stack_slips(a) && a->stack->layers > a->stack->own_layers;
}

static bool goal_slips(stack_attempt *a)
{
    goal *g = &a->stack->goal;
    g->slip = (goal_slip)a->with;
    return a->scope.is_whole && goal_has_logits(g);
}

/* What the losses of rows are divided by: one, all rows, or entries of the batch. */
enum { BY_ONE, BY_ROWS, BY_BATCH };

static bool divide_loss(stack_attempt *a)
{
    goal *g = &a->stack->goal;
    size_t had = g->labels, rows = a->stack->embedded.size[0];
    g->labels = a->with == BY_ONE ? 1 : a->with == BY_ROWS ? rows : rows / a->stack->rows;
    return a->scope.is_whole && goal_has_logits(g) && g->labels != had;
}

static bool pass_cap_of_logits(stack_attempt *a)
{
    goal *g = &a->stack->goal;
    g->to_ids.back_softcap = 0;
    return a->scope.is_whole && goal_has_logits(g) && g->to_ids.softcap > 0;
}

static bool pass_factor_of_logits(stack_attempt *a)
{
    goal *g = &a->stack->goal;
    g->to_ids.back_scale = 1;
    return a->scope.is_whole && goal_has_logits(g) && g->to_ids.scale != 1;
}

/* Each row is compared with the label of the row `with` after it, of its entry. */
static bool shift_labels(stack_attempt *a)
{
    goal *g = &a->stack->goal;
    size_t all = a->stack->embedded.size[0], rows = a->stack->rows;
    if (!a->scope.is_whole || !goal_has_logits(g))
        return false;
    g->labels = 0;
    for (size_t i = 0; i < all; i++) {
        size_t at = a->with > 0 ? i : all - 1 - i, row = at % rows;
        bool has_other = a->with > 0 ? row + 1 < rows : row > 0;
        g->label[at] = !has_other ? NO_LABEL : a->with > 0 ? g->label[at + 1] : g->label[at - 1];
        g->labels += g->label[at] != NO_LABEL;
    }
    return g->labels > 0;
}

static bool change_loss(stack_attempt *a)
{
    loss *of = &a->stack->goal.of;
    loss_kind had = of->kind;
    of->kind = (loss_kind)a->with;
    return a->scope.is_whole && had != of->kind && (had == LOSS_SUM || had == LOSS_MEAN);
}

/* ---- when all is computed ---- */

enum {
    ALL_NEGATIVE,
    ALL_TWICE,
    PARAMETERS_TWICE,
    NORMS_AVERAGED,
    NORMS_MISSING,
    BIASES_AVERAGED,
    BIASES_MISSING,
    WEIGHTS_AVERAGED
};

/* Attention's have mistakes of their own. */
static bool is_among(const char *of_key, const char *const *keys, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(of_key, keys[i]) != 0)
        i++;
    return i < count;
}

#define IS_AMONG(of_key, ...)                                                                      \
    is_among(of_key, (const char *const[]){__VA_ARGS__},                                           \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static bool is_meant(const stack_attempt *a, const char *name)
{
    char own[STAGE_NAME];
    size_t number;
    if (!stage_is_gradient(name, own))
        return false;
    const char *last = strrchr(own, '.'), *of_key = last == NULL ? own : last + 1;
    bool is_in = a->scope.is_whole || (stack_stage_layer(name, &number) &&
                                       number >= a->scope.first && number < a->scope.end);
    if (!is_in || a->with == ALL_NEGATIVE || a->with == ALL_TWICE)
        return a->scope.is_whole;
    if (stack_parameter(&a->document, own) == NULL || IS_AMONG(own, "x", "memory"))
        return false;
    if (a->with == NORMS_AVERAGED || a->with == NORMS_MISSING)
        return IS_AMONG(of_key, "gain", "bias");
    if (a->with == BIASES_AVERAGED || a->with == BIASES_MISSING)
        return IS_AMONG(of_key, "b1", "b2", "unembedding_bias");
    return a->with == PARAMETERS_TWICE || IS_AMONG(of_key, "w1", "w2", "w3", "unembedding");
}

static bool scale_gradients(stack_attempt *a)
{
    const double mean = 1 / (double)a->stack->embedded.size[0];
    const double by[] = {
        [ALL_NEGATIVE] = -1,     [ALL_TWICE] = 2,          [PARAMETERS_TWICE] = 2,
        [NORMS_AVERAGED] = mean, [NORMS_MISSING] = 0,      [BIASES_AVERAGED] = mean,
        [BIASES_MISSING] = 0,    [WEIGHTS_AVERAGED] = mean};
    bool is_any = false;
    for (size_t i = 0; i < a->of->claims.count; i++) {
        if (a->computed[i].data == NULL ||
            !is_meant(a, stack_stage_of(a->of, &a->of->claims.claim[i])))
            continue;
        numbers_scale(&a->computed[i], by[a->with]);
        is_any = true;
    }
    return is_any;
}

/* clang-format off */
#define NORM(change, taken) NORMS(change, taken), .when = STACK_TURN
#define FFN(change, taken) FEED_FORWARDS(change, taken), .when = STACK_TURN
#define PART(kind, change, taken) PARTS(kind, change, taken), .when = STACK_TURN
#define TURN(make, taken) WHOLE(make, taken), .when = STACK_TURN
#define END(taken) WHOLE(scale_gradients, taken), .when = STACK_END

/* The more common first. */
static const mistake BACK_ROWS[] = {
    {{"norm-back-mean-missing", "back through a norm, the mean is not taken off"},
     NORM(norm_slips, NORM_WITHOUT_MEAN)},
    {{"norm-back-row-missing", "back through a norm, the row's share is not taken off"},
     NORM(norm_slips, NORM_WITHOUT_AGAIN)},
    {{"norm-back-constant", "going back, a norm's mean and root are taken for constants"},
     NORM(norm_slips, NORM_OF_CONSTANTS)},
    {{"norm-back-multiplied", "back through a norm, the root multiplies, not divides"},
     NORM(norm_slips, NORM_MULTIPLIED)},
    {{"norm-back-gain-missing", "going back through norms, their gains are left out"},
     NORM(norm_drop_affine, AFFINE_GAIN)},
    {{"norm-back-gain-late", "back through a norm, the gain comes after all else"},
     NORM(norm_slips, NORM_GAIN_LATE)},
    {{"norm-not-gone-back", "gradients pass by norms"}, NORM(norm_slips, NORM_PASSED_BY)},
    {{"norm-back-eps-missing", "going back through norms, their eps is left out"},
     NORM(norm_set_eps, 0)},
    {{"norm-back-rms", "going back, LayerNorm is taken for RMSNorm"}, NORM(norm_set_kind, 1)},
    {{"norm-back-layer", "going back, RMSNorm is taken for LayerNorm"}, NORM(norm_set_kind, 0)},
    {{"norm-back-pre", "going back, norms stand before the parts, not after the sums"},
     PART(PART_ALL, move_norm, 0)},
    {{"norm-back-post", "going back, norms stand after the sums, not before the parts"},
     PART(PART_ALL, move_norm, 1)},
    {{"gain-grads-of-x", "norms' gains gain of rows before the norm"},
     NORM(norm_slips, NORM_GAIN_OF_X)},
    {{"gain-grads-of-output", "norms' gains gain of rows with gain and bias"},
     NORM(norm_slips, NORM_GAIN_OF_Y)},
    {{"norm-grads-last", "norms' gains and biases gain from the last row alone"},
     TURN(norms_gain_from, GAIN_LAST_ROW)},
    {{"norm-grads-batch-first", "norms' gains and biases gain from the batch's first entry"},
     TURN(norms_gain_from, GAIN_FIRST_ENTRY)},
    {{"norm-grads-batch-last", "norms' gains and biases gain from the batch's last entry"},
     TURN(norms_gain_from, GAIN_LAST_ENTRY)},
    {{"norm-grads-averaged", "norms' gains and biases gain a mean over rows, not a sum"},
     END(NORMS_AVERAGED)},
    {{"norm-grads-missing", "norms' gains and biases gain nothing"}, END(NORMS_MISSING)},
    {{"slope-missing", "going back, the activation's slope is left out"}, FFN(set_slope, -1)},
    {{"slope-relu", "going back, the slope is relu's"}, FFN(set_slope, 0)},
    {{"slope-gelu", "going back, the slope is gelu's"}, FFN(set_slope, 1)},
    {{"slope-gelu_tanh", "going back, the slope is gelu's with tanh"},
     FFN(set_slope, 2)},
    {{"slope-silu", "going back, the slope is silu's"}, FFN(set_slope, 3)},
    {{"slope-at-activated", "the slope is taken at activated, not at hidden"},
     FFN(feed_forward_slips, FFN_SLOPE_AT_ACTIVATED)},
    {{"slope-at-grad", "the slope is taken at the gradient, not at hidden"},
     FFN(feed_forward_slips, FFN_SLOPE_AT_GRAD)},
    {{"gate-back-missing", "going back, activations gain what the gate does not multiply"},
     FFN(feed_forward_slips, FFN_UNGATED)},
    {{"gate-grad-of-hidden", "the gate gains of hidden, not of its activation"},
     FFN(feed_forward_slips, FFN_GATE_OF_HIDDEN)},
    {{"gate-back-forgotten", "a feed-forward part's rows gain nothing by its gate"},
     FFN(feed_forward_slips, FFN_X_WITHOUT_GATE)},
    {{"gate-back-alone", "a feed-forward part's rows gain by its gate alone"},
     FFN(feed_forward_slips, FFN_X_OF_GATE)},
    {{"gate-back-swapped", "going back, w1 and w3 are exchanged"}, FFN(gate_swap, 0)},
    {{"w2-grad-of-hidden", "w2 gains of hidden, not of its activation"},
     FFN(feed_forward_slips, FFN_W2_OF_HIDDEN)},
    {{"ffn-grads-batch-first", "feed-forward weights gain from the batch's first entry"},
     TURN(weights_gain_from, GAIN_FIRST_ENTRY)},
    {{"ffn-grads-batch-last", "feed-forward weights gain from the batch's last entry"},
     TURN(weights_gain_from, GAIN_LAST_ENTRY)},
    {{"ffn-grads-averaged", "feed-forward weights gain a mean over rows, not a sum"},
     END(WEIGHTS_AVERAGED)},
    {{"ffn-bias-grads-last", "b1 and b2 gain from the last row alone"},
     TURN(biases_gain_from, GAIN_LAST_ROW)},
    {{"ffn-bias-grads-averaged", "b1 and b2 gain a mean over rows, not a sum"},
     END(BIASES_AVERAGED)},
    {{"ffn-bias-grads-missing", "b1 and b2 gain nothing"}, END(BIASES_MISSING)},
    {{"residual-attention-stops", "nothing goes back past attention"},
     PART(PART_ATTENTION, residual_set, RESIDUAL_NONE)},
    {{"residual-cross-stops", "nothing goes back past cross-attention"},
     PART(PART_CROSS, residual_set, RESIDUAL_NONE)},
    {{"residual-ffn-stops", "nothing goes back past the feed-forward part"},
     PART(PART_FEED_FORWARD, residual_set, RESIDUAL_NONE)},
    {{"residuals-stop", "nothing goes back past any part"},
     PART(PART_ALL, residual_set, RESIDUAL_NONE)},
    {{"residuals-back-twice", "what goes back past parts is counted twice"},
     PART(PART_ALL, part_slips, PART_ADDS_TWICE)},
    {{"residuals-back-normed", "what goes back past parts goes through their norms, too"},
     PART(PART_ALL, residual_set, RESIDUAL_NORMED)},
    {{"attention-stops", "attention gives nothing back to its rows"},
     PART(PART_ATTENTION, part_slips, PART_STOPS)},
    {{"cross-stops", "cross-attention gives nothing back to its rows"},
     PART(PART_CROSS, part_slips, PART_STOPS)},
    {{"ffn-stops", "the feed-forward part gives nothing back to its rows"},
     PART(PART_FEED_FORWARD, part_slips, PART_STOPS)},
    {{"memory-grad-overwritten", "memory gains from the first layer that looks at it alone"},
     TURN(stack_slips, STACK_OVERWRITES_MEMORY)},
    {{"repeat-grads-overwritten", "weights of layers that repeat gain the first time alone"},
     TURN(repeat_slips, STACK_GAINS_FIRST_TIME)},
    {{"repeat-grads-of-last", "weights of layers that repeat gain the last time alone"},
     TURN(repeat_slips, STACK_GAINS_LAST_TIME)},
    {{"embedding-grad-overwritten", "of rows with one id, the last alone gives back"},
     TURN(stack_slips, STACK_OVERWRITES_ROWS)},
    {{"embedding-grad-of-logits", "a tied embedding gains from logits alone"},
     TURN(stack_slips, STACK_FORGETS_IDS)},
    {{"embedding-grad-of-ids", "a tied embedding gains from ids alone"},
     TURN(stack_slips, STACK_FORGETS_TIED)},
    {{"table-grads-batch-first", "embeddings gain from the batch's first entry"},
     TURN(tables_gain_from, GAIN_FIRST_ENTRY)},
    {{"table-grads-batch-last", "embeddings gain from the batch's last entry"},
     TURN(tables_gain_from, GAIN_LAST_ENTRY)},
    {{"unembedding-grad-unnormed", "the unembedding gains of rows before the last norm"},
     TURN(stack_slips, STACK_UNEMBEDS_GIVEN)},
    {{"labels-summed", "cross-entropy is summed over rows, not averaged"},
     TURN(divide_loss, BY_ONE)},
    {{"labels-of-all-rows", "cross-entropy is divided by all rows, labelled or not"},
     TURN(divide_loss, BY_ROWS)},
    {{"labels-of-batch", "cross-entropy is divided by the entries of the batch"},
     TURN(divide_loss, BY_BATCH)},
    {{"labels-next", "each row is compared with the next row's label"}, TURN(shift_labels, 1)},
    {{"labels-before", "each row is compared with the label of the row before"},
     TURN(shift_labels, -1)},
    {{"back-logits-softcap-missing", "going back, the cap of logits is passed"},
     TURN(pass_cap_of_logits, 0)},
    {{"back-logits-scale-missing", "going back, the factor of logits is passed"},
     TURN(pass_factor_of_logits, 0)},
    {{"label-not-taken-off", "logits gain their softmax, at the label too"},
     TURN(goal_slips, GOAL_WITHOUT_LABEL)},
    {{"unlabelled-rows-gain", "rows without a label gain their softmax, too"},
     TURN(goal_slips, GOAL_OF_ALL_ROWS)},
    {{"output-summed", "the loss is the sum of the layers' output, not its mean"},
     TURN(change_loss, LOSS_SUM)},
    {{"output-averaged", "the loss is the mean of the layers' output, not its sum"},
     TURN(change_loss, LOSS_MEAN)},
    {{"gradients-negated", "all gradients have the other sign"}, END(ALL_NEGATIVE)},
    {{"gradients-twice", "all gradients are doubled"}, END(ALL_TWICE)},
    {{"all-parameter-grads-twice", "gradients of all parameters are added to older ones: doubled"},
     END(PARAMETERS_TWICE)},
};
/* clang-format on */

const named_table STACK_BACK_MISTAKES = NAMED_TABLE("layer mistake", BACK_ROWS);
