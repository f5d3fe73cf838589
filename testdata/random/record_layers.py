#!/usr/bin/python3
"""Prints layers.jsonl: weights as PyTorch's layers and torch.nn.init begin with.

On Debian 12: apt-get install python3-torch
              testdata/random/record_layers.py >testdata/random/layers.jsonl

A line is a document, whose _command makes the same. Numbers are the shortest that read back to the
same float32, as numpy prints them. The processor has AVX2; the lines of torch-scalar come from a
second run of this script within it, with ATEN_CPU_CAPABILITY=default.
"""
import json
import os
import subprocess
import sys

import torch
from torch import nn

IS_SCALAR = os.environ.get("ATEN_CPU_CAPABILITY") == "default"
RNG = "torch-scalar" if IS_SCALAR else "torch"


def plain(tensor):
    flat = [float(str(value)) for value in tensor.detach().flatten().numpy()]
    if tensor.dim() == 1:
        return flat
    width = tensor.shape[1]
    return [flat[i : i + width] for i in range(0, len(flat), width)]


def record(command, **matrices):
    line = {"_command": f"selfattn init --rng {RNG} " + command}
    line.update((name, plain(value)) for name, value in matrices.items())
    print(json.dumps(line))


def linear(seed, width, heads, head_width):
    torch.manual_seed(seed)
    q, k, v = (nn.Linear(width, heads * head_width) for _ in range(3))
    x = torch.randn(4, width)
    record(
        f"--seed {seed} --tokens 4 --width {width} --heads {heads} --head-width {head_width} "
        "--layout out-in --dist torch-linear --draw wq,bq,wk,bk,wv,bv,x",
        x=x, wq=q.weight, bq=q.bias, wk=k.weight, bk=k.bias, wv=v.weight, bv=v.bias,
    )


def embedding(seed):
    torch.manual_seed(seed)
    record(f"--seed {seed} --tokens 7 --width 3 --draw x", x=nn.Embedding(7, 3).weight)


def attention(seed, width, heads, bias):
    torch.manual_seed(seed)
    layer = nn.MultiheadAttention(width, heads, bias=bias)
    q, k, v = layer.in_proj_weight.chunk(3)
    named = dict(wo=layer.out_proj.weight, wq=q, wk=k, wv=v, x=torch.randn(5, width))
    if bias:
        named["bo"] = layer.out_proj.bias
        named.update(zip(("bq", "bk", "bv"), layer.in_proj_bias.chunk(3)))
    record(
        f"--seed {seed} --tokens 5 --width {width} --heads {heads} --layout out-in "
        "--dist torch-mha" + (" --biases" if bias else ""),
        **named,
    )


def fills(seed):
    for options, fill in {
        "--dist xavier-uniform": nn.init.xavier_uniform_,
        "--dist xavier-normal --gain 2": lambda w: nn.init.xavier_normal_(w, 2),
        "--dist kaiming-uniform": nn.init.kaiming_uniform_,
        "--dist kaiming-normal": nn.init.kaiming_normal_,
        "--dist kaiming-normal --fan out --gain 1": lambda w: nn.init.kaiming_normal_(
            w, mode="fan_out", nonlinearity="linear"
        ),
        "--dist gaussian --mean 1 --std 0.02": lambda w: nn.init.normal_(w, 1, 0.02),
        "--dist uniform --low -0.1 --high 0.1": lambda w: nn.init.uniform_(w, -0.1, 0.1),
    }.items():
        torch.manual_seed(seed)
        weight = torch.empty(6, 9)
        record(
            f"--seed {seed} --width 9 --head-width 6 --layout out-in --draw wq {options}",
            wq=fill(weight),
        )


linear(123, 3, 1, 2)
linear(0, 8, 2, 3)
embedding(42)
attention(1, 4, 2, True)
attention(123, 12, 3, True)
attention(7, 8, 2, False)
fills(2024)
if not IS_SCALAR:
    sys.stdout.flush()
    subprocess.run([sys.executable, __file__], check=True,
                   env=dict(os.environ, ATEN_CPU_CAPABILITY="default"))
