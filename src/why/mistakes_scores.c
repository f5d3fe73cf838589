/* Mistakes in what becomes of scores: the scale, the linear bias and the soft cap; in what is added
 * to the keys; and in rotary positions: other pairs, another base, or rows that stand elsewhere. */
#include "why/mistake.h"

#include "why/attempt.h"

#include <math.h>

/* ---- the scale ---- */

enum {
    SCALE_AS_NONE,
    SCALE_AS_SQUARED,
    SCALE_AS_EMBED,
    SCALE_AS_HEAD,
    SCALE_AS_WIDTH,
    SCALE_AS_VALUES,
    SCALE_AS_KEYS,
    SCALE_AS_KEYS_WHOLE,
    SCALE_AS_INVERSE,
    SCALE_AS_ROOT,
};

static bool scale(attempt *a)
{
    const plan *right = &a->right->plan;
    double d_k = (double)right->k.width, keys = (double)plan_own_keys(right);
    size_t m = right->q.rows.data == NULL ? 0 : right->q.rows.size[2];
    /* What the scores are multiplied by; 0 where that is not known. */
    const double as[] = {
        [SCALE_AS_NONE] = 1,
        [SCALE_AS_SQUARED] = right->scale * right->scale,
        [SCALE_AS_EMBED] = m == 0 ? 0 : 1 / sqrt((double)m),
        [SCALE_AS_HEAD] = 1 / sqrt(d_k),
        [SCALE_AS_WIDTH] = 1 / sqrt((double)right->heads * d_k),
        [SCALE_AS_VALUES] = 1 / sqrt((double)right->v.width),
        [SCALE_AS_KEYS] = 1 / sqrt(keys),
        [SCALE_AS_KEYS_WHOLE] = 1 / keys,
        [SCALE_AS_INVERSE] = right->scale == 0 ? 0 : 1 / right->scale,
        [SCALE_AS_ROOT] = right->scale > 0 ? sqrt(right->scale) : 0,
    };
    a->problem.scale_kind = SCALE_NUMBER;
    a->problem.scale_number = as[a->row->with];
    return a->problem.scale_number != 0;
}

static bool scale_weights(attempt *a)
{
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0};
    do
        tensor_set(&weights, at, tensor_get(&weights, at) * a->right->plan.scale);
    while (tensor_next(&weights, at));
    return true;
}

/* clang-format off */
static const mistake SCALE_ROWS[] = {
    {{"scale-missing", "scores are not scaled"}, AT(ASKED, scale, SCALE_AS_NONE)},
    {{"scale-squared", "the scale is squared: d_k for its root"},
     AT(ASKED, scale, SCALE_AS_SQUARED)},
    {{"scale-head", "scores are divided by the root of d_k"}, AT(ASKED, scale, SCALE_AS_HEAD)},
    {{"scale-embed", "scores are divided by the root of the embedding size"},
     AT(ASKED, scale, SCALE_AS_EMBED)},
    {{"scale-width", "scores are divided by the root of all heads' width"},
     AT(ASKED, scale, SCALE_AS_WIDTH)},
    {{"scale-values", "scores are divided by the root of the width of a value"},
     AT(ASKED, scale, SCALE_AS_VALUES)},
    {{"scale-keys", "scores are divided by the root of the number of keys"},
     AT(ASKED, scale, SCALE_AS_KEYS)},
    {{"scale-count", "scores are divided by the number of keys"},
     AT(ASKED, scale, SCALE_AS_KEYS_WHOLE)},
    {{"scale-inverse", "scores are multiplied where they should be divided"},
     AT(ASKED, scale, SCALE_AS_INVERSE)},
    {{"scale-root", "the root of the scale is taken once more"}, AT(ASKED, scale, SCALE_AS_ROOT)},
    {{"scale-after-softmax", "the weights are scaled, not the scores"},
     .at[POINT_ASKED] = scale, .at[POINT_WEIGHTS] = scale_weights, .with = SCALE_AS_NONE},
};
/* clang-format on */

