"""Dumps of ports with mistakes, and of right ones; what `selfattn port` says of each; the table.
Arguments: the folder of models, a folder for the dumps, and a word that picks cases.

Where the first difference is, is worked out here without the program: the reference computes each
layer from the dump's own rows before it, and a stage differs where it is further away than the
port's rounding takes it. Between QUIET and CLEAR it may be told or not.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

from claims import check, finish
from dumps import dump_of, embedded, end_stages, layer_stages, names_of, own_layers, run
from planted import cases
from reference_models import FOLDER, families, listed, rounded, save, st, words_of

SCRATCH, WORD = pathlib.Path(sys.argv[2]), sys.argv[3]
# Of a matrix's largest number: what rounding alone may do in a layer, and what it can't.
QUIET = {"f32": 6e-7, "f16": 2e-3, "bf16": 1e-2}
CLEAR = {"f32": 4e-6, "f16": 1e-2, "bf16": 4e-2}
FIRST_BAR, CAUSE_BAR = 0.95, 0.80


def plan_of(model):
    folder = FOLDER / model
    config = json.loads((folder / "config.json").read_text())
    plan = families.read(config, st.read_model(str(folder)))
    return config, plan, own_layers(plan)


def ids_of(model):
    return st.read(str(FOLDER / model / "recorded.safetensors"))["b1.input_ids"]


def mask_of(plan, ids):
    if not plan.get("mask_last"):
        return None
    mask = np.ones(ids.shape, int)
    mask[:, -1] = 0
    return mask


def apart(made, theirs):
    return np.max(abs(made - theirs)) / (np.max(abs(made)) or 1)


def differences(case, stages, named, mistakes):
    """[(place, stage, difference)] of a dump, in the order of computing: what a model with these
    mistakes makes of the dump's own rows."""
    _, plan, s = plan_of(case.model)
    for mistake in mistakes:
        mistake.plant(plan, s)
    ids, found = ids_of(case.model), []
    found.append(("embedding", "embedded", apart(embedded(s, ids), stages["embedded"])))
    x = stages["embedded"]
    for i, layer in enumerate(s["layers"]):
        made = layer_stages(layer, i, x, mask_of(plan, ids))
        found += [(i, name, apart(rows, stages[name])) for name, rows in made.items()
                  if name in named and name in stages]
        # What the dump does not have is computed.
        x = stages[f"layer.{i}.output"] if f"layer.{i}.output" in named else list(made.values())[-1]
    made, last = end_stages(s, plan["head"], x), f"layer.{len(s['layers']) - 1}.output"
    if s["ln_f"] is not None or "output" in stages or last not in named:
        theirs = stages.get("output", stages[last])
        found.append(("end", "output", apart(made.get("output", x), theirs)))
    if "logits" in named and "logits" in made:
        base = stages.get("output", x)
        made = end_stages({**s, "ln_f": None}, plan["head"], base)
        found.append(("end", "logits", apart(made["logits"], stages["logits"])))
    return found


def first_of(case, found):
    """({layers}, {stages}) that may be told as the first; nothing where nothing differs."""
    layers, stages = set(), set()
    for place, stage, difference in found:
        if difference < QUIET[case.dtype]:
            continue
        layers.add(place)
        stages.add(stage)
        last = f"layer.{case.count - 1}.output"
        if stage == "output" and last not in case.named:
            layers.add(case.count - 1)  # the dump has nothing between that layer's rows and the end
            stages.add(last)
        if difference >= CLEAR[case.dtype]:
            break
    return layers, stages


def bare(stage):
    """A stage's name in its layer: `layer.3.attention.weights` is attention.weights."""
    words = (stage or "").split(".")
    if words[0] == "layer" and len(words) > 1:
        words = words[2:] if words[1].isdigit() else words[1:]
    return ".".join(words)


SAME = ({"embedded", "ln_e", "x"}, {"output", "ffn_sum", "ln_f", "ln2"},
        {"attention.output", "ln2", "attention_sum"}, {"ffn.output", "ln4"})


