#include "cli/help/peers.h"

/* The sources, each read at the version named; a cell's comment says which, and where in it.
 * SDPA: docs.pytorch.org/docs/2.15/generated/torch.nn.functional.scaled_dot_product_attention.html.
 * MHA: pytorch/pytorch torch/nn/functional.py, multi_head_attention_forward, and the documentation
 * of nn.MultiheadAttention in torch/nn/modules/activation.py.
 * ONNX: onnx/onnx onnx/defs/nn/defs.cc, Attention_ver24_doc (1fe53301) and Attention_ver25_doc
 * (5c701950) with its errata; onnx/reference/ops/op_attention.py (335daa9b, 04138e07).
 * BERT: microsoft/onnxruntime onnxruntime/core/graph/contrib_ops/bert_defs.cc, the schemas of
 * MultiHeadAttention and GroupQueryAttention. CPU: its contrib_ops/cpu/bert/attention_cpu_base.h
 * (008eeb96) and attention_helper.h (d15c64c2). GQA: its contrib_ops/cpu/bert/gqa_attention_base.h.
 * KERAS: keras-team/keras keras/src/layers/attention/multi_head_attention.py (03ed1b25); SOFTMAX:
 * its layers/activations/softmax.py. JAX: jax-ml/jax jax/_src/nn/functions.py (01c36571).
 * FLASH: Dao-AILab/flash-attention README.md (014c349e); MASK: its csrc/flash_attn/src/mask.h
 * (04da83f3). FLEX: pytorch/pytorch torch/_higher_order_ops/flex_attention.py (00a6eab2) and the
 * documentation in torch/nn/attention/flex_attention.py. GGML: ggml-org/ggml include/ggml.h; OPS:
 * its src/ggml-cpu/ops.cpp, ggml_compute_forward_soft_max_f32 and …_flash_attn_ext_f16_one_chunk.
 * A number with # is an issue or pull request of that project. */
