"""Random models of every family that the reference knows, as Hugging Face publishes them: names of
weights, and a config.json, in the spelling of transformers 4 or of 5, of which each key that
changes numbers is drawn. Sizes are small, and gains, biases and bases are far from where they
change little.
"""
import numpy as np

EPS = (1e-12, 1e-6, 1e-5, 1e-3, 1e-2)
ACTS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "relu")
VOCAB, MOST = 24, 24  # ids, and rows that positions are for


class Draw:
    """One model: `config` as the reference reads it, `said` as the file has it, `weights`; and
    what of it may be refused, though the reference computes it, by the key that says it."""

    def __init__(self, seed, family):
        self.rng, self.family = np.random.default_rng(seed), family
        self.config, self.weights, self.dropped, self.renamed = {}, {}, set(), {}
        self.sides, self.foreign = ("decode",), None
        FAMILIES[family](self)
        self.config["model_type"] = family
        self.config["vocab_size"] = VOCAB

    # ---- draws

    def of(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def whether(self, chance=0.5):
        return bool(self.rng.random() < chance)

    def key(self, name, value, default=None):
        """A key; now and then it has its class's default and the file is without it."""
        if default is not None and self.whether(0.2):
            value = default
            self.dropped.add(name)
        self.config[name] = value
        return value

    def eps(self, name, default):
        return self.key(name, float(self.of(*EPS)), default)

    # ---- weights

    def matrix(self, name, out, into, spread=1.2):
        self.weights[name] = self.rng.normal(0, spread / into ** 0.5, (out, into))

    def vector(self, name, size, around=0.0):
        self.weights[name] = around + self.rng.normal(0, 0.3, size)

    def linear(self, name, out, into, bias):
        self.matrix(name + ".weight", out, into)
        if bias:
            self.vector(name + ".bias", out)

    def norm(self, name, width, bias, around=1.0):
        self.vector(name + ".weight", width, around)
        if bias:
            self.vector(name + ".bias", width)

    def table(self, name, count, width):
        self.weights[name] = self.rng.normal(0, 1, (count, width))

    # ---- what many have

    def heads(self, with_groups=True, pairs=True):
        """(heads, their key/value heads, width of one)."""
        h = int(self.of(1, 2, 3, 4, 6))
        kv = int(self.of(*[g for g in (1, 2, 3, h) if h % g == 0])) if with_groups else h
        return h, kv, int(self.of(4, 6, 8) if pairs else self.of(3, 4, 5, 8))

    def rope(self, kinds=("default", "linear", "dynamic", "llama3", "yarn"), partial=None,
             base=10000.0):
        """rope_parameters; or, as transformers 4 has it, rope_theta and rope_scaling."""
        theta = float(self.of(base, 500.0, 5e5, 1234.5))
        kind = self.of("default", *kinds)
        parts = {"rope_type": kind}
        if kind in ("linear", "dynamic", "yarn"):
            parts["factor"] = float(self.of(2.0, 4.0, 3.5))
        if kind == "dynamic":
            self.config["max_position_embeddings"] = int(self.of(4, 8, MOST))
        if kind == "llama3":
            parts.update(factor=8.0, low_freq_factor=1.0, high_freq_factor=float(self.of(2, 4)),
                         original_max_position_embeddings=int(self.of(8, 16)))
        if kind == "yarn":
            parts.update(original_max_position_embeddings=int(self.of(8, 16)),
                         beta_fast=float(self.of(32.0, 4.0)), beta_slow=float(self.of(1.0, 0.5)))
            if self.whether(0.3):
                parts["attention_factor"] = 1.25
            for name in ("mscale", "mscale_all_dim"):
                if self.whether(0.6):
                    parts[name] = float(self.of(1.0, 0.707, 0.0))
        self.config["rope_parameters"] = {"rope_theta": theta, **parts}
        if partial is not None:
            self.config["rope_parameters"]["partial_rotary_factor"] = partial
            self.config["partial_rotary_factor"] = partial
        if self.whether():  # as transformers 4 writes it
            old = {} if kind == "default" else {"rope_scaling": parts}
            self.renamed["rope_parameters"] = {"rope_theta": theta, **old}
        elif partial is not None and self.whether():
            self.renamed["partial_rotary_factor"] = {}

    def part_of(self, width, shares):
        """A share of a head's width that is turned, in pairs."""
        return float(self.of(*[one for one in shares if int(width * one) % 2 == 0]))

    def head_of(self, name, width, tied, bias=False):
        """Whether the unembedding is the embedding is drawn, too."""
        is_tied = self.key("tie_word_embeddings", self.whether(), tied)
        if not is_tied:
            self.linear(name, VOCAB, width, bias)
        return is_tied

    # ---- decoders of LLaMA's names

    def llama(self, *, eps=("rms_norm_eps", 1e-6), act=("hidden_act", "silu"), acts=ACTS,
              norms=("input_layernorm", "post_attention_layernorm"), norm_bias=False, gain=1.0,
              qkv_bias=False, o_bias=False, ffn="gated", ffn_bias=False, ffn_names=None,
              qk_norm=None, kinds=("linear", "dynamic", "llama3", "yarn"), partial=None,
              own_width=True, tied=False, has_gain=True, has_tie=True, own_ffn=None, sinks=False,
              head_bias=False, base=10000.0, kv_default=None):
        h, kv, d = self.heads()
        width = int(h * d if not own_width or self.whether() else self.of(8, 12, 18))
        hidden, layers = int(self.of(8, 13, 20)), int(self.of(1, 2, 3))
        self.config.update(hidden_size=width, intermediate_size=hidden, num_hidden_layers=layers,
                           num_attention_heads=h, num_key_value_heads=kv,
                           max_position_embeddings=MOST)
        if kv == h and kv_default == "heads" and self.whether():
            self.dropped.add("num_key_value_heads")
        self.config["head_dim"] = d
        if width == h * d and self.whether():
            self.dropped.add("head_dim")
        if eps is not None:
            self.eps(*eps)
        if act is not None:
            self.key(act[0], self.of(*acts), act[1])
        self.rope(kinds, None if partial is None else self.part_of(d, partial), base)
        self.table("model.embed_tokens.weight", VOCAB, width)
        if has_gain:
            self.norm("model.norm", width, norm_bias, gain)
        for i in range(layers):
            p = f"model.layers.{i}."
            m = p + "self_attn."
            if ffn == "fused-qkv":
                self.linear(m + "qkv_proj", (h + 2 * kv) * d, width, False)
            else:
                for name, n in (("q_proj", h), ("k_proj", kv), ("v_proj", kv)):
                    self.linear(m + name, n * d, width, qkv_bias)
            self.linear(m + "o_proj", width, h * d, o_bias)
            if qk_norm is not None:
                self.vector(m + "q_norm.weight", d if qk_norm == "head" else h * d, gain)
                self.vector(m + "k_norm.weight", d if qk_norm == "head" else kv * d, gain)
            if sinks:
                self.vector(m + "sinks", h)
            for name in norms if has_gain else ():
                self.norm(p + name, width, norm_bias, gain)
            if own_ffn is not None:
                own_ffn(p, width, hidden)
            elif ffn in ("fused", "fused-qkv"):
                self.linear(p + "mlp.gate_up_proj", 2 * hidden, width, False)
                self.linear(p + "mlp.down_proj", width, hidden, False)
            elif ffn == "two":
                one, two = ffn_names
                self.linear(p + "mlp." + one, hidden, width, ffn_bias)
                self.linear(p + "mlp." + two, width, hidden, ffn_bias)
            else:
                for name in ("gate_proj", "up_proj"):
                    self.linear(p + "mlp." + name, hidden, width, ffn_bias)
                self.linear(p + "mlp.down_proj", width, hidden, ffn_bias)
        if has_tie:
            self.head_of("lm_head", width, tied, head_bias)
        return h, kv, d, width, layers

    def window(self, default=None):
        if default is not None and self.whether(0.2):
            self.config["sliding_window"] = default
            self.dropped.add("sliding_window")
        else:
            self.config["sliding_window"] = self.of(None, 2, 3, 5)

    def types(self, layers):
        """A list of what each layer is, as transformers 5 writes it."""
        self.config["layer_types"] = [self.of("sliding_attention", "full_attention")
                                      for _ in range(layers)]
        if self.config["sliding_window"] is None:
            self.config["sliding_window"] = 3

    def types_in_turn(self, layers):
        """A window in each second layer, which a class works out where it is not said; or a list."""
        if not self.whether():
            self.types(layers)
            return
        self.config["layer_types"] = ["full_attention" if i % 2 else "sliding_attention"
                                      for i in range(layers)]
        self.renamed["layer_types"] = {}


def draw_llama(d):
    bias = d.key("attention_bias", d.whether(0.3), False)
    d.llama(qkv_bias=bias, o_bias=bias, ffn_bias=d.key("mlp_bias", d.whether(0.3), False),
            kv_default="heads")


def draw_mistral(d):
    d.llama()
    d.window(4096)


def draw_qwen2(d):
    *_, layers = d.llama(qkv_bias=True)
    draw_qwen_window(d, layers)


def draw_qwen3(d):
    bias = d.key("attention_bias", d.whether(0.3), False)
    *_, layers = d.llama(qk_norm="head", qkv_bias=bias, o_bias=bias)
    d.dropped.discard("head_dim")  # its default is 128
    draw_qwen_window(d, layers)


def draw_qwen_window(d, layers):
    uses = d.key("use_sliding_window", d.whether(), False)
    d.config["sliding_window"] = int(d.of(2, 3, 5)) if uses or d.whether() else None
    first = int(d.of(0, 1, 2))
    d.config["max_window_layers"] = first
    d.config["layer_types"] = ["sliding_attention" if uses and i >= first else "full_attention"
                               for i in range(layers)]
    if d.whether():
        d.renamed["layer_types"] = {}  # transformers works them out


def draw_phi3(d):
    d.llama(eps=("rms_norm_eps", 1e-5), ffn="fused-qkv", kinds=("linear", "yarn"),
            partial=(1.0, 0.75, 0.5), own_width=False, kv_default="heads")
    d.window()


def draw_gemma(d):
    key = d.of("hidden_act", "hidden_activation")
    act = None if key == "hidden_act" else (key, "gelu_pytorch_tanh")
    d.llama(gain=0.0, tied=True, kinds=(), act=act)
    d.dropped.discard("head_dim")
    if act is None:
        d.key(key, d.of("gelu_pytorch_tanh", "gelu_new"))
    elif act[0] in d.dropped:
        d.config["hidden_activation"] = "gelu_pytorch_tanh"


FOUR = ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
        "post_feedforward_layernorm")


