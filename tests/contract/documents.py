"""The documents on which the program and the second implementation are compared."""
import glob
import json
import subprocess
from functools import cache, partial

import numpy as np

import contract

FOLDERS = "seeds variants positions examples stacks".split()
TWO = [[0.5, -0.25], [1, 0.3]]
# What queries are made of, and of keys what they are made of and what all their heads end with
DOWN = [[(3 * i + 5 * j) % 7 / 4 - 0.7 for j in range(8)] for i in range(4)]
LATENTS = {"wkv_down": [row[:6] for row in DOWN], "bkv_down": [0.5, -1, 0, 0.25, 2, -0.5],
           "wq": [row[::-1] for row in DOWN], "bq": DOWN[1]}
# Two of a batch, of three rows each
BATCH = [[[(5 * b + 7 * i + 3 * j) % 11 / 8 - 0.6 for j in range(4)] for i in range(3)]
         for b in range(2)]
# What documents of init get besides their numbers, and what is drawn for them.
SETTINGS = [
    ({}, "--biases"),
    ({"causal": True}, "--heads 2"),
    ({"alibi": True, "causal": True}, "--heads 3 --width 6"),
    ({"alibi": True}, "--heads 6 --width 12"),
    ({"alibi": True}, "--heads 16 --width 16"),
    ({"softcap": 0.5}, "--heads 2 --kv-heads 1"),
    ({"bias": [0.5, -1, 0, 0.25, 2, -0.5]}, "--heads 6 --kv-heads 2 --width 12"),
    ({"rope": 10000}, "--heads 2"),
    ({"rope": 100, "rope_pairing": "interleaved", "rope_width": 2}, "--heads 2"),
    ({"rope": {"base": 500.5, "positions": [3, 1, 4, 1]}}, "--heads 2 --tokens 4"),
    ({"rope": {"base": 10, "width": 2, "attention_factor": 1.3}}, "--heads 2 --width 8"),
    ({"qk_norm": "rms"}, "--heads 2 --tokens 5"),
    ({"qk_norm": "rms", "rope": 10000, "causal": True}, "--heads 4 --kv-heads 2"),
    ({"qk_norm": "rms-all", "rope": 10000}, "--heads 4 --kv-heads 2"),
    ({"qk_norm": "rms-all", "q_gain": [0.5, 2, -1, 1, 3, 0.25], "k_gain": [[1, 2, 3], [4, 5, 6]]},
     "--heads 2 --width 6"),
    ({"clip": 0.7, "softcap": 2}, "--heads 2 --biases"),
    ({"positions": "sinusoidal"}, "--heads 2"),
    ({"positions": "sinusoidal", "offset": 1000}, "--width 7"),
    ({"window": [2, 1]}, "--tokens 20 --width 3"),
    ({"score": "additive"}, "--tokens 3 --width 4"),
    ({"score": "additive", "va": [1, -0.5]}, "--tokens 4 --heads 3 --kv-heads 1 --width 6"),
    ({"score": "additive", "wa": TWO, "ua": [TWO[::-1], TWO] * 2}, "--heads 4 --kv-heads 2"),
    ({"score": "additive", "wa": [TWO, TWO[::-1]], "ua": TWO, "ba": [0.1, -0.2]},
     "--heads 2 --width 4"),
    ({"score": "general", "scale": 0.3}, "--tokens 3"),
    ({"score": "general", "ws": TWO, "bs": [1, 0.2, -3, 0.4]}, "--heads 4 --kv-heads 2"),
    ({"add_zero": True}, "--heads 2"),
    ({"scale": "embed", "softcap": 3}, "--heads 2 --biases"),
    ({"loss": "mean"}, "--heads 2 --biases"),
    ({"loss": "sum", "scale": "none"}, "--biases --std 30 --dist gaussian"),
    ({"scale": 100000}, "--dist gaussian --tokens 18"),
    ({"key_lengths": 3, "causal": "lower-right"}, "--tokens 5"),
    ({"layout": "out-in"}, "--layout out-in --heads 2 --biases"),
    ({"mask": [True, False, True, True]}, "--tokens 4 --heads 2"),
    ({"sinks": [0.5, -2]}, "--heads 2"),
    ({"bias": [[0, 1, "-inf"], [0.1, 0.2, 0.3], [1, 1, 1]]}, "--tokens 3"),
    ({"top": 2}, "--tokens 40 --width 2"),
    ({"round": "2:keep-sum"}, "--tokens 7"),
    ({"round": 3}, "--tokens 7"),
    ({"round": "6:keep-sum"}, "--tokens 33 --width 2"),
    ({"score": "additive", "x": BATCH, "va": [1, -0.5], "ba": [0.1, -0.2]}, "--width 4 --heads 2"),
    ({"wq_down": DOWN, "wq": DOWN + DOWN[::-1], "bq": DOWN[0], "clip": 1, "q_latent_gain": DOWN[2],
      "wkv_down": TWO * 2, "wk": DOWN[:2], "bk": DOWN[3], "wv": [DOWN[2][:4]] * 2},
     "--width 4 --heads 2 --biases"),
    ({**LATENTS, "rope": 100, "causal": True}, "--width 4 --heads 2 --biases"),
    ({**LATENTS, "rope": {"base": 10, "width": 4, "pairing": "interleaved"}, "clip": 1.5,
      "kv_latent_gain": [3, -1, 0.5, 1], "latent_eps": 0.01},
     "--width 4 --heads 2 --biases --tokens 60"),
    ({**LATENTS, "wq": [row[:4] for row in DOWN], "bq": [1, 2, 3, 4], "qk_norm": "rms", "x": BATCH,
      "wk": [TWO[0], TWO[1], TWO[0], [0, 0]], "bk": [1, 2]},
     "--width 4"),
    # One x for all entries of a batch, and a gradient that the output does not have
    ({"xv": BATCH, "positions": "sinusoidal"}, "--tokens 3 --heads 2 --width 4 --biases"),
    ({"logsumexp_grad": [1, -0.5, 2, 0.25, 3, -1]}, "--width 4 --biases"),
    # More queries than a block has, 48
    ({"score": "general", "ws": TWO, "bs": [1, 0.2], "causal": True},
     "--tokens 70 --width 4 --heads 2 --biases"),
    ({"score": "additive", "va": [0.3, -1.7, 0.9, 0.01]}, "--tokens 70 --width 8 --heads 2"),
]
# Of documents of three layers
STACKS = [{"activation": "silu", "norm": "pre"}, {"activation": "gelu_tanh"},
          {"activation": "gelu"}, {"activation": "relu2", "residual_scale": 0.3},
          {"norm": "sandwich", "norm_eps": 0.5}, {"norm": "inner", "residual_scale": -1.5},
          {"norm": "pre", "repeat": 2}]