/* clang-format off */
static const peer ROWS[] = {
    {{"selfattn", "this program; → stands before what gives the same here"}, {
        [MASK_POLARITY] = {"true or 1 attends, false or 0 is masked out; a bias is added and may "
            "hold -inf; both may be given", NULL},
        [CAUSAL_ALIGNMENT] = {"--causal: j ≤ i + offset, the offset a cache's length unless it is "
            "said; --causal=lower-right: j ≤ i + n_k − n_q, and with --key-lengths the entry's own "
            "length for n_k", NULL},
        [SCALE_OF_SCORES] = {"1/√d_k; any number with --scale S, 0 too", NULL},
        [SOFT_CAP_ORDER] = {"scale, cap, bias and mask, softmax", NULL},
        [HEAD_GROUPING] = {"query head i, from 0, uses key/value head ⌊i / (h/g)⌋", NULL},
        [LAYOUT_OF_INPUTS] = {"n × h·d, b × n × h·d or b × h × n × d; results as q came", NULL},
        [FULLY_MASKED_ROWS] = {"weights 0 and attended 0, never NaN; a note counts them", NULL},
        [WINDOW_BOUNDS] = {"keys p−L to p+R, both included, −1 for no limit; the query's position "
            "p counts offset and alignment", NULL},
        [ALIBI_SIGN] = {"−slope·|p − j| is added to the scaled score", NULL},
        [SINK_LOGITS] = {"one a head: in the maximum and in the sum, without a value", NULL},
    }},
    {{"torch-sdpa", "scaled_dot_product_attention of PyTorch"}, {
        [MASK_POLARITY] = /* SDPA: attn_mask */
            {"true attends; a mask of floats is added", "--mask FILE, or --bias FILE"},
        [CAUSAL_ALIGNMENT] = /* SDPA: is_causal, and its code: tril(diagonal=0) of L × S */
            {"upper-left, j ≤ i, also where n_q ≠ n_k; not together with a mask", "--causal"},
        [SCALE_OF_SCORES] = /* SDPA: scale_factor */
            {"1/√d_k, or the argument scale", "--scale S for another"},
        [SOFT_CAP_ORDER] = {"no soft cap", NULL}, /* SDPA: the signature */
        [HEAD_GROUPING] = /* SDPA: repeat_interleave */
            {"⌊i / (h/g)⌋ with enable_gqa", "--kv-heads G; rank 4 says it itself"},
        [LAYOUT_OF_INPUTS] = {"b × h × n × d", NULL}, /* SDPA: shapes (N, ..., Hq, L, E) */
        [FULLY_MASKED_ROWS] = /* #133882 (August 2024): _safe_softmax in attention.cpp */
            {"zeros since 2.5, NaN before", NULL},
        [WINDOW_BOUNDS] = {"no window: a mask", "--window L,R"}, /* SDPA: the signature */
        [ALIBI_SIGN] = {"no ALiBi: a mask of floats, added", "--alibi"}, /* SDPA: the signature */
        [SINK_LOGITS] = {"no sinks", NULL}, /* SDPA: the signature */
    }},
    {{"torch-mha", "nn.MultiheadAttention of PyTorch"}, {
        [MASK_POLARITY] = /* MHA: attn_mask, key_padding_mask; correct_3d_size */
            {"true is masked out, in attn_mask and in key_padding_mask (b × n_k); floats are "
             "added; of rank 3, attn_mask is (b·h) × n_q × n_k",
             "--mask-true masked; padding with --mask-axis batch; rank 4, b × h × n_q × n_k"},
        [CAUSAL_ALIGNMENT] =
            /* MHA: is_causal, "provides a hint that attn_mask is the causal mask" */
            {"as attn_mask says: is_causal is only a hint that it is the causal one",
             "--causal in place of both"},
        [SCALE_OF_SCORES] = /* MHA: q_scaled = q * math.sqrt(1.0 / float(E)), E a head's width */
            {"1/√d_k, always", NULL},
        [SOFT_CAP_ORDER] = {"no soft cap", NULL}, /* MHA: the signature */
        [HEAD_GROUPING] = /* MHA: k, v viewed as bsz * num_heads; average_attn_weights */
            {"as many key/value heads as heads; weights come averaged over them",
             "--heads N; --average-heads"},
        [LAYOUT_OF_INPUTS] = /* MHA: shapes (L, N, E); batch_first; linear() */
            {"n × b × m, or b × n × m with batch_first; weights out-in",
             "rank 3, batch first; --layout out-in, or --bundle FILE"},
        [FULLY_MASKED_ROWS] = /* #160064, #152028 (2.11), #196170 (September 2026, open) */
            {"NaN with need_weights, its default, as of 2.11; zeros without",
             "nothing gives the NaN"},
        [WINDOW_BOUNDS] = {"no window: a mask", "--window L,R"}, /* MHA: the signature */
        [ALIBI_SIGN] = {"no ALiBi: a mask of floats, added", "--alibi"}, /* MHA: the signature */
        [SINK_LOGITS] = /* MHA: bias_k, then add_zero_attn; pad(attn_mask, (0, 1)) */
            {"no sinks; add_bias_kv and then add_zero_attn put rows behind the keys, which no mask "
             "hides", "--bias-k FILE --bias-v FILE; --add-zero"},
    }},
    {{"onnx", "the ONNX operator Attention, opsets 23, 24 and 25"}, {
        [MASK_POLARITY] = /* ONNX: attn_mask, padded with negative infinity */
            {"true attends; numbers are added; a last axis that is too short is filled up as "
             "masked out; of rank 3 it is h × n_q × n_k",
             "--mask FILE or --bias FILE, of the whole length; --mask-axis head for rank 3"},
        [CAUSAL_ALIGNMENT] = /* ONNX: ver25 and its errata (#8068); 335daa9b: np.tril(k=0) */
            {"j ≤ i + offset: the past's length, or nonpad_kv_seqlen − n_q without a past, else 0; "
             "the reference did not count nonpad_kv_seqlen before 1.23, nor the past before #7297 "
             "(2025)", "--causal; with --key-lengths, --causal=lower-right"},
        [SCALE_OF_SCORES] = /* ONNX: scale; Q*sqrt(scale), K*sqrt(scale) */
            {"1/√d_k, or the attribute scale; its root goes into q and into k",
             "--scale S for another"},
        [SOFT_CAP_ORDER] = /* #7867 (April 2026); ONNX: ver24 at 1fe53301: Add, then softcap */
            {"cap, then mask, since #7867 (April 2026), in opsets 23 and 24 too; before, they had "
             "mask, then cap, so that a masked key kept a score of −C",
             "--softcap C; nothing gives the old order"},
        [HEAD_GROUPING] = /* 04138e07: np.repeat; 335daa9b: np.tile */
            {"⌊i / (h/g)⌋ since #7274 (2025); before, the reference had i mod g", "--kv-heads G"},
        [LAYOUT_OF_INPUTS] = /* ONNX: inputs Q, K, V; past_key */
            {"b × h × n × d, or b × n × h·d with q_num_heads and kv_num_heads; caches b × g × n × "
             "d; qk_matmul_output_mode 0 to 3 is what scaled, capped, masked and weights are here",
             "rank 4, or rank 3 with --heads and --kv-heads; --emit scaled,capped,masked"},
        [FULLY_MASKED_ROWS] = /* ONNX: errata of opset 24, "corrected in version 1.23"; #8068 */
            {"zeros since 1.23, in mode 3 too; NaN before", NULL},
        [WINDOW_BOUNDS] = /* #8108, the definition as merged; ONNX: ver25 */
            {"opset 25: left_window_size and right_window_size, p − left ≤ j ≤ p + right, −1 for "
             "no limit, p = i + offset; its drafts had local_window_size W, p−W+1 to p",
             "--window L,R; with --key-lengths N also --offset N − n_q"},
        [ALIBI_SIGN] = {"no ALiBi: a mask of numbers, added", "--alibi"}, /* ONNX: the inputs */
        [SINK_LOGITS] = {"no sinks", NULL}, /* ONNX: the inputs */
    }},
    {{"ort-mha", "com.microsoft.MultiHeadAttention of ONNX Runtime"}, {
        [MASK_POLARITY] = /* BERT: key_padding_mask, attention_bias, mask_filter_value */
            {"key_padding_mask: 1 attends, 0 is padding, or a length an entry; masked out means "
             "that mask_filter_value, −10000, is added; attention_bias is added",
             "--mask FILE --mask-axis batch, or --key-lengths N,...; --bias FILE"},
        [CAUSAL_ALIGNMENT] =
            /* CPU: PrepareMask, s_i < sequence_length - 1; run with 1.30 */
            {"unidirectional: j ≤ i + past, but nothing is masked for the last query", "--causal; "
             "where n_k > n_q + past the last row comes without it"},
        [SCALE_OF_SCORES] = /* CPU: scale_ == 0.0f ? 1.0f / sqrt(…) */
            {"1/√d_k, or the attribute scale, of which 0 is the default again",
             "--scale S for another"},
        [SOFT_CAP_ORDER] = {"no soft cap", NULL}, /* BERT: the schema */
        [HEAD_GROUPING] = {"as many key/value heads as heads", NULL}, /* BERT: num_heads */
        [LAYOUT_OF_INPUTS] = /* BERT: query, key, past_key */
            {"b × n × h·d, or packed b × n × h × 3 × d; caches b × h × n × d", "--heads N"},
        [FULLY_MASKED_ROWS] = /* CPU: the mask is what the product is added to */
            {"as if nothing were masked, since −10000 is added to all of the row's scores; NaN "
             "where attention_bias is −inf throughout", "nothing gives it but another mask"},
        [WINDOW_BOUNDS] = {"no window", NULL}, /* BERT: the schema */
        [ALIBI_SIGN] = {"no ALiBi: attention_bias, added", "--alibi"}, /* BERT: the schema */
        [SINK_LOGITS] = {"no sinks", NULL}, /* BERT: the schema */
    }},
    {{"ort-gqa", "com.microsoft.GroupQueryAttention of ONNX Runtime"}, {
        [MASK_POLARITY] = /* BERT: seqlens_k, attention_bias */
            {"no mask: attention_bias is added; seqlens_k is the number of keys less 1, and a new "
             "key stands at that place, before what the cache has behind it",
             "--bias FILE; --key-lengths N,... with 1 more, the new rows put into k and v where "
             "they belong, no --past-k, and --causal=lower-right"},
        [CAUSAL_ALIGNMENT] = /* GQA: seq_causal_length = past_seqlen + seq + 1; run with 1.30 */
            {"j ≤ i + past, unless the attribute causal of newer versions is 0",
             "--causal; --causal=none"},
        [SCALE_OF_SCORES] = /* BERT; run with 1.30 */
            {"1/√d_k, or the attribute scale, of which 0 is the default again",
             "--scale S for another"},
        /* GQA: softcap_, bias_row */
        [SOFT_CAP_ORDER] = {"cap, then attention_bias", "--softcap C"},
        [HEAD_GROUPING] = /* GQA: head_index = kv_head_index * kv_num_heads_factor + g */
            {"⌊i / (h/g)⌋", "--kv-heads G"},
        [LAYOUT_OF_INPUTS] = /* BERT: query, past_key */
            {"b × n × h·d, or q, k, v packed side by side; caches b × g × n × d",
             "--heads N --kv-heads G"},
        [FULLY_MASKED_ROWS] = /* GQA: seq_causal_length */
            {"none: every query sees its own key, unless attention_bias hides it", NULL},
        [WINDOW_BOUNDS] = /* GQA: local_start = seq_causal_length - local_window_size_; #25927 */
            {"local_window_size W: p−W+1 to p since #25927 (September 2025), p−W to p before",
             "--causal --window L,0 with L = W − 1; before, with L = W"},
        [ALIBI_SIGN] = {"no ALiBi: attention_bias, added", "--alibi"}, /* BERT: the schema */
        [SINK_LOGITS] = /* BERT: head_sink, smooth_softmax; GQA: sink_val */
            {"head_sink, as here; smooth_softmax is a sink of 0 in every head", "--sinks FILE"},
    }},
    {{"keras", "the layer MultiHeadAttention of Keras"}, {
        [MASK_POLARITY] = /* KERAS: _compute_attention_mask; SOFTMAX: "1 to keep and 0 to mask" */
            {"true attends; attention_mask, the masks of query, key and value and the causal one "
             "are joined by and", "--mask FILE"},
        [CAUSAL_ALIGNMENT] = /* KERAS: _compute_causal_mask, row_index >= col_index */
            {"use_causal_mask is upper-left, j ≤ i", "--causal"},
        [SCALE_OF_SCORES] = /* KERAS: _inverse_sqrt_key_dim */
            {"1/√key_dim, which is 1/√d_k", NULL},
        [SOFT_CAP_ORDER] = {"no soft cap", NULL}, /* KERAS: call() */
        [HEAD_GROUPING] = {"as many key/value heads as heads", NULL}, /* KERAS: B, S, N, key_dim */
        [LAYOUT_OF_INPUTS] = /* KERAS: _compute_attention; EinsumDense */
            {"b × n × m, inside b × n × h × d; kernels m × h × d", "rank 3; --bundle FILE"},
        [FULLY_MASKED_ROWS] = /* SOFTMAX; #21149; KERAS: use_dot_product_attention */
            {"where scores are returned, zeros since #21149 (April 2025), uniform before; else as "
             "the backend's own attention has it", NULL},
        [WINDOW_BOUNDS] = {"no window: a mask", "--window L,R"}, /* KERAS: call() */
        [ALIBI_SIGN] = {"no ALiBi", NULL}, /* KERAS: call() */
        [SINK_LOGITS] = {"no sinks", NULL}, /* KERAS: call() */
    }},
    {{"jax", "jax.nn.dot_product_attention"}, {
        [MASK_POLARITY] = /* JAX: mask, bias, key_value_seq_lengths */
            {"true attends; what is added goes into bias; key_value_seq_lengths counts keys",
             "--mask FILE, --bias FILE; --key-lengths N,... for the counts"},
        [CAUSAL_ALIGNMENT] = /* JAX: _get_causal_mask, tril of T × S */
            {"is_causal is upper-left, j ≤ i", "--causal"},
        /* JAX: scale_val */
        [SCALE_OF_SCORES] = {"1/√d_k, or the argument scale", "--scale S for another"},
        [SOFT_CAP_ORDER] = {"no soft cap", NULL}, /* JAX: the signature */
        [HEAD_GROUPING] = /* JAX: _dot_product_attention_xla, reshape to B, T, K, G, H */
            {"⌊i / (h/g)⌋", "--kv-heads G"},
        [LAYOUT_OF_INPUTS] = /* JAX: BTNH, BSKH */
            {"b × n × h × d", "rank 3, b × n × h·d: the same numbers in the same order; --heads N"},
        [FULLY_MASKED_ROWS] =
            /* JAX: _apply_masks, _get_large_negative; _get_padding_mask_encoded */
            {"uniform over all keys; zeros for queries behind query_seq_lengths, where both "
             "lengths are given", "nothing gives the uniform row"},
        [WINDOW_BOUNDS] = /* JAX: local_window_size, _get_window_mask */
            {"local_window_size (l, r): i−l to i+r, and one number for both", "--window L,R"},
        [ALIBI_SIGN] = {"no ALiBi: bias, added", "--alibi"}, /* JAX: the signature */
        [SINK_LOGITS] = {"no sinks", NULL}, /* JAX: the signature */
    }},
    {{"flash-attention", "flash_attn_func of FlashAttention 2.x"}, {
        [MASK_POLARITY] = {"no mask", NULL}, /* FLASH: the signatures */
        [CAUSAL_ALIGNMENT] = /* FLASH: "2.1: Change behavior of causal flag" */
            {"lower-right since 2.1, j ≤ i + n_k − n_q; upper-left in 2.0",
             "--causal=lower-right; for 2.0 --causal"},
        [SCALE_OF_SCORES] = {"1/√d_k, or softmax_scale", "--scale S for another"}, /* FLASH */
        [SOFT_CAP_ORDER] =
            /* FLASH: 2.6; flash_fwd_kernel.h: apply_softcap, then apply_mask; MASK */
            {"since 2.6: scale, cap, ALiBi, mask", "--softcap C"},
        [HEAD_GROUPING] = /* FLASH: "head 0, 1, 2 of Q will attention to head 0 of K, V" */
            {"⌊i / (h/g)⌋", "--kv-heads G"},
        [LAYOUT_OF_INPUTS] = /* FLASH: q: (batch_size, seqlen, nheads, headdim) */
            {"b × n × h × d", "rank 3, b × n × h·d: the same numbers in the same order; --heads N"},
        [FULLY_MASKED_ROWS] = /* FLASH: "If the row of the mask is all zero, …" */
            {"zeros since 2.1", NULL},
        [WINDOW_BOUNDS] = /* FLASH: 2.3, window_size, inclusive */
            {"since 2.3: window_size (left, right) about i + n_k − n_q, both included, −1 for no "
             "limit", "--window L,R with --causal=lower-right, or --offset of n_k − n_q"},
        [ALIBI_SIGN] = /* FLASH: 2.4, alibi_slopes; MASK: Has_alibi */
            {"since 2.4: −slope·|i + n_k − n_q − j|; where causal, slope·j, which has the same "
             "weights and another logsumexp",
             "--alibi=S,... with --causal=lower-right, or --offset of n_k − n_q"},
        [SINK_LOGITS] = /* #1797, #2752 */
            {"none in 2.x; learnable_sink in FlashAttention 4", "--sinks FILE"},
    }},
    {{"flex-attention", "flex_attention of PyTorch"}, {
        [MASK_POLARITY] = /* FLEX: torch.where(mask_mod(…), score_mod(…), -inf) */
            {"mask_mod: true attends", "--mask FILE"},
        [CAUSAL_ALIGNMENT] = /* FLEX: mask_mod(b, h, m, n), m and n from 0 */
            {"as mask_mod says: q_idx >= kv_idx is upper-left", "--causal, with --offset N"},
        /* FLEX: scale */
        [SCALE_OF_SCORES] = {"1/√d_k, or the argument scale", "--scale S for another"},
        [SOFT_CAP_ORDER] = /* FLEX: _math_attention_inner, scores * scale first */
            {"scale, then score_mod, which may cap, then mask_mod", "--softcap C"},
        [HEAD_GROUPING] = /* FLEX: math_attention, repeat_interleave; enable_gqa */
            {"⌊i / (h/g)⌋ with enable_gqa", "--kv-heads G; rank 4 says it itself"},
        [LAYOUT_OF_INPUTS] = {"b × h × n × d", NULL}, /* FLEX: query (B, Hq, L, E) */
        [FULLY_MASKED_ROWS] = {"zeros", NULL}, /* FLEX: math_attention, _safe_softmax */
        [WINDOW_BOUNDS] = {"as mask_mod says", "--window L,R"}, /* FLEX: mask_mod */
        [ALIBI_SIGN] = {"as score_mod says", "--alibi"}, /* FLEX: score_mod */
        [SINK_LOGITS] = {"no sinks", NULL}, /* FLEX: the signature */
    }},
    {{"ggml", "ggml_soft_max_ext and ggml_flash_attn_ext of ggml"}, {
        [MASK_POLARITY] = /* GGML: mask; OPS: wp[i] += slope*mp_f32[i] */
            {"a mask of numbers is added, −INFINITY for masked out", "--bias FILE"},
        [CAUSAL_ALIGNMENT] = /* OPS: ggml_compute_forward_diag_mask_f32, i > n_past + j */
            {"as the mask says; ggml_diag_mask_inf keeps j ≤ i + n_past",
             "--causal --offset N"},
        [SCALE_OF_SCORES] = /* GGML: both signatures */
            {"an argument without a default", "--scale S"},
        [SOFT_CAP_ORDER] = /* OPS: scale /= logit_softcap; logit_softcap*tanhf(s); s += mv */
            {"flash_attn_ext: scale, cap, mask; soft_max_ext has none", "--softcap C"},
        [HEAD_GROUPING] = /* OPS: ik2 = iq2 / rk2, rk2 = neq2/nek2 */
            {"⌊i / (h/g)⌋", "--kv-heads G; rank 4 says it itself"},
        [LAYOUT_OF_INPUTS] = /* GGML: q [n_embd_k, n_batch, n_head, ne3]; res permuted */
            {"q, k, v b × h × n × d, which ggml writes from the fastest axis on; the result is "
             "b × n × h × d", "rank 4, or rank 3 for a result as ggml has it"},
        [FULLY_MASKED_ROWS] = /* OPS: S_inv = S == 0.0f ? 0.0f; soft_max: assert(sum > 0.0) */
            {"flash_attn_ext: zeros; soft_max_ext: NaN, or an assertion that fails",
             "nothing gives the NaN"},
        [WINDOW_BOUNDS] = {"no window: the mask", "--window L,R"}, /* GGML: the signatures */
        [ALIBI_SIGN] = /* OPS: slope = powf(m0, h + 1) or powf(m1, …) */
            {"the mask is multiplied by the head's slope and added; max_bias 8 has the published "
             "slopes", "--alibi, for a mask of −|p − j|"},
        [SINK_LOGITS] = /* GGML: …_add_sinks; OPS: max, then sum += expf(sk - max) */
            {"soft_max_add_sinks and flash_attn_ext_add_sinks: as here", "--sinks FILE"},
    }},
};
/* clang-format on */

