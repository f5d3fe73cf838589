#include "attn/spec/stage.h"

#include "attn/spec/problem.h"

#include <assert.h>
#include <string.h>

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

/* ---- the rows ---- */

/* clang-format off */
static const stage ROWS[STAGE_COUNT] = {
    [STAGE_X] = {{{"x", "input rows, one a token"}, KEY_EXPECTED},
        "x", "bqm",
        STAGE_IS_ROWS, {STAGE_COUNT}, has_x,
        "an x that queries are projected from"},
    [STAGE_XK] = {{{"xk", "input rows of the keys"}, KEY_EXPECTED},
        "xk, by default x", "bkM",
        STAGE_IS_ROWS, {STAGE_COUNT}, has_xk,
        "an x or xk that keys are projected from"},
    [STAGE_XV] = {{{"xv", "input rows of the values"}, KEY_EXPECTED},
        "xv, by default xk", "bkN",
        STAGE_IS_ROWS, {STAGE_COUNT}, has_xv,
        "an x, xk or xv that values are projected from"},
    [STAGE_X_POS] = {{{"x_pos", "input rows with their positions added"}, KEY_EXPECTED},
        "x + PE", "bqm",
        STAGE_IS_ROWS, {STAGE_X, STAGE_COUNT}, has_positions,
        "the option --positions"},
    [STAGE_Q] = {{{"q", "queries, heads side by side"}, KEY_EXPECTED},
        "x·Wq + bq", "bqQ",
        STAGE_BY_PROJECTION, {STAGE_X_POS, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_K] = {{{"k", "keys, heads side by side"}, KEY_EXPECTED},
        "xk·Wk + bk", "bkK",
        STAGE_BY_PROJECTION, {STAGE_XK, STAGE_X_POS, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_V] = {{{"v", "values, heads side by side"}, KEY_EXPECTED},
        "xv·Wv + bv", "bkV",
        STAGE_BY_PROJECTION, {STAGE_XV, STAGE_X_POS, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_Q_NORM] = {{{"q_norm", "queries divided by their root mean square"}, KEY_EXPECTED},
        "q / √(mean(q²) + qk_eps) · q_gain", "bqQ",
        STAGE_BY_PROJECTION, {STAGE_Q, STAGE_COUNT}, has_norm,
        "the option --qk-norm"},
    [STAGE_K_NORM] = {{{"k_norm", "keys divided by their root mean square"}, KEY_EXPECTED},
        "k / √(mean(k²) + qk_eps) · k_gain", "bkK",
        STAGE_BY_PROJECTION, {STAGE_K, STAGE_COUNT}, has_norm,
        "the option --qk-norm"},
    [STAGE_Q_ROPE] = {{{"q_rope", "queries turned by their positions"}, KEY_EXPECTED},
        "q turned by position · base^(−2p/width)", "bqQ",
        STAGE_BY_PROJECTION, {STAGE_Q_NORM, STAGE_COUNT}, has_rope,
        "the option --rope"},
    [STAGE_K_ROPE] = {{{"k_rope", "keys turned by their positions"}, KEY_EXPECTED},
        "k turned by position · base^(−2p/width)", "bkK",
        STAGE_BY_PROJECTION, {STAGE_K_NORM, STAGE_COUNT}, has_rope,
        "the option --rope"},
    [STAGE_PRESENT_K] = {{{"present_k", "keys of the cache, the new ones after"}, KEY_EXPECTED},
        "past_k, then k", "bkK",
        STAGE_BY_PROJECTION, {STAGE_K_ROPE, STAGE_COUNT}, has_past,
        "a cache, past_k and past_v"},
    [STAGE_PRESENT_V] = {{{"present_v", "values of the cache, the new ones after"}, KEY_EXPECTED},
        "past_v, then v", "bkV",
        STAGE_BY_PROJECTION, {STAGE_V, STAGE_COUNT}, has_past,
        "a cache, past_k and past_v"},
    [STAGE_Q_SCORE] = {{{"q_score", "queries as the score function compares them"}, KEY_EXPECTED},
        "q·Ws or q·Wa", "bhqc",
        STAGE_BY_PROJECTION, {STAGE_Q_ROPE, STAGE_COUNT}, transforms_queries,
        "a score function with ws or wa"},
    [STAGE_K_SCORE] = {{{"k_score", "keys as the score function compares them"}, KEY_EXPECTED},
        "k·Ua", "bhkc",
        STAGE_BY_PROJECTION, {STAGE_PRESENT_K, STAGE_COUNT}, transforms_keys,
        "a score function with ua"},
    [STAGE_SCORES] = {{{"scores", "score of each query with each key"}, KEY_EXPECTED},
        "q·kᵀ", "bhqk",
        STAGE_BY_BLOCK, {STAGE_Q_SCORE, STAGE_K_SCORE, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_SCALED] = {{{"scaled", "scores times the scale"}, KEY_EXPECTED},
        "scores · scale", "bhqk",
        STAGE_BY_BLOCK, {STAGE_SCORES, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_CAPPED] = {{{"capped", "scaled scores, softly kept between −C and C"}, KEY_EXPECTED},
        "C·tanh(scaled / C)", "bhqk",
        STAGE_BY_BLOCK, {STAGE_SCALED, STAGE_COUNT}, has_cap,
        "the option --softcap"},
    [STAGE_MASKED] = {{{"masked", "scaled + bias, −inf where attending is not allowed"},
            KEY_EXPECTED},
        "scaled + bias, or −inf", "bhqk",
        STAGE_BY_BLOCK, {STAGE_CAPPED, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_ROW_MAX] = {{{"row_max", "greatest masked score of each row"}, KEY_EXPECTED},
        "maxⱼ masked", "bhq1",
        STAGE_BY_BLOCK, {STAGE_MASKED, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_EXP] = {{{"exp", "exponential of each masked score less the row's greatest"},
            KEY_EXPECTED},
        "exp(masked − row_max)", "bhqk",
        STAGE_BY_BLOCK, {STAGE_MASKED, STAGE_ROW_MAX, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_ROW_SUM] = {{{"row_sum", "sum of each row's exponentials"}, KEY_EXPECTED},
        "Σⱼ exp", "bhq1",
        STAGE_BY_BLOCK, {STAGE_EXP, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_WEIGHTS] = {{{"weights", "softmax over the keys"}, KEY_EXPECTED},
        "exp / row_sum", "bhqk",
        STAGE_BY_BLOCK, {STAGE_EXP, STAGE_ROW_SUM, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_LOGSUMEXP] = {{{"logsumexp", "logarithm of the sum of each row's exponentials"},
            KEY_EXPECTED},
        "row_max + ln row_sum", "bhq1",
        STAGE_BY_BLOCK, {STAGE_ROW_MAX, STAGE_ROW_SUM, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_ENTROPY] = {{{"entropy", "how widely each row's weights are spread, in nats"},
            KEY_EXPECTED},
        "−Σⱼ weights·ln weights", "bhq1",
        STAGE_BY_BLOCK, {STAGE_WEIGHTS, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_TOP] = {{{"top", "each row's strongest keys, from 0; -1: no more"}, KEY_EXPECTED},
        "the keys of the greatest weights", "bhqt",
        STAGE_BY_BLOCK, {STAGE_WEIGHTS, STAGE_COUNT}, has_top,
        "the option --top"},
    [STAGE_ROUNDED] = {{{"rounded", "weights rounded by hand"}, KEY_EXPECTED},
        "round(weights)", "bhqk",
        STAGE_BY_BLOCK, {STAGE_WEIGHTS, STAGE_COUNT}, has_rounding,
        "the option --round"},
    [STAGE_WEIGHTED] = {{{"weighted", "each value times its weight, query by query"}, KEY_EXPECTED},
        "weights[i,j] · v[j]", "bhqke",
        STAGE_BY_BLOCK, {STAGE_ROUNDED, STAGE_PRESENT_V, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_ATTENDED] = {{{"attended", "weighted sum of the values, each head's result"},
            KEY_EXPECTED},
        "Σⱼ weights[i,j] · v[j]", "bhqe",
        STAGE_BY_BLOCK, {STAGE_ROUNDED, STAGE_PRESENT_V, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_CONTEXT] = {{{"context", "the heads' results side by side"}, KEY_EXPECTED},
        "concat(attended)", "bqC",
        STAGE_BY_BLOCK, {STAGE_ATTENDED, STAGE_COUNT}, NULL,
        NULL},
    [STAGE_OUTPUT] = {{{"output", "context·Wo + bo, without Wo the context"}, KEY_EXPECTED},
        "context·Wo + bo", "bqO",
        STAGE_BY_RULE, {STAGE_CONTEXT, STAGE_COUNT}, NULL,
        NULL},
};
/* clang-format on */

static const synonym SYNONYMS[] = {
    {"attention", "weights"},
    {"probabilities", "weights"},
    {"softmax", "weights"},
    {NULL, NULL},
};

const named_table STAGES = NAMED_TABLE_ALSO("stage", ROWS, SYNONYMS);

const stage *stage_row(stage_id id)
{
    assert(id < STAGE_COUNT);
    return &ROWS[id];
}

stage_id stage_of(const named *row)
{
    return (stage_id)((const stage *)(const void *)row - ROWS);
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