const named_table SCALE_MISTAKES = NAMED_TABLE("mistake", SCALE_ROWS);

/* ---- the soft cap and the linear bias ---- */

enum { CAP_BEFORE_SCALE, CAP_UNDIVIDED, CAP_UNMULTIPLIED, CAP_CUT_OFF, CAP_MASKED };
enum { SLOPE_ADDED, SLOPE_SCALED, SLOPE_EARLY, SLOPE_FIRST };

/* What was added to the capped score is added to the other; or is capped with it: tanh(−∞) is −1,
 * and hidden keys get −C. */
static bool cap(attempt *a)
{
    double cap = a->problem.softcap, scale = a->plan.scale;
    bool is_masked = a->row->with == CAP_MASKED;
    size_t at[4] = {0};
    if (cap == 0)
        return false;
    tensor scaled = attempt_stage(a, STAGE_SCALED), capped = attempt_stage(a, STAGE_CAPPED),
           masked = attempt_stage(a, STAGE_MASKED);
    do {
        double x = tensor_get(&scaled, at), right = tensor_get(&capped, at),
               added = tensor_get(&masked, at) - right;
        const double as[] = {
            [CAP_BEFORE_SCALE] = scale * cap * tanh(x / scale / cap),
            [CAP_UNDIVIDED] = cap * tanh(x),
            [CAP_UNMULTIPLIED] = tanh(x / cap),
            [CAP_CUT_OFF] = fmax(-cap, fmin(x, cap)),
            [CAP_MASKED] = cap * tanh((x + added) / cap),
        };
        double wrong = as[a->row->with];
        tensor_set(&masked, at, is_masked ? wrong : tensor_get(&masked, at) + (wrong - right));
        if (!is_masked)
            tensor_set(&capped, at, wrong);
    } while (tensor_next(&capped, at));
    return true;
}

static bool slopes(attempt *a)
{
    const plan *right = &a->right->plan;
    size_t heads = right->heads;
    /* A bias before the scale lies before the cap, and a step of the published slopes is one where
     * the heads are a power of two. */
    bool is_even_step = a->problem.slopes == NULL && (heads & (heads - 1)) == 0;
    if (!a->problem.has_alibi || (a->row->with == SLOPE_SCALED && a->problem.softcap != 0) ||
        (a->row->with == SLOPE_EARLY && !is_even_step))
        return false;
    tensor *slopes = attempt_matrix(a, DTYPE_F64, 1, &right->heads);
    for (size_t head = 0, first = 0; slopes != NULL && head < heads; head++) {
        double own = tensor_get(&right->slopes, &head);
        const double as[] = {
            [SLOPE_ADDED] = -own,
            [SLOPE_SCALED] = own * right->scale,
            [SLOPE_EARLY] = own * exp2(8 / (double)heads),
            [SLOPE_FIRST] = tensor_get(&right->slopes, &first),
        };
        tensor_set(slopes, &head, as[a->row->with]);
    }
    a->problem.slopes = slopes;
    return slopes != NULL;
}