# What is done to logits
LOGITS = [{}, {"logits_scale": 0.75}, {"logits_softcap": 2},
          {"logits_scale": -1.5, "logits_softcap": 0.7}]
# Of experts, and how many there are
MIXTURES = [({"top_experts": 2, "activation": "silu", "norm": "pre"}, 4),
            ({"top_experts": 1, "renormalize": False, "routing_scale": 1.3}, 3),
            ({"top_experts": 2, "routing": "top-softmax", "activation": "clamped"}, 4),
            ({"top_experts": 2, "routing": "sigmoid", "routing_scale": 2.5, "groups": 2,
              "top_groups": 1, "activation": "gelu"}, 6),
            ({"top_experts": 3, "renormalize": False, "routing": "sigmoid", "repeat": 2}, 6),
            ({"top_experts": 2, "renormalize": False, "groups": 3, "top_groups": 2,
              "top_of_group": 1}, 6)]


def stages_of(doc, dtype):
    made = {}
    for name, a in contract.results(doc, dtype).items():
        digits = a.astype(a.dtype.newbyteorder(">")).tobytes().hex()
        width = 2 * a.dtype.itemsize
        bits = [digits[i:i + width] for i in range(0, len(digits), width)]
        made[name] = {"shape": list(a.shape), "bits": bits}
    return made


def may_have_gradients(doc):
    return not {"round", "output_grad", "loss"} & doc.keys()


