"""Gradients of random documents, the program's against PyTorch's: within 1e-12 of each gradient's
largest number, or as near as PyTorch's own are where the document's numbers are rounded otherwise;
and losses of mixtures that learn, step by step. The argument is the seed of the first document."""
import json
import random
import re
import sys
import tempfile

import torch

import documents
import formulas
from claims import check, finish, selfattn

NEAR = 1e-12
ROUNDING, ROUNDINGS, OF_ROUNDING = 2**-52, 4, 16  # as a part of each number, how often, how many
RATE, STEPS = 1e-5, 4  # so that also a steep loss falls at each of them
MIXED = re.compile(r"layer\.\d+\.(experts\.\d+\.\w+|router\w*|shared\.\w+|shared_gate)_grad")
COUNTS = {"attention": 300, "latents": 200, "layers": 100, "projected": 60, "mixtures": 100}
COMMANDS = {None: "run", "encoder": "encode", "decoder": "decode"}  # by the kind of layers
# A gradient that is a sum of others, whose own largest number may be the rounding of a sum of 0.
SUM_OF = {"bk_grad": "k_grad", "bs_grad": "scores_grad", "bias_k_grad": "k_grad"}


def flat(value):
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [value]


def written(document):
    return json.dumps(document).replace("-Infinity", '"-inf"').encode()


def apart(name, ours, theirs):
    """How far, by the largest; infinitely where there are not as many numbers, or none at all."""
    ours = torch.tensor(flat(ours), dtype=torch.float64)
    if name not in theirs or len(ours) != theirs[name].numel():
        return torch.inf
    way, _, last = name.rpartition(".")
    summed = theirs[(way + "." if way else "") + SUM_OF[last]] if last in SUM_OF else theirs[name]
    largest = max(theirs[name].abs().max(), summed.abs().max())
    far = (ours - theirs[name].reshape(-1)).abs().max()
    return 0.0 if far == 0 else float(far / largest)


def rounded(value, dice):
    """The document, each number of it a rounding apart."""
    if isinstance(value, dict):
        return {key: rounded(part, dice) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part, dice) for part in value]
    return value * (1 + dice.choice((-1, 1)) * ROUNDING) if isinstance(value, float) else value


def moved_by_rounding(document, theirs):
    """By gradient, how far it goes where the document is a rounding apart: far where what it is the
    sum of nearly cancels, and there no two orders of that sum agree."""
    moved = dict.fromkeys(theirs, 0.0)
    for seed in range(ROUNDINGS):
        _, again = formulas.gradients(rounded(document, random.Random(seed)))
        for name in theirs:
            moved[name] = max(moved[name], apart(name, again[name].tolist(), theirs))
    return moved


def compare(kind, seed):
    document = getattr(documents, kind)(seed)
    command = COMMANDS[document.get("kind")]
    said = selfattn(command, "--quiet", "--emit", "*_grad", data=written(document))
    made = json.loads(said or "{}")
    _, theirs = formulas.gradients(document)
    near = 10 * NEAR if "repeat" in document else NEAR  # each time rounds what the last one did
    left = sorted(theirs.keys() - made.keys())
    check(f"{kind} {seed}: {left} left out", not left)
    far = {name: apart(name, ours, theirs) for name, ours in made.items()}
    moved = moved_by_rounding(document, theirs) if any(one > near for one in far.values()) else {}
    for name, one in far.items():
        check(f"{kind} {seed}: {name} is {one:.2g} of its largest apart",
              one <= max(near, OF_ROUNDING * moved.get(name, 0)))


def numbers_at(document, name):
    """"layer.0.experts.2.w1": the object that has the key after the last dot, and the key."""
    *way, key = name.replace("layer.", "layers.").split(".")
    for step in way:
        document = document[int(step) if step.isdigit() else step]
    return document, key


def descend(document, names, rate):
    """The loss, and the document a step on."""
    loss, grads = formulas.gradients(document)
    for name in names:
        of, key = numbers_at(document, name)
        of[key] = (torch.tensor(of[key], dtype=torch.float64) - rate * grads[name + "_grad"]).tolist()
    return loss


def compare_training(seed):
    """Of layers whose loss is the square; their mixtures learn alone."""
    document = documents.mixtures(seed)
    if document.get("loss") != "square":
        return
    names = [name[:-len("_grad")] for name in formulas.gradients(document)[1]
             if MIXED.fullmatch(name)]
    with tempfile.NamedTemporaryFile() as losses:
        selfattn("train", "--rate", str(RATE), "--steps", str(STEPS), "--quiet", "--only",
                 ",".join(names), "-o", "/dev/null", "--losses", losses.name, data=written(document))
        ours = [float(line.split(",")[1]) for line in open(losses.name).read().split()[1:]]
    theirs = [descend(document, names, RATE) for _ in range(STEPS + 1)]
    check(f"training {seed}: losses are {ours}, not {theirs}", len(ours) == len(theirs) and
          all(abs(a - b) <= NEAR * 1000 * b for a, b in zip(ours, theirs)))
    check(f"training {seed}: losses {ours} do not fall", ours and ours[-1] < ours[0])


def main():
    torch.set_num_threads(1)
    first = int(sys.argv[1])
    for kind, count in COUNTS.items():
        for seed in range(first, first + count):
            compare(kind, seed)
    for seed in range(first, first + COUNTS["mixtures"]):
        compare_training(seed)
    finish()


main()
