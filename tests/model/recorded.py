"""Gradients that transformers recorded of its own models, against those of their folders: the loss,
and the gradient of every parameter, in float64 of the same float32 numbers.

The tables say by transformers' names which stage's gradient a parameter has; nothing of the program
is asked how it read them.
"""
import array
import json
import re
import struct

from claims import check, selfattn

SHARE = 2e-6  # of each tensor's largest: float32 has recorded them
NOT_COUNTED = -100
MASKED = {"bert"}  # whose labels stand where they are to be found


def read(path):
    raw = path.read_bytes()
    size, = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + size])
    found = {}
    for name, one in header.items():
        if name == "__metadata__":
            continue
        begin, end = one["data_offsets"]
        numbers = array.array({"F32": "f", "I64": "q"}[one["dtype"]])
        numbers.frombytes(raw[8 + size + begin:8 + size + end])
        found[name] = (one["shape"], list(numbers))
    return found


def flat(value):
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [value]



def largest_apart(recorded, made, of=None):
    most = max(map(abs, of or recorded))
    return max(abs(a - b) for a, b in zip(recorded, made)) / (most or 1)


# ---- names: * is w of a weight and b of a bias; a norm has a gain and a bias ----

TOP = {"embed_tokens": "embedding", "wte": "embedding", "word_embeddings": "embedding",
       "embed_in": "embedding", "shared": "embedding", "wpe": "position_embedding",
       "position_embeddings": "position_embedding", "token_type_embeddings": "segment_embedding",
       "lm_head": "unembedding", "embed_out": "unembedding",
       "embeddings.LayerNorm": "ln_e.", "word_embeddings_layernorm": "ln_e.", "ln_f": "ln_f.",
       "model.norm": "ln_f.", "final_layer_norm": "ln_f.", "cls.predictions": "unembedding_bias",
       "transform.dense": "head.*", "transform.LayerNorm": "head.norm."}
ROTARY = {"self_attn.q_proj": "attention.*q", "self_attn.k_proj": "attention.*k",
          "self_attn.v_proj": "attention.*v", "self_attn.o_proj": "attention.*o",
          "self_attn.q_norm": "attention.q_gain", "self_attn.k_norm": "attention.k_gain",
          "mlp.gate_proj": "*1", "mlp.up_proj": "*3", "mlp.down_proj": "*2",
          "input_layernorm": "ln1.", "post_attention_layernorm": "ln2.", "mlp.gate": "router",
          "mlp.experts.gate_up_proj": "experts.#.w1 experts.#.w3",
          "mlp.experts.down_proj": "experts.#.w2"}
FUSED = "attention.*q attention.*k attention.*v"
OF_LAYERS = {
    "llama": ROTARY, "qwen3": ROTARY, "mixtral": ROTARY,
    "gemma2": {**ROTARY, "pre_feedforward_layernorm": "ln3.", "post_feedforward_layernorm": "ln4."},
    "gpt2": {"attn.c_attn": FUSED, "attn.c_proj": "attention.*o", "mlp.c_fc": "*1",
             "mlp.c_proj": "*2", "ln_1": "ln1.", "ln_2": "ln2."},
    "bloom": {"self_attention.query_key_value": FUSED, "self_attention.dense": "attention.*o",
              "mlp.dense_h_to_4h": "*1", "mlp.dense_4h_to_h": "*2", "input_layernorm": "ln1.",
              "post_attention_layernorm": "ln2."},
    "bert": {"attention.self.query": "attention.*q", "attention.self.key": "attention.*k",
             "attention.self.value": "attention.*v", "attention.output.dense": "attention.*o",
             "intermediate.dense": "*1", "output.dense": "*2",
             "attention.output.LayerNorm": "ln1.", "output.LayerNorm": "ln2."},
}
OF_LAYERS["gpt_neox"] = {name.replace("self_", ""): to for name, to in OF_LAYERS["bloom"].items()}


def t5_layers(side):
    parts = [("SelfAttention", "attention"), ("EncDecAttention", "cross"), ("DenseReluDense", "")]
    names = {"layer.0.SelfAttention.relative_attention_bias": "attention.relative_bias"}
    for n, (name, to) in enumerate(parts if side == "decoder" else parts[::2]):
        names[f"layer.{n}.layer_norm"] = f"ln{n + 1}."
        for one in "qkvo" if to else ():
            names[f"layer.{n}.{name}.{one}"] = f"{to}.*{one}"
        if not to:
            names.update({f"layer.{n}.{name}.wi": "*1", f"layer.{n}.{name}.wo": "*2"})
    return names


