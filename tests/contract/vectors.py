"""The vectors of testdata/contract, with the bits of the second implementation.

    python3 vectors.py FOLDER    names those there that have other bits, and writes those that lack
"""
import json
import os
import sys

import models  # noqa: F401, these add to contract.py
import parts  # noqa: F401
from check import VERSION
from documents import may_have_gradients, stages_of, with_gradients

VECTORS = (
    "seeds/001-walkthrough seeds/000-batch-padding seeds/000-nothing-to-attend "
    "seeds/004-score-ws seeds/001-additive-parameters variants/alibi variants/appended-heads "
    "variants/cache variants/key-lengths variants/sinks variants/soft-cap variants/window-causal "
    "variants/backward-additive variants/backward-general variants/backward-groups "
    "variants/backward-masked-key variants/backward-rows-and-biases variants/backward-saturated "
    "variants/backward-walkthrough positions/backward-positions positions/qk-norm positions/rope "
    "positions/sinusoidal stacks/bert stacks/segments stacks/seed-decoder").split()
REMARKS = ("expected", "tol", "errata", "notes", "exercise", "name")


def vector(path, dtype):
    with open("testdata/%s.json" % path, encoding="utf-8") as file:
        given = json.load(file)
    doc = {key: value for key, value in given.items() if key not in REMARKS}
    doc = dict(with_gradients(doc) if may_have_gradients(doc) else doc, dtype=dtype)
    stages = {name: dict(stage, bits=" ".join(stage["bits"]))
              for name, stage in stages_of(doc, dtype).items()}
    return dict(doc, _contract={"version": VERSION, "dtype": dtype, "stages": stages})


def text(doc):
    """A key a line, and a stage a line"""
    made = doc["_contract"]
    lines = ["  %s: %s" % (json.dumps(key), json.dumps(value, ensure_ascii=False))
             for key, value in doc.items() if key != "_contract"]
    lines.append('  "_contract": {"version": %d, "dtype": "%s", "stages": {\n' % (
        made["version"], made["dtype"]) + ",\n".join(
            "    %s: %s" % (json.dumps(key), json.dumps(stage))
            for key, stage in made["stages"].items()))
    return "{\n" + ",\n".join(lines) + "\n  }}\n}\n"


def main(folder):
    for path in VECTORS:
        for dtype in ("f32", "f64"):
            made = vector(path, dtype)
            name = os.path.join(folder, "%s-%s.json" % (os.path.basename(path), dtype))
            if not os.path.exists(name):
                with open(name, "w", encoding="utf-8") as file:
                    file.write(text(made))
            with open(name, encoding="utf-8") as file:
                if json.load(file) != json.loads(json.dumps(made)):
                    print("%s has other bits" % name)


main(sys.argv[1])
