#include "attn/spec/stage.h"

#include "attn/spec/problem.h"
#include "base/nearest.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

#define SETTING(member) offsetof(problem, member)

/* ---- when a stage is there ---- */

static bool has_x(const problem *asked)
{
    return asked->in[INPUT_Q] == NULL;
}

static bool has_xk(const problem *asked)
{
    return asked->in[INPUT_K] == NULL;
}

static bool has_xv(const problem *asked)
{
    return asked->in[INPUT_V] == NULL;
}

static bool has_positions(const problem *asked)
{
    return asked->adds_positions;
}

static bool has_q_latent(const problem *asked)
{
    return asked->in[INPUT_WQ_DOWN] != NULL;
}

static bool has_kv_latent(const problem *asked)
{
    return asked->in[INPUT_WKV_DOWN] != NULL;
}

static bool norms_q_latent(const problem *asked)
{
    return has_q_latent(asked) && asked->in[INPUT_Q_LATENT_GAIN] != NULL;
}

static bool norms_kv_latent(const problem *asked)
{
    return has_kv_latent(asked) && asked->in[INPUT_KV_LATENT_GAIN] != NULL;
}

static bool has_clip(const problem *asked)
{
    return asked->clip > 0;
}

static bool has_norm(const problem *asked)
{
    return asked->normalizes;
}

static bool has_rope(const problem *asked)
{
    return asked->rope.is_asked;
}

static bool has_past(const problem *asked)
{
    return asked->in[INPUT_PAST_K] != NULL;
}

static bool is_given(const problem *asked, const char *parameter)
{
    return parameter != NULL && asked->in[input_of_key(parameter)] != NULL;
}

static bool transforms_queries(const problem *asked)
{
    return is_given(asked, asked->score->for_query);
}

static bool transforms_keys(const problem *asked)
{
    return is_given(asked, asked->score->for_key);
}

static bool has_cap(const problem *asked)
{
    return asked->softcap > 0;
}

static bool has_top(const problem *asked)
{
    return asked->top > 0;
}

static bool has_rounding(const problem *asked)
{
    return asked->round_decimals >= 0;
}

static bool has_gradients(const problem *asked)
{
    return asked->goes_back;
}

static bool has_loss(const problem *asked)
{
    return asked->loss != LOSS_NONE;
}

static const char NEEDS_GRADIENT[] =
    "a gradient to begin with, output_grad or logsumexp_grad, or a loss";

/* ---- the rows ---- */