const named_table PEERS = NAMED_TABLE("convention", ROWS);

static const named QUESTIONS[DIFFERENCE_COUNT] = {
    [MASK_POLARITY] = {"mask polarity", "what true means in a mask, and what is added"},
    [CAUSAL_ALIGNMENT] = {"causal alignment", "which keys j a causal query i sees, from 0"},
    [SCALE_OF_SCORES] = {"scale of scores", "what scores are multiplied by"},
    [SOFT_CAP_ORDER] = {"soft-cap order", "whether scores are capped before they are masked"},
    [HEAD_GROUPING] = {"head grouping", "which of g key/value heads query head i of h uses"},
    [LAYOUT_OF_INPUTS] = {"layout of inputs", "the axes of q, k and v, the last the fastest"},
    [FULLY_MASKED_ROWS] = {"fully masked rows", "what a query gets that may attend to nothing"},
    [WINDOW_BOUNDS] = {"window bounds", "which keys a window leaves, and whether its ends count"},
    [ALIBI_SIGN] = {"ALiBi sign", "how a distance gets into the score"},
    [SINK_LOGITS] = {"sink logits", "what takes weight and has no value"},
};

const named_table DIFFERENCES = NAMED_TABLE("difference", QUESTIONS);

const peer *peer_at(size_t index)
{
    return &ROWS[index];
}