/* clang-format off */
static const mistake BEND_ROWS[] = {
    {{"alibi-missing", "the linear position bias is left out"},
     AT(ASKED, blunder_forget, FORGET_ALIBI)},
    {{"alibi-added", "the linear position bias is added, not taken off"},
     AT(ASKED, slopes, SLOPE_ADDED)},
    {{"alibi-scaled", "the linear position bias is scaled as scores are"},
     AT(ASKED, slopes, SLOPE_SCALED)},
    {{"alibi-early", "the linear bias begins a step early: a first slope of 1"},
     AT(ASKED, slopes, SLOPE_EARLY)},
    {{"alibi-one", "all heads have the first head's linear position bias"},
     AT(ASKED, slopes, SLOPE_FIRST)},
    {{"softcap-missing", "scores are not capped"}, AT(ASKED, blunder_forget, FORGET_SOFTCAP)},
    {{"softcap-after-mask", "scores are capped when they are masked: -C, not -inf"},
     AT(MASKED, cap, CAP_MASKED)},
    {{"softcap-before-scale", "scores are capped before they are scaled"},
     AT(MASKED, cap, CAP_BEFORE_SCALE)},
    {{"softcap-undivided", "the cap is C·tanh(scaled), not C·tanh(scaled / C)"},
     AT(MASKED, cap, CAP_UNDIVIDED)},
    {{"softcap-unmultiplied", "the cap is tanh(scaled / C), not C·tanh(scaled / C)"},
     AT(MASKED, cap, CAP_UNMULTIPLIED)},
    {{"softcap-cut", "scores are cut off at the cap, not bent towards it"},
     AT(MASKED, cap, CAP_CUT_OFF)},
    {{"sinks-missing", "the sinks are left out"}, AT(ASKED, blunder_leave_out, INPUT_SINKS)},
    {{"zero-row-missing", "the row of zeros after the keys is left out"},
     AT(ASKED, blunder_forget, FORGET_ZERO)},
    {{"learned-row-missing", "bias_k and bias_v are left out"},
     AT(ASKED, blunder_leave_out, INPUT_BIAS_V), .from = INPUT_BIAS_K},
};
/* clang-format on */

const named_table BEND_MISTAKES = NAMED_TABLE("mistake", BEND_ROWS);

/* ---- rotary positions ---- */

enum { BASE_USUAL, BASE_ROOT };
enum { TURN_QUERIES, TURN_KEYS, TURN_LATE, TURN_LOCAL, TURN_BACKWARDS };

static bool pairing(attempt *a)
{
    a->problem.rope.is_interleaved = !a->problem.rope.is_interleaved;
    return a->problem.rope.is_asked;
}

static bool base(attempt *a)
{
    double *base = &a->problem.rope.base;
    *base = a->row->with == BASE_USUAL ? 10000 : sqrt(*base); /* base^(−p/width) */
    return a->problem.rope.is_asked && a->problem.rope.frequencies == NULL;
}

/* Row i of the queries, and after them of the new keys. */
static double right_position(const plan *right, size_t batch, size_t i)
{
    bool is_key = i >= right->n_q;
    return is_key ? plan_key_position(right, batch, i - right->n_q)
                  : plan_query_position(right, batch, i);
}

static bool turn(attempt *a)
{
    static char name[] = "rope_positions";
    const plan *right = &a->right->plan;
    size_t size[] = {right->batches, right->n_q + right->k.n}, at[2] = {0};
    if (!a->problem.rope.is_asked)
        return false;
    /* Where only how far rows stand from one another counts, positions counted down from the
     * greatest one turn them backwards. */
    tensor *positions = attempt_matrix(a, DTYPE_F64, 2, size);
    if (positions == NULL)
        return false;
    double greatest = 0;
    do
        greatest = fmax(greatest, right_position(right, at[0], at[1]));
    while (tensor_next(positions, at));
    do {
        bool is_key = at[1] >= right->n_q;
        double own = right_position(right, at[0], at[1]);
        const double as[] = {
            [TURN_QUERIES] = is_key ? 0 : own,
            [TURN_KEYS] = is_key ? own : 0,
            [TURN_LATE] = own + !is_key,
            [TURN_LOCAL] = (double)(is_key ? at[1] - right->n_q : at[1]),
            [TURN_BACKWARDS] = greatest - own,
        };
        tensor_set(positions, at, as[a->row->with]);
    } while (tensor_next(positions, at));
    a->turned = (entry){.name = name, .kind = ENTRY_TENSOR, .tensor = tensor_view_of(positions)};
    a->problem.rope.positions = &a->turned;
    return true;
}

enum { NORM_EACH, NORM_ALL };

