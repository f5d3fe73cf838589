"""Random models of every family (drawn.py), written as Hugging Face publishes them, in one file or
several, of float32, float16 or bfloat16: what `selfattn encode|decode --model FOLDER` makes of
them, against the reference in numpy, to 2e-6 of each matrix's largest number, or as near as it
stays where the weights are rounded otherwise, and in float64 to 1e-9. A model that is refused is
refused by a key's name, or by that of a matrix; one that is computed is right, and so is a batch of
it that is padded, on either side, but for the rows of padding. To one of each family that is
computed, keys are added that change numbers and are none of its own: each is refused by name, never
skipped. The table tells how many are which.

Arguments: the folder of the reference, a folder for the models, how many, and a word that picks
families.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

from claims import check, finish
from drawn import ACTS, FAMILIES, VOCAB, Draw
from reference_models import engine, families, listed, save, st

FOLDER, COUNT, WORD = pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
STRIDE = int(os.environ.get("STRIDE", "1"))
SHARE = {"f32": 2e-6, "f64": 1e-9}
ROUNDING = {"f32": 2.0**-24, "f64": 2.0**-53}
IDLE = {"architectures": ["AModel"], "bos_token_id": 1, "eos_token_id": 2, "use_cache": True,
        "initializer_range": 0.02, "torch_dtype": "float32", "transformers_version": "4.57.1",
        "attention_dropout": 0.0, "output_attentions": False}
# Keys of other families, and values that no class has; each changes numbers where it is known.
FOREIGN = {
    "attention_multiplier": 0.5, "logit_scale": 0.5, "logits_scaling": 2.0,
    "embedding_multiplier": 3.0, "residual_multiplier": 0.5, "query_pre_attn_scalar": 5,
    "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0, "sliding_window_pattern": 2,
    "no_rope_layers": [1, 0, 1], "attention_chunk_size": 4, "clip_qkv": 0.5, "qk_layernorm": True,
    "use_qk_norm": True, "alibi": True, "scale_attn_weights": False, "use_parallel_residual": True,
    "scale_attn_by_inverse_layer_idx": True, "attn_temperature_tuning": True, "mup_width": 2.0,
    "lm_head_multiplier": 0.5, "rope_local_base_freq": 100.0, "global_rope_theta": 100.0,
    "quantization_config": {"bits": 4}, "position_embedding_type": "relative_key",
    "local_attention": 4, "num_experts": 4, "first_k_dense_replace": 1, "scale_embedding": True,
    "layer_types": ["linear_attention"] * 3, "rope_scaling": {"type": "longrope"},
    "rotary_pct": 0.5, "swiglu_limit": 0.5, "attention_sinks": True, "parallel_attn": True,
    "apply_residual_connection_post_layernorm": True, "norm_after": True,
    "sliding_window": 3, "partial_rotary_factor": 0.5, "hidden_activation": "mish",
    "num_kv_shared_layers": 1, "an_unheard_of_factor": 2.0,
}
PROJECTED = {"electra", "albert"}  # whose rows go through a product before the first layer


def said_of(draw):
    """config.json: as one version writes it, with keys that say nothing here."""
    said = {key: value for key, value in draw.config.items()
            if key not in draw.dropped and key not in draw.renamed}
    for one in draw.renamed.values():
        said.update(one)
    said.update((key, value) for key, value in IDLE.items() if draw.whether(0.3))
    if "transformers_version" in said:
        said["transformers_version"] = draw.of("4.57.1", "5.12.1")
    return said


def write(folder, draw, said):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    dtype = draw.of("f32", "f32", "f16", "bf16")
    names = list(draw.weights)
    draw.rng.shuffle(names)
    if draw.whether(0.3):
        parts, where = int(draw.of(2, 3)), {}
        for i in range(parts):
            file = f"model-{i + 1:05}-of-{parts:05}.safetensors"
            save(folder / file, {name: draw.weights[name] for name in names[i::parts]}, dtype)
            where.update((name, file) for name in names[i::parts])
        (folder / "model.safetensors.index.json").write_text(json.dumps(
            {"metadata": {"total_size": 1}, "weight_map": where}))
    else:
        save(folder / "model.safetensors", {name: draw.weights[name] for name in names}, dtype)
    (folder / "config.json").write_text(json.dumps(said))


class Linear:
    """x @ Linear(w, b) is x·w + b, and of no w it is x."""
    __array_ufunc__ = None

    def __init__(self, w=None, b=None):
        self.w, self.b = w, b

    def __rmatmul__(self, x):
        return x if self.w is None else x @ self.w + (0 if self.b is None else self.b)


def mscale(factor, weight):
    return 0.1 * weight * np.log(factor) + 1


def turned_by_yarn(plan, yarn):
    """The reference has mscale(factor, 1) where nothing says attention_factor; two weights make a
    quotient, as _compute_yarn_parameters has it."""
    one, both = yarn.get("mscale"), yarn.get("mscale_all_dim")
    if yarn.get("rope_type") == "yarn" and one and both and "attention_factor" not in yarn:
        for layer in plan["decoder"]["layers"]:
            layer["attention"]["rope"]["mscale"] = (mscale(yarn["factor"], one) /
                                                    mscale(yarn["factor"], both))
    return plan


def latent_plan(draw, weights):
    """The reference knows DeepSeek-V3 with both latents, without biases, whose experts have silu
    and weights that sum to 1; of V2 modeling_deepseek_v2 has a softmax, groups that count as their
    greatest score or none, and pairs side by side. The scale has the square of yarn's mscale, as
    yarn_apply_mscale has it."""
    c, layers = draw.config, draw.config["num_hidden_layers"]
    asked = {f"model.layers.{i}.{name}": np.zeros(1) for i in range(layers) for name in (
        "self_attn.q_a_proj.weight", "self_attn.q_b_proj.weight",
        "mlp.gate.e_score_correction_bias")}
    plan = families.FAMILIES["deepseek_v3"](families.Reader(c, {**asked, **weights}))
    yarn = c["rope_parameters"]
    for i, layer in enumerate(plan["decoder"]["layers"]):
        a, m = layer["attention"], f"model.layers.{i}.self_attn."
        bias = lambda name, of=m: weights.get(of + name + ".bias")
        a["mla"]["kva"] = Linear(a["mla"]["kva"], bias("kv_a_proj_with_mqa"))
        a["bo"] = bias("o_proj")
        if c["q_lora_rank"] is None:
            a["mla"].update(qa=Linear(), qn=None, qb=weights[m + "q_proj.weight"].T)
        else:
            a["mla"]["qa"] = Linear(a["mla"]["qa"], bias("q_a_proj"))
        a["rope"]["pairing"] = "interleaved" if c.get("rope_interleave", True) else "half"
        if yarn["rope_type"] == "yarn" and yarn.get("mscale_all_dim"):
            a["scale"] *= mscale(yarn["factor"], yarn["mscale_all_dim"]) ** 2
        mix = layer.get("moe")
        for part in [layer["ffn"]] if mix is None else mix["experts"] + [mix["shared"]]:
            part["act"] = c["hidden_act"]
        if mix is not None and draw.family == "deepseek_v2":
            mix.update(score="softmax", choice_bias=0)
            if c["topk_method"] == "greedy":
                mix.update(groups=1, top_groups=1)
            else:
                mix["by"] = "greatest"
        if mix is not None and not c["norm_topk_prob"]:
            mix["sums_to_1"] = False
    return plan


def route(x, mix, to_1=engine.route):
    """Weights of the experts that the reference chooses: their scores, where nothing divides. A
    group counts as its two greatest scores there, and as its greatest alone here."""
    logits = engine.linear(x, *mix["gate"])
    scores = engine.softmax(logits) if mix["score"] == "softmax" else engine.sigmoid(logits)
    if mix.get("by") == "greatest":
        groups = scores.reshape(*scores.shape[:-1], mix["groups"], -1)
        cut = np.sort(groups.max(-1), -1)[..., -mix["top_groups"]][..., None, None]
        among = np.where(groups.max(-1, keepdims=True) >= cut, groups, 0).reshape(scores.shape)
        weights = np.where(among >= np.sort(among, -1)[..., -mix["top"]][..., None], scores, 0)
    else:
        weights = to_1(x, mix)
    if mix.get("sums_to_1", True):
        return weights
    return np.where(weights != 0, scores, 0) * mix.get("factor", 1)


def brain(x):
    """In bfloat16: the upper half of a float32, of two that are as near the even one."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def bias_of(rel, n, of_distances=engine.relative_bias):
    if "slopes" not in rel:
        return of_distances(rel, n)
    product = brain(brain(rel["slopes"])[:, None, None] * brain(np.arange(n)))
    return product.astype(float) * rel["times"]


