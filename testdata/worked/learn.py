#!/usr/bin/env python3
"""Steps of descent by hand: the loss of one head before the first step and after each.

    python3 learn.py DOCUMENT STEPS RATE [KEY...] [--unscaled]

KEYs are what learns, all of wq, wk and wv where none is named. The document has tokens x, one head,
a target, and the loss square. Plain loops over Python's own numbers (float64); it shares nothing
with the program.
"""
import json
import math
import sys


def times(a, b):
    return [[sum(p * q for p, q in zip(row, column, strict=True)) for column in zip(*b)] for row in a]


def turned(a):
    return [list(column) for column in zip(*a)]


def softmax(row):
    most = max(row)
    parts = [math.exp(score - most) for score in row]
    return [part / sum(parts) for part in parts]


def forward(doc, scale):
    q, k, v = (times(doc["x"], doc[key]) for key in ("wq", "wk", "wv"))
    weights = [softmax([score * scale for score in row]) for row in times(q, turned(k))]
    return q, k, v, weights, times(weights, v)


def loss_of(doc, output):
    return sum((got - wanted) ** 2 for row, others in zip(output, doc["target"], strict=True)
               for got, wanted in zip(row, others, strict=True)) / 2


def gradients(doc, scale):
    q, k, v, weights, output = forward(doc, scale)
    error = [[got - wanted for got, wanted in zip(row, others)] for row, others in zip(output, doc["target"])]
    scores = []
    for row, back in zip(weights, times(error, turned(v))):
        mean = sum(weight * gain for weight, gain in zip(row, back))
        scores.append([weight * (gain - mean) * scale for weight, gain in zip(row, back)])
    x = turned(doc["x"])
    return {"wq": times(x, times(scores, k)), "wk": times(x, times(turned(scores), q)),
            "wv": times(x, times(turned(weights), error))}


def learn(doc, steps, rate, keys, scale):
    losses = [loss_of(doc, forward(doc, scale)[-1])]
    for _ in range(steps):
        slopes = gradients(doc, scale)
        for key in keys:
            doc[key] = [[number - rate * slope for number, slope in zip(row, others)]
                        for row, others in zip(doc[key], slopes[key])]
        losses.append(loss_of(doc, forward(doc, scale)[-1]))
    return losses


def main():
    words = [word for word in sys.argv[1:] if word != "--unscaled"]
    with open(words[0], encoding="utf-8") as file:
        doc = json.load(file)
    scale = 1 if "--unscaled" in sys.argv else 1 / math.sqrt(len(doc["wq"][0]))
    losses = learn(doc, int(words[1]), float(words[2]), words[3:] or ["wq", "wk", "wv"], scale)
    for step, loss in enumerate(losses):
        print(f"{step},{loss:.12g}")


main()
