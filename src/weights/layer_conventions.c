#include "weights/layer_conventions.h"

#include <stdio.h>
#include <string.h>

/* Sources. torch: nn.TransformerEncoderLayer and DecoderLayer of PyTorch, where norm_first is false
 * and relu the activation unless said. gpt2, bert, roberta, hf-llama, bart, t5: transformers'
 * modeling_gpt2 (whose gelu_new is the tanh form), _bert, _roberta (whose first position is
 * padding_idx + 1), _llama, _bart, _t5, and the defaults of their configurations;
 * embeddings_project is _electra's and project_in _opt's. nanogpt: its model.py, whose nn.GELU is
 * the exact one. llama: model.py of the release. timm: its vision_transformer. */
/* clang-format off */
static const layer_convention ROWS[] = {
    {.named = {"own", "the keys of a document: layers.0.wq, layers.0.ln1.gain, …"},
     .attention = "", .cross = "cross"},
    {.named = {"torch", "nn.TransformerEncoderLayer and DecoderLayer of PyTorch"},
     .attention = "self_attn", .cross = "multihead_attn", .norm = {"norm1", "norm2", "norm3"},
     .weight = {"linear1", "linear2"}, .final = "norm",
     .order = "post", .norm_kind = "layer", .activation = "relu"},
    {.named = {"gpt2", "GPT-2 as published"},
     .attention = "attn", .cross = "crossattention",
     .norm = {"ln_1", "ln_cross_attn ln_2", "ln_2"}, .weight = {"mlp.c_fc", "mlp.c_proj"},
     .final = "ln_f", .embedding = "wte", .positions = "wpe", .unembedding = "lm_head",
     .buffers = "attn.bias attn.masked_bias crossattention.bias crossattention.masked_bias",
     .order = "pre", .norm_kind = "layer", .activation = "gelu_tanh", .causal = "true"},
    {.named = {"nanogpt", "the same names with nn.Linear, and the exact gelu"},
     .attention = "attn", .norm = {"ln_1", "ln_2"}, .weight = {"mlp.c_fc", "mlp.c_proj"},
     .final = "ln_f", .embedding = "wte", .positions = "wpe", .unembedding = "lm_head",
     .buffers = "attn.bias",
     .order = "pre", .norm_kind = "layer", .activation = "gelu", .causal = "true"},
    {.named = {"bert", "BERT, ELECTRA"},
     .attention = "attention", .norm = {"attention.output.LayerNorm", "output.LayerNorm"},
     .weight = {"intermediate.dense", "output.dense"},
     .embedding = "embeddings.word_embeddings", .positions = "embeddings.position_embeddings",
     .first = "embeddings.LayerNorm", .types = "embeddings.token_type_embeddings",
     .uncomputed = "embeddings_project",
     .order = "post", .norm_kind = "layer", .activation = "gelu", .eps = 1e-12},
    {.named = {"roberta", "the same of RoBERTa, XLM-RoBERTa, CamemBERT"},
     .attention = "attention", .norm = {"attention.output.LayerNorm", "output.LayerNorm"},
     .weight = {"intermediate.dense", "output.dense"},
     .embedding = "embeddings.word_embeddings", .positions = "embeddings.position_embeddings",
     .first = "embeddings.LayerNorm", .types = "embeddings.token_type_embeddings",
     .position_row = 2, .order = "post", .norm_kind = "layer", .activation = "gelu"},
    {.named = {"hf-llama", "LLaMA, Mistral, Qwen as transformers has them"},
     .attention = "self_attn", .norm = {"input_layernorm", "post_attention_layernorm"},
     .weight = {"mlp.gate_proj", "mlp.down_proj", "mlp.up_proj"}, .final = "norm",
     .embedding = "embed_tokens", .unembedding = "lm_head",
     .order = "pre", .norm_kind = "rms", .activation = "silu", .causal = "true",
     .open = "rope", .hint = "they turn queries and keys: --rope BASE"},
    {.named = {"llama", "the release of LLaMA"},
     .attention = "attention", .norm = {"attention_norm", "ffn_norm"},
     .weight = {"feed_forward.w1", "feed_forward.w2", "feed_forward.w3"}, .final = "norm",
     .embedding = "tok_embeddings", .unembedding = "output",
     .order = "pre", .norm_kind = "rms", .activation = "silu", .causal = "true",
     .open = "rope", .hint = "they turn queries and keys: --rope BASE --rope-pairing interleaved"},
    {.named = {"bart", "BART, Marian; with --norm pre mBART, OPT, Whisper"},
     .attention = "self_attn", .cross = "encoder_attn",
     .norm = {"self_attn_layer_norm", "encoder_attn_layer_norm final_layer_norm",
              "final_layer_norm"},
     .weight = {"fc1", "fc2"}, .final = "layer_norm final_layer_norm",
     .first = "layernorm_embedding", .uncomputed = "project_in", .position_row = 2,
     .order = "post", .norm_kind = "layer", .activation = "gelu"},
    {.named = {"t5", "T5; the bias of its positions is the document's to give"},
     .attention = "layer.0.SelfAttention", .cross = "layer.1.EncDecAttention",
     .norm = {"layer.0.layer_norm", "layer.1.layer_norm", "layer.2.layer_norm"},
     .weight = {"layer.2.DenseReluDense.wi layer.1.DenseReluDense.wi",
                "layer.2.DenseReluDense.wo layer.1.DenseReluDense.wo"},
     .final = "final_layer_norm", .embedding = "embed_tokens shared", .unembedding = "lm_head",
     .order = "pre", .norm_kind = "rms", .activation = "relu", .scale = "none", .eps = 1e-6,
     .open = "bias",
     .hint = "scores have a bias by position, which --bias gives encode and decode"},
    {.named = {"t5-gated", "T5 of version 1.1, Flan-T5, mT5: with a gate"},
     .attention = "layer.0.SelfAttention", .cross = "layer.1.EncDecAttention",
     .norm = {"layer.0.layer_norm", "layer.1.layer_norm", "layer.2.layer_norm"},
     .weight = {"layer.2.DenseReluDense.wi_0 layer.1.DenseReluDense.wi_0",
                "layer.2.DenseReluDense.wo layer.1.DenseReluDense.wo",
                "layer.2.DenseReluDense.wi_1 layer.1.DenseReluDense.wi_1"},
     .final = "final_layer_norm", .embedding = "embed_tokens shared", .unembedding = "lm_head",
     .order = "pre", .norm_kind = "rms", .activation = "gelu_tanh", .scale = "none", .eps = 1e-6,
     .open = "bias",
     .hint = "scores have a bias by position, which --bias gives encode and decode"},
    {.named = {"timm", "vision transformers of timm"},
     .attention = "attn", .norm = {"norm1", "norm2"}, .weight = {"mlp.fc1", "mlp.fc2"},
     .final = "norm", .order = "pre", .norm_kind = "layer", .activation = "gelu", .eps = 1e-6},
};
/* clang-format on */