def rounded(weights, dtype):
    """Each number half a unit of the type apart."""
    rng = np.random.default_rng(1)
    return {name: one * (1 + rng.choice((-1, 1), one.shape) * ROUNDING[dtype])
            for name, one in weights.items()}


def plan_of(draw, said, weights):
    if draw.family.startswith("deepseek"):
        return turned_by_yarn(latent_plan(draw, weights), draw.config["rope_parameters"])
    top = {"gpt2": "transformer.", "bloom": "transformer."}.get(draw.family, "")
    plan = families.read(draw.config, {name if name.startswith(top) or name.startswith("lm_head")
                                       else top + name: one for name, one in weights.items()})
    # The reference has no clip of MPT, which modeling_mpt applies to all three products.
    if draw.family == "mpt":
        for layer in plan["decoder"]["layers"]:
            layer["attention"]["clip"] = draw.config["attn_config"]["clip_qkv"]
    # The reference's head of DistilBERT has gelu; DistilBertForMaskedLM has what its layers have.
    # Its head of RoBERTa has what its layers have, and RobertaLMHead gelu.
    if draw.family in ("distilbert", "roberta"):
        linear, _, norm = plan["head"]["transform"]
        plan["head"]["transform"] = (linear, draw.config.get("activation", "gelu"), norm)
    # Its Falcon adds ALiBi twice, as transformers 5 does; and it does not round it to bfloat16, as
    # build_alibi_tensor does, whose positions begin at the first row that a mask shows.
    if draw.family == "falcon" and draw.config["alibi"]:
        is_once = not said.get("transformers_version", "4").startswith("5")
        for layer in plan["decoder"]["layers"]:
            attention = layer["attention"]
            attention["alibi"] = attention["alibi"] / (2 if is_once else 1)
            if draw.config["num_attention_heads"] in (1, 2, 4, 8):
                continue
            attention.update(alibi=None, bias={"slopes": families.slopes(attention["heads"]),
                                               "times": attention["scale"] * (2 - is_once)})
            plan["decoder"]["embed"]["skips_padding"] = True
    # And its experts have silu, whatever hidden_act is, which the classes read.
    if draw.family in ("mixtral", "qwen3_moe"):
        for layer in plan["decoder"]["layers"]:
            for expert in layer["moe"]["experts"]:
                expert["act"] = draw.config["hidden_act"]
    return turned_by_yarn(plan, draw.config.get("rope_parameters", {}))