def draw_gemma2(d):
    *_, layers = d.llama(gain=0.0, tied=True, kinds=(), norms=FOUR,
                         act=("hidden_activation", "gelu_pytorch_tanh"))
    d.dropped.discard("head_dim")
    d.key("query_pre_attn_scalar", int(d.of(4, 16, 30)), 256)
    d.key("attn_logit_softcapping", float(d.of(0.5, 2.0, 50.0)), 50.0)
    d.key("final_logit_softcapping", float(d.of(1.0, 3.0)), 30.0)
    d.config["sliding_window"] = int(d.of(2, 3, 5))
    d.types_in_turn(layers)


def draw_gemma3_text(d):
    *_, layers = d.llama(gain=0.0, tied=True, kinds=(), norms=FOUR, qk_norm="head",
                         act=("hidden_activation", "gelu_pytorch_tanh"))
    d.dropped.discard("head_dim")
    d.key("query_pre_attn_scalar", int(d.of(4, 16, 30)), 256)
    d.config.update(attn_logit_softcapping=None, final_logit_softcapping=None,
                    sliding_window=int(d.of(2, 3, 5)))
    d.types(layers)
    far, near = float(d.of(1e6, 500.0)), float(d.of(10000.0, 77.0))
    d.config["rope_parameters"] = {
        "full_attention": {"rope_theta": far, "rope_type": "default"},
        "sliding_attention": {"rope_theta": near, "rope_type": "default"}}
    d.renamed.pop("rope_parameters", None)
    if d.whether():
        d.renamed["rope_parameters"] = {"rope_theta": far, "rope_local_base_freq": near}