const named_table LAYER_CONVENTIONS = NAMED_TABLE("layer bundle", ROWS);

const layer_convention *layer_convention_at(size_t index)
{
    return &ROWS[index];
}

bool layer_convention_is_own(const layer_convention *row)
{
    return row == &ROWS[0];
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

bool layer_convention_name(const char *names, size_t n, char out[LAYER_NAME])
{
    const char *at = names == NULL ? "" : names;
    for (; n > 0 && *at != '\0'; n--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    int length = (int)strcspn(at, " ");
    snprintf(out, LAYER_NAME, "%.*s", length, at);
    return length > 0;
}

void layer_convention_settings(const layer_convention *row, implied_setting out[IMPLIED_SETTINGS])
{
    const implied_setting all[IMPLIED_SETTINGS] = {{"norm", row->order},
                                                   {"norm_kind", row->norm_kind},
                                                   {"activation", row->activation},
                                                   {"causal", row->causal},
                                                   {"scale", row->scale}};
    memcpy(out, all, sizeof all);
}

static void add_names(text *out, const char *label, const char *names)
{
    char name[LAYER_NAME];
    for (size_t n = 0; layer_convention_name(names, n, name); n++) {
        if (n == 0)
            text_add_format(out, "; %s: %s", label, name);
        else
            text_add_format(out, " or %s", name);
    }
}

static void add_settings(text *out, const layer_convention *row)
{
    implied_setting implied[IMPLIED_SETTINGS];
    layer_convention_settings(row, implied);
    for (size_t i = 0; i < IMPLIED_SETTINGS; i++) {
        if (implied[i].value != NULL)
            text_add_format(out, "; %s %s", implied[i].key, implied[i].value);
    }
    if (row->eps > 0)
        text_add_format(out, "; norm_eps %g", row->eps);
    if (row->hint != NULL)
        text_add_format(out, "; %s", row->hint);
}

void layer_convention_describe(text *out, const layer_convention *row)
{
    static const char *const WEIGHTS[] = {"w1", "w2", "w3"};
    bool is_own = layer_convention_is_own(row);
    text_add_format(out, "attention: %s", is_own ? "in the layer itself" : row->attention);
    add_names(out, "cross-attention", row->cross);
    for (size_t i = 0; i < NORMS_MOST; i++)
        add_names(out, part_norm_name(i + 1), row->norm[i]);
    for (size_t i = 0; i < LAYER_WEIGHTS; i++)
        add_names(out, WEIGHTS[i], row->weight[i]);
    add_names(out, "ln_e", row->first);
    add_names(out, "ln_f", row->final);
    add_names(out, "embedding", row->embedding);
    add_names(out, "segment_embedding", row->types);
    add_names(out, "position_embedding", row->positions);
    if (row->position_row > 0 && row->positions != NULL)
        text_add_format(out, " from row %zu", row->position_row);
    add_names(out, "unembedding", row->unembedding);
    add_names(out, "refused beside them", row->uncomputed);
    add_names(out, "without a part", row->buffers);
    add_settings(out, row);
}
