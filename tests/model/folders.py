"""Models that transformers recorded, computed from their folders by --model alone: hidden states,
attentions and logits of all rows, and the tokens and logits of a generation; and the gradients of
recorded.py. The argument is a folder with a folder for each model.
"""
import json
import pathlib
import subprocess
import sys

from claims import check, finish, selfattn
from recorded import compare_all, flat, largest_apart, read

SHARE = 2e-6  # of each matrix's largest: float32 has recorded them
ENCODERS = {"bert"}
HEAD_MODULES = {"head.hidden": "cls.predictions.transform.dense",
                "head.activated": "cls.predictions.transform.transform_act_fn",
                "head.norm": "cls.predictions.transform.LayerNorm"}
PAIRS = {"t5"}  # an encoder and its decoder
# Whose positions count what the mask shows: padding on the left moves them.
COUNT_SHOWN = {"opt"}
LENGTH = "8"


def recorded_of(folder):
    """A model in several files has the numbers of the one that was cut."""
    return read(folder.with_name(folder.name.removesuffix("-sharded")) / "recorded.safetensors")


def listed(numbers):
    return ",".join(str(number) for number in numbers)


def compare(name, recorded, made):
    apart = largest_apart(recorded, made)
    check(f"{name} is {apart:.2g} of its largest apart", apart < SHARE)


def whole(folder):
    recorded = recorded_of(folder)
    one = {name.removeprefix("b1."): numbers for name, (_, numbers) in recorded.items()
           if name.startswith("b1.")}
    is_encoder = folder.name in ENCODERS
    layers = sum(name.startswith("attentions.") for name in one)
    hidden = ["embedded"] + [f"layer.{i}.output" for i in range(layers - 1)] + ["output"]
    more = () if "token_type_ids" not in one else ("--segments", listed(one["token_type_ids"]))
    said = ["encode" if is_encoder else "decode", "--quiet", "--model", folder, "--ids",
            listed(one["input_ids"]), *more, "--emit"]
    stages = [*hidden, *(f"layer.{i}.attention.weights" for i in range(layers)), "logits"]
    if is_encoder:
        stages += HEAD_MODULES
    made = json.loads(selfattn(*said, ",".join(stages)))
    if folder.name in ("bert", "bloom"):  # whose rows are normed before the first layer
        made["embedded"] = json.loads(selfattn(*said, "ln_e"))["ln_e"]
    for i, stage in enumerate(hidden):
        compare(f"{folder.name}: {stage}", one[f"hidden_states.{i}"], flat(made[stage]))
    for i in range(layers):
        stage = f"layer.{i}.attention.weights"
        compare(f"{folder.name}: {stage}", one[f"attentions.{i}"], flat(made[stage]))
    compare(f"{folder.name}: logits", one["logits"], flat(made["logits"]))
    for stage in HEAD_MODULES if is_encoder else ():
        compare(f"{folder.name}: {stage}", one[f"module.{HEAD_MODULES[stage]}.out"],
                flat(made[stage]))


def columns_of(numbers, keep, width):
    return [x for i, is_kept in enumerate(keep) if is_kept
            for x in numbers[i * width:(i + 1) * width]]


def padded(folder, batch):
    """Sequences of several lengths: rows of padding are nobody's, and are not compared."""
    recorded = recorded_of(folder)
    one = {name.removeprefix(batch + "."): (shape, numbers)
           for name, (shape, numbers) in recorded.items() if name.startswith(batch + ".")}
    if "attention_mask" not in one or (folder.name in COUNT_SHOWN and batch == "b2"):
        return
    is_encoder = folder.name in ENCODERS
    (count, rows), ids = one["input_ids"]
    mask = one["attention_mask"][1]
    document = {"ids": [ids[i * rows:(i + 1) * rows] for i in range(count)], "mask_axis": "batch",
                "mask": [mask[i * rows:(i + 1) * rows] for i in range(count)]}
    if "token_type_ids" in one:
        types = one["token_type_ids"][1]
        document["segments"] = [types[i * rows:(i + 1) * rows] for i in range(count)]
    layers = sum(name.startswith("attentions.") for name in one)
    hidden = ["embedded", *(f"layer.{i}.output" for i in range(layers - 1)), "output", "logits"]
    if folder.name in ("bert", "bloom"):
        hidden[0] = "ln_e"
    weights = [f"layer.{i}.attention.weights" for i in range(layers)]
    made = json.loads(selfattn("encode" if is_encoder else "decode", "-", "--quiet", "--model", folder,
                               "--emit", ",".join(hidden + weights),
                               data=json.dumps(document).encode()))
    names = [*(f"hidden_states.{i}" for i in range(layers + 1)), "logits"]
    for stage, name in zip(hidden, names):
        width = one[name][0][-1]
        compare(f"{folder.name}, {batch}: {stage}", columns_of(one[name][1], mask, width),
                columns_of(flat(made[stage]), mask, width))
    for i, stage in enumerate(weights):
        heads = one[f"attentions.{i}"][0][1]
        of_head = [is_kept for b in range(count) for _ in range(heads)
                   for is_kept in mask[b * rows:(b + 1) * rows]]
        compare(f"{folder.name}, {batch}: {stage}",
                columns_of(one[f"attentions.{i}"][1], of_head, rows),
                columns_of(flat(made[stage]), of_head, rows))


