"""Writes the layers of testdata/stacks as safetensors, under the names that others give them.

    python3 tests/model/stack_bundles.py testdata/stacks

The numbers are those of the JSON documents there, whose outputs PyTorch computed; so what is read
from here must give the same outputs. Needs nothing but Python.
"""
import json
import struct
import sys

BIASES = {"w": "weight", "b": "bias"}
FEED_FORWARD = {
    "torch": ("linear1", "linear2"), "bert": ("intermediate.dense", "output.dense"),
    "gpt2": ("mlp.c_fc", "mlp.c_proj"), "nanogpt": ("mlp.c_fc", "mlp.c_proj"), "bart": ("fc1", "fc2"),
    "t5": ("layer.1.DenseReluDense.wi", "layer.1.DenseReluDense.wo")}
NORMS = {
    "torch": ("norm1", "norm2", "norm3"), "bert": ("attention.output.LayerNorm", "output.LayerNorm"),
    "gpt2": ("ln_1", "ln_2"), "nanogpt": ("ln_1", "ln_2"),
    "bart": ("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm")}
APART = {
    "bert": ("attention.self.query", "attention.self.key", "attention.self.value",
             "attention.output.dense"),
    "bart": ("q_proj", "k_proj", "v_proj", "out_proj")}


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def joint(one, kind):
    """Rows of wq, then of wk and wv: the documents are out-in."""
    return one[kind + "q"] + one[kind + "k"] + one[kind + "v"]


def attention(one, style, way=""):
    names = {}
    if style == "torch":
        names[way + "in_proj_weight"], names[way + "in_proj_bias"] = joint(one, "w"), joint(one, "b")
        names[way + "out_proj.weight"], names[way + "out_proj.bias"] = one["wo"], one["bo"]
    elif style in ("gpt2", "nanogpt"):
        turn = transposed if style == "gpt2" else list
        names["attn.c_attn.weight"], names["attn.c_attn.bias"] = turn(joint(one, "w")), joint(one, "b")
        names["attn.c_proj.weight"], names["attn.c_proj.bias"] = turn(one["wo"]), one["bo"]
    else:
        for part, name in zip("qkvo", APART[style]):
            for kind, word in BIASES.items():
                names[f"{way}{name}.{word}"] = one[kind + part]
    return names


def gpt2_cross(one):
    names = {"c_attn.weight": transposed(one["wk"] + one["wv"]), "c_attn.bias": one["bk"] + one["bv"]}
    for part, name in (("q", "q_attn"), ("o", "c_proj")):
        names[name + ".weight"], names[name + ".bias"] = transposed(one["w" + part]), one["b" + part]
    return {"crossattention." + name: value for name, value in names.items()}


def layer(one, style):
    way = {"torch": "self_attn.", "bart": "self_attn."}.get(style, "")
    names = attention(one, style, way)
    if "cross" in one:
        way = "multihead_attn." if style == "torch" else "encoder_attn."
        names.update(gpt2_cross(one["cross"]) if style == "gpt2" else attention(one["cross"], style, way))
    for i, name in enumerate(FEED_FORWARD[style], 1):
        matrix = one[f"w{i}"]
        names[name + ".weight"] = transposed(matrix) if style == "gpt2" else matrix
        names[name + ".bias"] = one[f"b{i}"]
    norms = ("ln_1", "ln_cross_attn", "ln_2") if style == "gpt2" and "cross" in one else NORMS[style]
    for i, name in enumerate(norms, 1):
        if f"ln{i}" in one:
            gain, bias = ("gamma", "beta") if style == "bert" else ("weight", "bias")
            names[f"{name}.{gain}"] = one[f"ln{i}"]["gain"]
            names[f"{name}.{bias}"] = one[f"ln{i}"]["bias"]
    return names


def own(one, way):
    names = {}
    for key, value in one.items():
        if isinstance(value, dict):
            names.update(own(value, f"{way}{key}."))
        else:
            names[way + key] = value
    return names


def shape(value):
    return [len(value)] + shape(value[0]) if isinstance(value, list) else []


def flat(value):
    return [number for each in value for number in flat(each)] if isinstance(value, list) else [value]


def write(path, names):
    header, data = {}, b""
    for name, value in sorted(names.items()):
        numbers = struct.pack(f"<{len(flat(value))}d", *flat(value))
        header[name] = {"dtype": "F64", "shape": shape(value),
                        "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def bundle(folder, document, style, layers, final=None, **more):
    with open(f"{folder}/{document}.json", encoding="utf-8") as file:
        one = json.load(file)
    names = dict(more)
    for i, each in enumerate(one["layers"]):
        inner = own(each, "") if style == "own" else layer(each, style)
        names.update({f"{layers}{i}.{name}": value for name, value in inner.items()})
    if "ln_f" in one:
        names[final + ".weight"], names[final + ".bias"] = one["ln_f"]["gain"], one["ln_f"]["bias"]
    write(f"{folder}/{document}-{style}.safetensors", names)


def main(folder):
    bundle(folder, "encoder-post", "torch", "encoder.layers.")
    bundle(folder, "encoder-post", "bert", "bert.encoder.layer.")
    bundle(folder, "decoder-post", "own", "layers.")
    bundle(folder, "decoder-post", "bart", "decoder.layers.")
    bundle(folder, "decoder-pre", "torch", "layers.", "norm")
    bundle(folder, "decoder-pre", "gpt2", "transformer.h.", "transformer.ln_f")
    with open(f"{folder}/encoder-causal-gelu-tanh.json", encoding="utf-8") as file:
        rows = json.load(file)["x"]
    # Ids 4, 3, 2, 1, 0 look up one half of each row of x, and positions are the other.
    halves = [[number / 2 for number in row] for row in rows]
    more = {"transformer.wte.weight": halves[::-1], "transformer.wpe.weight": halves}
    bundle(folder, "encoder-causal-gelu-tanh", "gpt2", "transformer.h.", **more)
    bundle(folder, "encoder-pre-gelu", "nanogpt", "transformer.h.", "transformer.ln_f")


main(sys.argv[1])
