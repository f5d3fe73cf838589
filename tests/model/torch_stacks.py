"""Writes testdata/stacks: layers whose outputs PyTorch computes in float64.

    python3 tests/model/torch_stacks.py testdata/stacks

Made with Debian's python3-torch 1.13.1. Nothing is random: number i of the k-th parameter, in the
order of named_parameters(), is cos(0.7 k + 1.3 i) / 4, a norm's gain is 1 plus half of that, and
inputs are sin(0.9 i + k). So the files hold what this says, and PyTorch's outputs.
"""
import json
import math
import sys

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, HIDDEN, TOKENS, MEMORY = 8, 2, 12, 5, 4
ATTENTION = {"in_proj_weight": None, "in_proj_bias": None, "out_proj.weight": "wo", "out_proj.bias": "bo"}
REST = {"linear1.weight": "w1", "linear1.bias": "b1", "linear2.weight": "w2", "linear2.bias": "b2"}


def fill(module):
    with torch.no_grad():
        for k, (name, parameter) in enumerate(module.named_parameters()):
            numbers = torch.arange(parameter.numel(), dtype=torch.float64)
            value = torch.cos(0.7 * k + 1.3 * numbers) / 4
            if "norm" in name and name.endswith("weight"):
                value = 1 + value / 2
            parameter.copy_(value.reshape(parameter.shape))
    return module.eval()


def rows(count, k):
    numbers = torch.arange(count * WIDTH, dtype=torch.float64)
    return torch.sin(0.9 * numbers + k).reshape(1, count, WIDTH)


def attention(module, prefix, into):
    for part, name in (("q", 0), ("k", 1), ("v", 2)):
        cut = slice(name * WIDTH, (name + 1) * WIDTH)
        into["w" + part] = module[prefix + "in_proj_weight"][cut].tolist()
        into["b" + part] = module[prefix + "in_proj_bias"][cut].tolist()
    into["wo"] = module[prefix + "out_proj.weight"].tolist()
    into["bo"] = module[prefix + "out_proj.bias"].tolist()


def norm(module, name):
    return {"gain": module[name + ".weight"].tolist(), "bias": module[name + ".bias"].tolist()}


def layer(module):
    numbers, one = module.state_dict(), {}
    attention(numbers, "self_attn.", one)
    for theirs, ours in REST.items():
        one[ours] = numbers[theirs].tolist()
    for i in (1, 2, 3):
        if f"norm{i}.weight" in numbers:
            one[f"ln{i}"] = norm(numbers, f"norm{i}")
    if "multihead_attn.in_proj_weight" in numbers:
        one["cross"] = {}
        attention(numbers, "multihead_attn.", one["cross"])
    return one


def document(name, title, stack, x, output, **more):
    one = {"name": name, "title": title,
           "source": "PyTorch 1.13.1 in float64, by tests/model/torch_stacks.py",
           "dtype": "f64", "layout": "out-in", "heads": HEADS, **more, "x": x[0].tolist(),
           "layers": [layer(each) for each in stack.layers]}
    if stack.norm is not None:
        one["ln_f"] = norm(stack.state_dict(), "norm")
    one["expected"] = {"output": output[0].tolist()}
    one["tol"] = 1e-12
    return one


def lines(value, depth=0):
    """JSON with a matrix row a line."""
    if isinstance(value, dict):
        inner = ",\n".join("  " * (depth + 1) + json.dumps(key) + ": " + lines(each, depth + 1)
                           for key, each in value.items())
        return "{\n" + inner + "\n" + "  " * depth + "}"
    if isinstance(value, list) and value and isinstance(value[0], (list, dict)):
        inner = ",\n".join("  " * (depth + 1) + lines(each, depth + 1) for each in value)
        return "[\n" + inner + "\n" + "  " * depth + "]"
    return json.dumps(value)


def write(folder, one):
    with open(f"{folder}/{one['name']}.json", "w", encoding="utf-8") as file:
        file.write(lines(one) + "\n")


def causal(count):
    return torch.full((count, count), -math.inf, dtype=torch.float64).triu(1)


def encoder(layers, final, **how):
    one = nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN, 0.0, batch_first=True, **how)
    norm_f = nn.LayerNorm(WIDTH) if final else None
    return fill(nn.TransformerEncoder(one, layers, norm_f).double())


def decoder(layers, final, **how):
    one = nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, 0.0, batch_first=True, **how)
    norm_f = nn.LayerNorm(WIDTH) if final else None
    return fill(nn.TransformerDecoder(one, layers, norm_f).double())


def gelu_tanh(x):
    return functional.gelu(x, approximate="tanh")


def numbers(k, count, columns):
    """Rows of cos(0.7 k + 1.3 i) / 2 in three decimals: of no model, PyTorch has no part in it."""
    return [[round(math.cos(0.7 * k + 1.3 * (i * columns + j)) / 2, 3) for j in range(columns)]
            for i in range(count)]


