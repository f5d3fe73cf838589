"""What some models have besides, after selfattn-contract(7), as rows of the tables of contract.py:
forms of queries and keys, scores, weights, latents, words and losses."""
import numpy as np

from arithmetic import (F64, alibi_slopes, cosine_and_sine, exp, in_order, ln, product, read,
                        round_row, rowwise, sum_and_rest, tanh, turned)
from contract import (AXES, FORMS, LOSSES, PARTS, SCORES, WEIGHTS, Attention, Node, added,
                      arranged, axes_of_rows, clipped, joined, linear, multiplied, normed,
                      side_by_side, split, step)

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

def capped(part, scores, _):
    cap = read(part.doc["softcap"], part.t)
    made = cap * tanh(scores.value / cap)
    return part.put("capped", step(scores, made, lambda grad: (
        grad * (1 - (made.astype(F64) / cap) ** 2)).astype(part.t) + 0))

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
    """k·Ua: the chain of its way back to keys goes over the heads that share one."""
    ua, g, n = part.get("ua"), part.kv_heads, part.heads // part.kv_heads
    each = np.broadcast_to(ua.value, (part.heads, *ua.value.shape[1:]))
    beside = np.moveaxis(each.reshape(g, n, *each.shape[1:]), 1, 2).reshape(g, each.shape[1], -1)
    of_keys = linear(arranged(k, lambda a: a[:, ::n]), Node(beside, tape=part.tape))
    of_keys = arranged(of_keys, lambda a: np.moveaxis(
        a.reshape(*a.shape[:3], n, -1), 3, 2).reshape(len(a), part.heads, a.shape[2], -1))
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
        stage = "q_latent" if name == "q" else "kv_latent"
        down, bias, gain = ("wq_down bq_down q_latent_gain" if name == "q" else
                            "wkv_down bkv_down kv_latent_gain").split()
        if down not in self.doc:
            return super().product(name)
        width = self.get("w" + name).value.shape[-2]
        if name != "k":
            self.rows(name)
            rows = self.rows("k" if name == "v" else "q")
            self.latent = self.put(stage, self.linear(rows, down, bias))
            self.first = arranged(self.latent, lambda a: a[..., :width])
            if gain in self.doc:
                eps = float(self.doc.get("latent_eps", 1e-6))
                self.first = normed(self.first, self.get(gain), eps)
                self.put(stage + "_norm", self.first)
        made = self.linear(self.first, "w" + name, "b" + name)
        self.ends = self.ends if name == "q" else self.latent.value.shape[-1] - width
        if name != "k" or not self.ends:
            return made
        heads = self.kv_heads
        rest = arranged(self.latent, lambda a: np.repeat(split(a[..., width:], 1), heads, 1))
        made = joined([arranged(made, lambda a: split(a, heads)), rest], -1)
        return arranged(made, side_by_side)

# Words

def looked_up(part, x, _):
    return x or part.get("embedding")

def words(part, x, _):
    """They are no input, and have no gradient."""
    return Node(x.value, tape=part.tape)

# Losses

def loss(part, of, terms, count, grad):
    part.put("loss", np.array(in_order(terms.ravel())[0] / count).astype(part.t))
    of.grad = (grad / count).astype(part.t).reshape(of.value.shape)

def added_up(part, y, count=1):
    loss(part, y, y.value.astype(F64), count, np.ones_like(y.value))

def squares(part, y):
    target = axes_of_rows(read(part.doc["target"], part.t), part)
    loss(part, y, (y.value.astype(F64) - target) ** 2 / 2, 1, y.value - target)

def of_labels(part, output):
    table, labels = part.take("embedding"), np.array(part.doc["labels"])
    logits = part.put("logits", linear(output, arranged(table, lambda a: a.T[None])))
    wide, counted = logits.value[0].astype(F64), np.flatnonzero(labels >= 0)
    top = wide.max(-1, keepdims=True)
    e = exp(wide, top)
    total, at_label = sum(sum_and_rest(e, F64)), (counted, labels[counted])
    grad = np.zeros_like(wide)
    grad[counted] = (e / total)[counted]
    grad[at_label] -= 1
    loss(part, logits, (top + ln(total))[counted, 0] - wide[at_label], len(counted), grad)

# Rows of the tables

LOSSES.update({"sum": added_up, "mean": lambda part, y: added_up(part, y, y.value.size),
               "square": squares, "cross-entropy": of_labels})
SCORES.update(general=general, additive=compared_by_sums)
FORMS["source"].append(("positions", sinusoidal))
FORMS["rows"].insert(0, ("clip", clipped_rows))
FORMS["rows"][-1:-1] = [("qk_norm", normed_rows), ("rope", rotary)]
FORMS["scores"].append(("softcap", capped))
FORMS["weights"] += [("top", greatest), ("round", rounded)]
FORMS["keys"].insert(-1, ("alibi", sloped))
FORMS["embedded"] += [("embedding", looked_up), ("vocab", words)] + [
    (key, lambda part, x, _, key=key: added(x, part.get(key)))
    for key in ("segment_embedding", "position_embedding")]
PARTS.update(attention={"": Latents}, cross={"cross": Latents})
WEIGHTS += "ws wa ua wq_down wkv_down".split()
AXES.update({key: axes for keys, axes in [
    ("wq_down wkv_down", AXES["wo"]),
    ("bq_down bkv_down q_latent_gain kv_latent_gain", AXES["gain"]),
    ("ws wa ua", lambda a, _: a.reshape(-1, *a.shape[-2:])),
    ("slopes", AXES["sinks"]),
    ("bs", lambda a, part: np.broadcast_to(a.reshape(-1, 1, 1, 1), (part.heads, part.b, 1, 1))),
    ("va ba", lambda a, part: np.broadcast_to(
        a.reshape(-1, 1, 1, 1, a.shape[-1]), (part.heads, part.b, 1, 1, a.shape[-1]))),
    ("q_gain k_gain", lambda a, part: (
        a.ravel() if part.doc["qk_norm"] == "rms-all" else a.reshape(1, -1, 1, a.shape[-1]))),
    ("embedding", lambda a, part: a[part.doc["ids"]][None]),
    ("segment_embedding", lambda a, part: a[part.doc.get("segments", [0] * part.n)][None]),
    ("position_embedding", lambda a, part: a[None, :part.n]),
] for key in keys.split()})
