/* Where in a port's source to look for a cause, by the names that transformers, its checkpoints and
 * their conversions have. */
#include "cli/port/port.h"

/* The first pattern that means the cause is taken. */
static const named ROWS[] = {
    {"rope-pairing",
     "rotate_half, apply_rotary; or q_proj and k_proj, whose rows some conversions permute"},
    {"rope-base", "rope_theta: 500000 in Llama 3, one of its own by layer type in Gemma 3"},
    {"rope_base", "rope_theta: 500000 in Llama 3, one of its own by layer type in Gemma 3"},
    {"rope_width", "partial_rotary_factor, rotary_pct, rotary_dim"},
    {"rope-exponent", "inv_freq: theta ** -(2p / width)"},
    {"rope-late", "position_ids, and where the cache begins"},
    {"rope-from-zero", "position_ids, and where the cache begins"},
    {"rope-attention-factor-missing",
     "attention_scaling: cos and sin are multiplied by it (attention_factor, mscale)"},
    {"rope-*", "apply_rotary_pos_emb, rotate_half, inv_freq"},
    {"*-latent-norm-missing", "q_a_layernorm, kv_a_layernorm"},
    {"norm_eps", "rms_norm_eps, layer_norm_eps; or a kernel's own default"},
    {"norm-eps-outside", "the norm: eps stands inside the root"},
    {"norm-eps-*", "rms_norm_eps, layer_norm_eps; or a kernel's own default"},
    {"norm-gain-*-one",
     "the norm's weight: Gemma's is its gain less 1, and some conversions add that 1"},
    {"norm-rms", "the norm's class: RMSNorm, LayerNorm"},
    {"norm-layer", "the norm's class: RMSNorm, LayerNorm"},
    {"norm-p*", "the order in the layer's forward: input_layernorm, post_attention_layernorm"},
    {"norm-both", "the order in the layer's forward: input_layernorm, post_attention_layernorm"},
    {"norm-*", "the norm's forward"},
    {"ln_f-*",
     "the last norm: model.norm, ln_f, final_layer_norm; or the last rows are taken before it"},
    {"ln_e-*", "the norm after the embedding: word_embeddings_layernorm, embeddings.LayerNorm"},
    {"ln*", "the layer's norms: input_layernorm, post_attention_layernorm, ln_1, ln_2"},
    {"scale*", "1 / sqrt(head_dim), query_pre_attn_scalar, attention_multiplier, mscale"},
    {"softcap*", "attn_logit_softcapping, before the mask"},
    {"logits_softcap", "final_logit_softcapping"},
    {"logits_scale", "logits_scaling, logit_scale; lm_head"},
    {"window*", "sliding_window, by layer: a query sees itself and window - 1 keys before it"},
    {"causal-*", "the causal mask: tril, its diagonal, and where the cache begins"},
    {"last-key-missing", "the mask of padding"},
    {"mask-*", "attention_mask, and what is added to scores for it"},
    {"alibi-*", "build_alibi_tensor: slopes 2 ** (-8 i / heads), from i = 1"},
    {"sinks-*", "sinks: one column more in the softmax, taken off after it"},
    {"kv-tiled", "repeat_kv: repeat_interleave, not repeat"},
    {"qk-norm-*", "q_norm, k_norm, before rotary positions"},
    {"q-gain-missing", "q_norm.weight"},
    {"k-gain-missing", "k_norm.weight"},
    {"heads-*", "view and transpose: (n, width) to (heads, n, head_dim)"},
    {"concat-*", "transpose and reshape before o_proj: (heads, n, head_dim) to (n, width)"},
    {"*-transposed", "the weight's layout: Linear keeps (out, in), Conv1D (in, out)"},
    {"bq-missing", "this bias: it may be loaded and not added (attention_bias, mlp_bias)"},
    {"bk-missing", "this bias: it may be loaded and not added (attention_bias, mlp_bias)"},
    {"bv-missing", "this bias: it may be loaded and not added (attention_bias, mlp_bias)"},
    {"bo-missing", "this bias: it may be loaded and not added (attention_bias, mlp_bias)"},
    {"b1-missing", "this bias: it may be loaded and not added (attention_bias, mlp_bias)"},
    {"b2-missing", "this bias: it may be loaded and not added (attention_bias, mlp_bias)"},
    {"*biases-missing", "biases: they may be loaded and not added (attention_bias, mlp_bias)"},
    {"routing-*divided", "norm_topk_prob, and whether the softmax is before topk or after it"},
    {"routing-scale-missing", "routed_scaling_factor"},
    {"routing-*", "scoring_func: softmax or sigmoid of the router's logits"},
    {"top-experts-*", "num_experts_per_tok, and topk's k"},
    {"choice-bias-*", "e_score_correction_bias: topk takes it, the weights do not"},
    {"router-bias-missing", "router.bias, gate.bias"},
    {"shared-gate-missing", "shared_expert_gate: its sigmoid multiplies the shared expert"},
    {"shared-missing", "shared_experts, shared_expert: each row goes through it too"},
    {"groups-missing", "n_group, topk_group: groups are chosen before experts"},
    {"groups-by-*", "topk_method: a group's max in group_limited_greedy, topk(2).sum in noaux_tc"},
    {"expert-weighs-rows", "where routing weights multiply: after down_proj, not its input"},
    {"gate-by-turns", "gate_up_proj: [..., ::2] and [..., 1::2] in gpt-oss, halves elsewhere"},
    {"gate-as-halves", "gate_up_proj: halves, by turns in gpt-oss alone"},
    {"gate-*", "act(gate_proj(x)) * up_proj(x), and the halves of gate_up_proj"},
    {"activation-*",
     "hidden_act, activation_function: gelu has erf, gelu_new and gelu_pytorch_tanh tanh"},
    {"ffn-parallel", "use_parallel_residual, parallel_attn"},
    {"residual*", "what the layer adds up; residual_multiplier"},
    {"embedding*", "the factor of embeddings: sqrt(hidden_size), embedding_multiplier"},
    {"positions-late", "position_ids: OPT's and BART's table begins at row 2"},
    {"positions-*", "position_ids, wpe, embed_positions"},
    {"segments-*", "token_type_ids, token_type_embeddings"},
    {"layer*", "the loop over layers"},
};

const named_table PORT_PLACES = NAMED_TABLE("place", ROWS);

const char *port_look_at(const char *cause)
{
    for (size_t i = 0; i < PORT_PLACES.count; i++) {
        if (stage_name_matches(ROWS[i].name, cause))
            return ROWS[i].help;
    }
    return NULL;
}