def generator():
    """A small decoder with an embedding for ids: what generate is tried on."""
    layers = [{"wq": numbers(k, 16, 16), "wk": numbers(k + 1, 16, 16),
               "wv": numbers(k + 2, 16, 16), "wo": numbers(k + 3, 16, 16),
               "w1": numbers(k + 4, 16, 24), "w2": numbers(k + 5, 24, 16)} for k in (10, 20)]
    embedding, positions, ids = numbers(1, 30, 16), numbers(2, 40, 16), [3, 1, 4]
    rows_of_ids = [[a + b for a, b in zip(embedding[id], positions[i])] for i, id in enumerate(ids)]
    return {"name": "generator", "title": "two decoder layers with an embedding",
            "source": "cosines, by tests/model/torch_stacks.py", "heads": 4, "norm": "pre",
            "activation": "gelu", "ids": ids, "ln_f": {},
            "embedding": embedding, "position_embedding": positions, "layers": layers,
            "expected": {"embedded": rows_of_ids}, "tol": 1e-15}


def step_of(stack, embedding, positions, ids):
    """One step of a generation without a cache: the last row's logits, and what the last layer's
    attention gives it."""
    mask = causal(len(ids))
    x = (embedding[ids] + positions[:len(ids)]).unsqueeze(0)
    last = stack.layers[-1]
    before = x
    for each in stack.layers[:-1]:
        before = each(before, mask)
    seen = last.norm1(before)
    weights = last.self_attn(seen, seen, seen, attn_mask=mask, average_attn_weights=False)[1]
    return embedding @ stack(x, mask)[0, -1], weights[0, :, -1:]


def generation():
    """Steps of a small GPT-2: greedy, and the embedding is the unembedding too."""
    stack = encoder(2, True, norm_first=True, activation=gelu_tanh)
    embedding = 1.5 * torch.tensor(numbers(3, 10, WIDTH), dtype=torch.float64)
    positions = torch.tensor(numbers(5, 8, WIDTH), dtype=torch.float64)
    ids, expected = [2, 7, 1], {}
    one = document("generation", "what a small GPT-2 goes on with", stack, rows(1, 0),
                   rows(1, 0), norm="pre", causal=True, activation="gelu_tanh")
    one.update(ids=list(ids), embedding=embedding.tolist(), position_embedding=positions.tolist())
    for i in range(4):
        logits, weights = step_of(stack, embedding, positions, ids)
        ids.append(int(logits.argmax()))
        expected[f"step.{i}.logits"] = logits.tolist()
        expected[f"step.{i}.choice"] = ids[-1]
        if i > 0:
            expected[f"step.{i}.layer.1.attention.weights"] = weights.tolist()
    del one["x"]
    one["expected"] = expected
    return one


def main(folder):
    write(folder, generation())
    write(folder, generator())
    x, memory = rows(TOKENS, 1), rows(MEMORY, 2)
    stack = encoder(2, False)
    write(folder, document("encoder-post", "two encoder layers, norms after sums", stack, x,
                           stack(x), norm="post"))
    stack = encoder(2, True, norm_first=True, activation=functional.gelu)
    write(folder, document("encoder-pre-gelu", "two encoder layers, norms before parts, gelu",
                           stack, x, stack(x), norm="pre", activation="gelu"))
    stack = encoder(1, False, norm_first=True, activation=gelu_tanh)
    write(folder, document("encoder-causal-gelu-tanh", "GPT-2's layer: causal, norms before parts",
                           stack, x, stack(x, causal(TOKENS)), norm="pre", causal=True,
                           activation="gelu_tanh"))
    stack = encoder(1, False, activation=functional.silu, layer_norm_eps=1e-3)
    one = document("encoder-silu-eps", "silu, and eps of its own", stack, x, stack(x),
                   norm="post", activation="silu")
    for name in ("ln1", "ln2"):
        one["layers"][0][name]["eps"] = 1e-3
    write(folder, one)
    stack = decoder(2, False)
    write(folder, document("decoder-post", "two decoder layers, norms after sums", stack, x,
                           stack(x, memory, causal(TOKENS)), norm="post", causal=True,
                           memory=memory[0].tolist()))
    stack = decoder(1, True, norm_first=True)
    write(folder, document("decoder-pre", "a decoder layer, norms before parts", stack, x,
                           stack(x, memory, causal(TOKENS)), norm="pre", causal=True,
                           memory=memory[0].tolist()))
    both = fill(nn.Transformer(WIDTH, HEADS, 1, 1, HIDDEN, 0.0, batch_first=True).double())
    seen = both.encoder(memory)
    write(folder, document("transformer-encoder", "nn.Transformer's encoder", both.encoder,
                           memory, seen, norm="post"))
    write(folder, document("transformer-decoder", "nn.Transformer's decoder over its encoder's "
                           "output", both.decoder, x, both(memory, x, tgt_mask=causal(TOKENS)),
                           norm="post", causal=True, memory=seen[0].tolist()))


main(sys.argv[1])
