#!/usr/bin/python3
"""Prints recorded.txt: numbers as NumPy and PyTorch themselves draw them.

On Debian 12: apt-get install python3-numpy python3-torch
              testdata/random/record.py >testdata/random/recorded.txt

A line is: generator, law, its two parameters, float type, seed, count, and then the numbers in
hexadecimal; above 20 numbers, the FNV-1a hash of their bytes. The processor has AVX2; what PyTorch
draws where it finds none, torch-scalar, comes from a second run of this script within it, with
ATEN_CPU_CAPABILITY=default.
"""
import os
import subprocess
import sys

import numpy as np
import torch

# PyTorch looks at it once, when it first computes.
IS_SCALAR = os.environ.get("ATEN_CPU_CAPABILITY") == "default"

COUNTS = (1, 2, 15, 16, 17, 31, 64, 1000, 100003)
SEEDS = (0, 123, 2**32 - 1)


def shown(values):
    if len(values) <= 20:
        return " ".join(float(v).hex() for v in values)
    return "hash %016x" % fnv(values)


def fnv(values):
    value = 0xCBF29CE484222325
    for byte in values.tobytes():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def record(generator, law, a, b, seed, values):
    kind = "f64" if values.dtype == np.float64 else "f32"
    print(generator, law, a, b, kind, seed, len(values), shown(values))


def record_numpy(name, make, seed, count):
    record(name, "uniform", 0, 1, seed, make(seed).uniform(size=count))
    record(name, "uniform", -0.5, 0.75, seed, make(seed).uniform(-0.5, 0.75, count))
    record(name, "uniform", 0, 1, seed, make(seed).uniform(size=count).astype(np.float32))
    record(name, "normal", 0, 1, seed, make(seed).standard_normal(count).astype(np.float32))
    record(name, "normal", 1, 0.02, seed, make(seed).normal(1, 0.02, count).astype(np.float32))


def seeded(seed, draw):
    torch.manual_seed(seed)
    return draw().numpy()


def record_torch(seed, count):
    name = "torch-scalar" if IS_SCALAR else "torch"

    def empty():
        return torch.empty(count)

    record(name, "uniform", 0, 1, seed, seeded(seed, lambda: torch.rand(count)))
    record(name, "uniform", -0.25, 0.5, seed, seeded(seed, lambda: empty().uniform_(-0.25, 0.5)))
    record(name, "normal", 0, 1, seed, seeded(seed, lambda: torch.randn(count)))
    record(name, "normal", 1, 0.02, seed, seeded(seed, lambda: empty().normal_(1, 0.02)))


def record_all_of_torch():
    for seed in SEEDS:
        for count in COUNTS:
            record_torch(seed, count)
    for seed in (2**32, 2**63 + 11):
        record_torch(seed, 17)


if IS_SCALAR:
    record_all_of_torch()
    sys.exit()
print("# NumPy", np.__version__, "and PyTorch", torch.__version__, "as record.py asks them")
for seed in SEEDS:
    for count in COUNTS:
        record_numpy("numpy-legacy", np.random.RandomState, seed, count)
        record_numpy("numpy", np.random.default_rng, seed, count)
        record_torch(seed, count)
for seed in (2**32, 2**63 + 11):
    record_numpy("numpy", np.random.default_rng, seed, 17)
    record_torch(seed, 17)
sys.stdout.flush()
subprocess.run([sys.executable, __file__], check=True,
               env=dict(os.environ, ATEN_CPU_CAPABILITY="default"))
