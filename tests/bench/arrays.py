"""A contestant (contestant.h): attention with q, k and v given, as arrays of heads × n × d, by
numpy or PyTorch: arrays.py numpy|torch core|additive NAME=VALUE ...; torch layer: with projections
around it; or torch encoder: a layer of an encoder. back=yes: PyTorch's gradients of all too."""
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


def torch_attend(torch, query, keys, values):
    """PyTorch 2 has the whole of it; PyTorch 1 its parts. All are 1 × heads × n × d."""
    if hasattr(torch.nn.functional, "scaled_dot_product_attention"):
        whole = torch.nn.functional.scaled_dot_product_attention
        return whole(query, keys, values, is_causal=causal)
    scores = torch.matmul(query * d**-0.5, keys.transpose(2, 3))
    if causal:
        scores = scores + torch.from_numpy(mask)
    return torch.matmul(torch.softmax(scores, -1), values)


def torch_forth_and_back(torch, given, compute):
    """What `compute` makes of these arrays; back=yes: and the gradients of all of them, by autograd,
    from a gradient of that."""
    torch.set_num_threads(int(words["threads"]))
    goes_back = words.get("back") == "yes"
    torch.set_grad_enabled(goes_back)
    one = [torch.from_numpy(array).requires_grad_(goes_back) for array in given]
    if not goes_back:
        return lambda: compute(*one)
    up = torch.ones_like(compute(*one)).detach()
    return lambda: torch.autograd.grad(compute(*one), one, up)


def torch_core():
    import torch

    given = [array[None] for array in (q, k, v)]
    return torch_forth_and_back(torch, given, lambda *one: torch_attend(torch, *one))


def torch_layer():
    """x projected by wq, wk and wv, heads apart, attended, side by side again, and by wo."""
    import torch

    width = int(words["width"])
    given = encoder(n, width, width)

    def compute(x, wq, wk, wv, wo):
        apart = [(x @ w).reshape(1, n, heads, d).transpose(1, 2) for w in (wq, wk, wv)]
        attended = torch_attend(torch, *apart)
        return attended.transpose(1, 2).reshape(n, width) @ wo

    return torch_forth_and_back(torch, [given[name] for name in ("x", "wq", "wk", "wv", "wo")],
                                compute)


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
of_torch = {"core": torch_core, "layer": torch_layer, "encoder": torch_encoder}
run = of_torch[sys.argv[2]]() if library == "torch" else of_numpy[sys.argv[2]]
print("ready", flush=True)
for line in sys.stdin:
    print(min(milliseconds(run) for _ in range(int(line))), flush=True)
