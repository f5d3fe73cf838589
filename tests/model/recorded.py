"""Gradients that transformers recorded of its own models, against the program's: loss and the
gradient of every parameter, in float64 of the same float32 numbers.

The documents are made of what config.json says of these families; nothing of the program is asked
how it would read them.
"""
import array
import json
import struct

from claims import check, selfattn

SHARE = 2e-6  # of each tensor's largest: float32 has recorded them
NOT_COUNTED = -100


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


def nested(shape, numbers):
    if len(shape) < 2:
        return numbers
    size = len(numbers) // shape[0]
    return [nested(shape[1:], numbers[i * size:(i + 1) * size]) for i in range(shape[0])]


def columns(rows, first, count):
    return [row[first:first + count] for row in rows]


def flat(value):
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [value]


def gpt2(config, weights):
    width = config["n_embd"]
    names, layers = {}, []
    for i in range(config["n_layer"]):
        way, to = f"transformer.h.{i}.", f"layer.{i}."
        one = {}
        for part, first in (("q", 0), ("k", width), ("v", 2 * width)):
            one["w" + part] = columns(weights[way + "attn.c_attn.weight"], first, width)
            one["b" + part] = weights[way + "attn.c_attn.bias"][first:first + width]
        rest = {"wo": "attn.c_proj.weight", "bo": "attn.c_proj.bias", "w1": "mlp.c_fc.weight",
                "b1": "mlp.c_fc.bias", "w2": "mlp.c_proj.weight", "b2": "mlp.c_proj.bias"}
        for key, name in rest.items():
            one[key] = weights[way + name]
            names[way + name] = [to + ("attention." if key in ("wo", "bo") else "") + key]
        for kind in ("weight", "bias"):
            names[way + "attn.c_attn." + kind] = [f"{to}attention.{kind[0]}{part}" for part in "qkv"]
        for ln in ("1", "2"):
            one["ln" + ln] = {"gain": weights[f"{way}ln_{ln}.weight"], "bias": weights[f"{way}ln_{ln}.bias"]}
            names[f"{way}ln_{ln}.weight"] = [f"{to}ln{ln}.gain"]
            names[f"{way}ln_{ln}.bias"] = [f"{to}ln{ln}.bias"]
        layers.append(one)
    top = {"embedding": "transformer.wte.weight", "position_embedding": "transformer.wpe.weight"}
    names.update({name: [key] for key, name in top.items()})
    for key, kind in (("gain", "weight"), ("bias", "bias")):
        names["transformer.ln_f." + kind] = ["ln_f." + key]
    return names, {
        "norm": "pre", "activation": "gelu_tanh", "heads": config["n_head"],
        "norm_eps": config["layer_norm_epsilon"], "layers": layers,
        "ln_f": {"gain": weights["transformer.ln_f.weight"], "bias": weights["transformer.ln_f.bias"]},
        **{key: weights[name] for key, name in top.items()}}


def llama(config, weights):
    names, layers = {}, []
    parts = {"attention.wq": "self_attn.q_proj", "attention.wk": "self_attn.k_proj",
             "attention.wv": "self_attn.v_proj", "attention.wo": "self_attn.o_proj",
             "w1": "mlp.gate_proj", "w3": "mlp.up_proj", "w2": "mlp.down_proj"}
    norms = {"ln1": "input_layernorm", "ln2": "post_attention_layernorm"}
    for i in range(config["num_hidden_layers"]):
        way, to = f"model.layers.{i}.", f"layer.{i}."
        one = {}
        for key, name in parts.items():
            one[key.removeprefix("attention.")] = weights[f"{way}{name}.weight"]
            names[f"{way}{name}.weight"] = [to + key]
        for key, name in norms.items():
            one[key] = {"gain": weights[f"{way}{name}.weight"]}
            names[f"{way}{name}.weight"] = [f"{to}{key}.gain"]
        layers.append(one)
    names.update({"model.embed_tokens.weight": ["embedding"], "lm_head.weight": ["unembedding"],
                  "model.norm.weight": ["ln_f.gain"]})
    return names, {
        "norm": "pre", "norm_kind": "rms", "norm_eps": config["rms_norm_eps"], "layout": "out-in",
        "activation": config["hidden_act"], "heads": config["num_attention_heads"],
        "kv_heads": config["num_key_value_heads"], "rope": config["rope_parameters"]["rope_theta"],
        "layers": layers, "ln_f": {"gain": weights["model.norm.weight"]},
        "embedding": weights["model.embed_tokens.weight"], "unembedding": weights["lm_head.weight"]}


