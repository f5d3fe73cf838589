#include "weights/config_keys.h"

#include <string.h>

/* Source: the configuration classes of transformers, versions 4 and 5, and what their modeling_
 * files make of each key; what a key is where config.json lacks it is what the class says. */

static const named SIZE_ROWS[] = {
    [SIZE_LAYERS] = {"layers", NULL},     [SIZE_WIDTH] = {"width", NULL},
    [SIZE_HIDDEN] = {"hidden", NULL},     [SIZE_IDS] = {"ids", NULL},
    [SIZE_HEAD] = {"head", NULL},         [SIZE_EXPERTS] = {"experts", NULL},
    [SIZE_OF_EXPERT] = {"expert", NULL},  [SIZE_LATENT] = {"latent", NULL},
    [SIZE_Q_LATENT] = {"q_latent", NULL}, [SIZE_UNTURNED] = {"unturned", NULL},
    [SIZE_TURNED] = {"turned", NULL},     [SIZE_VALUE] = {"value", NULL},
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
    "is_llama_config",
    "label2id",
    "layerdrop",
    "length_penalty",
    "mask_token_id",
    "masked_softmax_fusion",
    "max_length",
    "max_position_embeddings",
    "min_length",
    "mlp_bias",
    "model_max_length",
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
    "tokenizer_name",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
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
#define READ(name) {.named = {name, NULL}}
#define SIZE(name, size) {{name, NULL}, CONFIG_SIZE, .to = size}
#define SETTING(name, key) {{name, NULL}, CONFIG_SETTING, .to = key}
#define LAST {.to = NULL}

static const config_key OF_ALL[] = {
    SIZE("num_hidden_layers", "layers"),
    SIZE("n_layer", "layers"),
    SIZE("n_layers", "layers"),
    SIZE("num_layers", "layers"),
    SIZE("hidden_size", "width"),
    SIZE("n_embd", "width"),
    SIZE("n_embed", "width"),
    SIZE("d_model", "width"),
    SIZE("intermediate_size", "hidden"),
    SIZE("n_inner", "hidden"),
    SIZE("ffn_dim", "hidden"),
    SIZE("d_ff", "hidden"),
    SIZE("vocab_size", "ids"),
    SIZE("head_dim", "head"),
    SIZE("d_kv", "head"),
    SETTING("num_attention_heads", "heads"),
    SETTING("n_head", "heads"),
    SETTING("n_heads", "heads"),
    SETTING("num_heads", "heads"),
    SETTING("num_key_value_heads", "kv_heads"),
    SETTING("rms_norm_eps", "norm_eps"),
    SETTING("layer_norm_eps", "norm_eps"),
    SETTING("layer_norm_epsilon", "norm_eps"),
    SETTING("norm_eps", "norm_eps"),
    SETTING("norm_epsilon", "norm_eps"),
    SETTING("hidden_act", "activation"),
    SETTING("activation_function", "activation"),
    {{"rope_theta", NULL}, CONFIG_ROPE, .to = NULL},
    {{"rope_scaling", NULL}, CONFIG_ROPE, .to = NULL},
    {{"rope_parameters", NULL}, CONFIG_ROPE, .to = NULL},
    {{"partial_rotary_factor", NULL}, CONFIG_ROPE, .to = NULL},
    READ("sliding_window"),
    READ("use_sliding_window"),
    READ("max_window_layers"),
    READ("layer_types"),
    READ("tie_word_embeddings"),
    {{"quantization_config", "weights that are quantised"}, CONFIG_ONLY, .to = NULL},
    {{"pruned_heads", "heads that are left out"}, CONFIG_ONLY, .to = NULL},
    {{"clip_qkv", "a clip of queries, keys and values"}, CONFIG_ONLY, .to = NULL},
    {{"is_decoder", "an encoder's layers as a decoder's"}, CONFIG_ONLY, .to = "false"},
    {{"is_encoder_decoder", "an encoder and its decoder"}, CONFIG_ONLY, .to = "false"},
    {{"tie_encoder_decoder", "one set of layers for both"}, CONFIG_ONLY, .to = "false"},
    {{"add_cross_attention", "cross-attention next to self-attention"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    {{"num_local_experts", "a mixture of experts"}, CONFIG_ONLY, .to = NULL, .is_of_layers = true},
    {{"num_experts_per_tok", "a mixture of experts"}, CONFIG_ONLY,
     .to = NULL, .is_of_layers = true},
    {{"num_experts", "a mixture of experts"}, CONFIG_ONLY, .to = NULL, .is_of_layers = true},
    {{"qk_layernorm", "a LayerNorm of queries and keys"}, CONFIG_ONLY, .to = "false"},
    {{"use_qk_norm", "a LayerNorm of queries and keys"}, CONFIG_ONLY, .to = "false"},
    {{"use_bidirectional_attention", "attention in both directions"}, CONFIG_ONLY,
     .to = "false"},
    {{"rope_interleaved", "another pairing of what is turned"}, CONFIG_ONLY, .to = "false"},
    {{"use_mrope", "positions of pictures"}, CONFIG_ONLY, .to = "false"},
    {{"position_embedding_type", "positions by distance"}, CONFIG_ONLY, .to = "absolute"},
    LAST,
};

/* ---- keys of one family ---- */

static const config_key OF_GPT2[] = {
    {{"scale_attn_weights", "scores without a scale"}, CONFIG_ONLY, .to = "true"},
    {{"scale_attn_by_inverse_layer_idx", "a scale of each layer's own"}, CONFIG_ONLY,
     .to = "false"},
    LAST,
};

/* What is made of the first row alone is not computed here. */
static const config_key OF_BERT[] = {
    {{"directionality", "attention in one direction"}, CONFIG_ONLY, .to = "bidi"},
    READ("pooler_fc_size"),
    READ("pooler_num_attention_heads"),
    READ("pooler_num_fc_layers"),
    READ("pooler_size_per_head"),
    READ("pooler_type"),
    LAST,
};

static const config_key OF_ROBERTA[] = {
    {{"pad_token_id", "positions from another row than 2"}, CONFIG_ONLY,
     .to = "1", .is_of_layers = true},
    LAST,
};

/* modeling_gemma takes hidden_activation; older files have a hidden_act that it does not use. */
static const config_key OF_GEMMA[] = {
    {{"hidden_act", "which of two activations is meant"}, CONFIG_ONLY,
     .to = "gelu_pytorch_tanh gelu_new", .is_of_layers = true},
    SETTING("hidden_activation", "activation"),
    LAST,
};

static const config_key OF_GEMMA2[] = {
    {{"hidden_act", "which of two activations is meant"}, CONFIG_ONLY,
     .to = "gelu_pytorch_tanh gelu_new", .is_of_layers = true},
    SETTING("hidden_activation", "activation"),
    SETTING("attn_logit_softcapping", "softcap"),
    SETTING("final_logit_softcapping", "logits_softcap"),
    {{"query_pre_attn_scalar", NULL}, CONFIG_ROOT, .to = "scale"},
    LAST,
};

static const config_key OF_GRANITE[] = {
    SETTING("embedding_multiplier", "embedding_scale"),
    SETTING("attention_multiplier", "scale"),
    {{"logits_scaling", NULL}, CONFIG_INVERSE, .to = "logits_scale"},
    SETTING("residual_multiplier", "residual_scale"),
    LAST,
};

static const config_key OF_COHERE[] = {
    SETTING("logit_scale", "logits_scale"),
    LAST,
};

static const config_key OF_MIXTRAL[] = {
    SIZE("num_local_experts", "experts"),
    SETTING("num_experts_per_tok", "top_experts"),
    LAST,
};

/* modeling_gpt_oss has its own activation, whatever hidden_act is. */
static const config_key OF_GPT_OSS[] = {
    SIZE("num_local_experts", "experts"),
    SETTING("num_experts_per_tok", "top_experts"),
    SETTING("experts_per_token", "top_experts"),
    {{"hidden_act", "another activation"}, CONFIG_ONLY, .to = "silu", .is_of_layers = true},
    {{"swiglu_limit", "another limit of the activation"}, CONFIG_ONLY,
     .to = "7", .is_of_layers = true},
    READ("initial_context_length"),
    LAST,
};

static const config_key OF_QWEN3_MOE[] = {
    SIZE("num_experts", "experts"),
    SIZE("num_local_experts", "experts"),
    SETTING("num_experts_per_tok", "top_experts"),
    {{"norm_topk_prob", NULL}, CONFIG_SWITCH, .to = "renormalize true=true false=false"},
    SIZE("moe_intermediate_size", "expert"),
    /* of layers without experts, of which there are none */
    READ("intermediate_size"),
    {{"decoder_sparse_step", "layers without experts"}, CONFIG_ONLY,
     .to = "1", .is_of_layers = true},
    {{"mlp_only_layers", "layers without experts"}, CONFIG_ONLY, .to = NULL, .is_of_layers = true},
    LAST,
};

static const config_key OF_DEEPSEEK[] = {
    SIZE("n_routed_experts", "experts"),
    SIZE("moe_intermediate_size", "expert"),
    SIZE("kv_lora_rank", "latent"),
    SIZE("q_lora_rank", "q_latent"),
    SIZE("qk_nope_head_dim", "unturned"),
    SIZE("qk_rope_head_dim", "turned"),
    SIZE("v_head_dim", "value"),
    SETTING("num_experts_per_tok", "top_experts"),
    SETTING("routed_scaling_factor", "routing_scale"),
    READ("first_k_dense_replace"),
    {{"moe_layer_freq", "layers without experts between others"}, CONFIG_ONLY,
     .to = "1", .is_of_layers = true},
    {{"partial_rotary_factor", "a share that qk_rope_head_dim says"}, CONFIG_ONLY, .to = NULL},
    /* the sums of others, and what training has */
    READ("head_dim"),
    READ("qk_head_dim"),
    READ("n_shared_experts"),
    READ("num_nextn_predict_layers"),
    READ("aux_loss_alpha"),
    READ("seq_aux"),
    READ("ep_size"),
    LAST,
};

static const config_key OF_DEEPSEEK_V2[] = {
    {{"topk_method", "another choice of experts"}, CONFIG_SWITCH,
     .to = "top_of_group greedy=- group_limited_greedy=1", .is_of_layers = true},
    {{"norm_topk_prob", "weights that are divided by their sum"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    {{"scoring_func", "other scores of experts"}, CONFIG_ONLY,
     .to = "softmax", .is_of_layers = true},
    {{"n_group", NULL}, CONFIG_SETTING, "groups", .where = "topk_method=group_limited_greedy"},
    {{"topk_group", NULL}, CONFIG_SETTING,
     "top_groups", .where = "topk_method=group_limited_greedy"},
    LAST,
};

static const config_key OF_DEEPSEEK_V3[] = {
    SETTING("n_group", "groups"),
    SETTING("topk_group", "top_groups"),
    {{"norm_topk_prob", NULL}, CONFIG_SWITCH, .to = "renormalize true=true false=false"},
    {{"rope_interleave", NULL}, CONFIG_SWITCH, .to = "rope_pairing true=interleaved false=half"},
    {{"topk_method", "another choice of experts"}, CONFIG_ONLY,
     .to = "noaux_tc", .is_of_layers = true},
    {{"scoring_func", "other scores of experts"}, CONFIG_ONLY,
     .to = "sigmoid", .is_of_layers = true},
    LAST,
};

static const config_key OF_STABLELM[] = {
    {{"use_parallel_residual", "both parts of the same rows"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    LAST,
};

static const config_key OF_PHI3[] = {
    /* longrope's alone */
    READ("original_max_position_embeddings"),
    LAST,
};

/* Its class reads hidden_act and norm_epsilon, and nothing under their older names. */
static const config_key OF_STARCODER2[] = {
    READ("activation_function"),
    READ("layer_norm_epsilon"),
    {{"scale_attn_weights", "scores without a scale"}, CONFIG_ONLY, .to = "true"},
    {{"norm_type", "another norm"}, CONFIG_ONLY, .to = "layer_norm", .is_of_layers = true},
    {{"mlp_type", "another feed-forward part"}, CONFIG_ONLY, .to = "default", .is_of_layers = true},
    LAST,
};

static const config_key OF_NEOX[] = {
    {{"use_parallel_residual", NULL}, CONFIG_SWITCH, .to = "norm true=parallel-apart false=pre"},
    READ("rotary_pct"),
    READ("rotary_emb_base"),
    READ("is_decoder"), /* it is one whatever this says */
    LAST,
};

static const config_key OF_OLMO[] = {
    SETTING("clip_qkv", "clip"),
    LAST,
};

static const config_key OF_GPTJ[] = {
    READ("rotary_dim"),
    {{"partial_rotary_factor", "a share that rotary_dim says"}, CONFIG_ONLY, .to = NULL},
    {{"rotary", "no rotary positions"}, CONFIG_ONLY, .to = "true"},
    {{"scale_attn_weights", "scores without a scale"}, CONFIG_ONLY, .to = "true"},
    LAST,
};

static const config_key OF_BLOOM[] = {
    /* which modeling_bloom does not use */
    READ("offset_alibi"),
    {{"apply_residual_connection_post_layernorm", "sums with what a norm made"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    LAST,
};

static const config_key OF_OPT[] = {
    {{"do_layer_norm_before", NULL}, CONFIG_SWITCH, .to = "norm true=pre false=post"},
    {{"_remove_final_layer_norm", "no last norm"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    {{"layer_norm_elementwise_affine", "norms without a gain"}, CONFIG_ONLY,
     .to = "true", .is_of_layers = true},
    LAST,
};

static const config_key OF_T5[] = {
    {{"feed_forward_proj", "an activation that its names don't tell"}, CONFIG_ONLY,
     .to = "relu gated-gelu", .is_of_layers = true},
    SETTING("dense_act_fn", "activation"),
    READ("is_gated_act"),
    READ("relative_attention_num_buckets"),
    SETTING("relative_attention_max_distance", "relative_distance"),
    /* of the encoder; of the decoder the next */
    READ("num_layers"),
    READ("num_decoder_layers"),
    READ("scale_decoder_outputs"),
    READ("is_encoder_decoder"),
    LAST,
};

/* Besides those of Gemma 2. rope_local_base_freq is of layers with a window, rope_theta of the
 * others. */
static const config_key OF_GEMMA3[] = {
    READ("rope_local_base_freq"),
    READ("sliding_window_pattern"),
    READ("_sliding_window_pattern"),
    LAST,
};

/* Which norms there are, and so where both parts begin, the names in the file tell. */
static const config_key OF_FALCON[] = {
    READ("new_decoder_architecture"),
    {{"num_kv_heads", NULL}, CONFIG_SETTING, "kv_heads", .where = "new_decoder_architecture=true"},
    {{"multi_query", NULL}, CONFIG_SWITCH,
     .to = "kv_heads true=1 false=-", .where = "new_decoder_architecture=false"},
    SETTING("activation", "activation"),
    SIZE("ffn_hidden_size", "hidden"),
    READ("parallel_attn"),
    READ("num_ln_in_parallel_attn"),
    READ("alibi"),
    {{"apply_residual_connection_post_layernorm", "sums with what a norm made"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    LAST,
};

/* modeling_mpt adds ALiBi and no table of positions, whatever learned_pos_emb says. */
static const config_key OF_MPT[] = {
    {{"attn_config", NULL}, CONFIG_WITHIN, .to = NULL},
    {{"alibi", "positions without ALiBi"}, CONFIG_ONLY, .to = "true", .is_of_layers = true},
    {{"alibi_bias_max", "slopes that are not the published ones"}, CONFIG_ONLY,
     .to = "8", .is_of_layers = true},
    {{"attn_type", "keys that heads share"}, CONFIG_ONLY,
     .to = "multihead_attention", .is_of_layers = true},
    {{"prefix_lm", "a prefix that sees itself"}, CONFIG_ONLY, .to = "false", .is_of_layers = true},
    {{"attn_uses_sequence_id", "sequences in one row"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    {{"qk_ln", "a LayerNorm of queries and keys"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    SETTING("softmax_scale", "scale"),
    SETTING("clip_qkv", "clip"),
    READ("attn_impl"),
    READ("expansion_ratio"),
    READ("max_seq_len"),
    {{"norm_type", "another norm"}, CONFIG_ONLY,
     .to = "low_precision_layernorm layernorm", .is_of_layers = true},
    {{"logit_scale", "a factor of the logits, which transformers doesn't apply"}, CONFIG_ONLY,
     .to = NULL, .is_of_layers = true},
    READ("learned_pos_emb"),
    READ("no_bias"),
    READ("emb_pdrop"),
    READ("init_config"),
    READ("init_device"),
    READ("verbose"),
    READ("embedding_fraction"),
    LAST,
};

/* Both halves have as many heads, or one of these is refused. */
static const config_key OF_TWO[] = {
    SETTING("encoder_attention_heads", "heads"),
    SETTING("decoder_attention_heads", "heads"),
    READ("encoder_layers"),
    READ("decoder_layers"),
    READ("num_hidden_layers"),
    READ("encoder_ffn_dim"),
    READ("decoder_ffn_dim"),
    READ("scale_embedding"),
    READ("is_encoder_decoder"),
    LAST,
};

static const config_key OF_BART[] = {
    {{"normalize_before", "norms before their parts"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    {{"normalize_embedding", "no norm of the embedded rows"}, CONFIG_ONLY,
     .to = "true", .is_of_layers = true},
    {{"add_final_layer_norm", "a norm after the last layer"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    READ("add_bias_logits"),
    {{"static_position_embeddings", "positions by sines"}, CONFIG_ONLY,
     .to = "false", .is_of_layers = true},
    {{"extra_pos_embeddings", "positions from another row than 2"}, CONFIG_ONLY,
     .to = "2", .is_of_layers = true},
    READ("classif_dropout"),
    LAST,
};

/* What its convolutions make of sound is x. */
static const config_key OF_WHISPER[] = {
    READ("num_mel_bins"),
    READ("max_source_positions"),
    READ("max_target_positions"),
    READ("median_filter_width"),
    READ("use_weighted_layer_sum"),
    READ("classifier_proj_size"),
    READ("apply_spec_augment"),
    READ("mask_time_prob"),
    READ("mask_time_length"),
    READ("mask_time_min_masks"),
    READ("mask_feature_prob"),
    READ("mask_feature_length"),
    READ("mask_feature_min_masks"),
    LAST,
};

static const config_key OF_ELECTRA[] = {
    READ("embedding_size"),
    LAST,
};

static const config_key OF_ALBERT[] = {
    READ("embedding_size"),
    {{"num_hidden_groups", "layers of several groups"}, CONFIG_ONLY,
     .to = "1", .is_of_layers = true},
    {{"inner_group_num", "several layers in a group"}, CONFIG_ONLY,
     .to = "1", .is_of_layers = true},
    READ("net_structure_type"),
    READ("gap_size"),
    READ("num_memory_blocks"),
    READ("down_scale_factor"),
    LAST,
};

/* What it makes of a picture is x. */
static const config_key OF_VIT[] = {
    READ("image_size"),
    READ("patch_size"),
    READ("num_channels"),
    READ("encoder_stride"),
    READ("pooler_act"),
    READ("pooler_output_size"),
    LAST,
};

static const config_key OF_MODERNBERT[] = {
    SETTING("hidden_activation", "activation"),
    READ("global_attn_every_n_layers"),
    READ("local_attention"),
    {{"sliding_window", "a window that local_attention says"}, CONFIG_ONLY, .to = NULL},
    READ("global_rope_theta"),
    READ("local_rope_theta"),
    READ("norm_bias"),
    READ("decoder_bias"),
    READ("classifier_pooling"),
    READ("classifier_bias"),
    READ("classifier_activation"),
    READ("deterministic_flash_attn"),
    READ("sparse_prediction"),
    READ("sparse_pred_ignore_index"),
    READ("reference_compile"),
    READ("repad_logits_with_grad"),
    READ("mlp_dropout"),
    READ("initializer_cutoff_factor"),
    LAST,
};

static const config_key OF_DISTILBERT[] = {
    SIZE("dim", "width"),
    SIZE("hidden_dim", "hidden"),
    SETTING("activation", "activation"),
    READ("qa_dropout"),
    READ("seq_classif_dropout"),
    /* they are a table in the file */
    READ("sinusoidal_pos_embds"),
    READ("tie_weights_"),
    LAST,
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
    {.named = {"mixtral", "transformers' Mixtral"}, .names = "mixtral", .rope = "half",
     .own = {OF_MIXTRAL}, .has_windows = true,
     .by_default = {{"rope_theta", 1e6, NULL}, APART, {"rms_norm_eps", 1e-5, NULL},
                    {"hidden_act", 0, "silu"}, {"num_experts_per_tok", 2, NULL}}},
    {.named = {"qwen2", "transformers' Qwen 2"}, .names = "hf-llama", .rope = "half",
     .has_windows = true, .has_types = true, .switches_windows = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"use_sliding_window", 0, NULL}, {"sliding_window", 4096, NULL},
                    {"max_window_layers", 28, NULL}}},
    {.named = {"qwen3", "transformers' Qwen 3"},
     .names = "hf-llama", .rope = "half", .norms_heads = true, .has_windows = true,
     .has_types = true, .switches_windows = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"use_sliding_window", 0, NULL}, {"sliding_window", 4096, NULL},
                    {"max_window_layers", 28, NULL}, {"head_dim", 128, NULL}}},
    {.named = {"qwen3_moe", "transformers' Qwen 3 of experts"},
     .names = "qwen3-moe", .rope = "half", .own = {OF_QWEN3_MOE}, .norms_heads = true,
     .has_windows = true, .switches_windows = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"use_sliding_window", 0, NULL}, {"sliding_window", 4096, NULL},
                    {"num_experts_per_tok", 8, NULL},
                    {"norm_topk_prob", 0, NULL}}},
    /* Norms of latents have the eps that their class has where none is said, 1e-6, which is
     * latent_eps by default: rms_norm_eps is of the others. */
    {.named = {"deepseek_v2", "transformers' DeepSeek-V2"},
     .names = "deepseek-v2", .rope = "interleaved", .own = {OF_DEEPSEEK, OF_DEEPSEEK_V2},
     .setting = {{"routing", "softmax"}, {"renormalize", "false"}}, .scales_by_mscale = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"q_lora_rank", 1536, NULL}, {"kv_lora_rank", 512, NULL},
                    {"qk_nope_head_dim", 128, NULL}, {"qk_rope_head_dim", 64, NULL},
                    {"v_head_dim", 128, NULL}, {"routed_scaling_factor", 1, NULL},
                    {"first_k_dense_replace", 0, NULL}, {"n_routed_experts", 64, NULL}}},
    {.named = {"deepseek_v3", "transformers' DeepSeek-V3"},
     .names = "deepseek-v3", .rope = "half", .own = {OF_DEEPSEEK, OF_DEEPSEEK_V3},
     .setting = {{"routing", "sigmoid"}}, .scales_by_mscale = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"rope_interleave", 1, NULL},
                    {"q_lora_rank", 1536, NULL}, {"kv_lora_rank", 512, NULL},
                    {"qk_nope_head_dim", 128, NULL}, {"qk_rope_head_dim", 64, NULL},
                    {"v_head_dim", 128, NULL}, {"routed_scaling_factor", 2.5, NULL},
                    {"first_k_dense_replace", 3, NULL}, {"n_routed_experts", 256, NULL},
                    {"num_experts_per_tok", 8, NULL}, {"n_group", 8, NULL},
                    {"topk_group", 4, NULL}, {"norm_topk_prob", 1, NULL}}},
    {.named = {"gpt_oss", "transformers' gpt-oss"},
     .names = "gpt-oss", .rope = "half", .own = {OF_GPT_OSS}, .has_windows = true,
     .has_types = true, .full_every = 2, .asks_how_it_turns = true,
     .setting = {{"activation", "clamped"}, {"routing", "top-softmax"}},
     .by_default = {{"rope_theta", 150000, NULL}, APART, {"rms_norm_eps", 1e-5, NULL},
                    {"num_experts_per_tok", 4, NULL}, {"num_local_experts", 128, NULL},
                    {"sliding_window", 128, NULL}, {"head_dim", 64, NULL}}},
    {.named = {"gemma", "transformers' Gemma"}, .names = "hf-llama", .rope = "half",
     .setting = {{"activation", "gelu_tanh"}}, .own = {OF_GEMMA},
     .gains_lack_one = true, .scales_rows = true,
     .by_default = {ROTARY_BASE, TIED, {"rms_norm_eps", 1e-6, NULL}, {"head_dim", 256, NULL}}},
    {.named = {"gemma2", "transformers' Gemma 2"},
     .names = "gemma2", .rope = "half", .own = {OF_GEMMA2},
     .gains_lack_one = true, .scales_rows = true, .has_windows = true, .has_types = true,
     .full_every = 2,
     .by_default = {ROTARY_BASE, TIED, {"rms_norm_eps", 1e-6, NULL},
                    {"hidden_activation", 0, "gelu_pytorch_tanh"}, {"sliding_window", 4096, NULL},
                    {"attn_logit_softcapping", 50, NULL}, {"final_logit_softcapping", 30, NULL},
                    {"query_pre_attn_scalar", 256, NULL}, {"head_dim", 256, NULL}}},
    {.named = {"gemma3_text", "transformers' Gemma 3"}, .names = "gemma2", .rope = "half",
     .own = {OF_GEMMA2, OF_GEMMA3}, .norms_heads = true, .gains_lack_one = true,
     .scales_rows = true, .has_windows = true, .has_types = true, .full_every = 6,
     .by_default = {{"rope_theta", 1e6, NULL}, TIED, {"rms_norm_eps", 1e-6, NULL},
                    {"hidden_activation", 0, "gelu_pytorch_tanh"}, {"sliding_window", 4096, NULL},
                    {"query_pre_attn_scalar", 256, NULL}, {"head_dim", 256, NULL},
                    {"rope_local_base_freq", 10000, NULL}}},
    {.named = {"granite", "transformers' Granite"},
     .names = "hf-llama", .rope = "half", .own = {OF_GRANITE},
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-6, NULL}, {"hidden_act", 0, "silu"},
                    {"attention_multiplier", 1, NULL}}},
    {.named = {"stablelm", "transformers' StableLM"},
     .names = "hf-llama", .rope = "half", .own = {OF_STABLELM},
     .setting = {{"norm_kind", "layer"}},
     .turns_part = true,
     .by_default = {ROTARY_BASE, APART, {"layer_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"},
                    {"partial_rotary_factor", 0.25, NULL}}},
    {.named = {"starcoder2", "transformers' StarCoder 2"}, .names = "starcoder2", .rope = "half",
     .own = {OF_STARCODER2}, .has_windows = true,
     .by_default = {ROTARY_BASE, TIED, {"norm_epsilon", 1e-5, NULL},
                    {"hidden_act", 0, "gelu_pytorch_tanh"}}},
    {.named = {"cohere", "transformers' Command R"},
     .names = "cohere", .rope = "interleaved", .own = {OF_COHERE},
     .by_default = {ROTARY_BASE, TIED, {"layer_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"},
                    {"logit_scale", 0.0625, NULL}}},
    {.named = {"olmo2", "transformers' OLMo 2"},
     .names = "olmo2", .rope = "half", .norms_heads = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"}}},
    {.named = {"phi", "transformers' Phi"}, .names = "phi", .rope = "half",
     .turns_part = true,
     .by_default = {ROTARY_BASE, APART, {"layer_norm_eps", 1e-5, NULL},
                    {"hidden_act", 0, "gelu_new"}, {"partial_rotary_factor", 0.5, NULL}}},
    {.named = {"phi3", "transformers' Phi-3, Phi-4"},
     .names = "phi3", .rope = "half", .own = {OF_PHI3}, .has_windows = true,
     .turns_part = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "silu"}}},
    {.named = {"glm", "transformers' GLM-4"}, .names = "phi3", .rope = "interleaved",
     .turns_part = true,
     .by_default = {ROTARY_BASE, APART, {"rms_norm_eps", 1.5625e-7, NULL},
                    {"hidden_act", 0, "silu"},
                    {"partial_rotary_factor", 0.5, NULL}, {"num_key_value_heads", 2, NULL},
                    {"head_dim", 128, NULL}}},
    {.named = {"nemotron", "transformers' Nemotron, Minitron"}, .names = "nemotron",
     .rope = "half", .gains_lack_one = true,
     .turns_part = true,
     .by_default = {ROTARY_BASE, APART, {"norm_eps", 1e-5, NULL}, {"hidden_act", 0, "relu2"},
                    {"partial_rotary_factor", 0.5, NULL}}},
    {.named = {"olmo", "transformers' OLMo"}, .names = "olmo", .rope = "half",
     .own = {OF_OLMO},
     .by_default = {ROTARY_BASE, APART, {"hidden_act", 0, "silu"}}},
    {.named = {"gptj", "transformers' GPT-J"},
     .names = "gptj", .rope = "interleaved", .own = {OF_GPTJ},
     .by_default = {ROTARY_BASE, APART, {"layer_norm_epsilon", 1e-5, NULL},
                    {"activation_function", 0, "gelu_new"}, {"rotary_dim", 64, NULL}}},
    {.named = {"gpt_neox", "transformers' GPT-NeoX, Pythia"},
     .names = "neox", .rope = "half", .own = {OF_NEOX},
     .turns_part = true,
     .by_default = {APART, {"layer_norm_eps", 1e-5, NULL}, {"hidden_act", 0, "gelu"},
                    {"rotary_pct", 0.25, NULL}, {"rotary_emb_base", 10000, NULL},
                    {"use_parallel_residual", 1, NULL}}},
    {.named = {"gpt2", "transformers' GPT-2"}, .names = "gpt2", .own = {OF_GPT2},
     .by_default = {TIED, {"layer_norm_epsilon", 1e-5, NULL},
                    {"activation_function", 0, "gelu_new"}}},
    {.named = {"bloom", "transformers' BLOOM"}, .names = "bloom", .own = {OF_BLOOM},
     .setting = {{"alibi", "true"}},
     .by_default = {TIED, {"layer_norm_epsilon", 1e-5, NULL}}},
    {.named = {"falcon", "transformers' Falcon"}, .names = "falcon falcon-apart falcon-serial",
     .rope = "half", .own = {OF_FALCON}, .rounds_alibi = true,
     .by_default = {ROTARY_BASE, TIED, {"layer_norm_epsilon", 1e-5, NULL},
                    {"activation", 0, "gelu"}, {"multi_query", 1, NULL},
                    {"max_position_embeddings", 2048, NULL},
                    {"new_decoder_architecture", 0, NULL}}},
    {.named = {"mpt", "transformers' MPT"}, .names = "mpt", .own = {OF_MPT},
     .setting = {{"alibi", "true"}},
     .by_default = {TIED, {"layer_norm_epsilon", 1e-5, NULL}}},
    {.named = {"opt", "transformers' OPT"}, .names = "opt", .own = {OF_OPT}, .counts_shown = true,
     .by_default = {TIED, {"do_layer_norm_before", 1, NULL}, {"activation_function", 0, "relu"}}},
    {.named = {"t5", "transformers' T5"}, .own = {OF_T5}, .is_of_two = true,
     .scales_logits = true,
     .by_default = {TIED, {"layer_norm_epsilon", 1e-6, NULL}}},
    {.named = {"bart", "transformers' BART"}, .names = "hf-bart", .own = {OF_TWO, OF_BART},
     .is_of_two = true,
     .by_default = {TIED, {"activation_function", 0, "gelu"}}},
    {.named = {"whisper", "transformers' Whisper"}, .names = "hf-whisper",
     .own = {OF_TWO, OF_WHISPER}, .x_of = "what its convolutions make of sound, of its encoder",
     .is_of_two = true,
     .by_default = {TIED, {"activation_function", 0, "gelu"}}},
    {.named = {"bert", "transformers' BERT"}, .names = "bert", .is_masked = true,
     .own = {OF_BERT},
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"roberta", "transformers' RoBERTa"},
     .names = "roberta", .is_masked = true, .head_activation = "gelu", .own = {OF_ROBERTA},
     .counts_shown = true,
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"xlm-roberta", "transformers' XLM-RoBERTa"},
     .names = "roberta", .is_masked = true, .head_activation = "gelu", .own = {OF_ROBERTA},
     .counts_shown = true,
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"distilbert", "transformers' DistilBERT"},
     .names = "distilbert", .is_masked = true,
     .own = {OF_DISTILBERT}, .by_default = {TIED, {"activation", 0, "gelu"}}},
    {.named = {"electra", "transformers' ELECTRA"},
     .names = "bert", .is_masked = true, .head_activation = "gelu", .own = {OF_ELECTRA},
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu"}}},
    {.named = {"albert", "transformers' ALBERT"},
     .names = "albert", .is_masked = true, .own = {OF_ALBERT},
     .by_default = {TIED, {"layer_norm_eps", 1e-12, NULL}, {"hidden_act", 0, "gelu_new"},
                    {"num_hidden_layers", 12, NULL}, {"num_hidden_groups", 1, NULL},
                    {"inner_group_num", 1, NULL}}},
    {.named = {"modernbert", "transformers' ModernBERT"}, .names = "modernbert", .rope = "half",
     .is_masked = true, .head_activation = "classifier_activation", .shares_head = true,
     .own = {OF_MODERNBERT}, .has_windows = true, .has_types = true, .sees_both_sides = true,
     .begins_full = true,
     .by_default = {TIED, {"norm_eps", 1e-5, NULL}, {"hidden_activation", 0, "gelu"},
                    {"global_rope_theta", 160000, NULL}, {"local_rope_theta", 10000, NULL},
                    {"global_attn_every_n_layers", 3, NULL}, {"local_attention", 128, NULL},
                    {"classifier_activation", 0, "gelu"}}},
    {.named = {"vit", "transformers' ViT, DeiT"}, .names = "hf-vit", .own = {OF_VIT},
     .head = "classes of the first row", .x_of = "its patches, with their positions",
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
    const config_key *found = NULL;
    for (size_t i = 0; i < FAMILY_KEYS && of != NULL && found == NULL; i++)
        found = find_in(of->own[i], name);
    return found != NULL ? found : find_in(OF_ALL, name);
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
        text_add_string(out, row->has_types ? "; windows, by layer" : "; windows of all layers");
    if (row->turns_part)
        text_add_string(out, "; of a head a part may be turned");
    if (row->asks_how_it_turns)
        text_add_string(out, "; rope_parameters or rope_scaling is asked for");
    if (row->gains_lack_one)
        text_add_string(out, "; gains are 1 and what is there");
    if (row->scales_rows)
        text_add_string(out, "; embedding_scale √width");
    if (row->rounds_alibi)
        text_add_string(out, "; alibi over √d_k, in bfloat16, twice from transformers 5 on");
    if (row->scales_by_mscale)
        text_add_string(out, "; mscale_all_dim of yarn in the scale");
    if (row->norms_heads)
        text_add_string(out, "; qk_eps is norm_eps");
    if (row->x_of != NULL)
        text_add_format(out, "; x is given: %s", row->x_of);
    if (row->head != NULL)
        text_add_format(out, "; no logits, for want of %s", row->head);
    if (row->is_masked)
        text_add_string(out, "; logits by its head, where the file has one");
    if (row->head_activation != NULL)
        text_add_format(out, ", with %s", row->head_activation);
    if (row->shares_head)
        text_add_string(out, ", and with a bias for ids");
    for (size_t i = 0; i < FAMILY_KEYS; i++)
        add_keys(out, row->own[i]);
    for (size_t i = 0; i < FAMILY_DEFAULTS && row->by_default[i].key != NULL; i++) {
        const config_default *one = &row->by_default[i];
        text_add_format(out, "%s%s ", i == 0 ? "; else " : ", ", one->key);
        if (one->word != NULL)
            text_add_string(out, one->word);
        else
            text_add_format(out, "%g", one->number);
    }
}