def asked(*words, document=""):
    run = subprocess.run(("selfattn", *map(str, words)), input=document.encode(),
                         capture_output=True, check=False)
    return run.returncode, run.stdout, run.stderr.decode()


def largest_apart(made, theirs):
    theirs = np.array(theirs, dtype=float)
    made = made.reshape(theirs.shape) if made.size == theirs.size else np.full(theirs.shape, np.nan)
    if not np.isfinite(theirs).all():
        return np.inf
    return np.max(abs(made - theirs)) / (np.max(abs(made)) or 1)


def expected_of(draw, side, plan, ids, mask=None):
    """{stage: rows} of one stack, and its memory, whose mask it is where there is one."""
    memory = None
    if side == "decode" and "encoder" in plan:
        memory = engine.run_stack(plan["encoder"], {"ids": ids}, mask)["output"]
    s = plan["encoder" if side == "encode" else "decoder"]
    made = engine.run_stack(s, {"ids": ids}, None if memory is not None else mask, memory, mask)
    rows = made["hidden"]
    first = ("embed.output" if draw.family in PROJECTED else
             "ln_e" if s["embed"].get("norm") else "embedded")
    expected = {first: rows[0]}
    for i, weights in enumerate(made["attention"]):
        expected[f"layer.{i}.attention.weights"] = weights
        expected["output" if i + 2 == len(rows) else f"layer.{i}.output"] = rows[i + 1]
    if side == "decode" or len(draw.sides) == 1:
        expected["logits"] = engine.head_logits(plan["head"], made["output"])
    return expected, memory