def stages_of(name, of_layers):
    """The stages whose gradients make up the parameter's, of one that is kept whole: several."""
    name, dot, kind = name.rpartition(".")
    if kind not in ("weight", "bias"):
        name, kind = name + dot + kind, "weight"
    in_layer = re.search(r"\.(\d+)\.", name)
    if in_layer:
        before, to = f"layer.{in_layer[1]}.", of_layers[name[in_layer.end():]]
    else:
        before, to = "", next(to for end, to in TOP.items() if name.endswith(end))
    of_norm = {"weight": "gain", "bias": "bias"}[kind]
    return [before + (one + of_norm if one.endswith(".") else one.replace("*", kind[0]))
            for one in to.split()]


# ---- what is kept whole ----

def side_by_side(parts):
    """As gpt2 keeps wq, wk and wv."""
    return flat(parts) if not isinstance(parts[0][0], list) else flat([sum(rows, [])
                                                                      for rows in zip(*parts)])


def head_by_head(parts, heads):
    """Of each head its rows of wq, of wk and of wv."""
    size = len(parts[0]) // heads
    return flat([part[h * size:(h + 1) * size] for h in range(heads) for part in parts])


def parameter(family, heads, made, stages):
    parts = [made.get(stage + "_grad") for stage in stages]
    if "experts.#" in stages[0]:
        count = len({name for name in made if re.fullmatch(r"layer\.0\.experts\.\d+\.w1_grad", name)})
        return flat([made[stage.replace("#", str(n)) + "_grad"]
                     for n in range(count) for stage in stages])
    if len(parts) == 1:
        return flat(parts)
    return side_by_side(parts) if family == "gpt2" else head_by_head(parts, heads)


# ---- the families ----

def compare_parameters(folder, gradients, made, of_layers):
    config = json.loads((folder / "config.json").read_text())
    heads = config.get("num_attention_heads") or config.get("n_head")
    for name, (_, numbers) in gradients.items():
        stages = stages_of(name.removeprefix("grad."), of_layers)
        # What is added to all keys moves no weight: that gradient is 0 but for rounding, and is
        # measured by what queries gain, as where the three are one vector.
        of = gradients[name.replace(".self.key.bias", ".self.query.bias")][1]
        apart = largest_apart(numbers, parameter(folder.name, heads, made, stages), of)
        check(f"{folder.name}: {name} is {apart:.2g} of its largest apart", apart < SHARE)


def gradients_of(folder, command, document, *words):
    return json.loads(selfattn(command, "-", "--quiet", "--model", folder, "--dtype", "f64", *words,
                               data=json.dumps(document).encode()))


def is_near(folder, recorded, made):
    check(f"{folder.name}: the loss is {made}", abs(recorded - made) < SHARE * made)


def compare(folder):
    gradients, recorded = read(folder / "gradients.safetensors"), read(folder / "recorded.safetensors")
    labels = gradients.pop("labels")[1]
    is_masked = folder.name in MASKED
    document = {"ids": recorded["b1.input_ids"][1], "loss": "cross-entropy",
                "labels": labels if is_masked else labels[1:] + [NOT_COUNTED]}
    if "b1.token_type_ids" in recorded:
        document["segments"] = recorded["b1.token_type_ids"][1]
    made = gradients_of(folder, "encode" if is_masked else "decode", document, "--emit", "loss,*_grad")
    is_near(folder, gradients.pop("loss")[1][0], made["loss"])
    compare_parameters(folder, gradients, made, OF_LAYERS[folder.name])


def compare_pair(folder):
    """A decoder, and its encoder with what came back to the memory; ids of both have one table, and
    all layers of a side one table of distances."""
    gradients, recorded = read(folder / "gradients.safetensors"), read(folder / "recorded.safetensors")
    labels, ids = gradients.pop("labels")[1], recorded["b1.input_ids"][1]
    decoder = gradients_of(folder, "decode", {
        "ids": recorded["b1.decoder_input_ids"][1], "memory_ids": ids, "labels": labels,
        "loss": "cross-entropy"}, "--emit", "loss,*_grad")
    encoder = gradients_of(folder, "encode", {"ids": ids, "output_grad": decoder["memory_grad"]},
                           "--prefix", "encoder", "--emit", "*_grad")
    is_near(folder, gradients.pop("loss")[1][0], decoder["loss"])
    shared = gradients.pop("grad.shared.weight")[1]
    apart = largest_apart(shared, [a + b for a, b in zip(*(
        flat(made["embedding_grad"]) for made in (encoder, decoder)))])
    check(f"{folder.name}: the shared embedding is {apart:.2g} of its largest apart", apart < SHARE)
    for side, made in (("encoder", encoder), ("decoder", decoder)):
        tables = [flat(grad) for name, grad in made.items() if name.endswith("relative_bias_grad")]
        made["layer.0.attention.relative_bias_grad"] = [sum(all_of) for all_of in zip(*tables)]
        own = {name: of for name, of in gradients.items() if name.startswith(f"grad.{side}.")}
        check(f"{folder.name}: {side}: there are gradients", own)
        compare_parameters(folder, own, made, t5_layers(side))


def compare_all(folder):
    for name in OF_LAYERS:
        compare(folder / name)
    compare_pair(folder / "t5")
