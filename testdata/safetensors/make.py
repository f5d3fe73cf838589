#!/usr/bin/python3
"""Makes the file beside it: a document as safetensors, by the words of the format's description
(huggingface/safetensors, README, "Format"). tests/cli/safetensors.txt has its numbers again."""
import json
import os
import struct


def bf16(*values):
    return b"".join(struct.pack("<f", value)[2:] for value in values)


tensors = {
    "x": ("F32", [3, 2], struct.pack("<6f", 1, 0, 0, 1, 1, 1)),
    "wq": ("BF16", [2, 2], bf16(0, 0, 0, 0)),
    "wk": ("F16", [2, 2], struct.pack("<4e", 1, 0.5, -1, 2)),
    "mask": ("BOOL", [3, 3], struct.pack("<9?", 1, 0, 0, 1, 1, 0, 1, 0, 1)),
    "bias": ("F64", [3], struct.pack("<3d", 0, 0, 0)),
    "heads": ("I64", [], struct.pack("<q", 2)),
}
header, data = {"__metadata__": {"format": "pt", "name": "a document"}}, b""
for name, (dtype, shape, one) in tensors.items():
    offsets = [len(data), len(data) + len(one)]
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
    data += one
text = json.dumps(header, separators=(",", ":")).encode()
text += b" " * (-len(text) % 8)
with open(os.path.join(os.path.dirname(__file__), "document.safetensors"), "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
