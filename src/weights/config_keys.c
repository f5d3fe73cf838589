#include "weights/config_keys.h"

#include <string.h>

/* Source: the configuration classes of transformers, versions 4 and 5, and what their modeling_
 * files make of each key; what a key is where config.json lacks it is what the class says. */

static const named SIZE_ROWS[] = {
    [SIZE_LAYERS] = {"layers", NULL}, [SIZE_WIDTH] = {"width", NULL},
    [SIZE_HIDDEN] = {"hidden", NULL}, [SIZE_IDS] = {"ids", NULL},
    [SIZE_HEAD] = {"head", NULL},
};

const named_table CONFIG_SIZES = NAMED_TABLE("size", SIZE_ROWS);

/* ---- keys of all families ---- */

/* What was done to make the weights, how they are to be used, and what their sizes and names show:
 * whether there are biases is seen in the file. */
static const char *const IDLE[] = {
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_name_or_path",
    "_num_labels",
    "activation_dropout",
    "architectures",
    "attention_bias",
    "attention_dropout",
    "attention_probs_dropout_prob",
    "attention_softmax_in_fp32",
    "attn_implementation",
    "attn_pdrop",
    "auto_map",
    "bad_words_ids",
    "begin_suppress_tokens",
    "bias",
    "bias_dropout_fusion",
    "bos_token_id",
    "cache_implementation",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "classifier_dropout_prob",
    "cls_token_id",
    "decoder_layerdrop",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dropout",
    "dropout_rate",
    "dtype",
    "early_stopping",
    "embd_pdrop",
    "embedding_dropout",
    "enable_bias",
    "encoder_layerdrop",
    "encoder_no_repeat_ngram_size",
    "eos_token_id",
    "exponential_decay_length_penalty",
    "finetuning_task",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "gradient_checkpointing",
    "hidden_dropout",
    "hidden_dropout_prob",
    "id2label",
    "init_std",
    "initializer_factor",
    "initializer_range",
    "label2id",
    "layerdrop",
    "length_penalty",
    "mask_token_id",
    "masked_softmax_fusion",
    "max_length",
    "max_position_embeddings",
    "min_length",
    "mlp_bias",
    "model_type",
    "n_ctx",
    "n_positions",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "output_router_logits",
    "output_scores",
    "pad_token_id",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "qkv_bias",
    "remove_invalid_values",
    "reorder_and_upcast_attn",
    "repetition_penalty",
    "resid_pdrop",
    "residual_dropout",
    "return_dict",
    "return_dict_in_generate",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scale_attention_softmax_in_fp32",
    "sep_token_id",
    "seq_length",
    "skip_bias_add",
    "skip_bias_add_qkv",
    "slow_but_exact",
    "summary_activation",
    "summary_first_dropout",
    "summary_last_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "tf_legacy_loss",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers_version",
    "type_vocab_size",
    "typical_p",
    "unk_token_id",
    "use_bfloat16",
    "use_bias",
    "use_cache",
    "use_qkv_bias",
    "word_embed_proj_dim",
};

