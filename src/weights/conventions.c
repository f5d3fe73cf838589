#include "weights/conventions.h"

#include <stdio.h>
#include <string.h>

/* Sources. torch, torch-apart: PyTorch's documentation and source of nn.MultiheadAttention
 * (in_proj_weight is 3m × m, q over k over v; three matrices where kdim or vdim differ from m).
 * proj, bert, vit, phi3, t5, distilbert, albert: transformers' modeling_llama, _opt, _bart, _clip,
 * _phi, _bert, _vit, _phi3, _t5, _distilbert, _albert. bert-tf: the checkpoints of
 * google-research/bert. gpt2: modeling_gpt2 and its Conv1D, whose weight is input × output;
 * nanogpt has nn.Linear there. keras: Keras's MultiHeadAttention, whose EinsumDense layers have
 * kernels m × h × d and h × d × m, and (keras-file) their names in .weights.h5. flax: flax.linen's
 * MultiHeadDotProductAttention. timm: vision_transformer, which reshapes qkv to 3 × h × d. wqkv:
 * flash-attention, MPT, ModernBERT. neox: modeling_gpt_neox and modeling_bloom, which reshape
 * query_key_value to h × 3 × d. llama, whisper: model.py of the releases. diffusers: its
 * attention_processor. d2l: d2l.torch's MultiHeadAttention (section 11.5 of the book).
 * from-scratch: the MultiHeadAttention of its chapter 3. annotated: its MultiHeadedAttention,
 * whose linears are used in this order. deberta: modeling_deberta_v2, DisentangledSelfAttention,
 * where scores are the sum of up to three products over the root of as many times d. espnet:
 * nets/pytorch_backend/transformer/attention.py, whose relative kinds have linear_pos and
 * pos_bias_u and _v.
 *
 * Norms. q_norm next to q_proj is an RMS norm of each head in modeling_qwen3, _qwen3_moe and
 * _apertus; one over all heads in _olmo2 and _olmoe, as its length shows; a LayerNorm with a
 * bias in _chameleon; and _gemma3 adds 1 to it. q_layernorm next to q_proj is a LayerNorm in
 * modeling_phi and an RMS norm in _lfm2. What is refused in other rows are LayerNorms, or either
 * kind. The sinks of modeling_gpt_oss are one more logit a head, whose weight no value has. T5's
 * first layer has the bias of all, and its cross-attention one in old files that modeling_t5 does
 * not use. */
/* clang-format off */
static const refusal PROJ_NORMS[] = {
    {.name = "q_norm.bias", .key = "q_gain"}, {.name = "k_norm.bias", .key = "k_gain"},
    {.name = "q_layernorm.weight", .key = "q_gain"},
    {.name = "k_layernorm.weight", .key = "k_gain"}, {0}};
static const refusal FLAX_NORMS[] = {
    {.name = "query_ln.scale", .key = "q_gain"}, {.name = "key_ln.scale", .key = "k_gain"}, {0}};
static const refusal TIMM_NORMS[] = {
    {.name = "q_norm.weight", .key = "q_gain"}, {.name = "k_norm.weight", .key = "k_gain"}, {0}};
static const refusal WQKV_NORMS[] = {
    {.name = "q_ln.weight", .key = "q_gain"}, {.name = "k_ln.weight", .key = "k_gain"}, {0}};
static const refusal DIFFUSERS_NORMS[] = {
    {.name = "norm_q.weight", .key = "q_gain"}, {.name = "norm_k.weight", .key = "k_gain"}, {0}};
static const refusal T5_POSITIONS[] = {
    {.name = "relative_attention_bias.weight", .key = "bias", .is_shared = true,
     .except = "EncDecAttention"}, {0}};
static const refusal DEBERTA_POSITIONS[] = {
    {.name = "self.query_proj.weight", .key = "bias",
     .why = "is DeBERTa's, whose scores have terms by position that are not computed here"}, {0}};
static const refusal ESPNET_BESIDE[] = {
    {.name = "linear_pos.weight", .key = "bias"}, {.name = "pos_bias_u", .key = "bias"},
    {.name = "pos_bias_v", .key = "bias"}, {.name = "q_norm.weight", .key = "q_gain"},
    {.name = "k_norm.weight", .key = "k_gain"}, {0}};

