"""Writes the model that ort.js runs: ort_model.py KIND N HEADS KV_HEADS WIDTH CAUSAL HIDDEN FILE,
with Debian's python3-onnx. Sizes are fixed in the model, and the layer's weights are constants in it, so that
ONNX Runtime may prepare for both before it is timed."""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from numbers_alike import encoder

MICROSOFT = "com.microsoft"  # the domain of ONNX Runtime's own operators

kind, file = sys.argv[1], sys.argv[8]
n, heads, kv_heads, width, causal, hidden = map(int, sys.argv[2:8])
rows = [1, n, width]
split = [1, heads, n, width // heads]
shared = {"k": [1, n, width // heads * kv_heads], "v": [1, n, width // heads * kv_heads]}


def constant(name, values):
    return numpy_helper.from_array(np.array(values), name)


def attend(out, count):
    return helper.make_node("MultiHeadAttention", ["q", "k", "v"], [out], domain=MICROSOFT,
                            num_heads=count, unidirectional=causal)


def multi_head_attention():
    return "qkv", rows, [attend("y", heads)], []


def heads_as_batch():
    return "qkv", split[1:], [attend("y", 1)], []


def onnx_attention():
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], is_causal=causal)
    return "qkv", split, [node], []


def group_query_attention():
    """It is always causal, and wants to know how many keys there are, less one, and in all."""
    node = helper.make_node("GroupQueryAttention", ["q", "k", "v", "", "", "last", "all"],
                            ["y", "past_k", "past_v"], domain=MICROSOFT, num_heads=heads,
                            kv_num_heads=kv_heads)
    return "qkv", rows, [node], [constant("last", np.int32([n - 1])), constant("all", np.int32(n))]


def layer():
    random = np.random.default_rng(1)
    names = ["wq", "wk", "wv", "wo"]
    weights = [constant(name, random.normal(0, width**-0.5, (width, width)).astype(np.float32))
               for name in names]
    nodes = [helper.make_node("MatMul", ["x", "w" + name], [name]) for name in "qkv"]
    nodes += [attend("context", heads), helper.make_node("MatMul", ["context", "wo"], ["y"])]
    return "x", rows, nodes, weights


def encoder_layer():
    """post norm, relu: norm(x + attention(x)), then norm(that + ffn(that)); every part has a bias."""
    given = encoder(n, width, hidden)
    given["bias"] = np.concatenate([given["bq"], given["bk"], given["bv"]])
    given.update(ones=np.ones(width, np.float32), zeros=np.zeros(width, np.float32))
    names = ["wq", "wk", "wv", "wo", "bo", "w1", "b1", "w2", "b2", "bias", "ones", "zeros"]
    make = helper.make_node
    nodes = [make("MatMul", ["x", "w" + name], [name]) for name in "qkv"] + [
        make("MultiHeadAttention", ["q", "k", "v", "bias"], ["context"], domain=MICROSOFT,
             num_heads=heads),
        make("MatMul", ["context", "wo"], ["projected"]),
        make("Add", ["projected", "bo"], ["attended"]),
        make("Add", ["x", "attended"], ["attention_sum"]),
        make("LayerNormalization", ["attention_sum", "ones", "zeros"], ["ln1"], epsilon=1e-5),
        make("MatMul", ["ln1", "w1"], ["into"]),
        make("Add", ["into", "b1"], ["hidden"]),
        make("Relu", ["hidden"], ["activated"]),
        make("MatMul", ["activated", "w2"], ["out_of"]),
        make("Add", ["out_of", "b2"], ["ffn"]),
        make("Add", ["ln1", "ffn"], ["ffn_sum"]),
        make("LayerNormalization", ["ffn_sum", "ones", "zeros"], ["y"], epsilon=1e-5)]
    return "x", rows, nodes, [constant(name, given[name]) for name in names]


KINDS = {"mha": multi_head_attention, "split": heads_as_batch, "attention": onnx_attention,
         "gqa": group_query_attention, "layer": layer, "encoder": encoder_layer}

inputs, shape, nodes, constants = KINDS[kind]()
outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)]
if kind == "gqa":
    cache = [1, kv_heads, n, width // heads]
    outputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, cache)
                for name in ("past_k", "past_v")]
graph = helper.make_graph(
    nodes, kind,
    [helper.make_tensor_value_info(
        name, TensorProto.FLOAT, shared.get(name, shape) if kind == "gqa" else shape)
     for name in inputs],
    outputs, constants)
versions = [helper.make_opsetid("", 23), helper.make_opsetid(MICROSOFT, 1)]
made = helper.make_model(graph, opset_imports=versions)
made.ir_version = 10  # the newest that ONNX Runtime reads need not be the newest that onnx writes
with open(file, "wb") as out:
    out.write(made.SerializeToString())
