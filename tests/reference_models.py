"""The reference in numpy that computes models of all families, and files for the program: the
modules families, engine and st lie in $SELFATTN_SHARED/models/hf, or ../shared/models/hf.
"""
import json
import pathlib
import struct
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(FOLDER))
import engine    # noqa: E402,F401 pylint: disable=import-error,wrong-import-position
import families  # noqa: E402,F401 pylint: disable=import-error,wrong-import-position
import st        # noqa: E402,F401 pylint: disable=import-error,wrong-import-position


def words_of(numbers, dtype):
    """What a file of this type holds of them, as whole numbers or floats of its size."""
    if dtype != "bf16":
        return np.asarray(numbers, {"f64": "<f8", "f32": "<f4", "f16": "<f2"}[dtype])
    bits = np.asarray(numbers, "<f4").view("<u4")
    bits = bits + 0x7fff + (bits >> 16 & 1)  # to the nearest, halves to even
    return (bits >> 16).astype("<u2")


def rounded(numbers, dtype):
    """The same numbers as float64 that are of this type."""
    words = words_of(numbers, dtype)
    if dtype == "bf16":
        words = (words.astype("<u4") << 16).view("<f4")
    return words.astype("f8")


def save(path, arrays, dtype="f32"):
    """A file of safetensors."""
    head, data = {}, []
    at = 0
    for name, numbers in arrays.items():
        raw = np.ascontiguousarray(words_of(numbers, dtype)).tobytes()
        head[name] = {"dtype": dtype.upper(), "shape": list(np.shape(numbers)),
                      "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def listed(numbers):
    return ",".join(str(number) for number in numbers)