def may_be(told, names):
    """One of these stages, or what has its numbers in some model: an attention's have its name
    before them, or none."""
    told = bare(told)
    for name in map(bare, names):
        both = [name, *(other for group in SAME if name in group for other in group)]
        if told in both or (name.startswith("attention.") and name != "attention.output" and
                            told == name.removeprefix("attention.")):
            return True
    return False


def prepare(case):
    """The dump's file, and what may be said of it."""
    config, plan, s = plan_of(case.model)
    for mistake in case.mistakes:
        mistake.plant(plan, s)
    ids = ids_of(case.model)
    case.count = len(s["layers"])
    stages = run(s, plan["head"], ids, case.dtype, mask_of(plan, ids))
    case.named = names_of(case.style, config, case.depth, s["layers"], case.with_logits)
    dump = dump_of(stages, case.named, case.style)
    case.stages = stages
    path = SCRATCH / case.title.replace(" ", "_")
    if case.style == "own" and case.dtype != "bf16":
        path = path.with_suffix(".npz")
        np.savez(path, **{name: words_of(rows, case.dtype) for name, rows in dump.items()})
    else:
        path = path.with_suffix(".safetensors")
        save(path, dump, case.dtype)
    case.first = first_of(case, differences(case, stages, case.named, []))
    # Each mistake can be seen where the others are known.
    case.seen = []
    for i in range(len(case.mistakes)):
        others = [one for k, one in enumerate(case.mistakes) if k != i]
        rest = differences(case, stages, case.named, others)
        case.seen.append(max(difference for _, _, difference in rest) >= CLEAR[case.dtype])
    left = differences(case, stages, case.named, case.mistakes)
    case.is_quiet = all(difference < QUIET[case.dtype] for _, _, difference in left)
    return path, ids


def refused(model):
    """A folder whose config.json has a key that is not computed."""
    config, folder = json.loads((FOLDER / model / "config.json").read_text()), SCRATCH / "refused"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({**config, "quantization_config": {"bits": 4}}))
    return folder