static const convention ROWS[] = {
    {{"own", "the keys of a document: wq, wk, wv, wo, bq, …"},
     LAYOUT_UNSAID, CUT_APART, "*q", "*k", "*v", "*o", .weight = "w", .bias = "b"},
    {{"torch", "nn.MultiheadAttention of PyTorch"},
     LAYOUT_OUT_IN, CUT_THIRDS, "in_proj_*", NULL, NULL, "out_proj.*",
     .bias_k = "bias_k", .bias_v = "bias_v"},
    {{"torch-apart", "the same with a kdim or vdim of its own"},
     LAYOUT_OUT_IN, CUT_APART, "q_proj_*", "k_proj_*", "v_proj_*", "out_proj.*",
     .joint_bias = "in_proj_bias", .bias_k = "bias_k", .bias_v = "bias_v"},
    {{"proj", "LLaMA, Mistral, Qwen, OPT, BART, CLIP, Phi and others"},
     LAYOUT_OUT_IN, CUT_APART, "q_proj.*", "k_proj.*", "v_proj.*", "o_proj.* out_proj.* dense.*",
     .q_gain = "q_norm.weight", .k_gain = "k_norm.weight", .sinks = "sinks",
     .one_more = "pre_feedforward_layernorm.weight", .refused = PROJ_NORMS},
    {{"bert", "BERT, RoBERTa, ELECTRA, ESM"},
     LAYOUT_OUT_IN, CUT_APART, "self.query.*", "self.key.*", "self.value.*",
     .out = "output.dense.*"},
    {{"bert-tf", "BERT as TensorFlow saves it"},
     LAYOUT_IN_OUT, CUT_APART, "self.query.*", "self.key.*", "self.value.*", "output.dense.*",
     .weight = "kernel", .bias = "bias"},
    {{"vit", "transformers' ViT, DeiT, DINOv2"},
     LAYOUT_OUT_IN, CUT_APART, "attention.query.*", "attention.key.*", "attention.value.*",
     .out = "output.dense.*"},
    {{"gpt2-cross", "GPT-2's cross-attention, as transformers adds it"},
     LAYOUT_IN_OUT, CUT_HALVES, "q_attn.*", "c_attn.*", "c_attn.*", .out = "c_proj.*"},
    {{"gpt2", "GPT-2 as published: Conv1D, input by output"},
     LAYOUT_IN_OUT, CUT_THIRDS, "c_attn.*", NULL, NULL, "c_proj.*", .is_causal = true},
    {{"nanogpt", "the same names with nn.Linear, output by input"},
     LAYOUT_OUT_IN, CUT_THIRDS, "c_attn.*", NULL, NULL, "c_proj.*", .is_causal = true},
    {{"keras", "the variables of Keras's MultiHeadAttention"},
     LAYOUT_IN_OUT, CUT_APART, "query.*", "key.*", "value.*", "attention_output.*",
     .weight = "kernel", .bias = "bias"},
    {{"keras-file", "the same as .weights.h5 has them"},
     LAYOUT_IN_OUT, CUT_APART, "query_dense.vars.*", "key_dense.vars.*", "value_dense.vars.*",
     "output_dense.vars.*", .weight = "0", .bias = "1"},
    {{"flax", "the variables of Flax's MultiHeadDotProductAttention"},
     LAYOUT_IN_OUT, CUT_APART, "query.*", "key.*", "value.*", "out.*",
     .weight = "kernel", .bias = "bias", .refused = FLAX_NORMS},
    {{"timm", "vision transformers of timm, DINO, SAM"},
     LAYOUT_OUT_IN, CUT_THIRDS, "qkv.*", NULL, NULL, "proj.*", .refused = TIMM_NORMS},
    {{"wqkv", "flash-attention, MPT, ModernBERT"},
     LAYOUT_OUT_IN, CUT_BY_HEADS, "Wqkv.*", NULL, NULL, "out_proj.* Wo.*", .refused = WQKV_NORMS},
    {{"phi3", "transformers' Phi-3, Phi-4"},
     LAYOUT_OUT_IN, CUT_BY_HEADS, "qkv_proj.*", NULL, NULL, "o_proj.*", .is_causal = true},
    {{"neox", "GPT-NeoX, Pythia, BLOOM, Falcon-RW"},
     LAYOUT_OUT_IN, CUT_HEAD_BY_HEAD, "query_key_value.*", NULL, NULL, .out = "dense.*"},
    {{"albert", "transformers' ALBERT"},
     LAYOUT_OUT_IN, CUT_APART, "query.*", "key.*", "value.*", .out = "dense.*"},
    {{"llama", "the release of LLaMA"},
     LAYOUT_OUT_IN, CUT_APART, "wq.*", "wk.*", "wv.*", "wo.*", .is_causal = true},
    {{"latent", "latents of queries, keys and values, of DeepSeek-V2, V3"},
     LAYOUT_OUT_IN, CUT_HALF_BY_HEAD, "q_b_proj.*", "kv_b_proj.*", "kv_b_proj.*", .out = "o_proj.*",
     .q_down = "q_a_proj.*", .q_latent_gain = "q_a_layernorm.weight",
     .kv_down = "kv_a_proj_with_mqa.*", .kv_latent_gain = "kv_a_layernorm.weight",
     .is_causal = true},
    {{"latent-kv", "the same with a latent of keys and values alone"},
     LAYOUT_OUT_IN, CUT_HALF_BY_HEAD, "q_proj.*", "kv_b_proj.*", "kv_b_proj.*", .out = "o_proj.*",
     .kv_down = "kv_a_proj_with_mqa.*", .kv_latent_gain = "kv_a_layernorm.weight",
     .is_causal = true},
    {{"t5", "T5, whose scores are not scaled: --scale none"},
     LAYOUT_OUT_IN, CUT_APART, "q.*", "k.*", "v.*", "o.*",
     .relative = "relative_attention_bias.weight", .refused = T5_POSITIONS, .scale = "none"},
    {{"distilbert", "transformers' DistilBERT, XLM"},
     LAYOUT_OUT_IN, CUT_APART, "q_lin.*", "k_lin.*", "v_lin.*", .out = "out_lin.*"},
    {{"whisper", "the release of Whisper"},
     LAYOUT_OUT_IN, CUT_APART, "query.*", "key.*", "value.*", .out = "out.*"},
    {{"diffusers", "attention blocks of diffusers"},
     LAYOUT_OUT_IN, CUT_APART, "to_q.*", "to_k.*", "to_v.*", "to_out.0.*",
     .refused = DIFFUSERS_NORMS},
    {{"d2l", "the book Dive into Deep Learning"},
     LAYOUT_OUT_IN, CUT_APART, "W_q.*", "W_k.*", "W_v.*", .out = "W_o.*"},
    {{"from-scratch", "the book Build a Large Language Model (From Scratch)"},
     LAYOUT_OUT_IN, CUT_APART, "W_query.*", "W_key.*", "W_value.*", "out_proj.*",
     .is_causal = true},
    {{"annotated", "the code of The Annotated Transformer"},
     LAYOUT_OUT_IN, CUT_APART, "linears.0.*", "linears.1.*", "linears.2.*", .out = "linears.3.*"},
    {{"deberta", "attention of DeBERTa; --bias gives its terms by position"},
     LAYOUT_OUT_IN, CUT_APART, "self.query_proj.*", "self.key_proj.*", "self.value_proj.*",
     "output.dense.*", .refused = DEBERTA_POSITIONS},
    {{"espnet", "ESPnet, WeNet, NeMo's speech models"},
     LAYOUT_OUT_IN, CUT_APART, "linear_q.*", "linear_k.*", "linear_v.*", "linear_out.*",
     .refused = ESPNET_BESIDE},
};
/* clang-format on */

