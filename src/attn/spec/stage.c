#include "attn/spec/stage.h"

#include <assert.h>
#include <string.h>

/* clang-format off */
static const stage ROWS[STAGE_COUNT] = {
    [STAGE_X] = {{{"x", "input rows, one a token"},
        KEY_EXPECTED}, "x", "bqm", "an x that queries are projected from"},
    [STAGE_XK] = {{{"xk", "input rows of the keys"},
        KEY_EXPECTED}, "xk, by default x", "bkM", "an x or xk that keys are projected from"},
    [STAGE_XV] = {{{"xv", "input rows of the values"},
        KEY_EXPECTED}, "xv, by default xk", "bkN", "an x, xk or xv that values are projected from"},
    [STAGE_X_POS] = {{{"x_pos", "input rows with their positions added"},
        KEY_EXPECTED}, "x + PE", "bqm", "the option --positions"},
    [STAGE_Q] = {{{"q", "queries, heads side by side"}, KEY_EXPECTED}, "x·Wq + bq", "bqQ", NULL},
    [STAGE_K] = {{{"k", "keys, heads side by side"}, KEY_EXPECTED}, "xk·Wk + bk", "bkK", NULL},
    [STAGE_V] = {{{"v", "values, heads side by side"}, KEY_EXPECTED}, "xv·Wv + bv", "bkV", NULL},
    [STAGE_Q_NORM] = {{{"q_norm", "queries divided by their root mean square"},
        KEY_EXPECTED}, "q / √(mean(q²) + qk_eps) · q_gain", "bqQ", "the option --qk-norm"},
    [STAGE_K_NORM] = {{{"k_norm", "keys divided by their root mean square"},
        KEY_EXPECTED}, "k / √(mean(k²) + qk_eps) · k_gain", "bkK", "the option --qk-norm"},
    [STAGE_Q_ROPE] = {{{"q_rope", "queries turned by their positions"},
        KEY_EXPECTED}, "q turned by position · base^(−2p/width)", "bqQ", "the option --rope"},
    [STAGE_K_ROPE] = {{{"k_rope", "keys turned by their positions"},
        KEY_EXPECTED}, "k turned by position · base^(−2p/width)", "bkK", "the option --rope"},
    [STAGE_PRESENT_K] = {{{"present_k", "keys of the cache, the new ones after"},
        KEY_EXPECTED}, "past_k, then k", "bkK", "a cache, past_k and past_v"},
    [STAGE_PRESENT_V] = {{{"present_v", "values of the cache, the new ones after"},
        KEY_EXPECTED}, "past_v, then v", "bkV", "a cache, past_k and past_v"},
    [STAGE_Q_SCORE] = {{{"q_score", "queries as the score function compares them"},
        KEY_EXPECTED}, "q·Ws or q·Wa", "bhqc", "a score function with ws or wa"},
    [STAGE_K_SCORE] = {{{"k_score", "keys as the score function compares them"},
        KEY_EXPECTED}, "k·Ua", "bhkc", "a score function with ua"},
    [STAGE_SCORES] = {{{"scores", "score of each query with each key"},
        KEY_EXPECTED}, "q·kᵀ", "bhqk", NULL},
    [STAGE_SCALED] = {{{"scaled", "scores times the scale"},
        KEY_EXPECTED}, "scores · scale", "bhqk", NULL},
    [STAGE_CAPPED] = {{{"capped", "scaled scores, softly kept between −C and C"},
        KEY_EXPECTED}, "C·tanh(scaled / C)", "bhqk", "the option --softcap"},
    [STAGE_MASKED] = {{{"masked", "scaled + bias, −inf where attending is not allowed"},
        KEY_EXPECTED}, "scaled + bias, or −inf", "bhqk", NULL},
    [STAGE_ROW_MAX] = {{{"row_max", "greatest masked score of each row"},
        KEY_EXPECTED}, "maxⱼ masked", "bhq1", NULL},
    [STAGE_EXP] = {{{"exp", "exponential of each masked score less the row's greatest"},
        KEY_EXPECTED}, "exp(masked − row_max)", "bhqk", NULL},
    [STAGE_ROW_SUM] = {{{"row_sum", "sum of each row's exponentials"},
        KEY_EXPECTED}, "Σⱼ exp", "bhq1", NULL},
    [STAGE_WEIGHTS] = {{{"weights", "softmax over the keys"},
        KEY_EXPECTED}, "exp / row_sum", "bhqk", NULL},
    [STAGE_LOGSUMEXP] = {{{"logsumexp", "logarithm of the sum of each row's exponentials"},
        KEY_EXPECTED}, "row_max + ln row_sum", "bhq1", NULL},
    [STAGE_ENTROPY] = {{{"entropy", "how widely each row's weights are spread, in nats"},
        KEY_EXPECTED}, "−Σⱼ weights·ln weights", "bhq1", NULL},
    [STAGE_TOP] = {{{"top", "each row's strongest keys, from 0; -1: no more"},
        KEY_EXPECTED}, "the keys of the greatest weights", "bhqt", "the option --top"},
    [STAGE_ROUNDED] = {{{"rounded", "weights rounded by hand"},
        KEY_EXPECTED}, "round(weights)", "bhqk", "the option --round"},
    [STAGE_WEIGHTED] = {{{"weighted", "each value times its weight, query by query"},
        KEY_EXPECTED}, "weights[i,j] · v[j]", "bhqke", NULL},
    [STAGE_ATTENDED] = {{{"attended", "weighted sum of the values, each head's result"},
        KEY_EXPECTED}, "Σⱼ weights[i,j] · v[j]", "bhqe", NULL},
    [STAGE_CONTEXT] = {{{"context", "the heads' results side by side"},
        KEY_EXPECTED}, "concat(attended)", "bqC", NULL},
    [STAGE_OUTPUT] = {{{"output", "context·Wo + bo, without Wo the context"},
        KEY_EXPECTED}, "context·Wo + bo", "bqO", NULL},
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