def asked(case, path, ids, *reference):
    which = ("--prefix", case.depth + ".block.{}") if case.model == "t5" else (
        "--ids", listed(ids[0]))
    folder = refused(case.model) if reference else FOLDER / case.model
    done = subprocess.run(("selfattn", "port", folder, path, *reference, *which,
                           "--format", "json"), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = {}
    return done.returncode, said, done.stderr.decode()


def right_causes(case, causes):
    """How many of the planted are told, less what is told besides."""
    left, count = list(causes), 0
    for mistake in case.mistakes:
        layers = mistake.layers(case.count)
        for cause in left:
            told = cause.get("layers") or layers
            in_place = tuple(told) == layers if mistake.at else not layers or layers[0] in told
            if mistake.is_named(cause) and in_place:
                left.remove(cause)
                count += 1
                break
    return max(0, count - len(left))


class Tally:
    def __init__(self):
        self.cases = self.first = self.causes = self.planted = self.claimed = 0


def recorded(case):
    """What transformers itself gave, under its names; or the whole file, with all modules, a batch of
    two sequences and the steps of a generation, of which of two stacks is asked."""
    numbers = st.read(str(FOLDER / case.model / "recorded.safetensors"))
    dump = {name.removeprefix("b1."): rows for name, rows in numbers.items()
            if name.startswith(("b1.hidden_states", "b1.attentions", "b1.logits"))}
    if case.depth in ("whole", "encoder", "decoder"):
        dump = numbers
    path = SCRATCH / f"{case.model}.safetensors"
    save(path, dump, case.dtype if case.style == "recorded" else "f32")
    case.first, case.seen, case.is_quiet = (set(), set()), [], True
    return path, ids_of(case.model)


def judge_place(case):
    """The first stage that differs from what was recorded, of those that both have, and no cause."""
    reference, _ = recorded(case)
    reference = reference.rename(SCRATCH / "reference.safetensors")
    right = st.read(str(reference))
    path, ids = prepare(case)
    stages = case.stages
    common = [("embedding", "embedded", "hidden_states.0")]
    for i in range(case.count):
        common += [(i, f"layer.{i}.attention.weights", f"attentions.{i}")]
        if i + 1 < case.count:
            common += [(i, f"layer.{i}.output", f"hidden_states.{i + 1}")]
    last = stages[f"layer.{case.count - 1}.output"]
    stages = {"output": last, **stages}
    common += [("end", "output", f"hidden_states.{case.count}"), ("end", "logits", "logits")]
    wrong = [(place, stage) for place, stage, name in common if stage in case.named
             and apart(right[name], stages[stage]) > 2 * CLEAR[case.dtype]]
    status, said, stderr = asked(case, path, ids, reference)
    first = said.get("first") or {}
    check(f"{case.title}, recorded: {wrong[:1]}, not {first} {stderr}",
          status == (len(wrong) > 0) and said.get("same") is (len(wrong) == 0) and
          said.get("causes") == [] and "quantised" in said.get("not_computed", "") and
          (first.get("layer"), first.get("stage")) == (wrong or [(None, None)])[0] and
          (len(case.mistakes) == 0) == (len(wrong) == 0))
    path.unlink()


def judge_pack(model):
    """What --record writes is what the reference makes of these ids."""
    _, plan, s = plan_of(model)
    ids, path = ids_of(model), SCRATCH / "pack.safetensors"
    stages = run(s, plan["head"], ids, "f64", mask_of(plan, ids))
    done = subprocess.run(("selfattn", "port", FOLDER / model, "--ids", listed(ids[0]), "--record",
                           path), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    pack = st.read(str(path)) if done.returncode == 0 else {}
    wanted = [f"layer.{i}.{part}" for i in range(len(s["layers"]))
              for part in ("attention.weights", "attention.output", "ffn.output", "output")]
    wanted = {"ids", "embedded", *wanted, *stages.keys() & {"output", "logits"}}
    # A pack has what the whole gives also where no norm ends the layers.
    check(f"{model}: the pack has {sorted(pack)}", set(pack) - {"output"} == wanted - {"output"})
    for name, rows in pack.items():
        theirs = ids if name == "ids" else stages.get(name, stages[list(stages)[-1]])
        check(f"{model}: {name} of the pack", apart(np.squeeze(theirs, 0), rows) <= 2e-6)


def told(folder, dump, ids):
    path = SCRATCH / "own.safetensors"
    save(path, dump, "f32")
    done = subprocess.run(("selfattn", "port", folder, path, "--ids", listed(ids[0])),
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, done.stdout.decode()


def model_of(config, weights):
    folder = SCRATCH / "own"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save(folder / "model.safetensors", weights, "f32")
    return folder


def judge_weights_of_bf16():
    """Embedded rows that are weights of bfloat16 do not say that rows are rounded to it."""
    config, ids = json.loads((FOLDER / "llama" / "config.json").read_text()), ids_of("llama")
    weights = {name: rounded(one, "bf16")
               for name, one in st.read_model(str(FOLDER / "llama")).items()}
    plan = families.read(config, weights)
    s = own_layers(plan)
    named = names_of("own", config, "weights", s["layers"], False)
    dump = dump_of(run(s, plan["head"], ids, "f32"), named, "own")
    status, said = told(model_of(config, weights), dump, ids)
    check(f"weights of bfloat16, rows of float32: {said}", status == 0 and "bfloat16" not in said)


def judge_large():
    """Of a large model what has no cause in one layer is not asked about in the next."""
    width, hidden, count = 64, 9000, 30
    config = {**json.loads((FOLDER / "llama" / "config.json").read_text()), "hidden_size": width,
              "intermediate_size": hidden, "num_attention_heads": 4, "num_key_value_heads": 4,
              "head_dim": width // 4, "num_hidden_layers": 2, "vocab_size": 50}
    rng, weights = np.random.default_rng(5), {}
    for name, one in st.read_model(str(FOLDER / "llama")).items():
        sizes = {"embed_tokens": (50, width), "lm_head": (50, width), "norm": (width,),
                 "gate_proj": (hidden, width), "up_proj": (hidden, width),
                 "down_proj": (width, hidden)}
        size = next((size for part, size in sizes.items() if part in name), (width, width))
        if "layernorm" in name:
            size = (width,)
        weights[name] = rng.normal(0, 0.1, size)
    ids = rng.integers(0, 50, (1, count))
    dump = {}
    for i in range(2):
        rows = np.tril(rng.random((4, count, count)) + 0.01)
        dump[f"layer_{i:02}_attn"] = rows / rows.sum(-1, keepdims=True)
    status, said = told(model_of(config, weights), dump, ids)
    check(f"a large model: {said}", status == 1 and said.rstrip().endswith(
        "; in other layers none was looked for, where that takes long"))


def judge(kind, case, tally):
    path, ids = recorded(case) if case.style == "recorded" else prepare(case)
    check(f"{case.title}: the reference tells it", all(case.seen) and case.is_quiet and
          (kind == "right") == (not case.first[0]))
    status, said, stderr = asked(case, path, ids)
    path.unlink()
    first, causes = said.get("first") or {}, said.get("causes") or []
    exact = {mistake.stage.removeprefix("layer.") for mistake in case.mistakes}
    is_first = first.get("layer") in case.first[0] and may_be(first.get("stage"),
                                                              case.first[1] | exact)
    if kind == "right":
        is_first = status == 0 and said.get("same") is True
    else:
        is_first = is_first and status == 1 and said.get("same") is False
    found = right_causes(case, causes)
    for one in (tally[kind], tally[kind, case.dtype]):
        one.cases += 1
        one.first += is_first
        one.planted += len(case.mistakes)
        one.causes += found
        one.claimed += kind == "right" and len(causes) > 0
    if not is_first or found < len(case.mistakes) or (kind == "right" and causes):
        told = ", ".join(f"{one.get('name')} {one.get('value', '')} {one.get('layers', '')}"
                         for one in causes)
        print(f"{case.title}: {'first' if is_first else 'NOT first'} "
              f"{first.get('layer')} {first.get('stage')}, of {sorted(map(str, case.first[0]))} "
              f"{sorted(case.first[1])}; causes: {told or 'none'}; status {status} "
              f"{stderr.strip()[:160]}")


class Tallies(dict):
    def __missing__(self, key):
        return self.setdefault(key, Tally())


def main():
    tally = Tallies()
    for model in ("llama", "gpt2", "gemma2"):
        if WORD in model:
            judge_pack(model)
    if WORD in "own":
        judge_weights_of_bf16()
        judge_large()
    for kind, case in cases():
        if WORD in case.title and kind == "recorded":
            judge_place(case)
        elif WORD in case.title:
            judge(kind, case, tally)
    print(f"{'':22}  cases  first, or same  causes")
    for key in sorted(tally, key=str):
        one, kind = tally[key], key if isinstance(key, str) else " ".join(key)
        print(f"{kind:22} {one.cases:6} {one.first:15} {one.causes:7} of {one.planted}")
    wrong = [tally["one mistake"], tally["two mistakes"]]
    count = sum(one.cases for one in wrong)
    first, planted = sum(one.first for one in wrong), sum(one.planted for one in wrong)
    causes = sum(one.causes for one in wrong)
    check(f"first layer and stage: {first} of {count}", first >= FIRST_BAR * count)
    check(f"causes: {causes} of {planted}", causes >= CAUSE_BAR * planted)
    right = tally["right"]
    check(f"right ones: {right.first} of {right.cases}, {right.claimed} with a cause",
          right.first == right.cases and right.claimed == 0)
    finish()


main()