def draw_granite(d):
    d.llama(kv_default="heads")
    d.key("embedding_multiplier", float(d.of(6.0, 0.5)), 1.0)
    d.key("attention_multiplier", float(d.of(0.2, 0.7)), 1.0)
    d.key("residual_multiplier", float(d.of(0.3, 1.5, 1.0)), 1.0)
    d.key("logits_scaling", float(d.of(4.0, 0.5)), 1.0)


def draw_olmo(d):
    d.llama(eps=None, has_gain=False, own_width=False, kv_default="heads")
    d.config["clip_qkv"] = d.of(None, 0.5, 1.0)


def draw_olmo2(d):
    d.llama(eps=("rms_norm_eps", 1e-5), qk_norm="all", own_width=False, kv_default="heads",
            norms=("post_attention_layernorm", "post_feedforward_layernorm"))


def draw_nemotron(d):
    d.llama(eps=("norm_eps", 1e-5), gain=0.0, norm_bias=True, ffn="two", kinds=(),
            ffn_names=("up_proj", "down_proj"), act=("hidden_act", "relu2"),
            acts=(*ACTS, "relu2"), partial=(0.5, 0.75, 1.0))


def draw_cohere(d):
    d.llama(eps=("layer_norm_eps", 1e-5), norms=("input_layernorm",), own_width=False, tied=True,
            kinds=(), kv_default="heads")
    d.key("logit_scale", float(d.of(0.25, 2.0)), 0.0625)


def draw_starcoder2(d):
    bias = d.key("use_bias", d.whether(0.7), True)
    d.llama(eps=("norm_epsilon", 1e-5), norm_bias=True, qkv_bias=bias, o_bias=bias, ffn="two",
            ffn_names=("c_fc", "c_proj"), ffn_bias=bias, own_width=False, tied=True, kinds=(),
            act=("hidden_act", "gelu_pytorch_tanh"))
    d.window()


def draw_stablelm(d):
    d.llama(eps=("layer_norm_eps", 1e-5), norm_bias=True, own_width=False, kinds=(),
            qkv_bias=d.key("use_qkv_bias", d.whether(0.4), False), partial=(0.5, 0.75, 1.0))


def draw_glm(d):
    bias = d.key("attention_bias", d.whether(0.7))
    d.llama(eps=("rms_norm_eps", 1.5625e-07), ffn="fused", qkv_bias=bias, kinds=("linear", "yarn"),
            partial=(0.5, 1.0))
    d.dropped.discard("head_dim")


def draw_mixtral(d):
    count = d.key("num_local_experts", int(d.of(2, 4)))
    d.key("num_experts_per_tok", int(d.of(1, 2)))

    def experts(p, width, hidden):
        d.linear(p + "block_sparse_moe.gate", count, width, False)
        for e in range(count):
            for name, out, into in (("w1", hidden, width), ("w2", width, hidden),
                                    ("w3", hidden, width)):
                d.linear(f"{p}block_sparse_moe.experts.{e}.{name}", out, into, False)
    d.llama(eps=("rms_norm_eps", 1e-5), own_ffn=experts)
    d.window()


def draw_qwen3_moe(d):
    count = d.key("num_local_experts", int(d.of(2, 4)))
    d.renamed["num_local_experts"] = {"num_experts": count}
    d.key("num_experts_per_tok", int(d.of(1, 2)))
    d.config.update(norm_topk_prob=True, decoder_sparse_step=1, mlp_only_layers=[])

    def experts(p, width, hidden):
        d.config["moe_intermediate_size"] = hidden
        d.linear(p + "mlp.gate", count, width, False)
        for e in range(count):
            for name, out, into in (("gate_proj", hidden, width), ("down_proj", width, hidden),
                                    ("up_proj", hidden, width)):
                d.linear(f"{p}mlp.experts.{e}.{name}", out, into, False)
    d.llama(qk_norm="head", own_ffn=experts)
    d.dropped.discard("head_dim")
    uses = d.key("use_sliding_window", d.whether(), False)
    d.config["sliding_window"] = int(d.of(2, 3, 5)) if uses or d.whether() else None
    d.renamed["max_window_layers"] = d.of({}, {"max_window_layers": 1})  # of which it knows nothing