/* Gains of one head are those of each. */
static bool norm_others(attempt *a)
{
    const plan *right = &a->right->plan;
    problem *p = &a->problem;
    const struct {
        input which;
        size_t heads, width;
        const tensor *gain;
    } of[] = {{INPUT_Q_GAIN, right->heads, right->q.width, &right->q_gain},
              {INPUT_K_GAIN, right->kv_heads, right->k.width, &right->k_gain}};
    bool is_of_all = a->row->with == NORM_ALL;
    if (!p->normalizes || p->norms_together == is_of_all || right->heads == 1)
        return false;
    p->norms_together = is_of_all;
    for (size_t i = 0; i < 2; i++) {
        if (of[i].gain->data == NULL)
            continue;
        tensor *gain = attempt_matrix(a, of[i].gain->type, 1, &(size_t){of[i].heads * of[i].width});
        if (gain == NULL)
            return false;
        for (size_t j = 0; j < gain->size[0]; j++) {
            size_t columns = of[i].gain->size[1], at[] = {j / columns, j % columns};
            tensor_set(gain, &j, tensor_get(of[i].gain, at));
        }
        p->in[of[i].which] = gain;
    }
    return true;
}

/* clang-format off */
static const mistake POSITION_ROWS[] = {
    {{"rope-missing", "rotary positions are left out"}, AT(ASKED, blunder_forget, FORGET_ROPE)},
    {{"rope-pairing", "rotary positions turn other pairs: half for interleaved"},
     AT(ASKED, pairing, 0)},
    {{"rope-base", "rotary positions have the base 10000"}, AT(ASKED, base, BASE_USUAL)},
    {{"rope-exponent", "rotary angles are position·base^(−p/width), not −2p"},
     AT(ASKED, base, BASE_ROOT)},
    {{"rope-backwards", "rotary positions turn the other way: −sin for sin"},
     AT(ASKED, turn, TURN_BACKWARDS)},
    {{"rope-queries-only", "queries are turned by their positions, keys are not"},
     AT(ASKED, turn, TURN_QUERIES)},
    {{"rope-keys-only", "keys are turned by their positions, queries are not"},
     AT(ASKED, turn, TURN_KEYS)},
    {{"rope-late", "queries are turned by one position too many"}, AT(ASKED, turn, TURN_LATE)},
    {{"rope-from-zero", "rotary positions of new rows begin at 0"}, AT(ASKED, turn, TURN_LOCAL)},
    {{"rope-attention-factor-missing", "cosines and sines are not multiplied by attention_factor"},
     AT(ASKED, blunder_forget, FORGET_ROPE_FACTOR)},
    {{"clip-missing", "queries, keys and values are not clipped"},
     AT(ASKED, blunder_forget, FORGET_CLIP)},
    {{"qk-norm-missing", "queries and keys are not normalized"},
     AT(ASKED, blunder_forget, FORGET_NORM)},
    {{"qk-norm-each", "each head is normalized by itself, not all at once"},
     AT(ASKED, norm_others, NORM_EACH)},
    {{"qk-norm-all", "all heads are normalized at once, not each by itself"},
     AT(ASKED, norm_others, NORM_ALL)},
    {{"q-gain-missing", "q_gain is left out"}, AT(ASKED, blunder_leave_out, INPUT_Q_GAIN)},
    {{"k-gain-missing", "k_gain is left out"}, AT(ASKED, blunder_leave_out, INPUT_K_GAIN)},
    {{"q-latent-norm-missing", "the latent of queries is not normalized"},
     AT(ASKED, blunder_leave_out, INPUT_Q_LATENT_GAIN)},
    {{"kv-latent-norm-missing", "the latent of keys and values is not normalized"},
     AT(ASKED, blunder_leave_out, INPUT_KV_LATENT_GAIN)},
};
/* clang-format on */

const named_table POSITION_MISTAKES = NAMED_TABLE("mistake", POSITION_ROWS);