const named_table CONVENTIONS = NAMED_TABLE("bundle", ROWS);

const convention *convention_at(size_t index)
{
    return &ROWS[index];
}

bool convention_is_own(const convention *row)
{
    return row == &ROWS[0];
}

bool convention_is_joint(const convention *row)
{
    return row->cut != CUT_APART && row->cut != CUT_HALVES && row->cut != CUT_HALF_BY_HEAD;
}

const input CONVENTION_INPUTS[CONVENTION_BESIDE] = {
    INPUT_Q_GAIN,   INPUT_K_GAIN,        INPUT_BIAS_K,        INPUT_BIAS_V,
    INPUT_SINKS,    INPUT_WQ_DOWN,       INPUT_BQ_DOWN,       INPUT_WKV_DOWN,
    INPUT_BKV_DOWN, INPUT_Q_LATENT_GAIN, INPUT_KV_LATENT_GAIN};

bool convention_is_beside(input which)
{
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        if (CONVENTION_INPUTS[i] == which)
            return true;
    }
    return false;
}

bool convention_needs(const convention *row, input which)
{
    bool is_of_latent = which == INPUT_WQ_DOWN || which == INPUT_Q_LATENT_GAIN ||
                        which == INPUT_WKV_DOWN || which == INPUT_KV_LATENT_GAIN;
    char name[NAME_MOST];
    return which <= INPUT_WO || (is_of_latent && convention_name(row, which, 0, name));
}

const char *convention_word(const convention *row, bool is_bias)
{
    const char *own = is_bias ? row->bias : row->weight;
    return own != NULL ? own : is_bias ? "bias" : "weight";
}

bool convention_name(const convention *row, input which, size_t n, char out[NAME_MOST])
{
    char one[NAME_MOST];
    const char *k = row->k != NULL ? row->k : row->q, *v = row->v != NULL ? row->v : row->q;
    const char *joint = row->joint_bias;
    const char *const pattern[INPUT_COUNT] = {
        [INPUT_WQ] = row->q,
        [INPUT_WK] = k,
        [INPUT_WV] = v,
        [INPUT_WO] = row->out,
        [INPUT_BQ] = joint != NULL ? joint : row->q,
        [INPUT_BK] = joint != NULL ? joint : k,
        [INPUT_BV] = joint != NULL ? joint : v,
        [INPUT_BO] = row->out,
        [INPUT_Q_GAIN] = row->q_gain,
        [INPUT_K_GAIN] = row->k_gain,
        [INPUT_BIAS_K] = row->bias_k,
        [INPUT_BIAS_V] = row->bias_v,
        [INPUT_SINKS] = row->sinks,
        [INPUT_WQ_DOWN] = row->q_down,
        [INPUT_BQ_DOWN] = row->q_down,
        [INPUT_Q_LATENT_GAIN] = row->q_latent_gain,
        [INPUT_WKV_DOWN] = row->kv_down,
        [INPUT_BKV_DOWN] = row->kv_down,
        [INPUT_KV_LATENT_GAIN] = row->kv_latent_gain,
    };
    out[0] = '\0';
    if (!name_alternative(pattern[which], n, one))
        return false;
    int stem = (int)strcspn(one, "*");
    bool is_weight = which < INPUT_BQ || which == INPUT_WQ_DOWN || which == INPUT_WKV_DOWN;
    bool is_whole = one[stem] == '\0', is_bias = !is_weight;
    snprintf(out, NAME_MOST, "%.*s%s%s", stem, one, is_whole ? "" : convention_word(row, is_bias),
             is_whole ? "" : one + stem + 1);
    return true;
}

/* ---- layers ---- */

static const char GAINS[] = "weight gamma scale", SHIFTS[] = "bias beta";

/* clang-format off */
const named_part NAMED_PARTS[NAMED_PART_COUNT] = {
    [LN1] = {"ln1", "ln1.gain", "ln1.bias", GAINS, SHIFTS, .is_norm = true},
    [LN2] = {"ln2", "ln2.gain", "ln2.bias", GAINS, SHIFTS, .is_norm = true},
    [LN3] = {"ln3", "ln3.gain", "ln3.bias", GAINS, SHIFTS, .is_norm = true},
    [LN4] = {"ln4", "ln4.gain", "ln4.bias", GAINS, SHIFTS, .is_norm = true},
    [W1] = {"w1", "w1", "b1", .of = PART_OF_PLAIN},
    [W2] = {"w2", "w2", "b2", .of = PART_OF_PLAIN},
    [W3] = {"w3", "w3", "b3", .of = PART_OF_PLAIN},
    [ROUTER] = {"router", "router", "router_bias", .of = PART_OF_MIXTURE},
    [CHOICE_BIAS] = {"choice_bias", "choice_bias", NULL, .of = PART_OF_MIXTURE},
    [EXPERT_W1] = {"experts.{}.w1", "w1", "b1", .is_of_expert = true,
                   .of = PART_OF_MIXTURE},
    [EXPERT_W2] = {"experts.{}.w2", "w2", "b2", .is_of_expert = true,
                   .of = PART_OF_MIXTURE},
    [EXPERT_W3] = {"experts.{}.w3", "w3", "b3", .is_of_expert = true,
                   .of = PART_OF_MIXTURE},
    [SHARED_W1] = {"shared.w1", "shared.w1", "shared.b1", .of = PART_OF_MIXTURE},
    [SHARED_W2] = {"shared.w2", "shared.w2", "shared.b2", .of = PART_OF_MIXTURE},
    [SHARED_W3] = {"shared.w3", "shared.w3", "shared.b3", .of = PART_OF_MIXTURE},
    [LN_E] = {"ln_e", "ln_e.gain", "ln_e.bias", GAINS, SHIFTS,
              .is_norm = true, .is_beside = true, .climbs = true, .is_of_all = true},
    [LN_F] = {"ln_f", "ln_f.gain", "ln_f.bias", GAINS, SHIFTS,
              .is_norm = true, .is_beside = true, .is_of_all = true},
    [EMBEDDING] = {"embedding", "embedding", NULL, "weight embedding", NULL,
                   .is_beside = true, .climbs = true},
    [SEGMENTS] = {"segment_embedding", "segment_embedding", NULL, "weight embedding", NULL,
                  .is_beside = true, .climbs = true, .is_of_all = true},
    [POSITIONS] = {"position_embedding", "position_embedding", NULL, "weight embedding", NULL,
                   .is_beside = true, .climbs = true, .is_of_all = true},
    [EMBED_W] = {"embed", "embed.w", "embed.b", .is_beside = true, .climbs = true},
    [HEAD_W] = {"head", "head.w", "head.b", .is_beside = true, .climbs = true},
    [HEAD_NORM] = {"head.norm", "head.norm.gain", "head.norm.bias", GAINS, SHIFTS,
                   .is_norm = true, .is_beside = true, .climbs = true},
    [UNEMBEDDING] = {"unembedding", "unembedding", "unembedding_bias", "weight", "bias",
                     .is_beside = true, .climbs = true, .layout = LAYOUT_OUT_IN},
};
/* clang-format on */