def draw_gpt_oss(d):
    count = d.key("num_local_experts", int(d.of(2, 4)))
    d.key("num_experts_per_tok", int(d.of(1, 2)))

    def experts(p, width, hidden):
        p += "mlp."
        d.linear(p + "router", count, width, True)
        d.weights[p + "experts.gate_up_proj"] = d.rng.normal(0, 1.2 / width ** 0.5,
                                                             (count, width, 2 * hidden))
        d.weights[p + "experts.gate_up_proj_bias"] = d.rng.normal(0, 0.3, (count, 2 * hidden))
        d.weights[p + "experts.down_proj"] = d.rng.normal(0, 1.2 / hidden ** 0.5,
                                                          (count, hidden, width))
        d.weights[p + "experts.down_proj_bias"] = d.rng.normal(0, 0.3, (count, width))
    *_, layers = d.llama(eps=("rms_norm_eps", 1e-5), qkv_bias=True, o_bias=True, sinks=True,
                         own_ffn=experts, kinds=("yarn",), act=None)
    d.config.update(attention_bias=True, hidden_act="silu", swiglu_limit=7.0,
                    sliding_window=int(d.of(2, 3)))
    d.dropped.discard("head_dim")  # its default is 64
    d.types_in_turn(layers)
    if "rope_scaling" not in d.renamed.get("rope_parameters", {}):
        d.renamed.pop("rope_parameters", None)  # it has yarn then, or nothing, by the version


