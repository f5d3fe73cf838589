"""Mistakes of ports: what each changes in a plan of the reference, and what the program may call
it, fixed before the program was asked. A name is that of `selfattn help mistakes`, or the key of a
number, which is fitted then; a pattern stands for what had no name when this was written.
"""
import copy
import re

import numpy as np

EVERY = None  # all layers


class Mistake:
    """edit(plan, stack, layer): `stack` of the plan, and one layer of it, or None at the ends."""

    def __init__(self, edit, names, stage, at=EVERY, value=None, within=0.02):
        self.edit, self.names, self.stage, self.at = edit, names, stage, at
        self.value, self.within = value, within

    def on(self, layer):
        """The same in one layer alone."""
        return Mistake(self.edit, self.names, self.stage, (layer,), self.value, self.within)

    def layers(self, count):
        """Those that it is in; none: it is in the embedding or at the end."""
        if "layer" not in self.stage:
            return ()
        return tuple(range(count)) if self.at is EVERY else self.at

    def plant(self, plan, s):
        if "layer" not in self.stage:
            self.edit(plan, s, None)
        for i in self.layers(len(s["layers"])):
            self.edit(plan, s, s["layers"][i])

    def is_named(self, cause):
        """Whether a cause is this one: by its name, and where it is a number, by that."""
        if not any(re.fullmatch(name, cause.get("name") or "") for name in self.names):
            return False
        given = cause.get("value")
        if self.value is None or given is None:
            return True
        return abs(given - self.value) <= self.within * abs(self.value)


def attention(**to):
    def edit(_, __, layer):
        layer["attention"].update(to)
    return edit


def rope(**to):
    """Of rotary positions: their base's frequencies are worked out again."""
    def edit(_, __, layer):
        turned = layer["attention"]["rope"]
        turned.update(to)
        if "theta" in to or "width" in to or to.get("kind") == "default":
            turned["inv"] = turned["theta"] ** (-np.arange(0, turned["width"], 2) / turned["width"])
    return edit


def norms(change):
    def edit(_, s, layer):
        for ln in ("ln1", "ln2", "ln3", "ln4"):
            if layer.get(ln):
                change(layer[ln])
        if layer is s["layers"][-1] and s["ln_f"]:
            change(s["ln_f"])
    return edit


def put(key, value):
    return lambda one: one.update({key: value})


def more_gain(by):
    return lambda one: one.update(gain=one["gain"] + by)


def part(name, key, change):
    def edit(_, __, layer):
        layer[name][key] = change(layer[name][key])
    return edit


def order(to):
    def edit(_, s, layer):
        layer["order"] = s["order"] = to
    return edit


def activation(to):
    return part("ffn", "act", lambda was: to)


def kv_tiled(_, __, layer):
    a = layer["attention"]
    a["kv_order"] = [head % a["kv"] for head in range(a["heads"])]


def joined_otherwise(_, __, layer):
    """Columns of the heads one by one: what wo has for head h and column c meets c·heads + h."""
    a = layer["attention"]
    rows = np.arange(len(a["wo"])).reshape(a["heads"], -1).T.ravel()
    back = np.empty_like(rows)
    back[np.arange(len(rows))] = rows
    a["wo"] = a["wo"][np.argsort(back)]


def gate_swapped(_, __, layer):
    f = layer["ffn"]
    f["w1"], f["w3"] = f["w3"].copy(), f["w1"].copy()


def mixture(**to):
    def edit(_, __, layer):
        layer["moe"].update(to)
    return edit


def gates_swapped(_, __, layer):
    for f in layer["moe"]["experts"]:
        f["w1"], f["w3"] = f["w3"].copy(), f["w1"].copy()


def gain_missing(key):
    def edit(_, __, layer):
        qk = layer["attention"]["qk_norm"]
        qk[key] = np.ones_like(qk[key])
    return edit


def scaled_by(factor):
    def edit(_, __, layer):
        layer["attention"]["scale"] *= factor(layer["attention"])
    return edit


def slopes_early(_, __, layer):
    """2^(-8·i/h) from i = 0."""
    h = layer["attention"]["heads"]
    layer["attention"]["alibi"] = 2.0 ** (-8 * np.arange(h) / h)


def window(by):
    def edit(_, __, layer):
        a = layer["attention"]
        if a["window"]:
            a["window"] = (a["window"][0] + by, a["window"][1])
    return edit


