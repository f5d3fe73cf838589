"""What whole commands read (work_command.c), and what numpy's users would write in their place:
files.py make|run what=NAME NAME=VALUE ...  `make` leaves the files in the folder where it runs."""
import json
import os
import shutil
import sys

words = dict(word.split("=", 1) for word in reversed(sys.argv[2:]))  # the first of a name holds
what, n, width = words["what"], int(words.get("n", 0)), int(words.get("width", 0))
heads = int(words.get("heads", 1))
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # read when the library is loaded
    os.environ[name] = words["threads"]

import numpy as np

WEIGHTS = ("wq", "wk", "wv", "wo")


# ---- files ----


def layer():
    random = np.random.default_rng(1)
    made = {"x": random.standard_normal((n, width)).astype(np.float32)}
    for name in WEIGHTS:
        made[name] = (random.standard_normal((width, width)) / width**0.5).astype(np.float32)
    return made


def make_csv():
    for name, matrix in layer().items():
        np.savetxt(name + ".csv", matrix, "%.8g", ",")


def make_json():
    with open("layer.json", "w") as file:
        json.dump({name: matrix.tolist() for name, matrix in layer().items()}, file)


def make_weights():
    np.save("x.npy", layer()["x"])


def make_npy():
    """b × n × width: 1 GB with b = 1024, n = 256, width = 1024."""
    batches = int(words["b"])
    out = np.lib.format.open_memmap("x.npy", "w+", np.float32, (batches, n, width))
    random = np.random.default_rng(1)
    for batch in range(batches):
        out[batch] = random.standard_normal((n, width))


def make_walkthrough():
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    shutil.copy(os.path.join(root, "testdata", "seeds", "001-walkthrough.json"), "seed.json")


def documents(names):
    random = np.random.default_rng(1)
    sizes = {"x": (n, width), **{name: (width, width) for name in WEIGHTS}}
    return (
        {name: random.standard_normal(sizes[name]).round(6).tolist() for name in names}
        for _ in range(int(words["documents"]))
    )


def write_lines(path, names):
    with open(path, "w") as file:
        file.writelines(json.dumps(one) + "\n" for one in documents(names))


def make_jsonl():
    write_lines("documents.jsonl", ("x",) + WEIGHTS[:3])


def make_bundle_jsonl():
    write_lines("rows.jsonl", ("x",))
    with open("weights.json", "w") as file:
        json.dump(next(documents(WEIGHTS[:3])), file)


# ---- what a user would write ----


def attention(x, w):
    q, k, v = (x @ w[name] for name in WEIGHTS[:3])
    q, k, v = (a.reshape(len(x), heads, -1).transpose(1, 0, 2) for a in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / np.float32(q.shape[-1] ** 0.5)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    weights = scores / scores.sum(-1, keepdims=True)
    context = (weights @ v).transpose(1, 0, 2).reshape(len(x), -1)
    return weights, context @ w["wo"] if "wo" in w else context


def run_csv():
    x, *w = (np.loadtxt(name + ".csv", np.float32, delimiter=",") for name in ("x",) + WEIGHTS)
    np.savetxt("numpy.csv", attention(x, dict(zip(WEIGHTS, w)))[1], "%.9g", ",")


def arrays(document):
    return {name: np.array(rows, np.float32) for name, rows in document.items()}


def run_json():
    with open("layer.json") as file:
        all_of_it = arrays(json.load(file))
    with open("numpy.json", "w") as file:
        json.dump({"output": attention(all_of_it["x"], all_of_it)[1].tolist()}, file)


def run_weights():
    x = np.load("x.npy")
    q = x.reshape(n, heads, -1).transpose(1, 0, 2)
    for head in q:
        scores = np.exp(head @ head.T / np.float32(head.shape[-1] ** 0.5))
        np.savetxt(sys.stdout, scores / scores.sum(-1, keepdims=True), delimiter=",")


def run_lines(path, given):
    with open(path) as file:
        for line in file:
            document = arrays(json.loads(line))
            weights, output = attention(document["x"], {**given, **document})
            result = {"weights": weights[0].tolist(), "output": output.tolist()}
            sys.stdout.write(json.dumps(result) + "\n")


def run_jsonl():
    run_lines("documents.jsonl", {})


def run_bundle_jsonl():
    with open("weights.json") as file:
        given = arrays(json.load(file))
    run_lines("rows.jsonl", given)


globals()[sys.argv[1] + "_" + what.replace("-", "_")]()
if sys.argv[1] == "make":
    open("made", "w").close()