def compute(draw, side, plan, folder, tally, plan_rounded):
    """Whether it is right; None: it is refused. With what is to be said of it."""
    ids = draw.rng.integers(2, VOCAB, (1, int(draw.of(1, 4, 7, 12))))
    dtype = draw.of("f32", "f64", "f64", "f64")
    words = [side, "--quiet", "--model", folder, "--ids", listed(ids[0]), "--dtype", dtype]
    expected, memory = expected_of(draw, side, plan, ids)
    # The encoder's output as a file, with the prefix of the decoder; or made of its ids, in one go.
    if memory is not None and draw.of(True, False):
        np.save(folder / "memory.npy", memory[0])
        prefix = "decoder.block.{}" if draw.family == "t5" else "model.decoder.layers.{}"
        words += ["--memory", folder / "memory.npy", "--prefix", prefix]
    elif memory is not None:
        words += ["--memory-ids", listed(ids[0])]
    status, out, err = asked(*words, "--emit", ",".join(expected))
    if status != 0 and "logits" in expected and len(expected) > 1:
        without = {key: one for key, one in expected.items() if key != "logits"}
        again = asked(*words, "--emit", ",".join(without))
        if again[0] == 0:
            tally["no logits"] += 1
            (status, out, _), expected = again, without
    if status != 0:
        return None, err
    made = json.loads(out)
    for stage, rows in expected.items():
        apart = largest_apart(rows, made[stage])
        if apart < SHARE[dtype]:
            continue
        again, _ = expected_of(draw, side, plan_rounded(dtype), ids)
        if not apart < largest_apart(rows, again[stage]):
            return False, f"{stage} is {apart:.2g} of its largest apart, in {dtype}"
    return True, ""


def padded(draw, side, plan, folder, seed):
    """A batch of three, of which one has no padding: what is wrong with its other rows, or "". Where
    positions count what the mask shows, padding in front is refused."""
    rng = np.random.default_rng(seed)
    rows, is_left = int(rng.integers(3, 9)), bool(rng.integers(2))
    ids, mask = rng.integers(2, VOCAB, (3, rows)), np.ones((3, rows), int)
    for i in 1, 2:
        hidden = int(rng.integers(1, rows))
        mask[i, slice(hidden) if is_left else slice(rows - hidden, rows)] = 0
    expected, memory = expected_of(draw, side, plan, ids, mask)
    given = {"ids": ids.tolist()}
    if memory is None:
        given.update(mask=mask.tolist(), mask_axis="batch")
    else:
        given.update(memory_ids=ids.tolist(), memory_mask=mask.tolist())
    dtype = "f32" if rng.integers(3) == 0 else "f64"
    status, out, err = asked(side, "-", "--quiet", "--model", folder, "--dtype", dtype, "--emit",
                             ",".join(expected), document=json.dumps(given))
    counts = plan["encoder" if "encoder" in plan else "decoder"]["embed"].get("skips_padding")
    if counts and is_left:
        return "" if status == 2 and "count positions" in err else f"is not refused: {err}"
    if status != 0:
        return err
    made, shown = json.loads(out), mask == 1 if memory is None else mask >= 0
    for stage, right in expected.items():
        numbers = np.array(made[stage], dtype=float)
        if right.ndim == 4:  # of each head
            right, numbers = right.swapaxes(1, 2), numbers.reshape(right.shape).swapaxes(1, 2)
        apart = largest_apart(right[shown], numbers.reshape(right.shape)[shown])
        if not apart < SHARE[dtype]:
            return f"{stage} is {apart:.2g} of its largest apart, in {dtype}"
    return ""


