"""Ports: a model of the reference run with all its stages kept, each rounded as the port keeps its
numbers, and dumps of them under the names of several programs."""
import contextlib
import copy

import numpy as np

from reference_models import engine, rounded

NORMS = ("ln1", "ln2", "ln3", "ln4")


class Kept:
    """What the reference makes on its way, by the program's names of stages, in their order."""

    def __init__(self, dtype):
        self.dtype, self.stages, self.names, self.within = dtype, {}, {}, None

    def name(self, thing, stage):
        if thing is not None:
            self.names[id(thing)] = stage

    def name_layer(self, layer, way):
        a, f = layer["attention"], layer["ffn"]
        self.name(a, way + "attention.output")
        for part in "qkv":
            self.name(a["w" + part], way + "attention." + part)
        if f is not None:  # of experts nothing is kept
            self.name(f, way + "ffn.output")
            self.name(f["w1"], way + "ffn.hidden")
            self.name(f.get("w3"), way + "ffn.gate")
        for one in NORMS:
            self.name(layer.get(one), way + one)

    def keep(self, stage, rows):
        rows = rounded(rows, self.dtype)
        if stage is not None:
            self.stages[stage] = rows
        return rows

    def keep_of(self, thing, rows):
        return self.keep(self.names.get(id(thing)), rows)


@contextlib.contextmanager
def watched(kept):
    """The functions of the reference, each rounding what it gives and keeping it in kept."""
    whole = {name: getattr(engine, name) for name in ("linear", "norm", "softmax", "attend", "feed",
                                                      "turn")}

    def attend(x, a, *more):
        kept.within = kept.names[id(a)].removesuffix("output")
        rows = whole["attend"](x, a, *more)
        kept.within = None  # experts are chosen by another softmax
        return kept.keep_of(a, rows)

    instead = {
        "linear": lambda x, w, b: kept.keep_of(w, whole["linear"](x, w, b)),
        "norm": lambda x, n: x if n is None else kept.keep_of(n, whole["norm"](x, n)),
        "softmax": lambda x: kept.keep(kept.within and kept.within + "weights",
                                       whole["softmax"](x)),
        "feed": lambda x, f: kept.keep_of(f, whole["feed"](x, f)),
        "turn": lambda *of: kept.keep(None, whole["turn"](*of)), "attend": attend}
    for name, function in instead.items():
        setattr(engine, name, function)
    try:
        yield
    finally:
        for name, function in whole.items():
            setattr(engine, name, function)


def own_layers(plan):
    """Of what is one thing in two layers, or in a layer twice, each its own: it is named by id."""
    s = plan["encoder"] if "decoder" not in plan else plan["decoder"]
    s["layers"] = [{key: copy.deepcopy(part) for key, part in layer.items()}
                   for layer in s["layers"]]
    return s


def embedded(s, ids, dtype="f64"):
    kept = Kept(dtype)
    with watched(kept):
        return kept.keep("embedded", engine.embed(s["embed"], {"ids": ids}, None))


def layer_stages(layer, i, x, mask, dtype="f64"):
    """One layer of these rows, as {stage: rows}; the last one is its output."""
    kept, way = Kept(dtype), f"layer.{i}."
    kept.name_layer(layer, way)
    with watched(kept):
        rows = engine.layer_rows(x, layer, mask, None, None, None, None)
        kept.keep(way + "output", rows)
    return kept.stages


def end_stages(s, head, x, dtype="f64"):
    kept, stages = Kept(dtype), {}
    with watched(kept):
        if s["ln_f"] is not None:
            x = stages["output"] = engine.norm(x, s["ln_f"])
        if "transform" not in head:
            stages["logits"] = kept.keep(None, engine.head_logits(head, x))
    return stages


def run(s, head, ids, dtype, mask=None):
    stages = {"embedded": embedded(s, ids, dtype)}
    x = stages["embedded"]
    for i, layer in enumerate(s["layers"]):
        stages.update(layer_stages(layer, i, x, mask, dtype))
        x = stages[f"layer.{i}.output"]
    stages.update(end_stages(s, head, x, dtype))
    return stages


# ---- dumps ----

# Which stages of a layer a dump has, at which depth; all have the embedded rows and the end's.
DEPTHS = {
    "rows": ("output",),
    "weights": ("output", "attention.weights"),
    "parts": ("ln1", "attention.weights", "attention.output", "ffn.output", "output"),
    "deep": ("ln1", "attention.q", "attention.k", "attention.v", "attention.weights",
             "attention.output", "ffn.hidden", "ffn.output", "output"),
}

