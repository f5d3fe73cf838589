#!/usr/bin/env python3
"""An encoder with norms after its sums, as BERT has them, to 50 digits: prints its stages.

    python3 encoder.py DOCUMENT

Each layer is LayerNorm(x + Attention(x)), then LayerNorm(x + W₂·gelu(W₁·x + b₁) + b₂). Attention is
that of calculate.py. It knows what ../stacks/bert.json needs, and nothing of the program.
"""
import sys
from decimal import Decimal

import calculate


def erf(x):
    """Its series, whose terms go on until they no longer count."""
    term = total = x
    n = 0
    while abs(term) > Decimal("1e-45"):
        n += 1
        term *= -x * x / n
        total += term / (2 * n + 1)
    return 2 * total / PI.sqrt()


def arctan_of_inverse(n):
    total, power, k = Decimal(0), Decimal(1) / n, 0
    while power > Decimal("1e-55"):
        total += (-1) ** k * power / (2 * k + 1)
        power, k = power / (n * n), k + 1
    return total


PI = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)  # Machin


def gelu(x):
    return x * (1 + erf(x / Decimal(2).sqrt())) / 2


def sums(a, b):
    return [calculate.plus([row], other)[0] for row, other in zip(a, b, strict=True)]


def layer_norm(rows, norm):
    result = []
    for row in rows:
        mean = sum(row) / len(row)
        variance = sum((x - mean) ** 2 for x in row) / len(row)
        root = (variance + norm["eps"]).sqrt()
        result.append([(x - mean) / root * gain + bias
                       for x, gain, bias in zip(row, norm["gain"], norm["bias"], strict=True)])
    return result


def encode(doc):
    x = [doc["vocab"][word] for word in doc["tokens"]]
    x = sums(x, [doc["segment_embedding"][int(s)] for s in doc["segments"]])
    stages = {"embedded": sums(x, doc["position_embedding"][:len(x)])}
    x = stages["ln_e"] = layer_norm(stages["embedded"], doc["ln_e"])
    for number, layer in enumerate(doc["layers"]):
        name = f"layer.{number}."
        attention = calculate.calculate(dict(layer, x=x, heads=doc["heads"]))
        for stage in ("q", "scores", "weights", "context", "output"):
            stages[name + "attention." + stage] = attention[stage]
        x = stages[name + "ln1"] = layer_norm(sums(x, attention["output"]), layer["ln1"])
        hidden = calculate.plus(calculate.times(x, layer["w1"]), layer["b1"])
        stages[name + "ffn.activated"] = [[gelu(h) for h in row] for row in hidden]
        made = calculate.plus(calculate.times(stages[name + "ffn.activated"], layer["w2"]), layer["b2"])
        stages[name + "ffn.output"] = made
        x = stages[name + "ln2"] = layer_norm(sums(x, made), layer["ln2"])
    stages["output"] = x
    return stages


if __name__ == "__main__":
    for stage, table in encode(calculate.read_document(sys.argv[1])).items():
        print(f"{stage}:\n{calculate.table_text(table)}")