def names_what(err, draw, said):
    """A refusal names a key of config.json, the model's type, or a matrix."""
    words = {*said, *(key for one in said.values() if isinstance(one, dict) for key in one),
             draw.family, *(word for name in draw.weights for word in name.split("."))}
    return any(word in err for word in words if len(word) > 2)


def other_keys(draw, said, folder, tally):
    """Each key that is not the family's, one at a time: nothing where another says the same."""
    heard = dict.fromkeys(("rope_scaling", "partial_rotary_factor", "rotary_pct",
                           "rope_local_base_freq", "global_rope_theta"), "rope_parameters")
    heard.update(sliding_window_pattern="layer_types", alibi="attn_config", clip_qkv="attn_config")
    layers = next((draw.config[key] for key in ("num_hidden_layers", "n_layer", "n_layers")
                   if key in draw.config), 1)
    for name, value in list(FOREIGN.items())[len(draw.weights) % STRIDE::STRIDE]:
        if name in draw.config or name in said or heard.get(name) in draw.config:
            continue
        value = ["linear_attention"] * layers if name == "layer_types" else value
        (folder / "config.json").write_text(json.dumps({**said, name: value}))
        status, _, err = asked(draw.sides[0], "--quiet", "--model", folder, "--ids", "2,3,4")
        tally["other keys"] += 1
        check(f"{draw.family}: {name} is skipped in silence, status {status}: {err[:200]}",
              status == 2 and (name in err or value.get("type", name) in err
                               if isinstance(value, dict) else name in err))


def try_one(seed, family, tally):
    folder = FOLDER / "model"
    draw = Draw(seed, family)
    said = said_of(draw)
    said["model_type"] = family
    title = f"{family}, seed {seed}"
    write(folder, draw, said)
    weights = st.read_model(str(folder))
    plan = plan_of(draw, said, weights)
    for side in draw.sides:
        is_right, why = compute(draw, side, plan, folder, tally,
                                lambda dtype: plan_of(draw, said, rounded(weights, dtype)))
        tally["computed" if is_right else "refused" if is_right is None else "wrong"] += 1
        if is_right is None:
            check(f"{title}: refused without a name: {why[:300]}", names_what(why, draw, said))
            tally["why"][why.splitlines()[0].split("config.json:")[-1].split("model: ")[-1]
                         .lstrip("0123456789:- ")[:70]] += 1
        else:
            check(f"{title}: {side}: {why}; {json.dumps(said)}", is_right)
            wrong = padded(draw, side, plan, folder, seed)
            check(f"{title}: {side}, padded: {wrong}; {json.dumps(said)}", wrong == "")
    if is_right is not None and not tally["other keys"]:
        other_keys(draw, said, folder, tally)


def main():
    tallies = {family: collections.Counter(why=collections.Counter())
               for family in FAMILIES if WORD in family}
    for seed in range(COUNT):
        family = list(FAMILIES)[seed % len(FAMILIES)]
        if family in tallies:
            try_one(seed, family, tallies[family])
    columns = "computed", "refused", "wrong", "no logits", "other keys"
    print(f"{'family':16}" + "".join(f"{name:>12}" for name in columns))
    for family, tally in tallies.items():
        print(f"{family:16}" + "".join(f"{tally[name]:12}" for name in columns) +
              "".join(f"  {count} {why}" for why, count in tally["why"].most_common(2)))
    finish()


# Two read no ids; of one the reference computes what the next version has as well.
assert set(FAMILIES) - {"deepseek_v2"} == set(families.FAMILIES) - {"vit", "whisper"}
engine.route = route
engine.relative_bias = bias_of
assert set(ACTS) <= set(engine.ACTS)
main()