OWN = {"embedded": "h_in", "output": "h_out", "logits": "logits", "layer.output": "layer_{:02}",
       "ln1": "layer_{:02}_norm", "attention.weights": "layer_{:02}_attn", "ffn.hidden":
       "layer_{:02}_mlp_up", "attention.output": "layer_{:02}_attn_out", "ffn.output":
       "layer_{:02}_mlp", "attention.q": "layer_{:02}_q", "attention.k": "layer_{:02}_k",
       "attention.v": "layer_{:02}_v"}
CPP = {"embedded": "inp_embd", "output": "result_norm", "logits": "result_output",
       "layer.output": "blk.{}.out", "ln1": "blk.{}.attn_norm", "ffn.hidden": "blk.{}.ffn_up",
       "attention.weights": "blk.{}.kq_soft_max", "attention.output": "blk.{}.attn_out",
       "ffn.output": "blk.{}.ffn_out", "attention.q": "blk.{}.Qcur", "attention.k": "blk.{}.Kcur",
       "attention.v": "blk.{}.Vcur"}
# Where a gate is, what it multiplies is up, and what an activation takes is the gate.
GATED = {"own": {"ffn.hidden": "layer_{:02}_gate_proj"}, "cpp": {"ffn.hidden": "blk.{}.ffn_gate"}}
LENS = {"embedded": "hook_embed", "output": "ln_final.hook_normalized", "logits": "unembed",
        "layer.output": "blocks.{}.hook_resid_post", "ln1": "blocks.{}.ln1.hook_normalized",
        "attention.weights": "blocks.{}.attn.hook_pattern",
        "attention.output": "blocks.{}.hook_attn_out", "ffn.output": "blocks.{}.hook_mlp_out"}
# transformers: hidden_states has the rows before each layer, and what the whole gives; what hooks
# on modules see has the modules' names.
MODULES = {
    "llama": ("model.layers.{}.", {"ln1": "input_layernorm", "attention.q": "self_attn.q_proj",
                                   "attention.k": "self_attn.k_proj", "ffn.output": "mlp",
                                   "attention.v": "self_attn.v_proj", "attention.output":
                                   "self_attn", "ffn.hidden": "mlp.gate_proj"}),
    "gpt2": ("transformer.h.{}.", {"ln1": "ln_1", "attention.output": "attn", "ffn.output": "mlp",
                                   "ffn.hidden": "mlp.c_fc"}),
    "bert": ("bert.encoder.layer.{}.", {"attention.q": "attention.self.query",
                                        "attention.k": "attention.self.key",
                                        "attention.v": "attention.self.value",
                                        "attention.output": "attention.output.dense",
                                        "ffn.output": "output.dense"}),
    "opt": ("model.decoder.layers.{}.", {"ln1": "self_attn_layer_norm",
                                         "attention.output": "self_attn", "ffn.output": "fc2"}),
}


def names_of(style, config, depth, layers, with_logits):
    """{stage: name in the dump}, in the order of computing."""
    count = len(layers)
    named = {}
    if style == "hf":
        way, modules = MODULES.get(config["model_type"], MODULES["llama"])
        named["embedded"] = "hidden_states.0"
        for i in range(count):
            for part in DEPTHS[depth]:
                stage = f"layer.{i}.{part}"
                if part == "attention.weights":
                    named[stage] = f"attentions.{i}"
                elif part == "output" and i + 1 < count:
                    named[stage] = f"hidden_states.{i + 1}"
                elif part in modules:
                    named[stage] = way.format(i) + modules[part]
        named["output"] = f"hidden_states.{count}"
        last = "logits"
    else:
        names = {"own": OWN, "cpp": CPP, "lens": LENS}[style]
        if (layers[0]["ffn"] or {}).get("w3") is not None:
            names = {**names, **GATED.get(style, {})}
        named["embedded"] = names["embedded"]
        for i in range(count):
            for part in DEPTHS[depth]:
                named[f"layer.{i}.{part}"] = \
                    names["layer.output" if part == "output" else part].format(i)
        named["output"] = names["output"]
        last = names["logits"]
    if with_logits:
        named["logits"] = last
    return named


def dump_of(stages, named, style):
    """{name: rows}, of transformers as a batch of one. Where no norm ends the layers, the last
    one's rows do."""
    last = max((stage for stage in stages if stage.endswith(".output") and stage.count(".") == 2),
               key=lambda stage: int(stage.split(".")[1]))
    found = {**stages, "output": stages.get("output", stages[last])}
    return {name: found[stage] if style == "hf" else np.squeeze(found[stage], 0)
            for stage, name in named.items() if stage in found}