/* clang-format off */
static const config_key OF_ALL[] = {
    {{"num_hidden_layers", NULL}, CONFIG_SIZE, "layers", false, NULL},
    {{"n_layer", NULL}, CONFIG_SIZE, "layers", false, NULL},
    {{"n_layers", NULL}, CONFIG_SIZE, "layers", false, NULL},
    {{"num_layers", NULL}, CONFIG_SIZE, "layers", false, NULL},
    {{"hidden_size", NULL}, CONFIG_SIZE, "width", false, NULL},
    {{"n_embd", NULL}, CONFIG_SIZE, "width", false, NULL},
    {{"n_embed", NULL}, CONFIG_SIZE, "width", false, NULL},
    {{"d_model", NULL}, CONFIG_SIZE, "width", false, NULL},
    {{"intermediate_size", NULL}, CONFIG_SIZE, "hidden", false, NULL},
    {{"n_inner", NULL}, CONFIG_SIZE, "hidden", false, NULL},
    {{"ffn_dim", NULL}, CONFIG_SIZE, "hidden", false, NULL},
    {{"d_ff", NULL}, CONFIG_SIZE, "hidden", false, NULL},
    {{"vocab_size", NULL}, CONFIG_SIZE, "ids", false, NULL},
    {{"head_dim", NULL}, CONFIG_SIZE, "head", false, NULL},
    {{"d_kv", NULL}, CONFIG_SIZE, "head", false, NULL},
    {{"num_attention_heads", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"n_head", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"n_heads", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"num_heads", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"num_key_value_heads", NULL}, CONFIG_SETTING, "kv_heads", false, NULL},
    {{"rms_norm_eps", NULL}, CONFIG_SETTING, "norm_eps", false, NULL},
    {{"layer_norm_eps", NULL}, CONFIG_SETTING, "norm_eps", false, NULL},
    {{"layer_norm_epsilon", NULL}, CONFIG_SETTING, "norm_eps", false, NULL},
    {{"norm_eps", NULL}, CONFIG_SETTING, "norm_eps", false, NULL},
    {{"norm_epsilon", NULL}, CONFIG_SETTING, "norm_eps", false, NULL},
    {{"hidden_act", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"activation_function", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"rope_theta", NULL}, CONFIG_ROPE, NULL, false, NULL},
    {{"rope_scaling", NULL}, CONFIG_ROPE, NULL, false, NULL},
    {{"rope_parameters", NULL}, CONFIG_ROPE, NULL, false, NULL},
    {{"partial_rotary_factor", NULL}, CONFIG_ROPE, NULL, false, NULL},
    {{"sliding_window", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"use_sliding_window", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"max_window_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"layer_types", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"tie_word_embeddings", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"quantization_config", "weights that are quantised"}, CONFIG_ONLY, NULL, false, NULL},
    {{"pruned_heads", "heads that are left out"}, CONFIG_ONLY, NULL, false, NULL},
    {{"clip_qkv", "a clip of queries, keys and values"}, CONFIG_ONLY, NULL, false, NULL},
    {{"is_decoder", "an encoder's layers as a decoder's"}, CONFIG_ONLY, "false", false, NULL},
    {{"is_encoder_decoder", "an encoder and its decoder"}, CONFIG_ONLY, "false", false, NULL},
    {{"tie_encoder_decoder", "one set of layers for both"}, CONFIG_ONLY, "false", false, NULL},
    {{"add_cross_attention", "cross-attention next to self-attention"}, CONFIG_ONLY,
     "false", true, NULL},
    {{"num_local_experts", "a mixture of experts"}, CONFIG_ONLY, NULL, true, NULL},
    {{"num_experts_per_tok", "a mixture of experts"}, CONFIG_ONLY, NULL, true, NULL},
    {{"num_experts", "a mixture of experts"}, CONFIG_ONLY, NULL, true, NULL},
    {{"qk_layernorm", "a LayerNorm of queries and keys"}, CONFIG_ONLY, "false", false, NULL},
    {{"use_qk_norm", "a LayerNorm of queries and keys"}, CONFIG_ONLY, "false", false, NULL},
    {{"use_bidirectional_attention", "attention in both directions"}, CONFIG_ONLY,
     "false", false, NULL},
    {{"position_embedding_type", "positions by distance"}, CONFIG_ONLY, "absolute", false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* ---- keys of one family ---- */

static const config_key OF_GPT2[] = {
    {{"scale_attn_weights", "scores without a scale"}, CONFIG_ONLY, "true", false, NULL},
    {{"scale_attn_by_inverse_layer_idx", "a scale of each layer's own"}, CONFIG_ONLY, "false",
     false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_ROBERTA[] = {
    {{"pad_token_id", "positions from another row than 2"}, CONFIG_ONLY, "1", true, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* modeling_gemma takes hidden_activation; older files have a hidden_act that it does not use. */
static const config_key OF_GEMMA[] = {
    {{"hidden_act", "which of two activations is meant"}, CONFIG_ONLY,
     "gelu_pytorch_tanh gelu_new", true, NULL},
    {{"hidden_activation", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_GEMMA2[] = {
    {{"hidden_act", "which of two activations is meant"}, CONFIG_ONLY,
     "gelu_pytorch_tanh gelu_new", true, NULL},
    {{"hidden_activation", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"attn_logit_softcapping", NULL}, CONFIG_SETTING, "softcap", false, NULL},
    {{"final_logit_softcapping", NULL}, CONFIG_SETTING, "logits_softcap", false, NULL},
    {{"query_pre_attn_scalar", NULL}, CONFIG_ROOT, "scale", false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_GRANITE[] = {
    {{"embedding_multiplier", NULL}, CONFIG_SETTING, "embedding_scale", false, NULL},
    {{"attention_multiplier", NULL}, CONFIG_SETTING, "scale", false, NULL},
    {{"logits_scaling", NULL}, CONFIG_INVERSE, "logits_scale", false, NULL},
    {{"residual_multiplier", NULL}, CONFIG_SETTING, "residual_scale", false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_COHERE[] = {
    {{"logit_scale", NULL}, CONFIG_SETTING, "logits_scale", false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_STABLELM[] = {
    {{"use_parallel_residual", "both parts of the same rows"}, CONFIG_ONLY, "false", true, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_PHI3[] = {
    /* longrope's alone */
    {{"original_max_position_embeddings", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_STARCODER2[] = {
    {{"norm_type", "another norm"}, CONFIG_ONLY, "layer_norm", true, NULL},
    {{"mlp_type", "another feed-forward part"}, CONFIG_ONLY, "default", true, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_NEOX[] = {
    {{"use_parallel_residual", NULL}, CONFIG_SWITCH, "norm parallel-apart pre", false, NULL},
    {{"rotary_pct", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"rotary_emb_base", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"is_decoder", NULL}, CONFIG_READ, NULL, false, NULL}, /* it is one whatever this says */
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_GPTJ[] = {
    {{"rotary_dim", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"partial_rotary_factor", "a share that rotary_dim says"}, CONFIG_ONLY, NULL, false, NULL},
    {{"rotary", "no rotary positions"}, CONFIG_ONLY, "true", false, NULL},
    {{"scale_attn_weights", "scores without a scale"}, CONFIG_ONLY, "true", false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_BLOOM[] = {
    /* which modeling_bloom does not use */
    {{"offset_alibi", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"apply_residual_connection_post_layernorm", "sums with what a norm made"}, CONFIG_ONLY,
     "false", true, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_OPT[] = {
    {{"do_layer_norm_before", NULL}, CONFIG_SWITCH, "norm pre post", false, NULL},
    {{"_remove_final_layer_norm", "no last norm"}, CONFIG_ONLY, "false", true, NULL},
    {{"layer_norm_elementwise_affine", "norms without a gain"}, CONFIG_ONLY, "true", true, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_T5[] = {
    {{"feed_forward_proj", "an activation that its names don't tell"}, CONFIG_ONLY,
     "relu gated-gelu", true, NULL},
    {{"dense_act_fn", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"is_gated_act", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"relative_attention_num_buckets", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"relative_attention_max_distance", NULL}, CONFIG_SETTING, "relative_distance", false, NULL},
    /* of the encoder; of the decoder the next */
    {{"num_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"num_decoder_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"scale_decoder_outputs", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"is_encoder_decoder", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* rope_local_base_freq is of layers with a window, rope_theta of the others. */
static const config_key OF_GEMMA3[] = {
    {{"hidden_activation", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"attn_logit_softcapping", NULL}, CONFIG_SETTING, "softcap", false, NULL},
    {{"final_logit_softcapping", NULL}, CONFIG_SETTING, "logits_softcap", false, NULL},
    {{"query_pre_attn_scalar", NULL}, CONFIG_ROOT, "scale", false, NULL},
    {{"rope_local_base_freq", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"sliding_window_pattern", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"_sliding_window_pattern", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* Which norms there are, and so where both parts begin, the names in the file tell. */
static const config_key OF_FALCON[] = {
    {{"new_decoder_architecture", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"num_kv_heads", NULL}, CONFIG_SETTING, "kv_heads", false, "new_decoder_architecture"},
    {{"multi_query", NULL}, CONFIG_SWITCH,
     "kv_heads 1 -", false, "!new_decoder_architecture"},
    {{"activation", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"ffn_hidden_size", NULL}, CONFIG_SIZE, "hidden", false, NULL},
    {{"parallel_attn", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"num_ln_in_parallel_attn", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"alibi", "ALiBi, which its releases add in different ways"}, CONFIG_ONLY,
     "false", true, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* modeling_mpt adds ALiBi and no table of positions, whatever learned_pos_emb says. */
static const config_key OF_MPT[] = {
    {{"attn_config", NULL}, CONFIG_WITHIN, NULL, false, NULL},
    {{"alibi", "positions without ALiBi"}, CONFIG_ONLY, "true", true, NULL},
    {{"alibi_bias_max", "slopes that are not the published ones"}, CONFIG_ONLY, "8", true, NULL},
    {{"attn_type", "keys that heads share"}, CONFIG_ONLY, "multihead_attention", true, NULL},
    {{"prefix_lm", "a prefix that sees itself"}, CONFIG_ONLY, "false", true, NULL},
    {{"attn_uses_sequence_id", "sequences in one row"}, CONFIG_ONLY, "false", true, NULL},
    {{"qk_ln", "a LayerNorm of queries and keys"}, CONFIG_ONLY, "false", true, NULL},
    {{"softmax_scale", NULL}, CONFIG_SETTING, "scale", false, NULL},
    {{"attn_impl", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"expansion_ratio", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"max_seq_len", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"norm_type", "another norm"}, CONFIG_ONLY, "low_precision_layernorm layernorm", true, NULL},
    {{"logit_scale", "a factor of the logits, which transformers doesn't apply"}, CONFIG_ONLY,
     NULL, true, NULL},
    {{"learned_pos_emb", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"no_bias", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"emb_pdrop", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"init_device", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"verbose", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"embedding_fraction", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* Both halves have as many heads, or one of these is refused. */
static const config_key OF_BART[] = {
    {{"encoder_attention_heads", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"decoder_attention_heads", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"encoder_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"decoder_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"num_hidden_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"encoder_ffn_dim", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"decoder_ffn_dim", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"scale_embedding", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"is_encoder_decoder", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"normalize_before", "norms before their parts"}, CONFIG_ONLY, "false", true, NULL},
    {{"normalize_embedding", "no norm of the embedded rows"}, CONFIG_ONLY, "true", true, NULL},
    {{"add_final_layer_norm", "a norm after the last layer"}, CONFIG_ONLY, "false", true, NULL},
    {{"add_bias_logits", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"static_position_embeddings", "positions by sines"}, CONFIG_ONLY, "false", true, NULL},
    {{"extra_pos_embeddings", "positions from another row than 2"}, CONFIG_ONLY, "2", true, NULL},
    {{"classif_dropout", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* What its convolutions make of sound is x. */
static const config_key OF_WHISPER[] = {
    {{"encoder_attention_heads", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"decoder_attention_heads", NULL}, CONFIG_SETTING, "heads", false, NULL},
    {{"encoder_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"decoder_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"num_hidden_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"encoder_ffn_dim", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"decoder_ffn_dim", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"scale_embedding", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"is_encoder_decoder", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"num_mel_bins", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"max_source_positions", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"max_target_positions", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"median_filter_width", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"use_weighted_layer_sum", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"classifier_proj_size", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"apply_spec_augment", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"mask_time_prob", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"mask_time_length", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"mask_time_min_masks", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"mask_feature_prob", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"mask_feature_length", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"mask_feature_min_masks", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_ELECTRA[] = {
    {{"embedding_size", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* What it makes of a picture is x. */
static const config_key OF_VIT[] = {
    {{"image_size", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"patch_size", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"num_channels", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"encoder_stride", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"pooler_act", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"pooler_output_size", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_MODERNBERT[] = {
    {{"hidden_activation", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"global_attn_every_n_layers", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"local_attention", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"sliding_window", "a window that local_attention says"}, CONFIG_ONLY, NULL, false, NULL},
    {{"global_rope_theta", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"local_rope_theta", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"norm_bias", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"decoder_bias", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"classifier_pooling", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"classifier_bias", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"classifier_activation", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"deterministic_flash_attn", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"sparse_prediction", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"sparse_pred_ignore_index", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"reference_compile", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"repad_logits_with_grad", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"mlp_dropout", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"initializer_cutoff_factor", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

static const config_key OF_DISTILBERT[] = {
    {{"dim", NULL}, CONFIG_SIZE, "width", false, NULL},
    {{"hidden_dim", NULL}, CONFIG_SIZE, "hidden", false, NULL},
    {{"activation", NULL}, CONFIG_SETTING, "activation", false, NULL},
    {{"qa_dropout", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"seq_classif_dropout", NULL}, CONFIG_READ, NULL, false, NULL},
    /* they are a table in the file */
    {{"sinusoidal_pos_embds", NULL}, CONFIG_READ, NULL, false, NULL},
    {{"tie_weights_", NULL}, CONFIG_READ, NULL, false, NULL},
    {{NULL, NULL}, CONFIG_READ, NULL, false, NULL},
};

/* ---- families ---- */

#define ROTARY_BASE {"rope_theta", 10000, NULL}
#define APART {"tie_word_embeddings", 0, NULL}
#define TIED {"tie_word_embeddings", 1, NULL}

static const model_family ROWS[] = {
    {.named = {"llama", "transformers' LLaMA"}, .names = "hf-llama", .rope = "half",
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"}}},
    {.named = {"mistral", "transformers' Mistral"}, .names = "hf-llama", .rope = "half",
     .has_windows = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"sliding_window", 4096, NULL}}},
    {.named = {"mixtral", "transformers' Mixtral"}, .names = "hf-llama", .rope = "half",
     .has_windows = true,
     .by_default = {{"rope_theta", 1e6, NULL}, APART, {"rms_norm_eps", 1e-5, NULL},
                    {"hidden_act", 0, "silu"}, {"num_local_experts", 8, NULL}}},
    {.named = {"qwen2", "transformers' Qwen 2"}, .names = "hf-llama", .rope = "half",
     .has_windows = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"use_sliding_window", 0, NULL}, {"sliding_window", 4096, NULL},
                    {"max_window_layers", 28, NULL}}},
    {.named = {"qwen3", "transformers' Qwen 3"},
     .names = "hf-llama", .rope = "half", .norms_heads = true, .has_windows = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"use_sliding_window", 0, NULL}, {"sliding_window", 4096, NULL},
                    {"max_window_layers", 28, NULL}}},
    {.named = {"gemma", "transformers' Gemma"}, .names = "hf-llama", .rope = "half",
     .setting = {{"activation", "gelu_tanh"}}, .own = OF_GEMMA,
     .gains_lack_one = true, .scales_rows = true,
     .by_default = {ROTARY_BASE, TIED, {"rms_norm_eps", 1e-6, NULL}}},
    {.named = {"gemma2", "transformers' Gemma 2"},
     .names = "gemma2", .rope = "half", .own = OF_GEMMA2,
     .gains_lack_one = true, .scales_rows = true, .has_windows = true, .full_every = 2,
     .by_default = {ROTARY_BASE, TIED, {"rms_norm_eps", 1e-6, NULL},
                    {"hidden_activation", 0, "gelu_pytorch_tanh"}, {"sliding_window", 4096, NULL},
                    {"attn_logit_softcapping", 50, NULL}, {"final_logit_softcapping", 30, NULL},
                    {"query_pre_attn_scalar", 256, NULL}}},
    {.named = {"gemma3_text", "transformers' Gemma 3"}, .names = "gemma3", .rope = "half",
     .own = OF_GEMMA3, .norms_heads = true, .gains_lack_one = true, .scales_rows = true,
     .has_windows = true, .full_every = 6,
     .by_default = {{"rope_theta", 1e6, NULL}, TIED, {"rms_norm_eps", 1e-6, NULL},
                    {"hidden_activation", 0, "gelu_pytorch_tanh"}, {"sliding_window", 4096, NULL},
                    {"query_pre_attn_scalar", 256, NULL}, {"rope_local_base_freq", 10000, NULL}}},
    {.named = {"granite", "transformers' Granite"},
     .names = "hf-llama", .rope = "half", .own = OF_GRANITE,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"attention_multiplier", 1, NULL}}},
    {.named = {"stablelm", "transformers' StableLM"},
     .names = "hf-llama", .rope = "half", .own = OF_STABLELM,
     .setting = {{"norm_kind", "layer"}},
     .by_default = {ROTARY_BASE, APART, {"layer_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"},
                    {"partial_rotary_factor", 0.25, NULL}}},
    {.named = {"starcoder2", "transformers' StarCoder 2"}, .names = "starcoder2", .rope = "half",
     .own = OF_STARCODER2, .has_windows = true,
     .by_default = {ROTARY_BASE, TIED, {"norm_epsilon", 1e-5, NULL},
                    {"hidden_act", 0, "gelu_pytorch_tanh"}}},
    {.named = {"cohere", "transformers' Command R"},
     .names = "cohere", .rope = "interleaved", .own = OF_COHERE,
     .by_default = {ROTARY_BASE, TIED, {"layer_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"},
                    {"logit_scale", 0.0625, NULL}}},
    {.named = {"olmo2", "transformers' OLMo 2"},
     .names = "olmo2", .rope = "half", .norms_heads = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"}}},
    {.named = {"phi", "transformers' Phi"}, .names = "phi", .rope = "half",
     .by_default = {ROTARY_BASE, APART, {"layer_norm_eps", 1e-5, NULL},
                    {"hidden_act", 0, "gelu_new"}, {"partial_rotary_factor", 0.5, NULL}}},
    {.named = {"phi3", "transformers' Phi-3, Phi-4"},
     .names = "phi3", .rope = "half", .own = OF_PHI3, .has_windows = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"}}},
    {.named = {"glm", "transformers' GLM-4"}, .names = "phi3", .rope = "interleaved",
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1.5625e-7, NULL},
                    {"hidden_act", 0, "silu"},
                    {"partial_rotary_factor", 0.5, NULL}, {"num_key_value_heads", 2, NULL},
                    {"head_dim", 128, NULL}}},
    {.named = {"nemotron", "transformers' Nemotron, Minitron"}, .names = "nemotron",
     .rope = "half", .gains_lack_one = true,
     .by_default = {ROTARY_BASE, APART, {"norm_eps", 1e-5, NULL}, {"hidden_act", 0, "relu2"},
                    {"partial_rotary_factor", 0.5, NULL}}},
    {.named = {"olmo", "transformers' OLMo"}, .names = "olmo", .rope = "half",
     .by_default = {ROTARY_BASE, APART, {"hidden_act", 0, "silu"}}},
    {.named = {"gptj", "transformers' GPT-J"},
     .names = "gptj", .rope = "interleaved", .own = OF_GPTJ,
     .by_default = {ROTARY_BASE, APART, {"layer_norm_epsilon", 1e-5, NULL},
                    {"activation_function", 0, "gelu_new"}, {"rotary_dim", 64, NULL}}},
    {.named = {"gpt_neox", "transformers' GPT-NeoX, Pythia"},
     .names = "neox", .rope = "half", .own = OF_NEOX,
     .by_default = {APART, {"layer_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "gelu"},
                    {"rotary_pct", 0.25, NULL}, {"rotary_emb_base", 10000, NULL},
                    {"use_parallel_residual", 1, NULL}}},
    {.named = {"gpt2", "transformers' GPT-2"}, .names = "gpt2", .own = OF_GPT2,
     .by_default = {TIED, {"layer_norm_epsilon", 1e-5, NULL},
                    {"activation_function", 0, "gelu_new"}}},
    {.named = {"bloom", "transformers' BLOOM"}, .names = "bloom", .own = OF_BLOOM,
     .setting = {{"alibi", "true"}},
     .by_default = {TIED, {"layer_norm_epsilon", 1e-5, NULL}}},
    {.named = {"falcon", "transformers' Falcon"}, .names = "falcon falcon-apart falcon-serial",
     .rope = "half", .own = OF_FALCON,
     .by_default = {ROTARY_BASE, TIED, {"layer_norm_epsilon", 1e-5, NULL},
                    {"activation", 0, "gelu"}, {"multi_query", 1, NULL},
                    {"new_decoder_architecture", 0, NULL}}},
    {.named = {"mpt", "transformers' MPT"}, .names = "mpt", .own = OF_MPT,
     .setting = {{"alibi", "true"}},
     .by_default = {TIED, {"layer_norm_epsilon", 1e-5, NULL}}},
    {.named = {"opt", "transformers' OPT"}, .names = "opt", .own = OF_OPT, .counts_shown = true,
     .by_default = {TIED, {"do_layer_norm_before", 1, NULL}, {"activation_function", 0, "relu"}}},
    {.named = {"t5", "transformers' T5"}, .own = OF_T5, .is_of_two = true,
     .scales_logits = true,
     .by_default = {TIED, {"layer_norm_epsilon", 1e-6, NULL}}},
    {.named = {"bart", "transformers' BART"}, .names = "hf-bart", .own = OF_BART,
     .is_of_two = true,
     .by_default = {TIED, {"activation_function", 0, "gelu"}}},
    {.named = {"whisper", "transformers' Whisper"}, .names = "hf-whisper", .own = OF_WHISPER,
     .is_of_two = true,
     .by_default = {TIED, {"activation_function", 0, "gelu"}}},
    {.named = {"bert", "transformers' BERT"}, .names = "bert", .is_masked = true,
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"roberta", "transformers' RoBERTa"},
     .names = "roberta", .is_masked = true, .head_activation = "gelu", .own = OF_ROBERTA,
     .counts_shown = true,
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"xlm-roberta", "transformers' XLM-RoBERTa"},
     .names = "roberta", .is_masked = true, .head_activation = "gelu", .own = OF_ROBERTA,
     .counts_shown = true,
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"distilbert", "transformers' DistilBERT"},
     .names = "distilbert", .is_masked = true,
     .own = OF_DISTILBERT, .by_default = {TIED, {"activation", 0, "gelu"}}},
    {.named = {"electra", "transformers' ELECTRA"},
     .names = "bert", .is_masked = true, .head_activation = "gelu", .own = OF_ELECTRA,
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"modernbert", "transformers' ModernBERT"}, .names = "modernbert", .rope = "half",
     .head = "a product, its activation and a norm before the unembedding",
     .own = OF_MODERNBERT, .has_windows = true, .sees_both_sides = true, .begins_full = true,
     .by_default = {TIED, {"norm_eps", 1e-5, NULL}, {"hidden_activation", 0, "gelu"},
                    {"global_rope_theta", 160000, NULL}, {"local_rope_theta", 10000, NULL},
                    {"global_attn_every_n_layers", 3, NULL}, {"local_attention", 128, NULL}}},
    {.named = {"vit", "transformers' ViT, DeiT"}, .names = "hf-vit", .own = OF_VIT,
     .head = "classes of the first row",
     .by_default = {{"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
};
/* clang-format on */

const named_table MODEL_FAMILIES = NAMED_TABLE("model", ROWS);

static const config_key *find_in(const config_key *rows, const char *name)
{
    for (; rows != NULL && rows->named.name != NULL; rows++) {
        if (strcmp(rows->named.name, name) == 0)
            return rows;
    }
    return NULL;
}

const config_key *config_key_find(const model_family *of, const char *name)
{
    const config_key *own = find_in(of->own, name);
    return own != NULL ? own : find_in(OF_ALL, name);
}

bool config_key_is_idle(const char *name)
{
    for (size_t i = 0; i < sizeof IDLE / sizeof IDLE[0]; i++) {
        if (strcmp(IDLE[i], name) == 0)
            return true;
    }
    return false;
}

void config_keys_describe(text *out)
{
    for (size_t i = 0; i < sizeof IDLE / sizeof IDLE[0]; i++)
        text_add_format(out, "%s%s", i == 0 ? "" : ", ", IDLE[i]);
}

/* "; hidden_act: activation" of keys, "; refused: clip_qkv, a clip …" of one that may not be. */
static void add_keys(text *out, const config_key *rows)
{
    for (; rows != NULL && rows->named.name != NULL; rows++) {
        const char *name = rows->named.name;
        if (rows->use == CONFIG_ONLY && rows->to == NULL)
            text_add_format(out, "; refused: %s, %s", name, rows->named.help);
        else if (rows->use == CONFIG_ONLY)
            text_add_format(out, "; %s: only %s", name, rows->to);
        else if (rows->use == CONFIG_READ || rows->use == CONFIG_ROPE)
            text_add_format(out, "; %s", name);
        else if (rows->use == CONFIG_WITHIN)
            text_add_format(out, "; within %s", name);
        else
            text_add_format(out, "; %s: %s%s", name,
                            rows->use == CONFIG_ROOT      ? "1/√ as "
                            : rows->use == CONFIG_INVERSE ? "1/ as "
                            : rows->use == CONFIG_SIZE    ? "size "
                                                          : "",
                            rows->to);
    }
}

void config_keys_describe_all(text *out)
{
    add_keys(out, OF_ALL);
    text_add_string(out, ".");
}

void model_family_describe(text *out, const model_family *row)
{
    if (row->names != NULL)
        text_add_format(out, "names of %s", row->names);
    else
        text_add_string(out, "names that tell what they are");
    if (row->rope != NULL)
        text_add_format(out, "; rotary positions %s", row->rope);
    for (size_t i = 0; i < FAMILY_SETTINGS && row->setting[i].key != NULL; i++)
        text_add_format(out, "; %s %s", row->setting[i].key, row->setting[i].word);
    if (row->has_windows)
        text_add_string(out, "; windows");
    if (row->gains_lack_one)
        text_add_string(out, "; gains are 1 and what is there");
    if (row->scales_rows)
        text_add_string(out, "; embedding_scale √width");
    if (row->norms_heads)
        text_add_string(out, "; qk_eps is norm_eps");
    if (row->head != NULL)
        text_add_format(out, "; no logits, for want of %s", row->head);
    if (row->is_masked)
        text_add_string(out, "; logits by its head, where the file has one");
    if (row->head_activation != NULL)
        text_add_format(out, ", with %s", row->head_activation);
    add_keys(out, row->own);
    for (size_t i = 0; i < FAMILY_DEFAULTS && row->by_default[i].key != NULL; i++) {
        const config_default *one = &row->by_default[i];
        text_add_format(out, "%s%s ", i == 0 ? "; else " : ", ", one->key);
        if (one->word != NULL)
            text_add_string(out, one->word);
        else
            text_add_format(out, "%g", one->number);
    }
}
