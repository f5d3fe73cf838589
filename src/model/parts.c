#include "model/parts.h"

#include <math.h>

/* ---- orders of norms ---- */

static const norm_order ROWS[] = {
    /* Vaswani et al., Attention is all you need, 2017, section 3.1; BERT's too. */
    {.named = {"post", "norm(x + part(x)): the original paper's, and BERT's"},
     .plain = {{.kind = PART_ATTENTION, .ln_after = 1, .adds = RESIDUAL_PART},
               {.kind = PART_FEED_FORWARD, .ln_after = 2, .adds = RESIDUAL_PART}},
     .crossed = {{.kind = PART_ATTENTION, .ln_after = 1, .adds = RESIDUAL_PART},
                 {.kind = PART_CROSS, .ln_after = 2, .adds = RESIDUAL_PART},
                 {.kind = PART_FEED_FORWARD, .ln_after = 3, .adds = RESIDUAL_PART}},
     .plain_count = 2,
     .crossed_count = 3},
    /* Radford et al., Language models are unsupervised multitask learners, 2019, section 2.3. */
    {.named = {"pre", "x + part(norm(x)): GPT-2's"},
     .plain = {{.kind = PART_ATTENTION, .ln_before = 1, .adds = RESIDUAL_PART},
               {.kind = PART_FEED_FORWARD, .ln_before = 2, .adds = RESIDUAL_PART}},
     .crossed = {{.kind = PART_ATTENTION, .ln_before = 1, .adds = RESIDUAL_PART},
                 {.kind = PART_CROSS, .ln_before = 2, .adds = RESIDUAL_PART},
                 {.kind = PART_FEED_FORWARD, .ln_before = 3, .adds = RESIDUAL_PART}},
     .plain_count = 2,
     .crossed_count = 3},
    /* Seed 003: EncoderLayer(x) = LayerNorm(x + MultiHead(LayerNorm(x))), DecoderLayer(x, y) =
     * LayerNorm(x + MultiHead(LayerNorm(MaskedSelfAttention(x, y)))), and one position-wise
     * feed-forward after the last layer. What is open there is read so: MaskedSelfAttention is
     * causal self-attention of x without a residual, MultiHead is cross-attention over y. */
    {.named = {"seed", "norm(x + part(norm(x))): both, one ffn at the end"},
     .plain = {{.kind = PART_ATTENTION, .ln_before = 1, .ln_after = 2, .adds = RESIDUAL_PART}},
     .crossed = {{.kind = PART_ATTENTION, .adds = RESIDUAL_NONE},
                 {.kind = PART_CROSS, .ln_before = 1, .ln_after = 2, .adds = RESIDUAL_LAYER}},
     .plain_count = 1,
     .crossed_count = 2,
     .ends_with_feed_forward = true},
    /* Warner et al., ModernBERT, 2024, section 2.1: its first layer, of rows that are normed. */
    {.named = {"pre-ffn", "pre, and no norm before attention: ModernBERT's first"},
     .plain = {{.kind = PART_ATTENTION, .adds = RESIDUAL_PART},
               {.kind = PART_FEED_FORWARD, .ln_before = 2, .adds = RESIDUAL_PART}},
     .plain_count = 2},
    /* Wang and Komatsuzaki, GPT-J-6B, 2021; modeling_gptj, _phi and _cohere of transformers. */
    {.named = {"parallel", "x + attention(norm(x)) + ffn(norm(x)): one norm, GPT-J's"},
     .plain =
         {{.kind = PART_ATTENTION, .ln_before = 1, .adds = RESIDUAL_PART},
          {.kind = PART_FEED_FORWARD, .adds = RESIDUAL_PART, .is_beside = true, .shares = true}},
     .plain_count = 2},
    /* Black et al., GPT-NeoX-20B, 2022, section 2.1. */
    {.named = {"parallel-apart", "x + attention(ln1(x)) + ffn(ln2(x)): GPT-NeoX's"},
     .plain =
         {{.kind = PART_ATTENTION, .ln_before = 1, .adds = RESIDUAL_PART},
          {.kind = PART_FEED_FORWARD, .ln_before = 2, .adds = RESIDUAL_PART, .is_beside = true}},
     .plain_count = 2},
    /* Gemma team, Gemma 2, 2024, section 2. */
    {.named = {"sandwich", "x + norm(part(norm(x))): Gemma 2's"},
     .plain = {{.kind = PART_ATTENTION, .ln_before = 1, .ln_made = 2, .adds = RESIDUAL_PART},
               {.kind = PART_FEED_FORWARD, .ln_before = 3, .ln_made = 4, .adds = RESIDUAL_PART}},
     .plain_count = 2},
    /* OLMo team, 2 OLMo 2 Furious, 2025, section 2.1. */
    {.named = {"inner", "x + norm(part(x)): OLMo 2's"},
     .plain = {{.kind = PART_ATTENTION, .ln_made = 1, .adds = RESIDUAL_PART},
               {.kind = PART_FEED_FORWARD, .ln_made = 2, .adds = RESIDUAL_PART}},
     .plain_count = 2},
};