def bert(config, weights):
    names, layers = {}, []

    def take(to, key, name):
        for suffix, kind in zip(key.split(), ("weight", "bias")):
            names[f"{name}.{kind}"] = [to + suffix]

    def norm(name):
        return {"gain": weights[name + ".weight"], "bias": weights[name + ".bias"]}

    parts = {"wq bq": "attention.self.query", "wk bk": "attention.self.key",
             "wv bv": "attention.self.value", "wo bo": "attention.output.dense",
             "w1 b1": "intermediate.dense", "w2 b2": "output.dense"}
    norms = {"ln1": "attention.output.LayerNorm", "ln2": "output.LayerNorm"}
    for i in range(config["num_hidden_layers"]):
        way, to = f"bert.encoder.layer.{i}.", f"layer.{i}."
        one = {}
        for key, name in parts.items():
            for suffix, kind in zip(key.split(), ("weight", "bias")):
                one[suffix] = weights[f"{way}{name}.{kind}"]
            take(to if key[1] in "12" else to + "attention.", key, way + name)
        for key, name in norms.items():
            one[key] = norm(way + name)
            take(f"{to}{key}.", "gain bias", way + name)
        layers.append(one)
    top = {"embedding": "word", "position_embedding": "position", "segment_embedding": "token_type"}
    tables = {key: f"bert.embeddings.{name}_embeddings.weight" for key, name in top.items()}
    names.update({name: [key] for key, name in tables.items()})
    head = "cls.predictions.transform."
    take("ln_e.", "gain bias", "bert.embeddings.LayerNorm")
    take("head.norm.", "gain bias", head + "LayerNorm")
    take("head.", "w b", head + "dense")
    names["cls.predictions.bias"] = ["unembedding_bias"]
    return names, {
        "norm": "post", "activation": config["hidden_act"], "layout": "out-in", "layers": layers,
        "heads": config["num_attention_heads"], "norm_eps": config["layer_norm_eps"],
        "ln_e": norm("bert.embeddings.LayerNorm"),
        "head": {"w": weights[head + "dense.weight"], "b": weights[head + "dense.bias"],
                 "norm": norm(head + "LayerNorm")},
        "unembedding_bias": weights["cls.predictions.bias"],
        **{key: weights[name] for key, name in tables.items()}}


FAMILIES = {"gpt2": gpt2, "llama": llama, "bert": bert}
MASKED = {"bert"}  # whose labels stand where they are to be found


def largest_apart(recorded, made, of=None):
    most = max(map(abs, of or recorded))
    return max(abs(a - b) for a, b in zip(recorded, made)) / (most or 1)


def joined(parts):
    """Side by side, as gpt2 keeps wq, wk and wv."""
    if len(parts) == 1 or not isinstance(parts[0][0], list):
        return flat(parts)
    return flat([sum(rows, []) for rows in zip(*parts)])


def compare(folder):
    config = json.loads((folder / "config.json").read_text())
    weights = {name: nested(*one) for name, one in read(folder / "model.safetensors").items()}
    gradients = read(folder / "gradients.safetensors")
    names, document = FAMILIES[config["model_type"]](config, weights)
    labels = gradients.pop("labels")[1]
    recorded = read(folder / "recorded.safetensors")
    is_masked = folder.name in MASKED
    document.update({
        "dtype": "f64", "ids": recorded["b1.input_ids"][1], "loss": "cross-entropy",
        "labels": labels if is_masked else labels[1:] + [NOT_COUNTED]})
    if "b1.token_type_ids" in recorded:
        document["segments"] = recorded["b1.token_type_ids"][1]
    made = json.loads(selfattn("encode" if is_masked else "decode", "--emit", "loss,*_grad",
                               data=json.dumps(document).encode()))
    check(f"{folder.name}: loss", abs(gradients.pop("loss")[1][0] - made["loss"]) < SHARE * made["loss"])
    for name, (_, numbers) in gradients.items():
        parts = [made[key + "_grad"] for key in names[name.removeprefix("grad.")]]
        # What is added to all keys moves no weight: that gradient is 0 but for rounding, and is measured
        # by what queries gain, as where the three are one vector.
        of = gradients[name.replace(".self.key.bias", ".self.query.bias")][1]
        apart = largest_apart(numbers, joined(parts), of)
        check(f"{folder.name}: {name} is {apart:.2g} of its largest apart", apart < SHARE)


def compare_all(folder):
    for name in FAMILIES:
        compare(folder / name)
