"""Gradients of random documents, the program's against PyTorch's: within 1e-12 of each gradient's
largest number. The argument is the seed of the first document."""
import json
import sys

import torch

import documents
import formulas
from claims import check, finish, selfattn

NEAR = 1e-12
COUNTS = {"attention": 300, "layers": 100, "projected": 60}
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


def compare(kind, seed):
    document = getattr(documents, kind)(seed)
    command = COMMANDS[document.get("kind")]
    said = selfattn(command, "--quiet", "--emit", "*_grad", data=written(document))
    made = json.loads(said or "{}")
    theirs = formulas.gradients(document)
    left = sorted(theirs.keys() - made.keys())
    check(f"{kind} {seed}: {left} left out", not left)
    for name, ours in made.items():
        far = apart(name, ours, theirs)
        check(f"{kind} {seed}: {name} is {far:.2g} of its largest apart", far <= NEAR)


def main():
    torch.set_num_threads(1)
    first = int(sys.argv[1])
    for kind, count in COUNTS.items():
        for seed in range(first, first + count):
            compare(kind, seed)
    finish()


main()