def with_gradients(doc):
    """The document with something that comes back to its output"""
    output = contract.results(doc)["output"]
    grads = [(7 * i % 11 - 5) / 4 for i in range(output.size)]
    return dict(doc, output_grad=np.array(grads).reshape(output.shape).tolist())


def documents():
    """Name and document, one after another."""
    for folder in FOLDERS:
        for file in sorted(glob.glob("testdata/%s/*.json" % folder)):
            doc = json.load(open(file, encoding="utf-8"))
            if {"x", "q", "layers", "vocab"} & set(doc):
                yield file, doc
    yield "zeros with a sign", {"q": TWO, "k": TWO, "v": TWO, "output_grad": [[-0.0, 1], [0, -0.0]]}
    for number, (more, options) in enumerate(SETTINGS):
        words = ("selfattn init --seed %d --tokens 6 " % number + options).split()
        drawn = subprocess.run(words, check=True, capture_output=True).stdout
        yield "%s, %s" % (" ".join(words), json.dumps(more)), dict(json.loads(drawn), **more)
    for number, more in enumerate(STACKS):
        yield "three layers, %s" % json.dumps(more), three_layers(60 + number, more)
    for number, (more, count) in enumerate(MIXTURES):
        doc = mixture(70 + number, more, count)
        yield "%d experts, %s" % (count, json.dumps(more)), doc


def mixture(seed, more, count):
    """Of these layers the last two have experts, and the last one a shared one with its gate."""
    doc = three_layers(seed, more)
    layer = doc["layers"][0]
    keys = ("w1", "b1", "w2", "b2", "w3", "b3")
    matrices, gates = [layer[key] for key in ("w1", "w2", "w3")], more.get("activation") == "clamped"
    experts = []
    for i in range(count):
        one = {"w1": matrices[i % 3], "w2": matrices[(i + 1) % 3], "b2": layer["b2"]}
        if i % 2 or gates:
            one.update(w3=[[9 * number for number in row] for row in matrices[(i + i // 3) % 3]])
        if i % 3 == 1:
            one["b1"] = layer["b1"]
        experts.append(one)
    mixed = {key: layer[key] for key in layer if key not in keys}
    mixed.update(experts=experts, router=[(row * 2)[1:count + 1] for row in layer["w3"]])
    last = dict(mixed, router_bias=layer["b3"][:count], shared=experts[1],
                shared_gate=[row[:1] for row in layer["w2"]])
    if more.get("routing") != "top-softmax":
        last["choice_bias"] = [0.01 * i * i for i in range(count)]
    # Of a clamped activation each layer must have experts.
    return dict(doc, layers=[mixed if gates else layer, mixed, last])


def three_layers(seed, more):
    """Of a width that is no power of two, with all that a layer of such an order may have"""
    words = ("selfattn init --seed %d --tokens 5 --width 6 --biases" % seed).split()
    drawn = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    weights = {key: drawn[key] for key in drawn if key[0] in "wb"}
    gains = {"gain": [1, 0.5, -1, 2, 0.75, 1.25]}
    layer = dict(weights, heads=3, cross=dict(weights), ln2={"eps": 0.1}, ln3=gains,
                 ln1=dict(gains, bias=weights["bq"]), w1=weights["wq"], b1=weights["bk"],
                 w2=weights["wk"], b2=weights["bo"], w3=weights["wv"], b3=weights["bv"])
    doc = {"x": drawn["x"], "memory": drawn["x"][1:4], "layers": [layer] * 3, **more}
    if more.get("norm") in ("sandwich", "inner"):
        del layer["cross"], layer["ln3"], doc["memory"]
    return doc


def all_documents():
    """Of each its name and what gives it, which may need to know its output"""
    for name, doc in documents():
        yield name, partial(dict, doc)
        if may_have_gradients(doc):
            yield name + " with gradients", cache(partial(with_gradients, doc))
        if "ids" in doc:
            labels = [-100] + doc["ids"][1:]
            for more in LOGITS:
                yield "%s with cross-entropy %s" % (name, more), partial(
                    dict, doc, loss="cross-entropy", labels=labels, **more)