static const synonym SYNONYMS[] = {
    {"pre-norm", "pre"},   {"prenorm", "pre"},   {"pre_ln", "pre"},   {"first", "pre"},
    {"post-norm", "post"}, {"postnorm", "post"}, {"post_ln", "post"}, {NULL, NULL},
};

const named_table NORM_ORDERS = NAMED_TABLE_ALSO("norm order", ROWS, SYNONYMS);

const char *part_name(part_kind kind)
{
    static const char *const NAMES[] = {
        [PART_ATTENTION] = "attention", [PART_CROSS] = "cross", [PART_FEED_FORWARD] = "ffn"};
    return NAMES[kind];
}

const char *part_sum_name(part_kind kind)
{
    static const char *const NAMES[] = {[PART_ATTENTION] = "attention_sum",
                                        [PART_CROSS] = "cross_sum",
                                        [PART_FEED_FORWARD] = "ffn_sum"};
    return NAMES[kind];
}

const char *part_norm_name(size_t ln)
{
    static const char *const NAMES[NORMS_MOST + 1] = {NULL, "ln1", "ln2", "ln3", "ln4"};
    return NAMES[ln];
}

size_t part_steps(const part_row *as, part_step step[PART_STEPS_MOST])
{
    size_t steps = 0;
    if (as->ln_before > 0)
        step[steps++] = (part_step){PART_STEP_NORM, as->ln_before, part_norm_name(as->ln_before)};
    step[steps++] = (part_step){PART_STEP_ITSELF, 0, part_name(as->kind)};
    if (as->ln_made > 0)
        step[steps++] = (part_step){PART_STEP_NORM, as->ln_made, part_norm_name(as->ln_made)};
    if (as->adds != RESIDUAL_NONE)
        step[steps++] = (part_step){PART_STEP_SUM, 0, part_sum_name(as->kind)};
    if (as->ln_after > 0)
        step[steps++] = (part_step){PART_STEP_NORM, as->ln_after, part_norm_name(as->ln_after)};
    return steps;
}

/* ---- norms and activations ---- */

static const named KINDS[] = {
    {"layer", "(x − mean) / √(variance + eps) · gain + bias: LayerNorm"},
    {"rms", "x / √(mean of squares + eps) · gain: RMSNorm"},
};

static const synonym KIND_SYNONYMS[] = {
    {"layernorm", "layer"}, {"layer_norm", "layer"}, {"rmsnorm", "rms"}, {"rms_norm", "rms"},
    {NULL, NULL},
};

const named_table NORM_KINDS = NAMED_TABLE_ALSO("norm kind", KINDS, KIND_SYNONYMS);

static void relu(const kernels *with, const void *x, size_t n, void *out)
{
    with->relu(x, n, out);
}

static void gelu(const kernels *with, const void *x, size_t n, void *out)
{
    with->gelu(x, n, out);
}

static void gelu_tanh(const kernels *with, const void *x, size_t n, void *out)
{
    with->gelu_tanh(x, n, out);
}

static void silu(const kernels *with, const void *x, size_t n, void *out)
{
    with->silu(x, n, out);
}

/* ---- how they grow: each of x in float64. What the value is of x gives the share of it that the
 * function lets through, but next to 0, where a half of it goes through ---- */

static const double SMALL = 0x1p-60;
static const double ROOT_2_OVER_PI = 0.79788456080286535588, ROOT_2_PI = 2.50662827463100050242;
static const double GELU_CUBE = 0.044715;

static double share_of(double x, double value)
{
    return fabs(x) < SMALL ? 0.5 : value / x;
}

/* So and others, Primer, 2021, section 4: max(x, 0)². */
static void relu2(const kernels *with, const void *x, size_t n, void *out)
{
    with->relu(x, n, out);
    with->times(out, n, out, out);
}

static void relu2_slope(const kernels *in64, const double *x, size_t n, double *out)
{
    (void)in64;
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] > 0 ? 2 * x[i] : 0;
}

static void relu_slope(const kernels *in64, const double *x, size_t n, double *out)
{
    (void)in64;
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] > 0 ? 1 : 0;
}

/* Φ(x) + x·φ(x), φ(x) = exp(−x²/2) / √(2π) */
static void gelu_slope(const kernels *in64, const double *x, size_t n, double *out)
{
    const double most = 0;
    row_total unused;
    for (size_t i = 0; i < n; i++)
        out[i] = -(x[i] * x[i]) / 2;
    in64->row_exponent(out, n, &most, out, &unused, NULL);
    for (size_t i = 0; i < n; i++) {
        double value;
        in64->gelu(&x[i], 1, &value);
        out[i] = share_of(x[i], value) + x[i] * (out[i] / ROOT_2_PI);
    }
}