def draw_latents(d, is_third):
    """DeepSeek-V2 or V3: latents, the first layers without experts, and mixtures."""
    h, width, layers = int(d.of(1, 2, 3)), int(d.of(12, 16)), int(d.of(1, 2, 3))
    hidden, of_expert, together = int(d.of(8, 13)), int(d.of(6, 8)), int(d.of(1, 2))
    nope, rot, dv = int(d.of(3, 4, 6)), int(d.of(2, 4, 6)), int(d.of(3, 5, 6))
    rank, low = int(d.of(4, 7)), d.of(None, 5, 8, width)
    groups, is_grouped = int(d.of(1, 2, 3)), is_third or d.whether(0.7)
    count = 2 * groups * int(d.of(1, 2))
    chosen = int(d.of(1, groups))
    d.config.update(
        hidden_size=width, intermediate_size=hidden, num_hidden_layers=layers,
        num_attention_heads=h, num_key_value_heads=h, qk_nope_head_dim=nope, qk_rope_head_dim=rot,
        v_head_dim=dv, kv_lora_rank=rank, q_lora_rank=low, moe_intermediate_size=of_expert,
        n_routed_experts=count, n_shared_experts=together, n_group=groups, topk_group=chosen,
        num_experts_per_tok=int(d.of(*range(1, 1 + min(3, chosen * count // groups)))),
        max_position_embeddings=MOST, tie_word_embeddings=False)
    d.key("first_k_dense_replace", int(d.of(0, 1, 2)), None if is_third else 0)
    d.key("routed_scaling_factor", float(d.of(1.0, 2.5, 0.3)), 2.5 if is_third else 1.0)
    d.key("hidden_act", d.of(*ACTS), "silu")
    d.eps("rms_norm_eps", 1e-6)
    bias = d.key("attention_bias", d.whether(), False)
    d.rope(("linear", "llama3", "yarn") + (("dynamic",) if rot > 2 else ()))
    if is_third:
        d.key("rope_interleave", d.whether(0.7), True)
        d.key("norm_topk_prob", d.whether(0.7), True)
    else:
        d.config.update(topk_method="group_limited_greedy" if is_grouped else "greedy",
                        norm_topk_prob=False)
    if d.whether(0.3):
        d.config.update(head_dim=rot, num_nextn_predict_layers=1, aux_loss_alpha=0.001)
    d.table("model.embed_tokens.weight", VOCAB, width)
    d.norm("model.norm", width, False)
    d.linear("lm_head", VOCAB, width, False)

    def gated(p, wide):
        for name, out, into in (("gate_proj", wide, width), ("up_proj", wide, width),
                                ("down_proj", width, wide)):
            d.linear(p + name, out, into, False)
    for i in range(layers):
        p = f"model.layers.{i}."
        m = p + "self_attn."
        if low is None:
            d.linear(m + "q_proj", h * (nope + rot), width, False)
        else:
            d.linear(m + "q_a_proj", low, width, bias)
            d.norm(m + "q_a_layernorm", low, False)
            d.linear(m + "q_b_proj", h * (nope + rot), low, False)
        d.linear(m + "kv_a_proj_with_mqa", rank + rot, width, bias)
        d.norm(m + "kv_a_layernorm", rank, False)
        d.linear(m + "kv_b_proj", h * (nope + dv), rank, False)
        d.linear(m + "o_proj", width, h * dv, bias)
        d.norm(p + "input_layernorm", width, False)
        d.norm(p + "post_attention_layernorm", width, False)
        if i < d.config["first_k_dense_replace"]:
            gated(p + "mlp.", hidden)
            continue
        d.linear(p + "mlp.gate", count, width, False)
        if is_third:
            # Experts of other groups count 0: those below 0 would be chosen after them.
            d.vector(name := p + "mlp.gate.e_score_correction_bias", count)
            d.weights[name] = abs(d.weights[name])
        gated(p + "mlp.shared_experts.", of_expert * together)
        for e in range(count):
            gated(f"{p}mlp.experts.{e}.", of_expert)


def draw_deepseek_v3(d):
    draw_latents(d, True)


def draw_deepseek_v2(d):
    draw_latents(d, False)


# ---- decoders of other names

def draw_gpt2(d):
    h, _, w = d.heads(False, pairs=False)
    width, layers = h * w, int(d.of(1, 2, 3))
    hidden = d.of(None, 10, 20)
    d.config.update(n_embd=width, n_head=h, n_layer=layers, n_positions=MOST, n_inner=hidden)
    d.key("activation_function", d.of(*ACTS), "gelu_new")
    d.eps("layer_norm_epsilon", 1e-5)
    hidden = hidden or 4 * width
    p = "transformer."
    d.table(p + "wte.weight", VOCAB, width)
    d.table(p + "wpe.weight", MOST, width)
    d.norm(p + "ln_f", width, True)
    for i in range(layers):
        q = f"{p}h.{i}."
        d.norm(q + "ln_1", width, True)
        d.norm(q + "ln_2", width, True)
        for name, into, out in (("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width),
                                ("mlp.c_fc", width, hidden), ("mlp.c_proj", hidden, width)):
            d.matrix(q + name + ".weight", into, out)  # Conv1D keeps rows of the input
            d.vector(q + name + ".bias", out)
        if d.whether(0.3):  # published files have them
            d.weights[q + "attn.bias"] = np.tril(np.ones((1, 1, MOST, MOST)))
    if d.whether(0.3):
        d.weights = {name.removeprefix(p): one for name, one in d.weights.items()}


def neox_like(d, layers, attn, up, down, bias, width, hidden, count, rows, norms, norm_bias=True):
    for i in range(count):
        p = f"{layers}.{i}."
        d.linear(f"{p}{attn}.query_key_value", rows, width, bias)
        d.linear(f"{p}{attn}.dense", width, width, bias)
        d.linear(p + up, hidden, width, bias)
        d.linear(p + down, width, hidden, bias)
        for name in norms:
            d.norm(p + name, width, norm_bias)


def draw_gpt_neox(d):
    h, _, w = d.heads(False)
    width, layers, hidden = h * w, int(d.of(1, 2, 3)), int(d.of(8, 13, 20))
    share = float(d.of(0.5, 1.0) if w != 6 else d.of(0.34, 1.0, 0.67))
    d.config.update(hidden_size=width, num_attention_heads=h, num_hidden_layers=layers,
                    intermediate_size=hidden, max_position_embeddings=MOST,
                    tie_word_embeddings=False)
    d.key("hidden_act", d.of(*ACTS), "gelu")
    d.eps("layer_norm_eps", 1e-5)
    d.key("use_parallel_residual", d.whether(), True)
    bias = d.key("attention_bias", True, True)
    theta = float(d.of(10000.0, 500.0))
    d.config["rope_parameters"] = {"rope_theta": theta, "rope_type": "default",
                                   "partial_rotary_factor": share}
    if d.whether():
        d.renamed["rope_parameters"] = {"rotary_pct": share, "rotary_emb_base": theta}
    p = "gpt_neox."
    d.table(p + "embed_in.weight", VOCAB, width)
    d.norm(p + "final_layer_norm", width, True)
    neox_like(d, p + "layers", "attention", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", bias, width,
              hidden, layers, 3 * width, ("input_layernorm", "post_attention_layernorm"))
    d.linear("embed_out", VOCAB, width, False)


def draw_bloom(d):
    h, _, w = d.heads(False, pairs=False)
    width, layers = h * w, int(d.of(1, 2, 3))
    d.config.update(hidden_size=width, n_head=h, n_layer=layers)
    d.eps("layer_norm_epsilon", 1e-5)
    p = "transformer."
    d.table(p + "word_embeddings.weight", VOCAB, width)
    d.norm(p + "word_embeddings_layernorm", width, True)
    d.norm(p + "ln_f", width, True)
    neox_like(d, p + "h", "self_attention", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", True, width,
              4 * width, layers, 3 * width, ("input_layernorm", "post_attention_layernorm"))
    if d.whether(0.3):
        d.weights = {name.removeprefix(p): one for name, one in d.weights.items()}


def draw_falcon(d):
    h, _, w = d.heads(False)
    h = h if d.whether(0.7) else int(d.of(12, 16))
    width, layers = h * w, int(d.of(1, 2))
    kind = d.of("new", "one", "each")
    groups = int(d.of(*[g for g in (1, 2, 3) if h % g == 0]))
    bias = d.key("bias", d.whether(0.4), False)
    d.config.update(hidden_size=width, num_attention_heads=h, num_hidden_layers=layers,
                    new_decoder_architecture=kind == "new", multi_query=kind == "one",
                    num_kv_heads=groups if kind == "new" else h, alibi=d.whether(0.4),
                    parallel_attn=kind == "new" or kind == "one")
    d.key("activation", d.of(*ACTS), "gelu")
    d.eps("layer_norm_epsilon", 1e-5)
    d.rope(())
    p = "transformer."
    d.table(p + "word_embeddings.weight", VOCAB, width)
    d.norm(p + "ln_f", width, True)
    rows = {"new": (h + 2 * groups) * w, "one": width + 2 * w, "each": 3 * width}[kind]
    norms = {"new": ("ln_attn", "ln_mlp"), "one": ("input_layernorm",),
             "each": ("input_layernorm", "post_attention_layernorm")}[kind]
    neox_like(d, p + "h", "self_attention", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", bias, width,
              4 * width, layers, rows, norms)


def draw_mpt(d):
    h, _, w = d.heads(False, pairs=False)
    width, layers = h * w, int(d.of(1, 2))
    d.config.update(d_model=width, n_heads=h, n_layers=layers, expansion_ratio=2, no_bias=True,
                    max_seq_len=MOST, attn_config={"alibi": True,
                                                   "clip_qkv": d.of(None, 0.25, 0.5),
                                                   "softmax_scale": None, "qk_ln": False,
                                                   "alibi_bias_max": 8, "attn_type":
                                                   "multihead_attention"})
    d.eps("layer_norm_epsilon", 1e-5)
    p = "transformer."
    d.table(p + "wte.weight", VOCAB, width)
    d.norm(p + "norm_f", width, False)
    for i in range(layers):
        q = f"{p}blocks.{i}."
        d.linear(q + "attn.Wqkv", 3 * width, width, False)
        d.linear(q + "attn.out_proj", width, width, False)
        d.linear(q + "ffn.up_proj", 2 * width, width, False)
        d.linear(q + "ffn.down_proj", width, 2 * width, False)
        d.norm(q + "norm_1", width, False)
        d.norm(q + "norm_2", width, False)


def draw_gptj(d):
    h, _, w = d.heads(False)
    width, layers, hidden = h * w, int(d.of(1, 2, 3)), d.of(None, 10)
    d.config.update(n_embd=width, n_head=h, n_layer=layers, n_inner=hidden, n_positions=MOST,
                    rotary_dim=int(d.of(2, 4, w)), tie_word_embeddings=False)
    d.key("activation_function", d.of(*ACTS), "gelu_new")
    d.eps("layer_norm_epsilon", 1e-5)
    hidden, p = hidden or 4 * width, "transformer."
    d.table(p + "wte.weight", VOCAB, width)
    d.norm(p + "ln_f", width, True)
    for i in range(layers):
        q = f"{p}h.{i}."
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            d.linear(q + "attn." + name, width, width, False)
        d.linear(q + "mlp.fc_in", hidden, width, True)
        d.linear(q + "mlp.fc_out", width, hidden, True)
        d.norm(q + "ln_1", width, True)
    d.linear("lm_head", VOCAB, width, True)


def draw_phi(d):
    h, kv, w = d.heads()
    width, layers, hidden = h * w, int(d.of(1, 2, 3)), int(d.of(8, 13, 20))
    d.config.update(hidden_size=width, num_attention_heads=h, num_hidden_layers=layers,
                    num_key_value_heads=kv, intermediate_size=hidden, qk_layernorm=False,
                    max_position_embeddings=MOST, tie_word_embeddings=False)
    d.key("hidden_act", d.of(*ACTS), "gelu_new")
    d.eps("layer_norm_eps", 1e-5)
    d.rope(("linear", "yarn"), d.part_of(w, (0.5, 1.0, 0.34)))
    d.table("model.embed_tokens.weight", VOCAB, width)
    d.norm("model.final_layernorm", width, True)
    for i in range(layers):
        p = f"model.layers.{i}."
        for name, n in (("q_proj", h), ("k_proj", kv), ("v_proj", kv), ("dense", h)):
            d.linear(p + "self_attn." + name, n * w, width, True)
        d.linear(p + "mlp.fc1", hidden, width, True)
        d.linear(p + "mlp.fc2", width, hidden, True)
        d.norm(p + "input_layernorm", width, True)
    d.linear("lm_head", VOCAB, width, True)


def bart_layers(d, p, count, width, hidden, cross, bias=True):
    for i in range(count):
        q = f"{p}layers.{i}."
        for part in ("self_attn", *(("encoder_attn",) if cross else ())):
            for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
                d.linear(f"{q}{part}.{name}", width, width, bias)
            d.norm(f"{q}{part}_layer_norm", width, True)
        d.linear(q + "fc1", hidden, width, bias)
        d.linear(q + "fc2", width, hidden, bias)
        d.norm(q + "final_layer_norm", width, True)


def draw_opt(d):
    h, _, w = d.heads(False, pairs=False)
    width, layers, hidden = h * w, int(d.of(1, 2, 3)), int(d.of(8, 13, 20))
    narrow = int(d.of(width, width, 6))
    d.config.update(hidden_size=width, num_attention_heads=h, num_hidden_layers=layers,
                    ffn_dim=hidden, max_position_embeddings=MOST, word_embed_proj_dim=narrow)
    pre = d.key("do_layer_norm_before", d.whether(0.7), True)
    d.key("activation_function", d.of(*ACTS), "relu")
    p = "model.decoder."
    d.table(p + "embed_tokens.weight", VOCAB, narrow)
    d.table(p + "embed_positions.weight", MOST + 2, width)
    if narrow != width:
        d.linear(p + "project_in", width, narrow, False)
        d.linear(p + "project_out", narrow, width, False)
    if pre:
        d.norm(p + "final_layer_norm", width, True)
    bart_layers(d, p, layers, width, hidden, False)


# ---- an encoder and a decoder

def draw_bart(d):
    h, _, w = d.heads(False, pairs=False)
    width, hidden = h * w, int(d.of(8, 13))
    d.sides = ("encode", "decode")
    d.config.update(d_model=width, encoder_layers=int(d.of(1, 2)), decoder_layers=int(d.of(1, 2)),
                    encoder_attention_heads=h, decoder_attention_heads=h, encoder_ffn_dim=hidden,
                    decoder_ffn_dim=hidden, max_position_embeddings=MOST,
                    is_encoder_decoder=True)
    d.key("activation_function", d.of(*ACTS), "gelu")
    d.key("scale_embedding", d.whether(), False)
    d.table("model.shared.weight", VOCAB, width)
    for side in ("encoder", "decoder"):
        p = f"model.{side}."
        d.table(p + "embed_positions.weight", MOST + 2, width)
        d.norm(p + "layernorm_embedding", width, True)
        bart_layers(d, p, d.config[side + "_layers"], width, hidden, side == "decoder")
    d.weights["final_logits_bias"] = d.rng.normal(0, 0.5, (1, VOCAB))


def draw_t5(d):
    h, _, w = d.heads(False, pairs=False)
    width, hidden, gated = int(d.of(8, 12, h * w)), int(d.of(8, 13)), d.whether()
    d.sides = ("encode", "decode")
    act = "gelu_new" if gated else "relu"
    d.config.update(d_model=width, d_kv=w, d_ff=hidden, num_heads=h, num_layers=int(d.of(1, 2)),
                    num_decoder_layers=int(d.of(1, 2)), is_gated_act=gated, dense_act_fn=act,
                    feed_forward_proj="gated-gelu" if gated else "relu", is_encoder_decoder=True,
                    tie_word_embeddings=True, scale_decoder_outputs=True)
    d.key("relative_attention_num_buckets", int(d.of(8, 6, 32)), 32)
    d.key("relative_attention_max_distance", int(d.of(20, 40, 128)), 128)
    if d.whether():  # what feed_forward_proj says as well
        d.renamed.update(is_gated_act={}, dense_act_fn={}, scale_decoder_outputs={})
    d.eps("layer_norm_epsilon", 1e-6)
    d.table("shared.weight", VOCAB, width)
    for side, count in (("encoder", d.config["num_layers"]),
                        ("decoder", d.config["num_decoder_layers"])):
        d.norm(f"{side}.final_layer_norm", width, False)
        d.table(f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                d.config["relative_attention_num_buckets"], h)
        for i in range(count):
            p = f"{side}.block.{i}.layer."
            parts = ["0.SelfAttention", *(["1.EncDecAttention"] if side == "decoder" else [])]
            for k, part in enumerate(parts):
                for name, out, into in (("q", h * w, width), ("k", h * w, width),
                                        ("v", h * w, width), ("o", width, h * w)):
                    d.linear(f"{p}{part}.{name}", out, into, False)
                d.norm(f"{p}{k}.layer_norm", width, False)
            f = f"{p}{len(parts)}.DenseReluDense."
            for name in ("wi_0", "wi_1") if gated else ("wi",):
                d.linear(f + name, hidden, width, False)
            d.linear(f + "wo", width, hidden, False)
            d.norm(f"{p}{len(parts)}.layer_norm", width, False)


# ---- encoders

def encoder_sizes(d):
    h, _, w = d.heads(False, pairs=False)
    d.sides = ("encode",)
    return h, h * w, int(d.of(1, 2, 3)), int(d.of(8, 13, 20))


def bert_like(d, top, eps_default, narrow=None):
    h, width, layers, hidden = encoder_sizes(d)
    narrow = narrow or width
    d.config.update(hidden_size=width, num_attention_heads=h, num_hidden_layers=layers,
                    intermediate_size=hidden, max_position_embeddings=MOST + 2, type_vocab_size=2)
    d.eps("layer_norm_eps", eps_default)
    p = top + ".embeddings."
    d.table(p + "word_embeddings.weight", VOCAB, narrow)
    d.table(p + "position_embeddings.weight", MOST + 2, narrow)
    d.table(p + "token_type_embeddings.weight", 2, narrow)
    d.norm(p + "LayerNorm", narrow, True)
    return h, width, layers, hidden


def bert_layers(d, p, layers, width, hidden):
    for i in range(layers):
        q = f"{p}{i}."
        for name in ("query", "key", "value"):
            d.linear(f"{q}attention.self.{name}", width, width, True)
        d.linear(q + "attention.output.dense", width, width, True)
        d.norm(q + "attention.output.LayerNorm", width, True)
        d.linear(q + "intermediate.dense", hidden, width, True)
        d.linear(q + "output.dense", width, hidden, True)
        d.norm(q + "output.LayerNorm", width, True)


def draw_bert(d):
    _, width, layers, hidden = bert_like(d, "bert", 1e-12)
    d.key("hidden_act", d.of(*ACTS), "gelu")
    bert_layers(d, "bert.encoder.layer.", layers, width, hidden)
    d.linear("cls.predictions.transform.dense", width, width, True)
    d.norm("cls.predictions.transform.LayerNorm", width, True)
    d.vector("cls.predictions.bias", VOCAB)
    if d.whether(0.3):  # published files have them
        d.linear("bert.pooler.dense", width, width, True)
        d.linear("cls.seq_relationship", 2, width, True)


def draw_roberta(d):
    _, width, layers, hidden = bert_like(d, "roberta", 1e-12)
    d.key("hidden_act", d.of(*ACTS), "gelu")
    d.config["pad_token_id"] = 1
    bert_layers(d, "roberta.encoder.layer.", layers, width, hidden)
    d.linear("lm_head.dense", width, width, True)
    d.norm("lm_head.layer_norm", width, True)
    d.vector("lm_head.bias", VOCAB)


def draw_electra(d):
    narrow = int(d.of(5, 6))
    _, width, layers, hidden = bert_like(d, "electra", 1e-12, narrow)
    d.config["embedding_size"] = narrow
    d.key("hidden_act", d.of(*ACTS), "gelu")
    d.linear("electra.embeddings_project", width, narrow, True)
    bert_layers(d, "electra.encoder.layer.", layers, width, hidden)
    d.linear("generator_predictions.dense", narrow, width, True)
    d.norm("generator_predictions.LayerNorm", narrow, True)
    d.vector("generator_lm_head.bias", VOCAB)


def draw_albert(d):
    narrow = int(d.of(5, 6))
    _, width, _, hidden = bert_like(d, "albert", 1e-12, narrow)
    d.config.update(embedding_size=narrow, num_hidden_groups=1, inner_group_num=1)
    d.key("hidden_act", d.of(*ACTS), "gelu_new")
    d.linear("albert.encoder.embedding_hidden_mapping_in", width, narrow, True)
    p = "albert.encoder.albert_layer_groups.0.albert_layers.0."
    for name in ("query", "key", "value", "dense"):
        d.linear(p + "attention." + name, width, width, True)
    d.norm(p + "attention.LayerNorm", width, True)
    d.linear(p + "ffn", hidden, width, True)
    d.linear(p + "ffn_output", width, hidden, True)
    d.norm(p + "full_layer_layer_norm", width, True)
    d.linear("predictions.dense", narrow, width, True)
    d.norm("predictions.LayerNorm", narrow, True)
    d.vector("predictions.bias", VOCAB)


def draw_distilbert(d):
    h, width, layers, hidden = encoder_sizes(d)
    d.config.update(dim=width, n_heads=h, n_layers=layers, hidden_dim=hidden,
                    max_position_embeddings=MOST)
    d.key("activation", d.of(*ACTS), "gelu")
    p = "distilbert.embeddings."
    d.table(p + "word_embeddings.weight", VOCAB, width)
    d.table(p + "position_embeddings.weight", MOST, width)
    d.norm(p + "LayerNorm", width, True)
    for i in range(layers):
        q = f"distilbert.transformer.layer.{i}."
        for name in ("q_lin", "k_lin", "v_lin", "out_lin"):
            d.linear(q + "attention." + name, width, width, True)
        d.norm(q + "sa_layer_norm", width, True)
        d.linear(q + "ffn.lin1", hidden, width, True)
        d.linear(q + "ffn.lin2", width, hidden, True)
        d.norm(q + "output_layer_norm", width, True)
    d.linear("vocab_transform", width, width, True)
    d.norm("vocab_layer_norm", width, True)
    d.vector("vocab_projector.bias", VOCAB)


def draw_modernbert(d):
    h, _, w = d.heads(False)
    width, layers, hidden = h * w, int(d.of(1, 2, 3)), int(d.of(8, 13))
    d.sides = ("encode",)
    types = [d.of("full_attention", "sliding_attention") for _ in range(layers)]
    d.config.update(hidden_size=width, num_attention_heads=h, num_hidden_layers=layers,
                    intermediate_size=hidden, max_position_embeddings=MOST, layer_types=types,
                    local_attention=int(d.of(4, 8)), classifier_activation="gelu",
                    rope_parameters={
                        "full_attention": {"rope_theta": 160000.0, "rope_type": "default"},
                        "sliding_attention": {"rope_theta": float(d.of(10000.0, 500.0)),
                                              "rope_type": "default"}})
    d.key("hidden_activation", d.of(*ACTS), "gelu")
    d.eps("norm_eps", 1e-5)
    p = "model.embeddings."
    d.table(p + "tok_embeddings.weight", VOCAB, width)
    d.norm(p + "norm", width, False)
    d.norm("model.final_norm", width, False)
    for i in range(layers):
        q = f"model.layers.{i}."
        d.linear(q + "attn.Wqkv", 3 * width, width, False)
        d.linear(q + "attn.Wo", width, width, False)
        d.linear(q + "mlp.Wi", 2 * hidden, width, False)
        d.linear(q + "mlp.Wo", width, hidden, False)
        if i > 0:
            d.norm(q + "attn_norm", width, False)
        d.norm(q + "mlp_norm", width, False)
    d.linear("head.dense", width, width, False)
    d.norm("head.norm", width, False)
    d.vector("decoder.bias", VOCAB)


FAMILIES = {name.removeprefix("draw_"): function for name, function in sorted(globals().items())
            if name.startswith("draw_") and name not in ("draw_qwen_window", "draw_latents")}
