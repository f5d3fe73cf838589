"""What an attention may have besides, after selfattn-contract(7), as rows of the tables of
contract.py: forms of queries and keys, scores, weights and latents."""
import numpy as np

from arithmetic import F64, in_order, product, read, rowwise, turned
from contract import (AXES, FORMS, PARTS, SCORES, WEIGHTS, Attention, Node, added, arranged,
                      joined, linear, multiplied, side_by_side, split, step)
from functions import alibi_slopes, cosine_and_sine, round_row, tanh
from layers import clipped, normed

# Forms of queries, keys and values

def clipped_rows(part, rows, name):
    return clipped(part.put(name + "_sum", rows), part.t.type(part.doc["clip"]))

def normed_rows(part, rows, name):
    kind = part.doc["qk_norm"]
    if kind == "none" or name == "v":
        return rows
    rows = arranged(rows, lambda a: split(a, part.heads_of(name))) if kind == "rms" else rows
    rows = normed(rows, part.get(name + "_gain", [1]), float(part.doc.get("qk_eps", 1e-6)))
    return part.put(name + "_norm", arranged(rows, side_by_side) if kind == "rms" else rows)

def rotary(part, rows, name):
    doc = part.doc
    if name == "v":
        return rows
    rope = doc["rope"] if isinstance(doc["rope"], dict) else {"base": doc["rope"]}
    whole, ends = rows.value.shape[-1] // part.heads_of(name), part.ends
    width = int(rope.get("width", doc.get("rope_width", ends or whole)))
    columns = np.arange(width) + (whole - width if ends else 0)
    first, second = columns[:width // 2], columns[width // 2:]
    if rope.get("pairing", doc.get("rope_pairing")) == "interleaved":
        first, second = columns[::2], columns[1::2]
    at = part.position if name == "q" else part.past + np.arange(part.new)[:, None]
    at = np.array(rope["positions"])[..., None] if "positions" in rope else at
    cos, sin = (float(rope.get("attention_factor", 1)) * a
                for a in cosine_and_sine(at, float(rope["base"]), width))

    def turn(a, sin):
        made, n = split(a, part.heads_of(name)).astype(F64), at.shape[-2]
        x, y = made[:, :, :n, first], made[:, :, :n, second]
        made[:, :, :n, first] = x * cos - y * sin
        made[:, :, :n, second] = y * cos + x * sin
        return side_by_side(made.astype(part.t))

    made = turn(rows.value, sin)
    return part.put(name + "_rope", step(rows, made, lambda grad: turn(grad, -sin)))

def longer(part, rows, name):
    adds_zero = part.doc.get("add_zero") and name != "q"
    zero = Node(np.zeros_like(rows.value[:, :1]), tape=part.tape) if adds_zero else None
    parts = rows, part.get("bias_" + name), zero
    return joined([one for one in parts if one], 1)

def after_past(part, rows, name):
    past = part.get("past_" + name)
    return part.put("present_" + name, joined([past, rows], 1)) if past else rows

def sinusoidal(part, rows, key):
    if key != "x" or part.doc["positions"] != "sinusoidal":
        return rows
    width = rows.value.shape[-1]
    cos, sin = cosine_and_sine(part.position[:, 0], 10000, width)
    waves = np.stack([sin, cos], -1).reshape(*sin.shape[:2], -1)[..., :width]
    made = (rows.value + waves).astype(part.t)
    part.put("x_pos", made)
    return step(rows, made)

# Scores

def axes_of_pairs(a, part):
    if part.doc.get("mask_axis") != "batch" or a.ndim == 1:
        return a
    return a.reshape(len(a), *[1] * (4 - a.ndim), *a.shape[1:])

def capped(part, scores, key="softcap", name="capped"):
    cap = read(part.doc[key], part.t)
    made = cap * tanh(scores.value / cap)
    return part.put(name, step(scores, made, lambda grad: (
        grad * (1 - (made.astype(F64) / cap) ** 2)).astype(part.t) + 0))

def raised(part, keys, _):
    """Of a table of as many keys as there are, and more"""
    return added(keys, arranged(part.get("key_bias"), lambda a: a[..., :part.n_k]))

def sloped(part, keys, before):
    given, distance = part.doc["alibi"], abs(before).astype(part.t)
    if not given:
        return keys
    if isinstance(given, list):
        part.doc = {**part.doc, "slopes": given}
    slopes = part.get("slopes", np.reshape(alibi_slopes(part.heads), (1, -1, 1, 1)))
    return Node(keys.value - slopes.value * distance, [keys, slopes], lambda grad: [
        grad, -(grad.astype(F64) * distance)])

def of_heads(x):
    """What is given for h and b: each head of an entry gains by itself, then they are added."""
    return arranged(x, lambda a: np.swapaxes(a, 0, 1))

def general(part, q, k):
    q = part.put("q_score", linear(q, part.get("ws"))) if "ws" in part.doc else q
    scores = multiplied(q, arranged(k, turned))
    return added(scores, of_heads(part.get("bs"))) if "bs" in part.doc else scores

def of_shared(part, k):
    """k·Ua as two products of the same numbers: what goes back to keys is one chain over the heads
    that share them, and what goes back to Ua one over all heads that it is for."""
    ua, n = part.get("ua"), part.heads // part.kv_heads
    each = np.broadcast_to(ua.value, (part.heads, *ua.value.shape[1:]))
    beside = np.array([np.concatenate(each[i:i + n], -1) for i in range(0, part.heads, n)])
    of_keys = linear(arranged(k, lambda a: a[:, ::n]), Node(beside, tape=part.tape))
    of_keys = arranged(of_keys, lambda a: np.stack(np.split(a, n, -1), 2).reshape(
        len(a), part.heads, a.shape[2], -1))
    of_weights = linear(Node(k.value, tape=part.tape), ua)
    return Node(of_keys.value, [of_keys, of_weights], lambda grad: [grad, grad])

def compared_by_sums(part, q, k):
    q = part.put("q_score", linear(q, part.get("wa"))) if "wa" in part.doc else q
    k = part.put("k_score", of_shared(part, k)) if "ua" in part.doc else k
    none = np.zeros((1, 1, 1, 1, q.value.shape[-1]))
    va, ba = of_heads(part.get("va", none + 1)), of_heads(part.get("ba", none))
    bent = tanh(q.value[:, :, :, None] + k.value[:, :, None] + ba.value)

    def back(grad):
        each = grad[..., None] * va.value.astype(F64) * (1 - bent.astype(F64) ** 2)
        each = np.where(grad[..., None] == 0, 0, each).astype(part.t)
        pairs, bends = (a.reshape(*grad.shape[:2], 1, -1, a.shape[-1])
                        for a in (grad[..., None], bent))
        return (in_order(each, 3)[:, :, :, 0], in_order(each, 2)[:, :, 0],
                product(turned(pairs), bends), each)

    return Node(rowwise(bent, va.value)[..., 0], [q, k, va, ba], back)

# Weights

def greatest(part, weights, doc):
    order = np.argsort(-weights.value, -1, kind="stable")[..., :doc["top"]]
    ends = np.take_along_axis(weights.value, order, -1) == 0
    part.put("top", np.where(ends, -1, order).astype(part.t))
    return weights

def rounded(part, weights, doc):
    made = np.apply_along_axis(round_row, -1, weights.value, doc["round"])
    return part.put("rounded", step(weights, made.astype(part.t)))

# Latents

class Latents(Attention):
    """Keys take what values, which are made before them, took of the same latent."""
    ends = 0  # how many numbers of it the heads of keys end with

    def product(self, name):
        of = "q" if name == "q" else "kv"
        stage, down = of + "_latent", of + "_down"
        if "w" + down not in self.doc:
            return super().product(name)
        width = self.get("w" + name).value.shape[-2]
        if name != "k":
            rows = [self.rows(one) for one in {"q": "q", "v": "vk"}[name]][-1]
            self.latent = self.put(stage, self.linear(rows, "w" + down, "b" + down))
            self.first = arranged(self.latent, lambda a: a[..., :width])
            if stage + "_gain" in self.doc:
                gain, eps = self.get(stage + "_gain"), float(self.doc.get("latent_eps", 1e-6))
                self.first = self.put(stage + "_norm", normed(self.first, gain, eps))
        made = self.linear(self.first, "w" + name, "b" + name)
        self.ends = self.ends if name == "q" else self.latent.value.shape[-1] - width
        if name != "k" or not self.ends:
            return made
        heads = self.kv_heads
        rest = arranged(self.latent, lambda a: np.repeat(split(a[..., width:], 1), heads, 1))
        made = joined([arranged(made, lambda a: split(a, heads)), rest], -1)
        return arranged(made, side_by_side)

# Rows of the tables

SCORES.update(general=general, additive=compared_by_sums)
FORMS["rows"][:0] = [("clip", clipped_rows), ("", longer)]
FORMS["rows"] += [("qk_norm", normed_rows), ("rope", rotary), ("past_k", after_past)]
FORMS["source"].append(("positions", sinusoidal))
FORMS["scores"].append(("softcap", lambda part, scores, _: capped(part, scores)))
FORMS["weights"] += [("top", greatest), ("round", rounded)]
FORMS["keys"][-1:-1] = [("key_bias", raised), ("alibi", sloped)]
for part, key in (("document", ""), ("attention", ""), ("cross", "cross")):
    PARTS[part][key] = Latents
WEIGHTS += "ws wa ua wq_down wkv_down".split()
AXES.update({key: axes for keys, axes in [
    ("mask bias", axes_of_pairs),
    ("bias_k bias_v", lambda a, part: np.broadcast_to(a.ravel(), (part.b, 1, a.size))),
    ("wq_down wkv_down", AXES["wo"]),
    ("bq_down bkv_down q_latent_gain kv_latent_gain", AXES["bo"]),
    ("ws wa ua", lambda a, _: a.reshape(-1, *a.shape[-2:])),
    ("key_bias", lambda a, _: a[:, None]),
    ("slopes", AXES["sinks"]),
    ("bs", lambda a, part: np.broadcast_to(a.reshape(-1, 1, 1, 1), (part.heads, part.b, 1, 1))),
    ("va ba", lambda a, part: np.broadcast_to(
        a.reshape(-1, 1, 1, 1, a.shape[-1]), (part.heads, part.b, 1, 1, a.shape[-1]))),
    ("q_gain k_gain", lambda a, part: (
        a.ravel() if part.doc["qk_norm"] == "rms-all" else a.reshape(1, -1, 1, a.shape[-1]))),
] for key in keys.split()})