/* clang-format off */
const stage ROWS_OF_STAGES[STAGE_COUNT] = {
    [STAGE_X] = {{{"x", "input rows, one a token"}, KEY_EXPECTED},
        "x", "bqm",
        STAGE_IS_ROWS, {STAGE_COUNT}, has_x,
        .made_by = "an x that queries are projected from"},
    [STAGE_XK] = {{{"xk", "input rows of the keys"}, KEY_EXPECTED},
        "xk, by default x", "bkM",
        STAGE_IS_ROWS, {STAGE_COUNT}, has_xk,
        .made_by = "an x or xk that keys are projected from"},
    [STAGE_XV] = {{{"xv", "input rows of the values"}, KEY_EXPECTED},
        "xv, by default xk", "bkN",
        STAGE_IS_ROWS, {STAGE_COUNT}, has_xv,
        .made_by = "an x, xk or xv that values are projected from"},
    [STAGE_X_POS] = {{{"x_pos", "input rows with their positions added"}, KEY_EXPECTED},
        "x + PE", "bqm",
        STAGE_IS_ROWS, {STAGE_X, STAGE_COUNT}, has_positions,
        .made_by = "the option --positions"},
    [STAGE_Q_LATENT] = {{{"q_latent", "rows that queries are made of, brought to few numbers"},
            KEY_EXPECTED},
        "x·Wq_down + bq_down", "bqr",
        STAGE_BY_PROJECTION, {STAGE_X_POS, STAGE_COUNT}, .is_there = has_q_latent,
        .made_by = "a wq_down, the weights of queries' latent"},
    [STAGE_Q_LATENT_NORM] = {{{"q_latent_norm", "the queries' latent by its root mean square"},
            KEY_EXPECTED},
        "q_latent / √(mean(q_latent²) + latent_eps) · q_latent_gain", "bqr",
        STAGE_BY_PROJECTION, {STAGE_Q_LATENT, STAGE_COUNT}, .is_there = norms_q_latent,
        .made_by = "a q_latent_gain next to wq_down"},
    [STAGE_KV_LATENT] = {{{"kv_latent", "rows for keys and values, and numbers that keys share"},
            KEY_EXPECTED},
        "xk·Wkv_down + bkv_down", "bkS",
        STAGE_BY_PROJECTION, {STAGE_XK, STAGE_X_POS, STAGE_COUNT}, .is_extra = true,
        .is_there = has_kv_latent,
        .made_by = "a wkv_down, the weights of the latent of keys and values"},
    [STAGE_KV_LATENT_NORM] = {{{"kv_latent_norm", "their latent by its root mean square"},
            KEY_EXPECTED},
        "kv_latent / √(mean(kv_latent²) + latent_eps) · kv_latent_gain", "bkR",
        STAGE_BY_PROJECTION, {STAGE_KV_LATENT, STAGE_COUNT}, .is_there = norms_kv_latent,
        .made_by = "a kv_latent_gain next to wkv_down"},
    [STAGE_Q_SUM] = {{{"q_sum", "queries before they are clipped"}, KEY_EXPECTED},
        "x·Wq + bq", "bqQ",
        STAGE_BY_PROJECTION, {STAGE_Q_LATENT_NORM, STAGE_COUNT}, has_clip,
        .made_by = "the option --clip"},
    [STAGE_K_SUM] = {{{"k_sum", "keys before they are clipped"}, KEY_EXPECTED},
        "xk·Wk + bk", "bkK",
        STAGE_BY_PROJECTION,
        {STAGE_XK, STAGE_X_POS, STAGE_KV_LATENT_NORM, STAGE_KV_LATENT, STAGE_COUNT}, has_clip,
        .made_by = "the option --clip"},
    [STAGE_V_SUM] = {{{"v_sum", "values before they are clipped"}, KEY_EXPECTED},
        "xv·Wv + bv", "bkV",
        STAGE_BY_PROJECTION, {STAGE_XV, STAGE_X_POS, STAGE_KV_LATENT_NORM, STAGE_COUNT}, has_clip,
        .made_by = "the option --clip"},
    [STAGE_Q] = {{{"q", "queries, heads side by side"}, KEY_EXPECTED},
        "x·Wq + bq", "bqQ",
        STAGE_BY_PROJECTION, {STAGE_Q_SUM, STAGE_COUNT}, .is_there = NULL,
        .made_by = NULL},
    [STAGE_K] = {{{"k", "keys, heads side by side"}, KEY_EXPECTED},
        "xk·Wk + bk", "bkK",
        STAGE_BY_PROJECTION,
        {STAGE_K_SUM, STAGE_X_POS, STAGE_KV_LATENT_NORM, STAGE_KV_LATENT, STAGE_COUNT},
        .is_there = NULL,
        .made_by = NULL},
    [STAGE_V] = {{{"v", "values, heads side by side"}, KEY_EXPECTED},
        "xv·Wv + bv", "bkV",
        STAGE_BY_PROJECTION, {STAGE_V_SUM, STAGE_X_POS, STAGE_KV_LATENT_NORM, STAGE_COUNT},
        .is_there = NULL,
        .made_by = NULL},
    [STAGE_Q_NORM] = {{{"q_norm", "queries divided by their root mean square"}, KEY_EXPECTED},
        "q / √(mean(q²) + qk_eps) · q_gain", "bqQ",
        STAGE_BY_PROJECTION, {STAGE_Q, STAGE_COUNT}, has_norm,
        .made_by = "the option --qk-norm"},
    [STAGE_K_NORM] = {{{"k_norm", "keys divided by their root mean square"}, KEY_EXPECTED},
        "k / √(mean(k²) + qk_eps) · k_gain", "bkK",
        STAGE_BY_PROJECTION, {STAGE_K, STAGE_COUNT}, has_norm,
        .made_by = "the option --qk-norm"},
    [STAGE_Q_ROPE] = {{{"q_rope", "queries turned by their positions"}, KEY_EXPECTED},
        "q turned by position · base^(−2p/width)", "bqQ",
        STAGE_BY_PROJECTION, {STAGE_Q_NORM, STAGE_COUNT}, has_rope,
        .made_by = "the option --rope"},
    [STAGE_K_ROPE] = {{{"k_rope", "keys turned by their positions"}, KEY_EXPECTED},
        "k turned by position · base^(−2p/width)", "bkK",
        STAGE_BY_PROJECTION, {STAGE_K_NORM, STAGE_COUNT}, has_rope,
        .made_by = "the option --rope"},
    [STAGE_PRESENT_K] = {{{"present_k", "keys of the cache, the new ones after"}, KEY_EXPECTED},
        "past_k, then k", "bkK",
        STAGE_BY_PROJECTION, {STAGE_K_ROPE, STAGE_COUNT}, has_past,
        .made_by = "a cache, past_k and past_v"},
    [STAGE_PRESENT_V] = {{{"present_v", "values of the cache, the new ones after"}, KEY_EXPECTED},
        "past_v, then v", "bkV",
        STAGE_BY_PROJECTION, {STAGE_V, STAGE_COUNT}, has_past,
        .made_by = "a cache, past_k and past_v"},
    [STAGE_Q_SCORE] = {{{"q_score", "queries as the score function compares them"}, KEY_EXPECTED},
        "q·Ws or q·Wa", "bhqc",
        STAGE_BY_PROJECTION, {STAGE_Q_ROPE, STAGE_COUNT}, transforms_queries,
        .made_by = "a score function with ws or wa"},
    [STAGE_K_SCORE] = {{{"k_score", "keys as the score function compares them"}, KEY_EXPECTED},
        "k·Ua", "bhkc",
        STAGE_BY_PROJECTION, {STAGE_PRESENT_K, STAGE_COUNT}, transforms_keys,
        .made_by = "a score function with ua"},
    [STAGE_SCORES] = {{{"scores", "score of each query with each key"}, KEY_EXPECTED},
        "q·kᵀ", "bhqk",
        STAGE_BY_BLOCK, {STAGE_Q_SCORE, STAGE_K_SCORE, STAGE_COUNT}, NULL,
        .made_by = NULL, .is_door = true},
    [STAGE_SCALED] = {{{"scaled", "scores times the scale"}, KEY_EXPECTED},
        "scores · scale", "bhqk",
        STAGE_BY_BLOCK, {STAGE_SCORES, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_CAPPED] = {{{"capped", "scaled scores, softly kept between −C and C"}, KEY_EXPECTED},
        "C·tanh(scaled / C)", "bhqk",
        STAGE_BY_BLOCK, {STAGE_SCALED, STAGE_COUNT}, has_cap,
        .made_by = "the option --softcap"},
    [STAGE_MASKED] = {{{"masked", "scaled + bias, −inf where attending is not allowed"},
            KEY_EXPECTED},
        "scaled + bias, or −inf", "bhqk",
        STAGE_BY_BLOCK, {STAGE_CAPPED, STAGE_COUNT}, NULL,
        .made_by = NULL, .is_door = true},
    [STAGE_ROW_MAX] = {{{"row_max", "greatest masked score of each row"}, KEY_EXPECTED},
        "maxⱼ masked", "bhq1",
        STAGE_BY_BLOCK, {STAGE_MASKED, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_EXP] = {{{"exp", "exponential of each masked score less the row's greatest"},
            KEY_EXPECTED},
        "exp(masked − row_max)", "bhqk",
        STAGE_BY_BLOCK, {STAGE_MASKED, STAGE_ROW_MAX, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_ROW_SUM] = {{{"row_sum", "sum of each row's exponentials"}, KEY_EXPECTED},
        "Σⱼ exp", "bhq1",
        STAGE_BY_BLOCK, {STAGE_EXP, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_WEIGHTS] = {{{"weights", "softmax over the keys"}, KEY_EXPECTED},
        "exp / row_sum", "bhqk",
        STAGE_BY_BLOCK, {STAGE_EXP, STAGE_ROW_SUM, STAGE_COUNT}, NULL,
        .made_by = NULL, .is_door = true},
    [STAGE_LOGSUMEXP] = {{{"logsumexp", "logarithm of the sum of each row's exponentials"},
            KEY_EXPECTED},
        "row_max + ln row_sum", "bhq1",
        STAGE_BY_BLOCK, {STAGE_ROW_MAX, STAGE_ROW_SUM, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_ENTROPY] = {{{"entropy", "how widely each row's weights are spread, in nats"},
            KEY_EXPECTED},
        "−Σⱼ weights·ln weights", "bhq1",
        STAGE_BY_BLOCK, {STAGE_WEIGHTS, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_TOP] = {{{"top", "each row's strongest keys, from 0; -1: no more"}, KEY_EXPECTED},
        "the keys of the greatest weights", "bhqt",
        STAGE_BY_BLOCK, {STAGE_WEIGHTS, STAGE_COUNT}, has_top,
        .made_by = "the option --top"},
    [STAGE_ROUNDED] = {{{"rounded", "weights rounded by hand"}, KEY_EXPECTED},
        "round(weights)", "bhqk",
        STAGE_BY_BLOCK, {STAGE_WEIGHTS, STAGE_COUNT}, has_rounding,
        .made_by = "the option --round"},
    [STAGE_WEIGHTED] = {{{"weighted", "each value times its weight, query by query"}, KEY_EXPECTED},
        "weights[i,j] · v[j]", "bhqke",
        STAGE_BY_BLOCK, {STAGE_ROUNDED, STAGE_PRESENT_V, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_ATTENDED] = {{{"attended", "weighted sum of the values, each head's result"},
            KEY_EXPECTED},
        "Σⱼ weights[i,j] · v[j]", "bhqe",
        STAGE_BY_BLOCK, {STAGE_ROUNDED, STAGE_PRESENT_V, STAGE_COUNT}, NULL,
        .made_by = NULL, .is_door = true},
    [STAGE_CONTEXT] = {{{"context", "the heads' results side by side"}, KEY_EXPECTED},
        "concat(attended)", "bqC",
        STAGE_BY_BLOCK, {STAGE_ATTENDED, STAGE_COUNT}, NULL,
        .made_by = NULL, .is_door = true},
    [STAGE_OUTPUT] = {{{"output", "context·Wo + bo, without Wo the context"}, KEY_EXPECTED},
        "context·Wo + bo", "bqO",
        STAGE_BY_RULE, {STAGE_CONTEXT, STAGE_COUNT}, NULL,
        .made_by = NULL},
    [STAGE_LOSS] = {{{"loss", "what the loss makes of the output"}, KEY_EXPECTED},
        "sum, mean or square of output", "",
        STAGE_BY_RULE, {STAGE_OUTPUT, STAGE_COUNT}, has_loss,
        .made_by = "the key loss"},
    [STAGE_OUTPUT_GRAD] = {{{"output_grad", "how the loss grows with each number of the output"},
            KEY_EXPECTED},
        "given, or that of the loss", "bqO",
        STAGE_BY_RULE, {STAGE_OUTPUT, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_OUTPUT},
    [STAGE_BO_GRAD] = {{{"bo_grad", "gradient of the bias of the output"}, KEY_EXPECTED},
        "Σᵢ output_grad[i]", "",
        STAGE_BY_RULE, {STAGE_OUTPUT_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bo"},
    [STAGE_WO_GRAD] = {{{"wo_grad", "gradient of the weights that join the heads"}, KEY_EXPECTED},
        "contextᵀ·output_grad", "",
        STAGE_BY_RULE, {STAGE_OUTPUT_GRAD, STAGE_CONTEXT, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "wo"},
    [STAGE_CONTEXT_GRAD] = {{{"context_grad", "gradient of the heads' results side by side"},
            KEY_EXPECTED},
        "output_grad·Woᵀ", "bqC",
        STAGE_BY_RULE, {STAGE_OUTPUT_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_CONTEXT},
    [STAGE_ATTENDED_GRAD] = {{{"attended_grad", "gradient of each head's result"}, KEY_EXPECTED},
        "split(context_grad)", "bhqe",
        STAGE_BY_BLOCK_BACK, {STAGE_CONTEXT_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_ATTENDED},
    [STAGE_DELTA] = {{{"delta", "what a row's weights gain together"}, KEY_EXPECTED},
        "Σ attended_grad·attended − logsumexp_grad", "bhq1",
        STAGE_BY_BLOCK_BACK, {STAGE_ATTENDED_GRAD, STAGE_CONTEXT, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_ROW_MAX},
    [STAGE_WEIGHTS_GRAD] = {{{"weights_grad", "gradient of the weights, each alone"}, KEY_EXPECTED},
        "attended_grad·vᵀ", "bhqk",
        STAGE_BY_BLOCK_BACK, {STAGE_ATTENDED_GRAD, STAGE_PRESENT_V, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_WEIGHTS},
    [STAGE_MASKED_GRAD] = {{{"masked_grad", "gradient of the masked scores, through the softmax"},
            KEY_EXPECTED},
        "weights · (weights_grad − delta)", "bhqk",
        STAGE_BY_BLOCK_BACK, {STAGE_WEIGHTS_GRAD, STAGE_WEIGHTS, STAGE_DELTA, STAGE_COUNT},
        has_gradients, NEEDS_GRADIENT, .of = STAGE_MASKED},
    [STAGE_BIAS_GRAD] = {{{"bias_grad", "gradient of the bias of the scores"}, KEY_EXPECTED},
        "masked_grad, summed over what bias was spread over", "",
        STAGE_BY_RULE, {STAGE_MASKED_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bias"},
    [STAGE_KEY_BIAS_GRAD] = {{{"key_bias_grad", "gradient of the numbers added by key"},
            KEY_EXPECTED},
        "Σᵢ masked_grad[i], of all batch entries", "",
        STAGE_BY_RULE, {STAGE_MASKED_GRAD, STAGE_COUNT}, has_gradients,
        .made_by = "key_bias, and a gradient to begin with", .of_setting = SETTING(key_bias)},
    [STAGE_RELATIVE_BIAS_GRAD] = {{{"relative_bias_grad",
            "gradient of the numbers added by distance"}, KEY_EXPECTED},
        "masked_grad, summed over all pairs of a bucket", "",
        STAGE_BY_RULE, {STAGE_MASKED_GRAD, STAGE_COUNT}, has_gradients,
        .made_by = "relative_bias, and a gradient to begin with",
        .of_setting = SETTING(relative)},
    [STAGE_SLOPES_GRAD] = {{{"slopes_grad", "gradient of ALiBi's slopes"}, KEY_EXPECTED},
        "−Σ masked_grad·distance", "",
        STAGE_BY_RULE, {STAGE_MASKED_GRAD, STAGE_COUNT}, has_gradients,
        .made_by = "slopes of alibi, and a gradient to begin with",
        .of_setting = SETTING(slopes)},
    [STAGE_SINKS_GRAD] = {{{"sinks_grad", "gradient of the sinks"}, KEY_EXPECTED},
        "−Σᵢ exp(sink − row_max) / row_sum · delta", "",
        STAGE_BY_RULE, {STAGE_DELTA, STAGE_ROW_MAX, STAGE_ROW_SUM, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "sinks"},
    [STAGE_CAPPED_GRAD] = {{{"capped_grad", "gradient of the capped scores"}, KEY_EXPECTED},
        "masked_grad", "bhqk",
        STAGE_BY_BLOCK_BACK, {STAGE_MASKED_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_CAPPED},
    [STAGE_SCALED_GRAD] = {{{"scaled_grad", "gradient of the scaled scores"}, KEY_EXPECTED},
        "masked_grad, with a cap times 1 − (capped / C)²", "bhqk",
        STAGE_BY_BLOCK_BACK, {STAGE_CAPPED_GRAD, STAGE_CAPPED, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_SCALED},
    [STAGE_SCORES_GRAD] = {{{"scores_grad", "gradient of the scores"}, KEY_EXPECTED},
        "scaled_grad · scale", "bhqk",
        STAGE_BY_BLOCK_BACK, {STAGE_SCALED_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_SCORES},
    [STAGE_Q_SCORE_GRAD] = {{{"q_score_grad", "gradient of the queries that are compared"},
            KEY_EXPECTED},
        "Σⱼ scores_grad · what k_score makes of it", "bhqc",
        STAGE_BY_RULE, {STAGE_SCORES_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_Q_SCORE},
    [STAGE_K_SCORE_GRAD] = {{{"k_score_grad", "gradient of the keys that are compared"},
            KEY_EXPECTED},
        "Σᵢ scores_grad · what q_score makes of it", "bhkc",
        STAGE_BY_RULE, {STAGE_SCORES_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_K_SCORE},
    [STAGE_WS_GRAD] = {{{"ws_grad", "gradient of the weights of the general score"}, KEY_EXPECTED},
        "qᵀ·q_score_grad", "",
        STAGE_BY_RULE, {STAGE_Q_SCORE_GRAD, STAGE_Q_ROPE, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "ws"},
    [STAGE_BS_GRAD] = {{{"bs_grad", "gradient of the bias of the general score"}, KEY_EXPECTED},
        "Σ scores_grad", "",
        STAGE_BY_RULE, {STAGE_SCORES_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bs"},
    [STAGE_WA_GRAD] = {{{"wa_grad", "gradient of the query's weights in the additive score"},
            KEY_EXPECTED},
        "qᵀ·q_score_grad", "",
        STAGE_BY_RULE, {STAGE_Q_SCORE_GRAD, STAGE_Q_ROPE, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "wa"},
    [STAGE_UA_GRAD] = {{{"ua_grad", "gradient of the key's weights in the additive score"},
            KEY_EXPECTED},
        "kᵀ·k_score_grad", "",
        STAGE_BY_RULE, {STAGE_K_SCORE_GRAD, STAGE_PRESENT_K, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "ua"},
    [STAGE_VA_GRAD] = {{{"va_grad", "gradient of the vector that sums the additive score"},
            KEY_EXPECTED},
        "Σ scores_grad·tanh(q·Wa + k·Ua + ba)", "",
        STAGE_BY_RULE, {STAGE_SCORES_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "va"},
    [STAGE_BA_GRAD] = {{{"ba_grad", "gradient of the bias inside the additive score"},
            KEY_EXPECTED},
        "Σ scores_grad·va·(1 − tanh²)", "",
        STAGE_BY_RULE, {STAGE_SCORES_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "ba"},
    [STAGE_PRESENT_K_GRAD] = {{{"present_k_grad", "gradient of cached and new keys"},
            KEY_EXPECTED},
        "scores_gradᵀ·q", "bkK",
        STAGE_BY_RULE, {STAGE_K_SCORE_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_PRESENT_K},
    [STAGE_PRESENT_V_GRAD] = {{{"present_v_grad", "gradient of cached and new values"},
            KEY_EXPECTED},
        "weightsᵀ·attended_grad", "bkV",
        STAGE_BY_RULE, {STAGE_ATTENDED_GRAD, STAGE_WEIGHTS, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_PRESENT_V},
    [STAGE_PAST_K_GRAD] = {{{"past_k_grad", "gradient of a cache's keys"}, KEY_EXPECTED},
        "the first rows of present_k_grad", "",
        STAGE_BY_RULE, {STAGE_PRESENT_K_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "past_k"},
    [STAGE_PAST_V_GRAD] = {{{"past_v_grad", "gradient of a cache's values"}, KEY_EXPECTED},
        "the first rows of present_v_grad", "",
        STAGE_BY_RULE, {STAGE_PRESENT_V_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "past_v"},
    [STAGE_Q_ROPE_GRAD] = {{{"q_rope_grad", "gradient of the turned queries"}, KEY_EXPECTED},
        "scores_grad·k", "bqQ",
        STAGE_BY_RULE, {STAGE_Q_SCORE_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_Q_ROPE},
    [STAGE_K_ROPE_GRAD] = {{{"k_rope_grad", "gradient of the turned keys"}, KEY_EXPECTED},
        "scores_gradᵀ·q", "bkK",
        STAGE_BY_RULE, {STAGE_PRESENT_K_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_K_ROPE},
    [STAGE_Q_NORM_GRAD] = {{{"q_norm_grad", "gradient of the normalized queries"}, KEY_EXPECTED},
        "scores_grad·k, turned back", "bqQ",
        STAGE_BY_RULE, {STAGE_Q_ROPE_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_Q_NORM},
    [STAGE_K_NORM_GRAD] = {{{"k_norm_grad", "gradient of the normalized keys"}, KEY_EXPECTED},
        "scores_gradᵀ·q, turned back", "bkK",
        STAGE_BY_RULE, {STAGE_K_ROPE_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_K_NORM},
    [STAGE_Q_GAIN_GRAD] = {{{"q_gain_grad", "gradient of the factors of normalized queries"},
            KEY_EXPECTED},
        "Σᵢ q_norm_grad · q / its root mean square", "",
        STAGE_BY_RULE, {STAGE_Q_NORM_GRAD, STAGE_Q, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "q_gain"},
    [STAGE_K_GAIN_GRAD] = {{{"k_gain_grad", "gradient of the factors of normalized keys"},
            KEY_EXPECTED},
        "Σⱼ k_norm_grad · k / its root mean square", "",
        STAGE_BY_RULE, {STAGE_K_NORM_GRAD, STAGE_K, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "k_gain"},
    [STAGE_Q_GRAD] = {{{"q_grad", "gradient of the queries"}, KEY_EXPECTED},
        "scores_grad·k, through the forms after q", "bqQ",
        STAGE_BY_RULE, {STAGE_Q_NORM_GRAD, STAGE_Q, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_Q},
    [STAGE_K_GRAD] = {{{"k_grad", "gradient of the keys"}, KEY_EXPECTED},
        "scores_gradᵀ·q, through the forms after k", "bkK",
        STAGE_BY_RULE, {STAGE_K_NORM_GRAD, STAGE_K, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_K},
    [STAGE_V_GRAD] = {{{"v_grad", "gradient of the values"}, KEY_EXPECTED},
        "weightsᵀ·attended_grad", "bkV",
        STAGE_BY_RULE, {STAGE_PRESENT_V_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_V},
    [STAGE_Q_SUM_GRAD] = {{{"q_sum_grad", "gradient of the queries before they are clipped"},
            KEY_EXPECTED},
        "q_grad where −C ≤ q_sum ≤ C, else 0", "bqQ",
        STAGE_BY_RULE, {STAGE_Q_GRAD, STAGE_Q_SUM, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_Q_SUM},
    [STAGE_K_SUM_GRAD] = {{{"k_sum_grad", "gradient of the keys before they are clipped"},
            KEY_EXPECTED},
        "k_grad where −C ≤ k_sum ≤ C, else 0", "bkK",
        STAGE_BY_RULE, {STAGE_K_GRAD, STAGE_K_SUM, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_K_SUM},
    [STAGE_V_SUM_GRAD] = {{{"v_sum_grad", "gradient of the values before they are clipped"},
            KEY_EXPECTED},
        "v_grad where −C ≤ v_sum ≤ C, else 0", "bkV",
        STAGE_BY_RULE, {STAGE_V_GRAD, STAGE_V_SUM, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_V_SUM},
    [STAGE_BIAS_K_GRAD] = {{{"bias_k_grad", "gradient of the learned row after the keys"},
            KEY_EXPECTED},
        "its row of k_grad", "",
        STAGE_BY_RULE, {STAGE_K_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bias_k"},
    [STAGE_BIAS_V_GRAD] = {{{"bias_v_grad", "gradient of the learned row after the values"},
            KEY_EXPECTED},
        "its row of v_grad", "",
        STAGE_BY_RULE, {STAGE_V_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bias_v"},
    [STAGE_WQ_GRAD] = {{{"wq_grad", "gradient of the weights of the queries"}, KEY_EXPECTED},
        "xᵀ·q_grad", "",
        STAGE_BY_RULE, {STAGE_Q_SUM_GRAD, STAGE_Q_LATENT_NORM, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "wq"},
    [STAGE_WK_GRAD] = {{{"wk_grad", "gradient of the weights of the keys"}, KEY_EXPECTED},
        "xkᵀ·k_grad", "",
        STAGE_BY_RULE, {STAGE_K_SUM_GRAD, STAGE_KV_LATENT_NORM, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "wk"},
    [STAGE_WV_GRAD] = {{{"wv_grad", "gradient of the weights of the values"}, KEY_EXPECTED},
        "xvᵀ·v_grad", "",
        STAGE_BY_RULE, {STAGE_V_SUM_GRAD, STAGE_KV_LATENT_NORM, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "wv"},
    [STAGE_BQ_GRAD] = {{{"bq_grad", "gradient of the bias of the queries"}, KEY_EXPECTED},
        "Σᵢ q_grad[i]", "",
        STAGE_BY_RULE, {STAGE_Q_SUM_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bq"},
    [STAGE_BK_GRAD] = {{{"bk_grad", "gradient of the bias of the keys"}, KEY_EXPECTED},
        "Σᵢ k_grad[i]", "",
        STAGE_BY_RULE, {STAGE_K_SUM_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bk"},
    [STAGE_BV_GRAD] = {{{"bv_grad", "gradient of the bias of the values"}, KEY_EXPECTED},
        "Σᵢ v_grad[i]", "",
        STAGE_BY_RULE, {STAGE_V_SUM_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bv"},
    [STAGE_Q_LATENT_NORM_GRAD] = {{{"q_latent_norm_grad",
            "gradient of the queries' normalized latent"}, KEY_EXPECTED},
        "q_grad·Wqᵀ", "bqr",
        STAGE_BY_RULE, {STAGE_Q_SUM_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_Q_LATENT_NORM},
    [STAGE_Q_LATENT_GAIN_GRAD] = {{{"q_latent_gain_grad",
            "gradient of the factors of queries' latent"}, KEY_EXPECTED},
        "Σᵢ q_latent_norm_grad · q_latent / its root mean square", "",
        STAGE_BY_RULE, {STAGE_Q_LATENT_NORM_GRAD, STAGE_Q_LATENT, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "q_latent_gain"},
    [STAGE_Q_LATENT_GRAD] = {{{"q_latent_grad", "gradient of the queries' latent"}, KEY_EXPECTED},
        "q_grad·Wqᵀ, through the norm", "bqr",
        STAGE_BY_RULE, {STAGE_Q_LATENT_NORM_GRAD, STAGE_Q_LATENT, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_Q_LATENT},
    [STAGE_WQ_DOWN_GRAD] = {{{"wq_down_grad", "gradient of the weights of queries' latent"},
            KEY_EXPECTED},
        "xᵀ·q_latent_grad", "",
        STAGE_BY_RULE, {STAGE_Q_LATENT_GRAD, STAGE_X_POS, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "wq_down"},
    [STAGE_BQ_DOWN_GRAD] = {{{"bq_down_grad", "gradient of the bias of queries' latent"},
            KEY_EXPECTED},
        "Σᵢ q_latent_grad[i]", "",
        STAGE_BY_RULE, {STAGE_Q_LATENT_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bq_down"},
    [STAGE_KV_LATENT_NORM_GRAD] = {{{"kv_latent_norm_grad",
            "gradient of the normalized latent of keys and values"}, KEY_EXPECTED},
        "k_grad·Wkᵀ + v_grad·Wvᵀ", "bkR",
        STAGE_BY_RULE, {STAGE_K_SUM_GRAD, STAGE_V_SUM_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of = STAGE_KV_LATENT_NORM},
    [STAGE_KV_LATENT_GAIN_GRAD] = {{{"kv_latent_gain_grad",
            "gradient of the factors of their latent"}, KEY_EXPECTED},
        "Σⱼ kv_latent_norm_grad · kv_latent / its root mean square", "",
        STAGE_BY_RULE, {STAGE_KV_LATENT_NORM_GRAD, STAGE_KV_LATENT, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "kv_latent_gain"},
    [STAGE_KV_LATENT_GRAD] = {{{"kv_latent_grad", "gradient of the latent of keys and values"},
            KEY_EXPECTED},
        "k_grad·Wkᵀ + v_grad·Wvᵀ, through the norm; what keys share, of all heads", "bkS",
        STAGE_BY_RULE,
        {STAGE_KV_LATENT_NORM_GRAD, STAGE_K_SUM_GRAD, STAGE_V_SUM_GRAD, STAGE_KV_LATENT,
         STAGE_COUNT},
        has_gradients,
        NEEDS_GRADIENT, .of = STAGE_KV_LATENT},
    [STAGE_WKV_DOWN_GRAD] = {{{"wkv_down_grad", "gradient of the weights of their latent"},
            KEY_EXPECTED},
        "xkᵀ·kv_latent_grad", "",
        STAGE_BY_RULE, {STAGE_KV_LATENT_GRAD, STAGE_X_POS, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "wkv_down"},
    [STAGE_BKV_DOWN_GRAD] = {{{"bkv_down_grad", "gradient of the bias of their latent"},
            KEY_EXPECTED},
        "Σⱼ kv_latent_grad[j]", "",
        STAGE_BY_RULE, {STAGE_KV_LATENT_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "bkv_down"},
    [STAGE_X_GRAD] = {{{"x_grad", "gradient of the input rows"}, KEY_EXPECTED},
        "q_grad·Wqᵀ + k_grad·Wkᵀ + v_grad·Wvᵀ, of those made of x", "",
        STAGE_BY_RULE, {STAGE_Q_LATENT_GRAD, STAGE_KV_LATENT_GRAD, STAGE_V_SUM_GRAD, STAGE_COUNT},
        has_gradients,
        NEEDS_GRADIENT, .of_input = "x"},
    [STAGE_XK_GRAD] = {{{"xk_grad", "gradient of the input rows of the keys"}, KEY_EXPECTED},
        "k_grad·Wkᵀ + v_grad·Wvᵀ, of those made of xk", "",
        STAGE_BY_RULE, {STAGE_KV_LATENT_GRAD, STAGE_V_SUM_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "xk"},
    [STAGE_XV_GRAD] = {{{"xv_grad", "gradient of the input rows of the values"}, KEY_EXPECTED},
        "v_grad·Wvᵀ", "",
        STAGE_BY_RULE, {STAGE_V_SUM_GRAD, STAGE_COUNT}, has_gradients,
        NEEDS_GRADIENT, .of_input = "xv"},
};
/* clang-format on */

/* ---- names that others give to stages ---- */

/* Of the first few it is not sure: a result's "attention" may be its output. */
enum { UNSURE_SYNONYMS = 5 };

static const synonym SYNONYMS[] = {
    {"attention", "weights"},
    {"probabilities", "weights"},
    {"softmax", "weights"},
    {"out", "output"},
    {"o", "output"},
    /* as kernels call them */
    {"lse", "logsumexp"},
    {"softmax_lse", "logsumexp"},
    {"dout", "output_grad"},
    {"do", "output_grad"},
    {"softmax_d", "delta"},
    {"dpsum", "delta"},
    {"dq", "q_grad"},
    {"dk", "k_grad"},
    {"dv", "v_grad"},
    {"dx", "x_grad"},
    {"dbias", "bias_grad"},
    {"dsink", "sinks_grad"},
    {"dsinks", "sinks_grad"},
    {NULL, NULL},
};

/* How else a gradient is said to be one. */
static const struct {
    const char *before, *after;
} GRADIENTS[] = {{"grad.", ""}, {"grad_", ""}, {"", ".grad"}};

const named_table STAGES = NAMED_TABLE_ALSO("stage", ROWS_OF_STAGES, SYNONYMS);

static const named_table AS_KERNELS_SAY =
    NAMED_TABLE_ALSO("stage", ROWS_OF_STAGES, SYNONYMS + UNSURE_SYNONYMS);

/* Of a stage or an input; '-', '_' and capitals make no difference. */
static const named *gradient_of(const char *name, size_t length)
{
    const named *called = named_by_synonym(&STAGES, name, length);
    text wanted = {0};
    const named *found = NULL;
    if (called != NULL)
        text_add_format(&wanted, "%s_grad", called->name);
    else
        text_add_format(&wanted, "%.*s_grad", (int)length, name);
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT && found == NULL; id++) {
        const named *row = &ROWS_OF_STAGES[id].key.named;
        if (spelling_distance(text_string(&wanted), wanted.length, row->name, strlen(row->name)) ==
            0)
            found = row;
    }
    text_free(&wanted);
    return found;
}

const named *stage_called(const char *name)
{
    const size_t length = strlen(name);
    const named *found = named_find(&STAGES, name, length);
    if (found == NULL)
        found = named_by_synonym(&AS_KERNELS_SAY, name, length);
    for (size_t i = 0; found == NULL && i < sizeof GRADIENTS / sizeof GRADIENTS[0]; i++) {
        size_t before = strlen(GRADIENTS[i].before), after = strlen(GRADIENTS[i].after);
        if (length > before + after && strncmp(name, GRADIENTS[i].before, before) == 0 &&
            strcmp(name + length - after, GRADIENTS[i].after) == 0)
            found = gradient_of(name + before, length - before - after);
    }
    return found;
}

stage_id stage_of(const named *row)
{
    return (stage_id)((const stage *)(const void *)row - ROWS_OF_STAGES);
}

const char *stage_axes_of(const char *name)
{
    static const char *const WAYS[] = {".attention.", ".cross."};
    const char *last = strrchr(name, '.'), *own = last == NULL ? name : NULL;
    for (size_t i = 0; own == NULL && i < sizeof WAYS / sizeof WAYS[0]; i++) {
        size_t length = strlen(WAYS[i]), before = (size_t)(last + 1 - name);
        if (before > length && memcmp(last + 1 - length, WAYS[i], length) == 0)
            own = last + 1;
    }
    /* What made it does not attend. */
    if (own == NULL)
        return "";
    const named *row = named_find(&STAGES, own, strlen(own));
    if (row != NULL)
        return stage_row(stage_of(row))->axes;
    /* A layer's mean over the heads is not a stage of one attention. */
    return own != name ? "bqk" : "";
}
