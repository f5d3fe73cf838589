"""Writes the vectors of testdata/contract, with the bits of the second implementation.

    python3 vectors.py FOLDER
"""
import json
import os
import sys

from check import VERSION
from documents import stages_of, with_gradients

VECTORS = (
    "seeds/001-walkthrough seeds/000-batch-padding seeds/000-nothing-to-attend "
    "seeds/004-score-ws seeds/001-additive-parameters variants/alibi variants/appended-heads "
    "variants/cache variants/key-lengths variants/sinks variants/soft-cap variants/window-causal "
    "variants/backward-additive variants/backward-general variants/backward-groups "
    "variants/backward-masked-key variants/backward-rows-and-biases variants/backward-saturated "
    "variants/backward-walkthrough positions/backward-positions positions/qk-norm positions/rope "
    "positions/sinusoidal").split()
REMARKS = ("expected", "tol", "errata", "notes", "exercise", "name")


def write(folder, path, dtype):
    with open("testdata/%s.json" % path, encoding="utf-8") as file:
        given = json.load(file)
    doc = {key: value for key, value in given.items() if key not in REMARKS}
    doc = dict(with_gradients(doc) or doc, dtype=dtype)
    stages = {name: dict(stage, bits=" ".join(stage["bits"])) for name, stage in stages_of(doc, dtype).items()}
    lines = ['  %s: %s' % (json.dumps(key), json.dumps(value, ensure_ascii=False)) for key, value in doc.items()]
    made = ['    %s: %s' % (json.dumps(key), json.dumps(value)) for key, value in stages.items()]
    head = '  "_contract": {"version": %d, "dtype": "%s", "stages": {\n' % (VERSION, dtype)
    name = "%s-%s.json" % (os.path.basename(path), dtype)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + ",\n" + head + ",\n".join(made) + "\n  }}\n}\n")


for vector in VECTORS:
    for kind in ("f32", "f64"):
        write(sys.argv[1], vector, kind)
