"""A contestant (contestant.h): attention with q, k and v given, as arrays of heads × n × d, by
numpy or PyTorch: arrays.py numpy|torch core|additive NAME=VALUE ...; or torch encoder: the layer."""
import os
import sys
import time

library = sys.argv[1]
words = dict(word.split("=", 1) for word in reversed(sys.argv[3:]))  # the first of a name holds
n, heads = int(words["n"]), int(words["heads"])
d = int(words["d"]) if "d" in words else int(words["width"]) // heads
causal = words.get("causal") == "yes"
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # read when the library is loaded
    os.environ[name] = words["threads"]

import numpy as np

from numbers_alike import encoder

random = np.random.default_rng(1)
q, k, v = (random.uniform(-(3**0.5), 3**0.5, (heads, n, d)).astype(np.float32) for _ in "qkv")
q *= float(words.get("sharp", 1))
mask = np.triu(np.full((n, n), -np.inf, np.float32), 1) if causal else None


def numpy_core():
    """Blocks of rows, whose scores stay in a cache: faster than all scores at once."""
    out, rows = np.empty_like(q), 256
    for head in range(heads):
        for first in range(0, n, rows):
            block = slice(first, first + rows)
            end = min(n, first + rows) if causal else n
            scores = q[head, block] @ k[head, :end].T
            scores *= np.float32(d**-0.5)
            if causal:
                scores += mask[block, :end]
            scores -= scores.max(-1, keepdims=True)
            np.exp(scores, out=scores)
            out[head, block] = scores @ v[head, :end] / scores.sum(-1, keepdims=True)
    return out


def numpy_additive():
    """v_a·tanh(q + k), v_a ones, blocks of rows whose n × d numbers for each row stay in a cache."""
    out, rows = np.empty_like(q), 4
    for head in range(heads):
        for first in range(0, n, rows):
            block = slice(first, first + rows)
            scores = np.tanh(q[head, block, None] + k[head, None]).sum(-1)
            scores -= scores.max(-1, keepdims=True)
            np.exp(scores, out=scores)
            out[head, block] = scores @ v[head] / scores.sum(-1, keepdims=True)
    return out


def torch_core():
    """PyTorch 2 has the whole of it; PyTorch 1 its parts."""
    import torch

    torch.set_num_threads(int(words["threads"]))
    torch.set_grad_enabled(False)
    one = [torch.from_numpy(array)[None] for array in (q, k, v)]
    if hasattr(torch.nn.functional, "scaled_dot_product_attention"):
        return lambda: torch.nn.functional.scaled_dot_product_attention(*one, is_causal=causal)
    query, keys, values = (array[0] for array in one)

    def parts():
        scores = torch.bmm(query * d**-0.5, keys.transpose(1, 2))
        if causal:
            scores += torch.from_numpy(mask)
        return torch.bmm(torch.softmax(scores, -1), values)

    return parts


def torch_encoder():
    """nn.TransformerEncoderLayer, as it is for evaluation."""
    import torch

    torch.set_num_threads(int(words["threads"]))
    torch.set_grad_enabled(False)
    width, hidden = int(words["width"]), int(words["hidden"])
    given = {name: torch.from_numpy(array) for name, array in encoder(n, width, hidden).items()}
    layer = torch.nn.TransformerEncoderLayer(width, heads, hidden, batch_first=True).eval()
    attention = layer.self_attn
    attention.in_proj_weight.copy_(torch.cat([given[name].T for name in ("wq", "wk", "wv")]))
    attention.in_proj_bias.copy_(torch.cat([given[name] for name in ("bq", "bk", "bv")]))
    for to, weight, bias in ((attention.out_proj, "wo", "bo"), (layer.linear1, "w1", "b1"),
                             (layer.linear2, "w2", "b2")):
        to.weight.copy_(given[weight].T)
        to.bias.copy_(given[bias])
    return lambda: layer(given["x"][None])


def milliseconds(work):
    before = time.perf_counter()
    work()
    return (time.perf_counter() - before) * 1e3


of_numpy = {"core": numpy_core, "additive": numpy_additive}
of_torch = {"core": torch_core, "encoder": torch_encoder}
run = of_torch[sys.argv[2]]() if library == "torch" else of_numpy[sys.argv[2]]
print("ready", flush=True)
for line in sys.stdin:
    print(min(milliseconds(run) for _ in range(int(line))), flush=True)