def generated(folder):
    recorded = recorded_of(folder)
    if "gen.prompt" not in recorded:
        return
    prompt, tokens = recorded["gen.prompt"][1], recorded["gen.sequences"][1]
    said = selfattn("generate", "--quiet", "--model", folder, "--ids", listed(prompt), "--length",
                    LENGTH, "--logits").decode()
    steps = [json.loads(line) for line in said.splitlines()]
    check(f"{folder.name}: tokens", [step["id"] for step in steps] == tokens[len(prompt):])
    compare(f"{folder.name}: logits of a generation", recorded["gen.logits"][1],
            flat([step["logits"] for step in steps]))


def pair(folder):
    """An encoder and its decoder, in one go: of one sequence, of a padded batch, and generating."""
    recorded = {name: numbers for name, (_, numbers) in recorded_of(folder).items()}
    layers = sum(name.startswith("b1.encoder_attentions.") for name in recorded)
    hidden = ["embedded", *(f"layer.{i}.output" for i in range(layers - 1)), "output"]
    stages = [*hidden, *(f"layer.{i}.attention.weights" for i in range(layers))]
    crossed = [f"layer.{i}.cross.weights" for i in range(layers)]
    whole_pair = {"encoder": ("encode", stages), "decoder": ("decode", [*stages, *crossed, "logits"])}
    of_encoder, of_decoder = recorded["b1.input_ids"], recorded["b1.decoder_input_ids"]
    words = {"encoder": ["--ids", listed(of_encoder)],
             "decoder": ["--memory-ids", listed(of_encoder), "--ids", listed(of_decoder)]}
    for side, (command, emitted) in whole_pair.items():
        made = json.loads(selfattn(command, "--quiet", "--model", folder, *words[side], "--emit",
                                   ",".join(emitted)))
        for kind, found in (("hidden_states", hidden), ("attentions", stages[len(hidden):])):
            for i, stage in enumerate(found):
                compare(f"{folder.name}: {side}: {stage}", recorded[f"b1.{side}_{kind}.{i}"],
                        flat(made[stage]))
    for i, stage in enumerate(crossed):
        compare(f"{folder.name}: {stage}", recorded[f"b1.cross_attentions.{i}"], flat(made[stage]))
    compare(f"{folder.name}: logits", recorded["b1.logits"], flat(made["logits"]))
    padded_pair(folder, crossed)
    tokens = recorded["gen.sequences"]
    steps = [json.loads(line) for line in selfattn(
        "generate", "--quiet", "--model", folder, "--memory-ids", listed(recorded["gen.prompt"]),
        "--ids", listed(tokens[:1]), "--length", LENGTH, "--logits").decode().splitlines()]
    check(f"{folder.name}: tokens", [step["id"] for step in steps] == tokens[1:])
    compare(f"{folder.name}: logits of a generation", recorded["gen.logits"],
            flat([step["logits"] for step in steps]))


def padded_pair(folder, crossed):
    """A batch whose encoder has padding."""
    one = recorded_of(folder)
    names = {"memory_ids": "input_ids", "memory_mask": "attention_mask", "ids": "decoder_input_ids"}
    document = {}
    for given, name in names.items():
        (count, rows), numbers = one[f"b2.{name}"]
        document[given] = [numbers[i * rows:(i + 1) * rows] for i in range(count)]
    made = json.loads(selfattn("decode", "-", "--quiet", "--model", folder, "--emit",
                               ",".join((*crossed, "logits")), data=json.dumps(document).encode()))
    compare(f"{folder.name}, b2: logits", one["b2.logits"][1], flat(made["logits"]))
    for i, stage in enumerate(crossed):
        compare(f"{folder.name}, b2: {stage}", one[f"b2.cross_attentions.{i}"][1], flat(made[stage]))


def refuses_padding(folder):
    document = {"ids": [[1, 2], [3, 4]], "mask": [[1, 1], [0, 1]], "mask_axis": "batch"}
    run = subprocess.run(("selfattn", "decode", "-", "--model", folder), capture_output=True,
                         input=json.dumps(document).encode(), check=False)
    check(f"{folder.name}: {run.stderr.decode()}",
          run.returncode == 2 and "count positions" in run.stderr.decode())


def main():
    found = sorted(path.parent for path in pathlib.Path(sys.argv[1]).glob("*/config.json"))
    for folder in found:
        if folder.name in PAIRS:
            pair(folder)
        else:
            whole(folder)
            generated(folder)
            for batch in ("b2", "b2right"):
                padded(folder, batch)
        if folder.name in COUNT_SHOWN:
            refuses_padding(folder)
    check("there are models", bool(found))
    compare_all(pathlib.Path(sys.argv[1]))
    finish()


main()