def of_head(**to):
    return lambda plan, _, __: plan["head"].update(to)


def of_embedding(**to):
    return lambda _, s, __: s["embed"].update(to)


def no_last_norm(_, s, __):
    s["ln_f"] = None


def positions_late(by):
    def edit(_, s, __):
        e = s["embed"]
        e["from"] += by
        e["positions"] = np.concatenate([e["positions"], e["positions"][:by]])
    return edit


def head_width(a):
    return a["wq"].shape[1] // a["heads"]


Q, K, SCALED, MASKED = (f"layer.attention.{name}" for name in ("q_rope", "k_rope", "scaled",
                                                               "masked"))
HIDDEN, ACTIVATED, LN1 = "layer.ffn.hidden", "layer.ffn.activated", "layer.ln1"
OUT, FFN = "layer.attention.output", "layer.ffn.output"
ANY_ROPE = "rope[-_].*(scal|frequenc|factor|kind|type|missing).*|rope"

MISTAKES = {
    "rope-pairing": Mistake(rope(pairing="interleaved"), ["rope-pairing"], Q),
    "rope-base-500000": Mistake(rope(theta=500000.0), ["rope_base", "rope-base", "rope"], Q,
                                value=500000.0),
    # What bfloat16 hides of it is a fourth: 500000 is not 1000000.
    "rope-base-about-500000": Mistake(rope(theta=500000.0), ["rope_base", "rope-base", "rope"], Q,
                                      value=500000.0, within=0.3),
    "rope-base-1000000": Mistake(rope(theta=1e6), ["rope_base", "rope-base", "rope"], Q, value=1e6),
    "rope-base-10000": Mistake(rope(theta=1e4), ["rope_base", "rope-base", "rope"], Q, value=1e4),
    "rope-unscaled": Mistake(rope(kind="default", mscale=1.0), [ANY_ROPE], Q),
    "rope-factor-missing": Mistake(rope(mscale=1.0),
                                   ["scale", ".*mscale.*", ".*attention[-_]factor.*"], Q),
    "rope-missing": Mistake(attention(rope=None), ["rope-missing"], Q),
    "rope-width": Mistake(rope(width=8), ["rope[-_]width.*"], Q, value=8),
    "eps-1e-5": Mistake(norms(put("eps", 1e-5)), ["norm_eps", "norm-eps-1e-5"], LN1, value=1e-5,
                        within=0.2),
    "eps-1e-3": Mistake(norms(put("eps", 1e-3)), ["norm_eps", "norm-eps-1e-3"], LN1, value=1e-3,
                        within=0.2),
    "gain-less-one": Mistake(norms(more_gain(-1)), [".*gain-(less|minus|without).*one.*",
                                                    ".*gain.*plus-one-missing"], LN1),
    "gain-plus-one": Mistake(norms(more_gain(1)), ["norm-gain-plus-one"], LN1),
    "norm-layer": Mistake(norms(put("kind", "layer")), ["norm-layer"], LN1),
    "norm-post": Mistake(order("post"), ["norm-post"], "layer.attention.q"),
    "not-parallel": Mistake(order("pre"), ["norm-pre", ".*parallel.*", "ffn-(serial|after).*",
                                           ".*order.*"], "layer.ln2"),
    "ln1-missing": Mistake(lambda _, __, l: l.update(ln1=None), ["ln1-missing"], LN1),
    "kv-tiled": Mistake(kv_tiled, ["kv-tiled"], "layer.attention.scores"),
    "causal-late": Mistake(attention(causal_offset=1), ["causal-late"], MASKED),
    "causal-missing": Mistake(attention(causal=False), ["causal-missing"], MASKED),
    "window-wide": Mistake(window(1), ["window-wide", "window", "sliding_window"], MASKED),
    "window-narrow": Mistake(window(-1), ["window-narrow", "window", "sliding_window"], MASKED),
    "window-missing": Mistake(attention(window=None), ["window-missing", "window",
                                                       "sliding_window"], MASKED),
    "last-key-missing": Mistake(lambda plan, _, __: plan.update(mask_last=True),
                                ["last-key-missing", "key-lengths-.*", "mask-.*"], MASKED),
    "scale-missing": Mistake(attention(scale=1.0), ["scale-missing", "scale"], SCALED, value=1.0),
    "scale-head": Mistake(scaled_by(lambda a: head_width(a) ** -0.5 / a["scale"]),
                          ["scale-head", "scale"], SCALED, value=0.25),
    "softcap-missing": Mistake(attention(softcap=None), ["softcap-missing"],
                               "layer.attention.capped"),
    "alibi-missing": Mistake(attention(alibi=None), ["alibi-missing"], MASKED),
    "alibi-early": Mistake(slopes_early, ["alibi-early"], MASKED),
    "qk-norm-missing": Mistake(attention(qk_norm=None), ["qk-norm-missing"], "layer.attention.q"),
    "k-gain-missing": Mistake(gain_missing("k"), ["k-gain-missing"], "layer.attention.k"),
    "bq-missing": Mistake(part("attention", "bq", np.zeros_like), ["bq-missing"],
                          "layer.attention.q"),
    "bo-missing": Mistake(part("attention", "bo", np.zeros_like), ["bo-missing"], OUT),
    "b2-missing": Mistake(part("ffn", "b2", np.zeros_like), ["b2-missing"], FFN),
    "wo-transposed": Mistake(part("attention", "wo", lambda w: w.T.copy()), ["wo-transposed"], OUT),
    "concat-interleaved": Mistake(joined_otherwise, ["concat-interleaved"],
                                  "layer.attention.context"),
    "gelu-exact": Mistake(activation("gelu"), ["activation-gelu"], ACTIVATED),
    "gelu-tanh": Mistake(activation("gelu_new"), ["activation-gelu_tanh"], ACTIVATED),
    "gate-swapped": Mistake(gate_swapped, ["gate-swapped"], HIDDEN),
    "residual-half": Mistake(lambda _, __, l: l.update(residual=0.5),
                             ["residual.*(scale|factor|multiplier|half).*"],
                             "layer.attention_sum", value=0.5),
    "embedding-unscaled": Mistake(of_embedding(scale=1.0), ["embedding-divided", "embedding_scale",
                                                            "embedding.*(scale|factor).*"],
                                  "embedded"),
    "positions-late": Mistake(positions_late(1), ["positions-late", "position.*(from|start|row).*"],
                              "embedded"),
    "top-one": Mistake(mixture(top=1), ["top-experts-less"], "layer.ffn_sum"),
    "top-three": Mistake(mixture(top=3), ["top-experts-more"], "layer.ffn_sum"),
    "routing-sigmoid": Mistake(mixture(score="sigmoid"), ["routing-sigmoid"], "layer.ffn_sum"),
    "gates-swapped": Mistake(gates_swapped, ["gate-swapped"], "layer.ffn_sum"),
    "ln_e-missing": Mistake(of_embedding(norm=None), ["ln_e-missing"], "embedded"),
    "ln_f-missing": Mistake(no_last_norm, ["ln_f-missing"], "ln_f"),
    "logits-half": Mistake(of_head(scale=0.5), ["logits[-_]scale", "logits.*(factor|half).*"],
                           "logits", value=0.5),
    "logits-uncapped": Mistake(of_head(softcap=None), ["logits.*cap.*"], "logits"),
    "logits-bias-missing": Mistake(of_head(bias=None), ["(logits|unembedding|head).*bias.*"],
                                   "logits"),
}