/* With t the tanh: (1 + t)/2 + x/2·(1 − t²)·√(2/π)·(1 + 3·0.044715·x²) */
static void gelu_tanh_slope(const kernels *in64, const double *x, size_t n, double *out)
{
    in64->gelu_tanh(x, n, out);
    for (size_t i = 0; i < n; i++) {
        double share = share_of(x[i], out[i]); /* (1 + t)/2; so (1 − t²)/2 = 2·share·(1 − share) */
        double left = 2 * share * (1 - share);
        double inner = ROOT_2_OVER_PI * (1 + 3 * GELU_CUBE * (x[i] * x[i]));
        out[i] = share + (left == 0 ? 0 : x[i] * left * inner);
    }
}

/* With s = 1/(1 + exp(−x)): s·(1 + x·(1 − s)) */
static void silu_slope(const kernels *in64, const double *x, size_t n, double *out)
{
    in64->silu(x, n, out);
    for (size_t i = 0; i < n; i++) {
        double share = share_of(x[i], out[i]);
        out[i] = share * (1 + x[i] * (1 - share));
    }
}

static const double SHARP = 1.702;
enum { CLAMPED_AT = 7 };

/* x/(1 + exp(−1.702·x)), of numbers that rows_activate has limited: modeling_gpt_oss. */
static void sharp_silu(const kernels *with, const void *x, size_t n, void *out)
{
    double unused;
    with->scale(x, n, SHARP, out, &unused);
    with->silu(out, n, out);
    with->scale(out, n, 1 / SHARP, out, &unused);
}

static void sharp_silu_slope(const kernels *in64, const double *x, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double sharp = SHARP * x[i];
        silu_slope(in64, &sharp, 1, &out[i]);
        out[i] = x[i] > CLAMPED_AT ? 0 : out[i];
    }
}

static const activation ACTIVATION_ROWS[] = {
    {{"relu", "max(x, 0)"},
     "max({a}, 0)",
     "max({a}, 0) / {a}",
     "np.maximum({a}, 0)",
     relu,
     relu_slope,
     0},
    {{"gelu", "x·Φ(x), Φ the normal distribution"},
     "{(a)}·Φ({a})",
     "Φ({a})\n + {(a)}·exp(−({(a)}²) / 2) / √(2·π)",
     "{a} / 2 * (1 + erf({a} / np.sqrt(2)))",
     gelu,
     gelu_slope,
     0},
    {{"gelu_tanh", "x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))"},
     "{(a)} / 2·(1\n + tanh(√(2/π)·({a}\n + 0.044715·{(a)}³)))",
     "(1\n + tanh(√(2/π)·({a}\n + 0.044715·{(a)}³))) / 2\n + {(a)} / 2·(1\n − "
     "tanh(√(2/π)·({a}\n + 0.044715·{(a)}³))²)·√(2/π)·(1\n + 3·0.044715·{(a)}²)",
     "{a} / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * ({a} + 0.044715 * {a}**3)))",
     gelu_tanh,
     gelu_tanh_slope,
     0},
    {{"silu", "x/(1 + exp(−x))"},
     "{(a)}\n / (1 + exp(−{(a)}))",
     "(1\n + {(a)}·(1 − 1 / (1 + exp(−{(a)})))) / (1 + exp(−{(a)}))",
     "{a} / (1 + np.exp(-{a}))",
     silu,
     silu_slope,
     0},
    {{"relu2", "max(x, 0)²"},
     "max({a}, 0)²",
     "2·max({a}, 0)",
     "np.maximum({a}, 0) ** 2",
     relu2,
     relu2_slope,
     0},
    {{"clamped", "m/(1 + exp(−1.702·m)), m = min(x, 7), its gate 1 + clip(±7)"},
     "(7\n − max(7 − {a}, 0))\n / (1 + exp(−1.702·(7 − max(7 − {a}, 0))))",
     "0",
     "np.minimum({a}, 7) / (1 + np.exp(-1.702 * np.minimum({a}, 7)))",
     sharp_silu,
     sharp_silu_slope,
     CLAMPED_AT},
};

/* As configurations of published models call them. */
static const synonym ACTIVATION_SYNONYMS[] = {
    {"swish", "silu"},
    {"gelu_new", "gelu_tanh"},
    {"gelu_fast", "gelu_tanh"},
    {"gelu_pytorch_tanh", "gelu_tanh"},
    {NULL, NULL},
};

const named_table ACTIVATIONS =
    NAMED_TABLE_ALSO("activation", ACTIVATION_ROWS, ACTIVATION_SYNONYMS);
