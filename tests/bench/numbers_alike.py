"""The numbers that all contestants multiply: fill_random's, as work.c has it."""
import numpy as np


def fill_random(shape, scale, seed):
    """seed = seed·a + c, again and again: seed·aⁱ + c·(aⁱ⁻¹ + … + 1), all modulo 2³²."""
    count = int(np.prod(shape))
    powers = np.cumprod(np.full(count, 1664525, np.uint32), dtype=np.uint32)
    sums = np.cumsum(np.concatenate([np.ones(1, np.uint32), powers[:-1]]), dtype=np.uint32)
    seeds = powers * np.uint32(seed) + np.uint32(1013904223) * sums
    parts = ((seeds >> 8) & 0xFFFF).astype(np.float32) / np.float32(32768) - np.float32(1)
    return (parts * np.sqrt(np.float32(3)) * np.float32(scale)).reshape(shape)


def encoder(n, width, hidden):
    """x and an encoder layer's weights as used in x·W, with the seeds of work_stack.c."""
    side = width**-0.5
    shapes = {"x": ((n, width), 1), "wq": ((width, width), side), "wk": ((width, width), side),
              "wv": ((width, width), side), "wo": ((width, width), side), "bq": (width, 0.1),
              "bk": (width, 0.1), "bv": (width, 0.1), "bo": (width, 0.1),
              "w1": ((width, hidden), side), "b1": (hidden, 0.1),
              "w2": ((hidden, width), hidden**-0.5), "b2": (width, 0.1)}
    return {name: fill_random(shape, scale, seed + 1)
            for seed, (name, (shape, scale)) in enumerate(shapes.items())}