const char *named_part_words(const named_part *part, const convention *attention, bool is_bias)
{
    return part->words == NULL ? convention_word(attention, is_bias)
           : is_bias           ? part->bias_words
                               : part->words;
}

/* Sources. torch: nn.TransformerEncoderLayer and DecoderLayer of PyTorch, where norm_first is false
 * and relu the activation unless said. gpt2, bert, roberta, hf-llama, bart, t5: transformers'
 * modeling_gpt2 (whose gelu_new is the tanh form), _bert, _roberta (whose first position is
 * padding_idx + 1), _llama, _bart, _t5, and the defaults of their configurations;
 * embeddings_project is _electra's and project_in _opt's. nanogpt: its model.py, whose nn.GELU is
 * the exact one. llama: model.py of the release. timm: its vision_transformer. Rows that need
 * config.json are of transformers' modeling_ files of these names; modeling_gpt_neox is neox's. */
/* clang-format off */
static const layer_convention LAYER_ROWS[] = {
    {.named = {"own", "the keys of a document: layers.0.wq, layers.0.ln1.gain, …"},
     .attention = "", .cross = "cross"},
    {.named = {"torch", "nn.TransformerEncoderLayer and DecoderLayer of PyTorch"},
     .attention = "self_attn", .cross = "multihead_attn",
     .part = {[LN1] = "norm1", [LN2] = "norm2", [LN3] = "norm3", [W1] = "linear1",
              [W2] = "linear2", [LN_F] = "norm"},
     .implied = {"post", "layer", "relu"}},
    {.named = {"gpt2", "GPT-2 as published"},
     .attention = "attn", .cross = "crossattention",
     .part = {[LN1] = "ln_1", [LN2] = "ln_cross_attn ln_2", [LN3] = "ln_2", [W1] = "mlp.c_fc",
              [W2] = "mlp.c_proj", [LN_F] = "ln_f", [EMBEDDING] = "wte", [POSITIONS] = "wpe",
              [UNEMBEDDING] = "lm_head"},
     .buffers = "attn.bias attn.masked_bias crossattention.bias crossattention.masked_bias",
     .implied = {"pre", "layer", "gelu_tanh", "true"}},
    {.named = {"nanogpt", "the same names with nn.Linear, and the exact gelu"},
     .attention = "attn",
     .part = {[LN1] = "ln_1", [LN2] = "ln_2", [W1] = "mlp.c_fc", [W2] = "mlp.c_proj",
              [LN_F] = "ln_f", [EMBEDDING] = "wte", [POSITIONS] = "wpe",
              [UNEMBEDDING] = "lm_head"},
     .buffers = "attn.bias",
     .implied = {"pre", "layer", "gelu", "true"}},
    {.named = {"bert", "BERT, ELECTRA"},
     .attention = "attention",
     .part = {[LN1] = "attention.output.LayerNorm", [LN2] = "output.LayerNorm",
              [W1] = "intermediate.dense", [W2] = "output.dense",
              [LN_E] = "embeddings.LayerNorm", [EMBEDDING] = "embeddings.word_embeddings",
              [SEGMENTS] = "embeddings.token_type_embeddings",
              [POSITIONS] = "embeddings.position_embeddings", [EMBED_W] = "embeddings_project",
              [HEAD_W] = "cls.predictions.transform.dense generator_predictions.dense",
              [HEAD_NORM] = "cls.predictions.transform.LayerNorm "
                            "generator_predictions.LayerNorm",
              [UNEMBEDDING] = "cls.predictions.decoder cls.predictions generator_lm_head"},
     .implied = {"post", "layer", "gelu"}, .eps = 1e-12},
    {.named = {"roberta", "the same of RoBERTa, XLM-RoBERTa, CamemBERT"},
     .attention = "attention",
     .part = {[LN1] = "attention.output.LayerNorm", [LN2] = "output.LayerNorm",
              [W1] = "intermediate.dense", [W2] = "output.dense",
              [LN_E] = "embeddings.LayerNorm", [EMBEDDING] = "embeddings.word_embeddings",
              [SEGMENTS] = "embeddings.token_type_embeddings",
              [POSITIONS] = "embeddings.position_embeddings", [HEAD_W] = "lm_head.dense",
              [HEAD_NORM] = "lm_head.layer_norm", [UNEMBEDDING] = "lm_head.decoder lm_head"},
     .position_row = 2, .implied = {"post", "layer", "gelu"}},
    {.named = {"hf-llama", "LLaMA, Mistral, Qwen as transformers has them"},
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.gate_proj", [W2] = "mlp.down_proj", [W3] = "mlp.up_proj",
              [LN_F] = "norm", [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "silu", "true"},
     .open = "rope", .hint = "they turn queries and keys: --rope BASE"},
    {.named = {"llama", "the release of LLaMA"},
     .attention = "attention",
     .part = {[LN1] = "attention_norm", [LN2] = "ffn_norm", [W1] = "feed_forward.w1",
              [W2] = "feed_forward.w2", [W3] = "feed_forward.w3", [LN_F] = "norm",
              [EMBEDDING] = "tok_embeddings", [UNEMBEDDING] = "output"},
     .implied = {"pre", "rms", "silu", "true"},
     .open = "rope", .hint = "they turn queries and keys: --rope BASE --rope-pairing interleaved"},
    {.named = {"bart", "BART, Marian; with --norm pre mBART, OPT, Whisper"},
     .attention = "self_attn", .cross = "encoder_attn",
     .part = {[LN1] = "self_attn_layer_norm",
              [LN2] = "encoder_attn_layer_norm final_layer_norm", [LN3] = "final_layer_norm",
              [W1] = "fc1", [W2] = "fc2", [LN_E] = "layernorm_embedding",
              [EMBED_W] = "project_in", [LN_F] = "layer_norm final_layer_norm"},
     .embeds_before = "positions", .position_row = 2,
     .implied = {"post", "layer", "gelu"}},
    {.named = {"t5", "T5; the bias of its positions is the document's to give"},
     .attention = "layer.0.SelfAttention", .cross = "layer.1.EncDecAttention",
     .part = {[LN1] = "layer.0.layer_norm", [LN2] = "layer.1.layer_norm",
              [LN3] = "layer.2.layer_norm",
              [W1] = "layer.2.DenseReluDense.wi layer.1.DenseReluDense.wi",
              [W2] = "layer.2.DenseReluDense.wo layer.1.DenseReluDense.wo",
              [LN_F] = "final_layer_norm", [EMBEDDING] = "embed_tokens shared",
              [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "relu", NULL, "none"}, .eps = 1e-6,
     .open = "bias",
     .hint = "scores have a bias by position, which --bias gives encode and decode"},
    {.named = {"t5-gated", "T5 of version 1.1, Flan-T5, mT5: with a gate"},
     .attention = "layer.0.SelfAttention", .cross = "layer.1.EncDecAttention",
     .part = {[LN1] = "layer.0.layer_norm", [LN2] = "layer.1.layer_norm",
              [LN3] = "layer.2.layer_norm",
              [W1] = "layer.2.DenseReluDense.wi_0 layer.1.DenseReluDense.wi_0",
              [W2] = "layer.2.DenseReluDense.wo layer.1.DenseReluDense.wo",
              [W3] = "layer.2.DenseReluDense.wi_1 layer.1.DenseReluDense.wi_1",
              [LN_F] = "final_layer_norm", [EMBEDDING] = "embed_tokens shared",
              [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "gelu_tanh", NULL, "none"}, .eps = 1e-6,
     .open = "bias",
     .hint = "scores have a bias by position, which --bias gives encode and decode"},
    {.named = {"timm", "vision transformers of timm"},
     .attention = "attn",
     .part = {[LN1] = "norm1", [LN2] = "norm2", [W1] = "mlp.fc1", [W2] = "mlp.fc2",
              [LN_F] = "norm"},
     .implied = {"pre", "layer", "gelu"}, .eps = 1e-6},
    {.named = {"phi3", "transformers' Phi-3, Phi-4, by config.json"}, .needs_config = true,
     .attention = "self_attn", .joins_gate = true,
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.gate_up_proj", [W2] = "mlp.down_proj", [W3] = "mlp.gate_up_proj",
              [LN_F] = "norm", [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "silu", "true"}},
    {.named = {"mixtral", "transformers' Mixtral, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [ROUTER] = "block_sparse_moe.gate", [EXPERT_W1] = "block_sparse_moe.experts.{}.w1",
              [EXPERT_W2] = "block_sparse_moe.experts.{}.w2",
              [EXPERT_W3] = "block_sparse_moe.experts.{}.w3", [LN_F] = "norm",
              [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "silu", "true"}},
    {.named = {"qwen3-moe", "transformers' Qwen 3 of experts, by config.json"},
     .needs_config = true, .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [ROUTER] = "mlp.gate", [EXPERT_W1] = "mlp.experts.{}.gate_proj",
              [EXPERT_W2] = "mlp.experts.{}.down_proj", [EXPERT_W3] = "mlp.experts.{}.up_proj",
              [LN_F] = "norm", [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "silu", "true"}},
    {.named = {"deepseek-v2", "transformers' DeepSeek-V2, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.gate_proj", [W2] = "mlp.down_proj", [W3] = "mlp.up_proj",
              [ROUTER] = "mlp.gate",
              [EXPERT_W1] = "mlp.experts.{}.gate_proj", [EXPERT_W2] = "mlp.experts.{}.down_proj",
              [EXPERT_W3] = "mlp.experts.{}.up_proj", [SHARED_W1] = "mlp.shared_experts.gate_proj",
              [SHARED_W2] = "mlp.shared_experts.down_proj",
              [SHARED_W3] = "mlp.shared_experts.up_proj", [LN_F] = "norm",
              [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "silu", "true"}},
    {.named = {"deepseek-v3", "transformers' DeepSeek-V3, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.gate_proj", [W2] = "mlp.down_proj", [W3] = "mlp.up_proj",
              [ROUTER] = "mlp.gate", [CHOICE_BIAS] = "mlp.gate.e_score_correction_bias*",
              [EXPERT_W1] = "mlp.experts.{}.gate_proj", [EXPERT_W2] = "mlp.experts.{}.down_proj",
              [EXPERT_W3] = "mlp.experts.{}.up_proj", [SHARED_W1] = "mlp.shared_experts.gate_proj",
              [SHARED_W2] = "mlp.shared_experts.down_proj",
              [SHARED_W3] = "mlp.shared_experts.up_proj", [LN_F] = "norm",
              [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "silu", "true"}},
    {.named = {"gpt-oss", "transformers' gpt-oss, by config.json"}, .needs_config = true,
     .attention = "self_attn", .interleaves_gate = true, .of_experts = LAYOUT_IN_OUT,
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [ROUTER] = "mlp.router", [EXPERT_W1] = "mlp.experts.gate_up_proj*",
              [EXPERT_W2] = "mlp.experts.down_proj*", [EXPERT_W3] = "mlp.experts.gate_up_proj*",
              [LN_F] = "norm", [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "rms", "clamped", "true"}},
    {.named = {"gemma2", "transformers' Gemma 2 and 3, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [LN3] = "pre_feedforward_layernorm", [LN4] = "post_feedforward_layernorm",
              [W1] = "mlp.gate_proj", [W2] = "mlp.down_proj", [W3] = "mlp.up_proj",
              [LN_F] = "norm", [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"sandwich", "rms", "gelu_tanh", "true"}},
    {.named = {"olmo2", "transformers' OLMo 2, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "post_attention_layernorm", [LN2] = "post_feedforward_layernorm",
              [W1] = "mlp.gate_proj", [W2] = "mlp.down_proj", [W3] = "mlp.up_proj",
              [LN_F] = "norm", [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"inner", "rms", "silu", "true"}},
    {.named = {"cohere", "transformers' Command R, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [W1] = "mlp.gate_proj", [W2] = "mlp.down_proj",
              [W3] = "mlp.up_proj", [LN_F] = "norm", [EMBEDDING] = "embed_tokens",
              [UNEMBEDDING] = "lm_head"},
     .implied = {"parallel", "layer", "silu", "true"}},
    {.named = {"starcoder2", "transformers' StarCoder 2, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.c_fc", [W2] = "mlp.c_proj", [LN_F] = "norm",
              [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "layer", "gelu_tanh", "true"}},
    {.named = {"phi", "transformers' Phi, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [W1] = "mlp.fc1", [W2] = "mlp.fc2",
              [LN_F] = "final_layernorm", [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"parallel", "layer", "gelu_tanh", "true"}},
    {.named = {"gptj", "transformers' GPT-J, by config.json"}, .needs_config = true,
     .attention = "attn",
     .part = {[LN1] = "ln_1", [W1] = "mlp.fc_in", [W2] = "mlp.fc_out", [LN_F] = "ln_f",
              [EMBEDDING] = "wte", [UNEMBEDDING] = "lm_head"},
     .buffers = "attn.bias attn.masked_bias",
     .implied = {"parallel", "layer", "gelu_tanh", "true"}},
    {.named = {"neox", "transformers' GPT-NeoX, Pythia, by config.json"}, .needs_config = true,
     .attention = "attention",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.dense_h_to_4h", [W2] = "mlp.dense_4h_to_h", [LN_F] = "final_layer_norm",
              [EMBEDDING] = "embed_in", [UNEMBEDDING] = "embed_out"},
     .buffers = "attention.bias attention.masked_bias attention.rotary_emb.inv_freq",
     .implied = {"parallel-apart", "layer", "gelu", "true"}},
    {.named = {"bloom", "transformers' BLOOM, by config.json"}, .needs_config = true,
     .attention = "self_attention",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.dense_h_to_4h", [W2] = "mlp.dense_4h_to_h",
              [LN_E] = "word_embeddings_layernorm", [LN_F] = "ln_f",
              [EMBEDDING] = "word_embeddings", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "layer", "gelu_tanh", "true"}},
    {.named = {"opt", "transformers' OPT, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "self_attn_layer_norm", [LN2] = "final_layer_norm", [W1] = "fc1",
              [W2] = "fc2", [LN_F] = "final_layer_norm", [EMBEDDING] = "embed_tokens",
              [POSITIONS] = "embed_positions", [EMBED_W] = "project_in", [HEAD_W] = "project_out",
              [UNEMBEDDING] = "lm_head"},
     .embeds_before = "positions", .head_activation = "none", .position_row = 2,
     .implied = {"pre", "layer", "relu", "true"}, .eps = 1e-5},
    {.named = {"nemotron", "transformers' Nemotron, by config.json"}, .needs_config = true,
     .attention = "self_attn",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.up_proj", [W2] = "mlp.down_proj", [LN_F] = "norm",
              [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "layer", "relu2", "true"}},
    {.named = {"olmo", "transformers' OLMo, by config.json"}, .needs_config = true,
     .attention = "self_attn", .ends_bare = true,
     .part = {[W1] = "mlp.gate_proj", [W2] = "mlp.down_proj", [W3] = "mlp.up_proj",
              [EMBEDDING] = "embed_tokens", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "layer", "silu", "true"}, .eps = 1e-5},
    {.named = {"falcon", "transformers' Falcon with one norm, by config.json"},
     .needs_config = true, .attention = "self_attention",
     .part = {[LN1] = "input_layernorm", [W1] = "mlp.dense_h_to_4h",
              [W2] = "mlp.dense_4h_to_h", [LN_F] = "ln_f", [EMBEDDING] = "word_embeddings",
              [UNEMBEDDING] = "lm_head"},
     .implied = {"parallel", "layer", "gelu", "true"}},
    {.named = {"falcon-apart", "transformers' Falcon with a norm each, by config.json"},
     .needs_config = true, .attention = "self_attention",
     .part = {[LN1] = "ln_attn", [LN2] = "ln_mlp", [W1] = "mlp.dense_h_to_4h",
              [W2] = "mlp.dense_4h_to_h", [LN_F] = "ln_f", [EMBEDDING] = "word_embeddings",
              [UNEMBEDDING] = "lm_head"},
     .implied = {"parallel-apart", "layer", "gelu", "true"}},
    {.named = {"falcon-serial", "transformers' Falcon-RW, by config.json"},
     .needs_config = true, .attention = "self_attention",
     .part = {[LN1] = "input_layernorm", [LN2] = "post_attention_layernorm",
              [W1] = "mlp.dense_h_to_4h", [W2] = "mlp.dense_4h_to_h", [LN_F] = "ln_f",
              [EMBEDDING] = "word_embeddings", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "layer", "gelu", "true"}},
    {.named = {"mpt", "transformers' MPT, by config.json"}, .needs_config = true,
     .attention = "attn",
     .part = {[LN1] = "norm_1", [LN2] = "norm_2", [W1] = "ffn.up_proj", [W2] = "ffn.down_proj",
              [LN_F] = "norm_f", [EMBEDDING] = "wte", [UNEMBEDDING] = "lm_head"},
     .implied = {"pre", "layer", "gelu", "true"}},
    {.named = {"hf-bart", "transformers' BART, by config.json"}, .needs_config = true,
     .attention = "self_attn", .cross = "encoder_attn", .position_row = 2,
     .part = {[LN1] = "self_attn_layer_norm",
              [LN2] = "encoder_attn_layer_norm final_layer_norm", [LN3] = "final_layer_norm",
              [W1] = "fc1", [W2] = "fc2", [LN_E] = "layernorm_embedding",
              [EMBEDDING] = "embed_tokens shared", [POSITIONS] = "embed_positions",
              [UNEMBEDDING] = "lm_head"},
     .unembedding_bias = "final_logits_bias",
     .implied = {"post", "layer", "gelu"}, .eps = 1e-5},
    {.named = {"hf-whisper", "transformers' Whisper, by config.json"}, .needs_config = true,
     .attention = "self_attn", .cross = "encoder_attn",
     .part = {[LN1] = "self_attn_layer_norm",
              [LN2] = "encoder_attn_layer_norm final_layer_norm", [LN3] = "final_layer_norm",
              [W1] = "fc1", [W2] = "fc2", [LN_F] = "layer_norm", [EMBEDDING] = "embed_tokens",
              [POSITIONS] = "embed_positions", [UNEMBEDDING] = "proj_out"},
     .implied = {"pre", "layer", "gelu"}, .eps = 1e-5},
    {.named = {"modernbert", "transformers' ModernBERT, by config.json"}, .needs_config = true,
     .attention = "attn", .joins_gate = true, .without_first = "pre-ffn",
     .part = {[LN1] = "attn_norm", [LN2] = "mlp_norm", [W1] = "mlp.Wi", [W2] = "mlp.Wo",
              [W3] = "mlp.Wi", [LN_E] = "embeddings.norm", [LN_F] = "final_norm",
              [EMBEDDING] = "embeddings.tok_embeddings", [HEAD_W] = "head.dense",
              [HEAD_NORM] = "head.norm", [UNEMBEDDING] = "decoder"},
     .implied = {"pre", "layer", "gelu"}},
    {.named = {"hf-vit", "transformers' ViT, DeiT, by config.json"}, .needs_config = true,
     .attention = "attention", .final_climbs = true,
     .part = {[LN1] = "layernorm_before", [LN2] = "layernorm_after",
              [W1] = "intermediate.dense", [W2] = "output.dense", [LN_F] = "layernorm"},
     .implied = {"pre", "layer", "gelu"}},
    {.named = {"distilbert", "transformers' DistilBERT, by config.json"}, .needs_config = true,
     .attention = "attention",
     .part = {[LN1] = "sa_layer_norm", [LN2] = "output_layer_norm", [W1] = "ffn.lin1",
              [W2] = "ffn.lin2", [LN_E] = "embeddings.LayerNorm",
              [EMBEDDING] = "embeddings.word_embeddings",
              [POSITIONS] = "embeddings.position_embeddings",
              [HEAD_W] = "vocab_transform", [HEAD_NORM] = "vocab_layer_norm",
              [UNEMBEDDING] = "vocab_projector"},
     .implied = {"post", "layer", "gelu"}, .eps = 1e-12},
    {.named = {"albert", "transformers' ALBERT, by config.json"}, .needs_config = true,
     .attention = "attention", .is_one_for_all = true,
     .part = {[LN1] = "attention.LayerNorm", [LN2] = "full_layer_layer_norm", [W1] = "ffn",
              [W2] = "ffn_output", [LN_E] = "embeddings.LayerNorm",
              [EMBEDDING] = "embeddings.word_embeddings",
              [SEGMENTS] = "embeddings.token_type_embeddings",
              [POSITIONS] = "embeddings.position_embeddings",
              [EMBED_W] = "embedding_hidden_mapping_in",
              [HEAD_W] = "predictions.dense", [HEAD_NORM] = "predictions.LayerNorm",
              [UNEMBEDDING] = "predictions.decoder predictions"},
     .implied = {"post", "layer", "gelu_tanh"}, .eps = 1e-12},
};
/* clang-format on */

const named_table LAYER_CONVENTIONS = NAMED_TABLE("layer bundle", LAYER_ROWS);

const char *const IMPLIED_KEYS[IMPLIED_SETTINGS] = {"norm", "norm_kind", "activation", "causal",
                                                    "scale"};

const layer_convention *layer_convention_at(size_t index)
{
    return &LAYER_ROWS[index];
}

bool layer_convention_may_be(const layer_convention *row, const model_config *of)
{
    const char *names = of == NULL ? NULL : of->of->names;
    return names == NULL ? !row->needs_config : name_is_one_of(names, row->named.name);
}

/* RoBERTa's have one segment, and two rows of positions more than a multiple of 64: up to that of
 * padding. */
const layer_convention *layer_convention_settle(const layer_convention *row, const char *before,
                                                size_t positions, size_t segments)
{
    enum { STEP = 64 }; /* 512, 4096, 8192 are multiples of it */
    static const char BERT[] = "bert", ROBERTA[] = "roberta";
    bool is_roberta = strstr(before, ROBERTA) != NULL ||
                      (segments == 1 && positions > 2 && positions % STEP == 2);
    if (strcmp(row->named.name, BERT) != 0 || !is_roberta)
        return row;
    return (const layer_convention *)(const void *)named_find(&LAYER_CONVENTIONS, ROBERTA,
                                                              strlen(ROBERTA));
}

/* ---- rows of the conventions, for help and manual ---- */

static void add_names(text *out, const convention *row, input which)
{
    char name[NAME_MOST];
    for (size_t n = 0; convention_name(row, which, n, name); n++)
        text_add_format(out, "%s%s", n == 0 ? "" : " or ", name);
}

/* "Wq, Wk, Wv: in_proj_weight", or "Wq: q_proj.weight; Wk: …". */
static void add_three(text *out, const convention *row, input first, bool is_joint)
{
    for (input which = first; which < first + 3; which++) {
        text_add_format(out, "%s%s",
                        which == first ? ""
                        : is_joint     ? ", "
                                       : "; ",
                        input_label(which));
        if (is_joint && which < first + 2)
            continue;
        text_add_string(out, ": ");
        add_names(out, row, which);
    }
}

void convention_describe(text *out, const convention *row)
{
    static const char *const CUTS[] = {
        [CUT_APART] = "",
        [CUT_HALVES] = ", Wk and Wv side by side",
        [CUT_THIRDS] = ", side by side",
        [CUT_BY_HEADS] = ", side by side, Wk and Wv as wide as --kv-heads says",
        [CUT_HEAD_BY_HEAD] = ", head by head (--heads says how many, --kv-heads of which groups)",
        [CUT_HALF_BY_HEAD] = ", Wk and Wv head by head, Wv as wide as Wo says",
    };
    add_three(out, row, INPUT_WQ, convention_is_joint(row));
    text_add_format(out, "%s; Wo: ", CUTS[row->cut]);
    add_names(out, row, INPUT_WO);
    if (row->joint_bias != NULL) {
        text_add_string(out, "; ");
        add_three(out, row, INPUT_BQ, true);
    }
    text_add_format(out, "; %sbiases with %s for %s", row->joint_bias != NULL ? "other " : "",
                    convention_word(row, true), convention_word(row, false));
    if (row->layout != LAYOUT_UNSAID)
        text_add_format(out, "; %s", row->layout == LAYOUT_OUT_IN ? "out-in" : "in-out");
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        char name[NAME_MOST];
        if (!convention_name(row, CONVENTION_INPUTS[i], 0, name))
            continue;
        text_add_format(out, "; %s: ", input_key(CONVENTION_INPUTS[i]));
        add_names(out, row, CONVENTION_INPUTS[i]);
    }
    if (row->relative != NULL)
        text_add_format(out, "; relative_bias, by config.json: %s", row->relative);
    for (const refusal *r = row->refused; r != NULL && r->name != NULL; r++)
        text_add_format(out, "%s %s", r == row->refused ? "; refused besides them:" : ",", r->name);
    if (row->is_causal)
        text_add_string(out, "; its models are causal");
    if (row->scale != NULL)
        text_add_format(out, "; its models have scale %s", row->scale);
}

static void add_alternatives(text *out, const char *label, const char *names)
{
    char name[NAME_MOST];
    for (size_t n = 0; name_alternative(names, n, name); n++) {
        if (n == 0)
            text_add_format(out, "; %s: %s", label, name);
        else
            text_add_format(out, " or %s", name);
    }
}

void layer_convention_describe(text *out, const layer_convention *row)
{
    bool is_own = row == &LAYER_ROWS[0];
    text_add_format(out, "attention: %s", is_own ? "in the layer itself" : row->attention);
    add_alternatives(out, "cross-attention", row->cross);
    for (size_t i = 0; i < NAMED_PART_COUNT; i++) {
        add_alternatives(out, NAMED_PARTS[i].label, row->part[i]);
        if (i == POSITIONS && row->position_row > 0 && row->part[i] != NULL)
            text_add_format(out, " from row %zu", row->position_row);
    }
    add_alternatives(out, "without a part", row->buffers);
    for (size_t i = 0; i < IMPLIED_SETTINGS; i++) {
        if (row->implied[i] != NULL)
            text_add_format(out, "; %s %s", IMPLIED_KEYS[i], row->implied[i]);
    }
    if (row->interleaves_gate)
        text_add_string(out, "; outputs of w1 and w3 in turn, experts in one, in-out");
    if (row->joins_gate)
        text_add_string(out, "; w1 and w3 side by side");
    if (row->without_first != NULL)
        text_add_format(out, "; norm %s without ln1", row->without_first);
    if (row->is_one_for_all)
        text_add_string(out, "; one layer for all");
    if (row->ends_bare)
        text_add_string(out, "; norms without a gain, one after the last layer too");
    if (row->embeds_before != NULL)
        text_add_format(out, "; embed.before %s", row->embeds_before);
    if (row->head_activation != NULL)
        text_add_format(out, "; head.activation %s", row->head_activation);
    if (row->unembedding_bias != NULL)
        text_add_format(out, "; unembedding_bias: %s", row->unembedding_bias);
    if (row->eps > 0)
        text_add_format(out, "; norm_eps %g", row->eps);
    if (row->hint != NULL)
        text_add_format(out, "; %s", row->hint);
}