# Model, mistakes (NAME@LAYER: in that one alone), type, whose names, how deep; + with logits.
ONE = """
llama rope-pairing f32 own weights
llama rope-pairing bf16 cpp parts
llama rope-base-500000 f32 hf weights
llama rope-base-about-500000 bf16 own weights
qwen3 rope-base-1000000 bf16 own weights
llama eps-1e-5 f32 own parts
gpt2 eps-1e-3 f32 hf weights
gemma gain-less-one f32 own weights
gemma2 gain-less-one bf16 cpp parts
mistral gain-plus-one f32 hf weights
llama kv-tiled f32 cpp parts
qwen3 kv-tiled bf16 hf weights
llama causal-late f32 own weights
gpt2 causal-missing bf16 cpp weights
mistral window-wide f32 hf weights
gemma2 window-narrow@0 f32 own weights
mistral window-missing bf16 own rows
gpt2 b2-missing@1 f32 hf parts
gpt2 bq-missing@2 f32 own deep
opt bo-missing@1 bf16 cpp parts
gpt2 gelu-exact f32 own rows
gpt_neox gelu-tanh f32 hf rows
gpt2 ln_f-missing f32 own weights
llama ln_f-missing bf16 cpp weights
bert scale-missing f32 hf weights
gemma2 scale-head f32 own weights
gemma2 softcap-missing bf16 hf weights
gemma2 logits-uncapped f32 hf weights +
gpt2 norm-post f32 cpp parts
gpt_neox not-parallel f32 own parts
qwen3 qk-norm-missing bf16 own deep
qwen3 k-gain-missing f32 hf weights
gemma embedding-unscaled f32 cpp weights
llama logits-half f32 own weights +
llama residual-half bf16 hf parts
opt positions-late f32 cpp weights
gpt2 positions-late bf16 own weights
bloom alibi-early f32 own weights
bloom alibi-missing bf16 hf weights
bert last-key-missing f32 cpp weights
llama-rope-llama3 rope-unscaled f32 hf weights
mixtral top-one f32 own weights
mixtral top-three bf16 hf parts
mixtral routing-sigmoid f32 cpp weights
mixtral gates-swapped f32 hf deep
"""
TWO = """
llama rope-pairing,gate-swapped f32 own weights
llama rope-base-500000,eps-1e-5 f32 hf parts
gpt2 gelu-exact,b2-missing@1 f32 own weights
gpt2 causal-late,positions-late bf16 cpp weights
gemma2 softcap-missing,window-wide@0 f32 own weights
gemma2 gain-less-one,logits-uncapped f32 hf parts +
qwen3 qk-norm-missing,kv-tiled bf16 own weights
mistral window-wide,rope-base-1000000 f32 cpp weights
gpt_neox rope-width,gelu-tanh f32 hf parts
phi rope-missing,logits-bias-missing f32 own weights +
opt bo-missing@1,ln_f-missing f32 cpp parts
bloom alibi-missing,ln_e-missing bf16 own weights
bert scale-missing,gelu-tanh f32 hf weights
llama kv-tiled,residual-half bf16 cpp parts
llama-rope-yarn rope-factor-missing,ln_f-missing f32 own weights
gemma embedding-unscaled,rope-pairing bf16 cpp weights
gpt2 concat-interleaved,bq-missing@1 bf16 own parts
llama norm-layer,gate-swapped bf16 hf weights
bert ln1-missing,last-key-missing f32 own weights
llama-rope-llama3 rope-base-10000,wo-transposed@1 bf16 cpp parts
"""
RIGHT = """
llama - f32 own weights
gpt2 - bf16 cpp parts
gemma2 - f16 hf parts +
mistral - bf16 own weights
bert - f32 lens weights
bloom - f16 own deep
opt - bf16 hf weights
qwen3 - f32 cpp deep
gpt_neox - f16 lens parts
phi - f32 hf parts +
llama - f32 recorded all
gpt2 - f32 recorded all
bert - f32 recorded whole
gemma2 - f32 recorded whole
gpt2 - f32 recorded whole
llama - f32 recorded whole
phi - f32 recorded whole
opt - f32 recorded whole
llama - bf16 recorded whole
gpt2 - f16 recorded whole
bert - bf16 recorded whole
bert - f16 recorded whole
gemma2 - f16 recorded whole
phi - bf16 recorded all
t5 - f32 recorded encoder
t5 - f32 recorded decoder
"""
# Of a model that the program does not compute: what transformers recorded stands in for it.
RECORDED = """
mixtral rope-pairing f32 own weights
mixtral rope-base-10000 bf16 hf weights
mixtral causal-late f32 cpp parts
mixtral kv-tiled f16 hf weights
mixtral eps-1e-3 f32 own deep
mixtral ln_f-missing f32 cpp weights
mixtral logits-half f32 own weights +
mixtral wo-transposed@1 f32 own rows
mixtral - f32 own weights +
mixtral - bf16 cpp parts
mixtral - f16 hf weights
"""


class Case:
    def __init__(self, line):
        words = line.split()
        self.title = " ".join(words)
        self.model, said, self.dtype, self.style, self.depth = words[:5]
        self.with_logits = "+" in words[5:]
        self.mistakes = []
        for one in said.split(",") if said != "-" else ():
            name, _, layer = one.partition("@")
            mistake = MISTAKES[name]
            self.mistakes.append(copy.copy(mistake.on(int(layer)) if layer else mistake))


def cases():
    """(kind, case) of all."""
    for kind, lines in (("one mistake", ONE), ("two mistakes", TWO), ("right", RIGHT),
                        ("recorded", RECORDED)):
        for line in lines.strip().splitlines():
            yield kind, Case(line)
