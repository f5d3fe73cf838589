"""ORDER OF OPERATIONS of selfattn-contract(7): every stage of an attention and of layers, forward
and backward.

Arrays have the axes b, h, n and column, or b, n and column where heads lie side by side. What a
document gives gets the axes over which it spreads, and what comes back is gathered where it was.
Of layers there are no batches, no head, and no orders but those of ORDERS.
"""
import math
from fractions import Fraction

import numpy as np

from arithmetic import (F64, TYPES, activation, cosine_and_sine, exp, in_order, limited, ln, norm,
                        norm_back, power, product, read, sigmoid, slope, softmax, sum_and_rest,
                        tanh, turned, two_sum)

ROWS = "x xk xv q k v past_k past_v"
WEIGHTS = "wq wk wv wo wq_down wkv_down w1 w2 w3 ws wa ua router shared_gate".split()
SCORING = {"general": {"q": "ws"}, "additive": {"q": "wa", "k": "ua"}}
# And the keys of which a layer has one then
PARTS = {"attention": {"wq"}, "cross": {"cross"}, "ffn": {"w1", "router"}}
ORDERS = {"post": "around {0} {0}_sum ln", "pre": "around ln {0} {0}_sum",
          "inner": "around {0} ln {0}_sum", "sandwich": "around ln {0} ln {0}_sum",
          "seed": {1: "around ln attention attention_sum ln",
                   2: "around attention ln cross cross_sum ln"}}
OF_ALL = ("heads kv_heads scale score softcap qk_norm qk_eps layout round mask_true top add_zero "
          "norm_kind norm_eps activation").split()

def side_by_side(a):
    return np.swapaxes(a, -3, -2).reshape(*a.shape[:-3], a.shape[-2], -1)

def split(a, heads):
    return np.swapaxes(a.reshape(*a.shape[:2], heads, -1), 1, 2)

def rowwise(a, b):
    return product(a[..., None, :], b[..., None])[..., 0]

AXES = {key: axes for keys, axes in [
    ("bias mask gain bo b1 b2 b3 router_bias choice_bias bq_down bkv_down q_latent_gain "
     "kv_latent_gain", lambda a: a),
    ("bq bk bv", np.ravel),
    ("wq wk wv", lambda a: (side_by_side(a) if a.ndim > 2 else a)[None]),
    ("wo w1 w2 w3 wq_down wkv_down router shared_gate memory embedding segment_embedding position_embedding",
     lambda a: a.reshape(1, -1, a.shape[-1])),
    (ROWS, lambda a: side_by_side(a) if a.ndim > 3 else a.reshape(-1, *a.shape[-2:])),
    ("ws wa ua", lambda a: a.reshape(1, -1, *a.shape[-2:])),
    ("q_gain k_gain", lambda a: a.reshape(1, -1, 1, a.shape[-1])),
    ("va ba", lambda a: a.reshape(1, -1, 1, 1, a.shape[-1])),
    ("sinks bs slopes", lambda a: a.reshape(1, -1, 1, 1)),
    ("bias_k bias_v", lambda a: a.reshape(1, 1, -1)),
] for key in keys.split()}
OF_BATCH = {2: lambda a: a[:, None, None], 3: lambda a: a[:, None]}

class Part:
    """What a document gives, and stages, of which some have their own axes"""

    def __init__(self, doc, t):
        self.doc, self.t, self.stages, self.own, self.tape = doc, t, {}, set(), []
        tables = {key: read(doc[key], t) for key in AXES if key in doc}
        self.shapes = {key: a.shape for key, a in tables.items()}
        self.places = {key: self.spread(key, np.arange(a.size).reshape(a.shape))
                       for key, a in tables.items()}
        self.given = {key: a.ravel()[self.places[key]] for key, a in tables.items()}

    def spread(self, key, a):
        doc = self.doc
        if key in ("mask", "bias") and doc.get("mask_axis") == "batch" and a.ndim in OF_BATCH:
            return OF_BATCH[a.ndim](a)
        return AXES[key](turned(a) if key in WEIGHTS and doc.get("layout") == "out-in" else a)

    def gather(self, key, *parts, first=0, start=0):
        """Adds what comes back to a key in index order; another axis may come first."""
        if key in self.given:
            total = np.zeros(math.prod(self.shapes[key]), parts[0].dtype) + start
            for part in parts:
                places = np.broadcast_to(self.places[key], part.shape)
                np.add.at(total, np.moveaxis(places, first, 0).ravel(),
                          np.moveaxis(part, first, 0).ravel())
            self.put_own(key + "_grad", total.astype(self.t).reshape(self.shapes[key]))

    def put_own(self, name, a):
        self.own.add(name)
        self.stages[name] = a

    def put(self, name, a, back=lambda grad: grad, tape=None):
        """A stage, or none where a part made it, and the way back through it"""
        (self.tape if tape is None else tape).append((name, back))
        if name:
            self.stages[name] = a
        return a

    def backward(self, grad, tape=None):
        for name, back in reversed(self.tape if tape is None else tape):
            if name:
                self.stages[name + "_grad"] = grad
            grad = back(grad)
        return grad

    def linear(self, x, w, b=None):
        made = product(x, self.given[w]) if w in self.given else x
        return made + self.given[b] if b in self.given else made

    def linear_back(self, x, grad, w, b=None):
        self.gather(b, grad)
        if w not in self.given:
            return grad
        of = self.given[w]
        by_head = [np.swapaxes(a if a.ndim > 3 else a[:, None], 0, 1) for a in (x, grad)]
        rows, grads = (a.reshape(*of.shape[1:-2] or (1,), -1, a.shape[-1]) for a in by_head)
        self.gather(w, product(turned(rows), grads).reshape(of.shape))
        return product(grad, turned(of))

    def loss_back(self, output):
        kind, grad, terms = self.doc.get("loss", "none"), np.ones_like(output), output.astype(F64)
        if kind == "none":
            given = read(self.doc.get("output_grad", np.zeros_like(output)), self.t)
            return AXES["x"](given).reshape(output.shape)
        if kind == "square":
            target = AXES["x"](read(self.doc["target"], self.t))
            grad, terms = output - target, (terms - target) ** 2 / 2
        count = output.size if kind == "mean" else 1
        total = in_order(terms.ravel())[0] / count
        self.put_own("loss", np.array(total).astype(self.t))
        return grad / count

    def shown(self):
        """Stages without the axes that were not asked for"""
        return {name: a if name in self.own else self.bare(name, a)
                for name, a in self.stages.items()}

    def bare(self, _, a):
        return a[0]

class Attention(Part):
    def __init__(self, doc, t):
        given_slopes = {"slopes": doc["alibi"]} if isinstance(doc.get("alibi"), list) else {}
        super().__init__({**doc, **given_slopes}, t)
        shapes = self.shapes
        apart = {key: shapes[key][-3] for key, rank in zip(("wq", "wk", "q", "k"), (3, 3, 4, 4))
                 if len(shapes.get(key, ())) == rank}
        self.folded, self.has_heads = "q" in apart, "heads" in doc or bool(apart)
        self.h = doc.get("heads", apart.get("q", apart.get("wq", 1)))
        self.g = doc.get("kv_heads", apart.get("k", apart.get("wk", self.h)))
        rows = {key: self.given[key] for key in ROWS.split() if key in self.given}
        self.batched = any(len(shapes[key]) > 2 for key in rows)
        b = max(map(len, rows.values()))
        self.rows = {key: np.broadcast_to(a, (b, *a.shape[1:])) for key, a in rows.items()}

    def bare(self, name, a):
        if a.ndim == 3 and self.folded:
            a = self.split(name, a)
        elif a.ndim > 3 and not self.has_heads:
            a = a[:, 0]
        return a if self.batched else a[0]

    def split(self, name, a):
        return split(a, self.g if name[0] in "kvp" else self.h)

    def forward(self, _=None):
        self.make_rows()
        return self.attend(self.mask(self.score()))

    def make_rows(self):
        doc, rows, s, t = self.doc, self.rows, self.stages, self.t
        source = {"q": "x", "k": "xk" if "xk" in rows else "x"}
        source["v"] = "xv" if "xv" in rows else source["k"]
        self.source = {name: key for name, key in source.items() if name not in rows}
        s.update({key: rows[self.source[name]] for key, name in zip(("x", "xk", "xv"), "qkv")
                  if name in self.source})
        n, self.new = (rows[self.source.get(name, name)].shape[1] for name in "qk")
        self.past = rows["past_k"].shape[1] if "past_k" in rows else 0
        self.n_k = self.past + self.new
        first = np.array(doc.get("offset", self.past))
        if doc.get("causal") == "lower-right":
            first = np.array(doc.get("key_lengths", self.n_k)) - n
        self.position = first.reshape(-1, 1, 1, 1) + np.arange(n)[:, None]
        if doc.get("positions") == "sinusoidal":
            cos, sin = cosine_and_sine(self.position[:, 0], 10000, rows["x"].shape[2])
            waves = np.stack([sin, cos], -1).reshape(*sin.shape[:2], -1)
            rows["x"] = s["x_pos"] = (rows["x"] + waves[..., :rows["x"].shape[2]]).astype(t)
        self.tapes, self.brought, self.taken = {name: [] for name in "qkv"}, {}, {}
        self.q, k, v = (self.split(name, self.make(name)) for name in "qkv")
        self.k, self.v = (np.repeat(a, self.h // self.g, 1) for a in (k, v))

    def make(self, name):
        """Queries, keys or values, in all their forms"""
        doc, rows, given, t = self.doc, self.rows, self.given, self.t

        def put(stage, a, back):
            return self.put(stage, a, back, self.tapes[name])

        def row_back(grad):
            self.gather("bias_" + name, grad[:, n:n + 1])
            return np.where(abs(sums) <= most, grad[:, :n], t.type(0))

        def normed(a):
            return self.split(name, a) if doc["qk_norm"] == "rms" else a[:, None]

        def norm_to_x(grad):
            made, gains = norm_back(normed(before), normed(grad), gain, eps, False)
            is_of_heads = np.ndim(doc.get(name + "_gain", 0)) == 2
            gains = self.split(name, side_by_side(gains)) if is_of_heads else gains
            self.gather(name + "_gain", gains)
            return side_by_side(made)

        def past_back(grad):
            self.gather("past_" + name, grad[:, :self.past])
            return grad[:, self.past:]

        if name in self.source:
            taken, rest = self.taken[name] = self.latent(name, rows[self.source[name]])
            a = self.split(name, self.linear(taken, "w" + name, "b" + name))
            rest = np.broadcast_to(rest[:, None], (*a.shape[:3], rest.shape[-1]))
            a = side_by_side(np.concatenate([a, rest], -1))
        else:
            a = rows[name]
        sums, most = a, t.type(doc.get("clip", np.inf))
        if "clip" in doc:
            put(name + "_sum", sums, lambda grad: grad)
        a = np.clip(sums, -most, most)
        n, after = a.shape[1], []
        if "bias_" + name in given:
            after.append(given["bias_" + name])
        if doc.get("add_zero") and name != "q":
            after.append(np.zeros((1, 1, 1), t))
        after = [np.broadcast_to(row, (len(a), 1, a.shape[2])) for row in after]
        a = put(name, np.concatenate([a] + after, 1), row_back)
        if doc.get("qk_norm", "none") != "none" and name != "v":
            before, eps = a, float(doc.get("qk_eps", 1e-6))
            gain = given.get(name + "_gain", np.ones(1)).astype(F64)
            gain = gain if doc["qk_norm"] == "rms" else gain.reshape(-1)
            a = put(name + "_norm", side_by_side(norm(normed(a), gain, None, eps, False)), norm_to_x)
        if "rope" in doc and name != "v":
            a = put(name + "_rope", self.turn(name, a, 1), lambda grad: self.turn(name, grad, -1))
        if self.past and name != "q":
            a = put("present_" + name, np.concatenate([rows["past_" + name], a], 1), past_back)
        return a

    def latent(self, name, x):
        """What q, k or v is the product of, and the numbers that its heads end with"""
        stage = "q_latent" if name == "q" else "kv_latent"
        if "w" + stage[:-7] + "_down" not in self.given:
            return x, x[..., :0]
        if stage not in self.stages:
            self.stages[stage] = self.linear(x, "w" + stage[:-7] + "_down", "b" + stage[:-7] + "_down")
        of, width = self.stages[stage], self.given["w" + name].shape[-2]
        taken, rest = of[..., :width], of[..., width:]
        if stage + "_gain" in self.given:
            taken = self.stages[stage + "_norm"] = norm(
                taken, self.given[stage + "_gain"].astype(F64), None,
                float(self.doc.get("latent_eps", 1e-6)), False)
        return taken, rest[..., :0] if name == "v" else rest

    def turn(self, name, a, sign):
        """By rotary positions, and back by the other sign"""
        doc, made, rope = self.doc, self.split(name, a).astype(F64), self.doc["rope"]
        rope = rope if isinstance(rope, dict) else {"base": rope}
        latents = self.given["wkv_down"].shape[-1] if "wkv_down" in self.given else 0
        shared = latents and latents - self.given["wk"].shape[-2]
        width = int(rope.get("width", doc.get("rope_width", shared or made.shape[-1])))
        first, second = np.arange(width // 2), np.arange(width // 2, width)
        if rope.get("pairing", doc.get("rope_pairing")) == "interleaved":
            first, second = np.arange(0, width, 2), np.arange(1, width, 2)
        first, second = (a + (made.shape[-1] - width if shared else 0) for a in (first, second))
        at = self.position if name == "q" else self.past + np.arange(self.new)[:, None]
        at = np.array(rope["positions"])[..., None] if "positions" in rope else at
        cos, sin = (float(rope.get("attention_factor", 1)) * a
                    for a in cosine_and_sine(at, float(rope["base"]), width))
        n = at.shape[-2]
        x, y = made[:, :, :n, first], made[:, :, :n, second]
        made[:, :, :n, first] = x * cos - y * (sign * sin)
        made[:, :, :n, second] = y * cos + x * (sign * sin)
        return side_by_side(made.astype(self.t))

    def score(self):
        """q and k compared"""
        doc, given, s, t = self.doc, self.given, self.stages, self.t
        kind = doc.get("score", "scaled")
        by = {name: w for name, w in SCORING.get(kind, {}).items() if w in given}
        for name, w in by.items():
            s[name + "_score"] = self.linear(self.q if name == "q" else self.k, w)
        q, k = s.get("q_score", self.q), s.get("k_score", self.k)
        if kind == "additive":
            bent = tanh(q[:, :, :, None] + k[:, :, None] + given.get("ba", t.type(0)))
            va = given.get("va", np.ones((1, 1, 1, 1, q.shape[-1]), t))
            scores = rowwise(bent, va)[..., 0]
        else:
            scores = product(q, turned(k))
            scores = scores + given["bs"] if kind == "general" and "bs" in given else scores

        def scores_back(grad):
            pairs = grad.reshape(*grad.shape[:2], -1, 1)
            if kind == "additive":
                each = grad[..., None] * va.astype(F64) * (1 - bent.astype(F64) ** 2)
                each = np.where(grad[..., None] == 0, 0, each).astype(t)
                self.rows_back("q", in_order(each, 3)[:, :, :, 0], by)
                self.rows_back("k", in_order(each, 2)[:, :, 0], by)
                each, bends = (a.reshape(*pairs.shape[:3], -1) for a in (each, bent))
                self.gather("va", product(turned(pairs), bends)[:, :, None], first=1)
                self.gather("ba", in_order(each, 2)[:, :, None], first=1)
            else:
                self.rows_back("q", product(grad, k), by)
                self.rows_back("k", product(turned(grad), q), by)
                self.gather("bs", in_order(pairs, 2), first=1)
            self.rows_back("v", self.v_grad, by)
            for key, parts in self.brought.items():
                self.gather(key, *parts)
            return s.get("x_grad")

        return self.put("scores", scores, scores_back)

    def rows_back(self, name, grad, by):
        """From what heads bring to a query, key or value to its rows"""
        b, h, n, c = grad.shape
        g = self.h if name == "q" else self.g
        apart = grad.reshape(b, g, -1, n, c)  # heads that share keys are next to each other
        if name in by:
            self.stages[name + "_score_grad"] = grad
            self.linear_back(self.q if name == "q" else self.k, grad, by[name])
            w = turned(self.given[by[name]])
            w = np.broadcast_to(w, (1, h, *w.shape[2:])).reshape(1, g, -1, w.shape[-1])
            grad = product(np.swapaxes(apart, 2, 3).reshape(b, g, n, -1), w)
        else:
            grad = in_order(apart, 2)[:, :, 0]
        grad = self.backward(side_by_side(grad), self.tapes[name])
        if name in self.source:
            key, (taken, rest) = self.source[name], self.taken[name]
            of_heads = self.split(name, grad)
            own = of_heads.shape[-1] - rest.shape[-1]
            grad = self.linear_back(taken, side_by_side(of_heads[..., :own]), "w" + name, "b" + name)
            if taken is not self.rows[key]:
                grad = self.latent_back(name, grad, in_order(of_heads[..., own:], 1)[:, 0])
            self.brought.setdefault(key, []).extend([grad] * (grad is not None))

    def latent_back(self, name, grad, shared):
        """To the rows of the latent; from keys nothing, which wait for values"""
        stage = "q_latent" if name == "q" else "kv_latent"
        if name == "k":
            self.of_keys = grad, shared
            return None
        if name == "v":
            of_keys, shared = self.of_keys
            grad = of_keys + grad
        if stage + "_gain" in self.given:
            self.stages[stage + "_norm_grad"] = grad
            grad, gains = norm_back(
                self.stages[stage][..., :grad.shape[-1]], grad,
                self.given[stage + "_gain"].astype(F64), float(self.doc.get("latent_eps", 1e-6)), False)
            self.gather(stage + "_gain", gains)
        grad = self.stages[stage + "_grad"] = np.concatenate([grad, shared], -1)
        return self.linear_back(self.rows[self.source[name]], grad, "w" + stage[:-7] + "_down",
                                "b" + stage[:-7] + "_down")

    def mask(self, scores):
        doc, given, t = self.doc, self.given, self.t
        scale = doc.get("scale", "none" if doc.get("score", "scaled") != "scaled" else "head")
        if scale in ("head", "embed"):
            scale = 1 / math.sqrt((self.q if scale == "head" else self.rows["x"]).shape[-1])
        scale = read(1 if scale == "none" else scale, t)
        last = self.put("scaled", scores * scale, lambda grad: grad * scale + 0)
        if "softcap" in doc:
            cap = read(doc["softcap"], t)
            capped = last = self.put("capped", cap * tanh(last / cap), lambda grad: (
                grad * (1 - (capped.astype(F64) / cap) ** 2)).astype(t) + 0)
        before = self.position - np.arange(self.n_k)
        distance = abs(before).astype(t)
        keys = last[..., :self.n_k] + given["bias"] if "bias" in given else last[..., :self.n_k]
        if doc.get("alibi"):
            keys = keys - given.get("slopes", self.published_slopes()) * distance
        keys = np.where(self.allowed(before), keys, t.type(-np.inf))

        def masked_back(grad):
            self.gather("bias", grad[..., :self.n_k])
            self.gather("slopes", -(grad[..., :self.n_k].astype(F64) * distance))
            return grad

        return self.put("masked", np.concatenate([keys, last[..., self.n_k:]], -1), masked_back)

    def published_slopes(self):
        below = 2 ** (self.h.bit_length() - 1)
        of = [power(2, -8 * i, below) for i in range(1, below + 1)]
        of += [power(2, -8 * i, 2 * below) for i in range(1, 2 * below, 2)]
        return np.array(of[:self.h]).astype(self.t).reshape(1, -1, 1, 1)

    def allowed(self, before):
        doc, j = self.doc, np.arange(self.n_k)
        left, right = doc.get("window", (-1, -1))
        allowed = ((left < 0) | (before <= left)) & ((right < 0) | (-before <= right))
        if doc.get("causal", "none") not in (False, "none"):
            allowed = allowed & (before >= 0)
        if "key_lengths" in doc:
            allowed = allowed & (j < np.array(doc["key_lengths"]).reshape(-1, 1, 1, 1))
        if "mask" in self.given:
            allowed = allowed & ((self.given["mask"] != 0) ^ (doc.get("mask_true") == "masked"))
        return allowed

    def attend(self, masked):
        doc, s, t = self.doc, self.stages, self.t
        top = masked.max(-1, keepdims=True)
        sinks = np.broadcast_to(self.given.get("sinks", t.type(-np.inf)), top.shape)
        top = s["row_max"] = np.maximum(top, sinks) + 0
        s["exp"], sink = exp(masked, top), exp(sinks, top)
        total, rest = sum_and_rest(s["exp"][..., :self.n_k], t)
        after = np.concatenate([s["exp"][..., self.n_k:], sink], -1).astype(F64)
        for n in range(after.shape[-1]):
            total, lost = two_sum(total, after[..., n:n + 1])
            rest = rest + lost
        s["row_sum"] = (total + rest).astype(t)
        made = np.where(s["row_sum"] == 0, 0, s["exp"] / s["row_sum"])
        weights = s["weights"] = np.where(made < np.finfo(t).tiny, 0, made)
        s["logsumexp"] = (top + np.where(s["row_sum"] == 0, -np.inf,
                                         ln(s["row_sum"].astype(F64)))).astype(t)
        wide = weights.astype(F64)
        s["entropy"] = (0 - rowwise(wide, ln(np.where(wide == 0, 1, wide)))).astype(t)
        if "top" in doc:
            order = np.argsort(-weights, -1, kind="stable")[..., :doc["top"]]
            s["top"] = np.where(np.take_along_axis(weights, order, -1) == 0, -1, order).astype(t)
        if "round" in doc:
            weights = s["rounded"] = np.apply_along_axis(self.round_row, -1, weights).astype(t)
        s["weighted"] = weights[..., None] * self.v[:, :, None] + 0
        attended = product(weights, self.v)

        def attended_back(grad):
            delta = rowwise(grad, attended)
            if "logsumexp_grad" in doc:
                delta = delta - read(doc["logsumexp_grad"], t).reshape(delta.shape)
            s["delta"], s["weights_grad"] = delta, product(grad, turned(self.v))
            self.gather("sinks", -(sink.astype(F64) / s["row_sum"] * delta))
            self.v_grad = product(turned(weights), grad)
            return weights * (s["weights_grad"] - delta) + 0

        self.put("attended", attended, attended_back)
        context = self.put("context", side_by_side(attended), lambda grad: split(grad, self.h))
        return self.put("output", self.linear(context, "wo", "bo"),
                        lambda grad: self.linear_back(context, grad, "wo", "bo"))

    def round_row(self, row):
        decimals, _, keeps_sum = str(self.doc["round"]).partition(":")
        units = 10 ** int(decimals)
        exact = [Fraction(float(x)) * units for x in row]
        whole = [math.floor(x if keeps_sum else x + Fraction(1, 2)) for x in exact]
        order = sorted((j for j, x in enumerate(exact) if x), key=lambda j: whole[j] - exact[j])
        lack = units - sum(whole) if keeps_sum and order else 0
        for n in range(lack):
            whole[order[n % len(order)]] += 1
        for n in range(-lack):
            whole[order[-1 - n % len(order)]] -= 1
        return [x / units for x in whole]

class Norm(Part):
    def forward(self, x):
        gain = self.given.get("gain", np.ones(1)).astype(F64)
        eps = float(self.doc.get("eps", self.doc.get("norm_eps", 1e-5)))
        centred = self.doc.get("norm_kind", "layer") == "layer"

        def back(grad):
            made, gains = norm_back(x, grad, gain, eps, centred)
            self.gather("gain", gains)
            self.gather("bias", grad)
            return made

        return self.put(None, norm(x, gain, self.given.get("bias"), eps, centred), back)

class FeedForward(Part):
    def forward(self, x):
        s, given, name = self.stages, self.given, self.doc.get("activation", "relu")

        def hidden_back(grad):
            grads, below = [grad], [turned(given["w1"])]
            self.linear_back(x, grad, "w1", "b1")
            if "w3" in given:
                self.linear_back(x, s["gate_grad"], "w3", "b3")
                grads, below = grads + [s["gate_grad"]], below + [turned(given["w3"])]
            return product(np.concatenate(grads, -1), np.concatenate(below, -2))

        def activated_back(grad):
            if "w3" in given:
                within = (abs(s["gate"]) <= 7) | (name != "clamped")
                s["gate_grad"], grad = np.where(within, curved * grad, 0), grad * opened
            return (slope(name, hidden) * grad).astype(self.t)

        hidden = self.put("hidden", self.linear(x, "w1", "b1"), hidden_back)
        curved = activated = activation(name, hidden)
        if "w3" in given:
            s["gate"] = self.linear(x, "w3", "b3")
            opened = limited(s["gate"], -7) + 1 if name == "clamped" else s["gate"]
            activated = curved * opened
        self.put("activated", activated, activated_back)
        return self.put("output", self.linear(activated, "w2", "b2"),
                        lambda grad: self.linear_back(activated, grad, "w2", "b2"))

class Experts(Part):
    """Rows of one entry, each through those that it chooses; what a layer has is named /KEY"""

    def __init__(self, doc, t):
        super().__init__(doc, t)
        of_all = {key: doc[key] for key in ("layout", "activation") if key in doc}
        self.docs = [{**of_all, **one} for one in doc["experts"]]
        self.shared = FeedForward({**of_all, **doc["shared"]}, t) if "shared" in doc else None
        self.kind, self.scale = doc.get("routing", "softmax"), float(doc.get("routing_scale", 1))
        self.divides = self.kind != "top-softmax" and doc.get("renormalize", True)

    def put_own(self, name, a):
        super().put_own("/" + name, a)

    def choose(self, scores):
        """Of a row in float64, the best first"""
        by, top = scores + self.given.get("choice_bias", np.zeros(1)).astype(F64), self.doc.get("groups")
        if top:
            groups = by.reshape(top, -1)
            count = self.doc.get("top_of_group", 2)
            best = np.argsort(-in_order(-np.sort(-groups)[:, :count])[:, 0], kind="stable")
            stays = np.isin(np.arange(top), best[:self.doc["top_groups"]])
            by = np.where(stays[:, None], groups, 0).ravel()
        return np.argsort(-by, kind="stable")[:self.doc["top_experts"]]

    def shares(self, row, chosen):
        """Scores of a row's chosen experts as weights follow from them, and what divides them"""
        scores = row[chosen].astype(F64)
        if self.kind == "top-softmax":
            return softmax(scores), 1
        return scores, in_order(scores)[0] if self.divides else 1

    def forward(self, x):
        s, t, rows = self.stages, self.t, x[0]
        scores = s["router"] = self.linear(x, "router", "router_bias")
        if self.kind != "top-softmax":
            made = (sigmoid if self.kind == "sigmoid" else softmax)(scores.astype(F64))
            scores = s["scores"] = made.astype(t)
        choice = [self.choose(row.astype(F64)) for row in scores[0]]
        self.x, self.scores, self.chosen = x, scores[0], [np.sort(one) for one in choice]
        weights = np.zeros(self.scores.shape, t)
        for weight, row, chosen in zip(weights, self.scores, self.chosen):
            share, total = self.shares(row, chosen)
            weight[chosen] = share / total * self.scale
        self.parts, made = {}, np.zeros((len(rows), len(choice[0]), rows.shape[1]), t)
        for number, doc in enumerate(self.docs):
            at = [i for i, chosen in enumerate(self.chosen) if number in chosen]
            places = [list(self.chosen[i]).index(number) for i in at]
            if at:
                part = FeedForward(doc, t)
                made[at, places] = part.forward(x[:, at])[0]
                self.parts[number] = part, at, places
        self.made, self.weights, output = made, weights, np.zeros_like(rows)
        for i, chosen in enumerate(self.chosen):
            for one, number in zip(made[i], chosen):
                output[i] = output[i] + one * weights[i, number]
        if self.shared:
            self.always = always = self.shared.forward(x)
            if "shared_gate" in self.given:
                self.gate = sigmoid(product(x, self.given["shared_gate"]).astype(F64)).astype(t)
                always = always * self.gate
            s["shared"], output = always, output + always[0]
        s.update(choice=np.array(choice)[None].astype(t), routing=weights[None],
                 experts=made.reshape(1, len(rows), -1), output=output[None])
        return s["output"]

    def route_back(self, i, grad):
        """From the weights of a row to its scores, in the type, and its logits"""
        chosen, row, t = self.chosen[i], self.scores[i].astype(F64), self.t
        share, total = self.shares(self.scores[i], chosen)
        grad = grad.astype(F64) * self.scale
        if self.kind == "top-softmax":
            row = np.zeros_like(row)
            row[chosen] = share
        if self.divides:
            of_chosen = (grad[chosen] - in_order(grad[chosen] * (share / total))) / total
            grad = np.zeros_like(grad)
            grad[chosen] = of_chosen
        if self.kind != "top-softmax":
            grad = grad.astype(t)
        wide = grad.astype(F64)
        of_logits = wide * (row * (1 - row)) if self.kind == "sigmoid" else \
            row * (wide - in_order(wide * row))
        return grad, of_logits.astype(t)

    def part_back(self, name, part, grad):
        made = part.backward(grad)
        for own in part.own:
            self.put_own(name + own, part.stages[own])
        return made

    def backward(self, grad, tape=None):
        s, t, x, rows = self.stages, self.t, self.x, grad[0]
        of_made, of_weights = np.zeros_like(self.made), np.zeros_like(self.weights)
        for i, chosen in enumerate(self.chosen):
            of_made[i] = rows[i] * self.weights[i, chosen][:, None]
            of_weights[i, chosen] = in_order(rows[i].astype(F64) * self.made[i].astype(F64))[:, 0]
        of_x = np.zeros_like(x)
        for number, doc in enumerate(self.docs):
            name = "experts.%d." % number
            if number in self.parts:
                part, at, places = self.parts[number]
                of_x[:, at] = of_x[:, at] + self.part_back(name, part, of_made[at, places][None])
            for key in AXES.keys() & doc.keys() if number not in self.parts else ():
                self.put_own(name + key + "_grad", np.zeros(np.shape(doc[key]), t))
        if self.shared:
            back, gated = grad, "shared_gate" in self.given
            if gated:
                a, back = self.gate.astype(F64), grad * self.gate
                of_gate = in_order(grad.astype(F64) * self.always.astype(F64)) * (a * (1 - a))
                s["shared_gate_grad"] = of_gate = of_gate.astype(t)
            of_x = of_x + self.part_back("shared.", self.shared, back)
            if gated:
                of_x = of_x + self.linear_back(x, of_gate, "shared_gate")
        backs = [self.route_back(i, one) for i, one in enumerate(of_weights)]
        if self.kind != "top-softmax":
            s["scores_grad"] = np.array([one for one, _ in backs])[None]
        s["router_grad"] = of_logits = np.array([one for _, one in backs])[None]
        of_x = of_x + self.linear_back(x, of_logits, "router", "router_bias")
        s.update(output_grad=grad, experts_grad=of_made.reshape(1, len(rows), -1),
                 routing_grad=of_weights[None], x_grad=of_x)
        return of_x

class Layers(Part):
    """A tape: of each step the stage it makes, and what goes back through it"""

    def __init__(self, doc, t):
        n = len(doc.get("x", doc.get("ids")))
        self.looked_up = {"embedding": doc.get("ids"), "position_embedding": slice(n),
                          "segment_embedding": doc.get("segments", [0] * n)}
        super().__init__(doc, t)
        self.settings = {key: value for key, value in doc.items() if key not in AXES}
        self.memory_grads, self.rollout, self.tied = [], np.eye(n, dtype=t)[None], 0

    def spread(self, key, a):
        return super().spread(key, a[self.looked_up[key]] if key in self.looked_up else a)

    def put_own(self, name, a):
        """A weight of layers that come again gains of all of them, from the last to the first"""
        way, layers = name.removesuffix("_grad").split("."), self.doc["layers"]
        if "repeat" in self.doc and way[0] == "layer" and name.endswith("_grad"):
            way[1] = str(int(way[1]) % len(layers))
            given, name_of_all = layers[int(way[1])], ".".join(way) + "_grad"
            for step in way[2 + (way[2] == "attention"):]:
                given = given[int(step)] if isinstance(given, list) else given.get(step, {})
            if isinstance(given, list):
                name, a = name_of_all, self.stages.get(name_of_all, 0) + a
        super().put_own(name, a)

    def run(self, name, part, x):
        def show():  # an ffn's weights are the layer's own
            for stage, a in part.shown().items():
                own = stage in part.own and name.endswith("ffn")
                self.put_own((name[:-3] if own else name + ".") + stage.lstrip("/"), a)

        def back(grad):
            grad = part.backward(grad)
            show()
            if "xk_grad" in part.stages:
                self.memory_grads.append(part.stages["xk_grad"][None])
            return grad.reshape(x.shape)

        made = part.forward(x)
        show()
        return self.put(None if part.stages else name, made, back)

    def forward(self):
        doc, given, t = self.doc, self.given, self.t
        x = given["x" if "x" in given else "embedding"]
        for key in ("segment_embedding", "position_embedding"):
            x = x + given[key] if key in given else x
        self.put("embedded", x)
        if "ln_e" in doc:
            x = self.run("ln_e", Norm({**self.settings, **doc["ln_e"]}, t), x)
        for number, layer in enumerate(doc["layers"] * doc.get("repeat", 1)):
            x = self.layer("layer.%d." % number, layer, x)
        if "w1" in doc:
            x = self.run("ffn", FeedForward(doc, t), x)
        if "ln_f" in doc:
            x = self.run("ln_f", Norm({**self.settings, **doc["ln_f"]}, t), x)
        if doc.get("norm") != "seed" or "memory" not in doc:
            self.stages["rollout"] = self.rollout
        self.stages["output"] = x
        return x

    def layer(self, where, layer, x):
        kind = self.doc.get("kind", "decoder" if "memory" in self.doc else "encoder")
        doc = {"causal": kind == "decoder", **self.settings, **layer}
        of_all = {key: doc[key] for key in OF_ALL if key in doc}
        docs = {"attention": doc, "cross": {**of_all, **layer.get("cross", {}),
                                            "xk": self.doc.get("memory")}}
        parts = [name for name, keys in PARTS.items() if name == "attention" or keys & layer.keys()]
        order = ORDERS[doc.get("norm", "post")]
        flow = order[len(parts)] if isinstance(order, dict) else " ".join(map(order.format, parts))
        around, norms, grads = x, 0, []
        scale = read(doc.get("residual_scale", 1), self.t)

        def sum_back(grad):
            grads.append(grad)
            return grad if scale == 1 else grad * scale

        for step in flow.split():
            if step == "around":
                around = self.put(None, x, lambda grad: grad + grads.pop())
            elif step.endswith("_sum"):
                part = x if scale == 1 else x * scale
                x = self.put(where + step, around + part, sum_back)
            elif step == "ln":
                norms += 1
                ln_doc = {**of_all, **layer.get("ln%d" % norms, {})}
                x = self.run(where + "ln%d" % norms, Norm(ln_doc, self.t), x)
            elif step == "ffn":
                made_by = Experts if "router" in layer else FeedForward
                x = self.run(where + step, made_by(doc, self.t), x)
            else:
                part = Attention({**docs[step], "x": x[0]}, self.t)
                x = self.run(where + step, part, x)
                mean = in_order(part.stages["weights"], 1)[:, 0] / part.h
                self.stages[where + step + ".mean_weights"] = mean
                if step == "attention":
                    half = self.t.type(0.5)
                    kept = half * mean + half * np.eye(mean.shape[-1], dtype=self.t)
                    self.rollout = product(kept, self.rollout)
        return self.put(where + "output", x)

    def loss_back(self, output):
        if self.doc.get("loss") != "cross-entropy":
            return super().loss_back(output)
        table, labels = read(self.doc["embedding"], self.t), np.array(self.doc["labels"])
        logits = self.stages["logits"] = product(output, turned(table))
        wide, counted = logits[0].astype(F64), np.flatnonzero(labels >= 0)
        top = wide.max(-1, keepdims=True)
        e = exp(wide, top)
        total = sum(sum_and_rest(e, F64))
        at_label = counted, labels[counted]
        losses = (top + ln(total))[counted, 0] - wide[at_label]
        grad = np.zeros_like(wide)
        grad[counted] = (e / total)[counted]
        grad[at_label] -= 1
        grad = self.stages["logits_grad"] = (grad / len(counted)).astype(self.t)[None]
        self.put_own("loss", np.array(in_order(losses)[0] / len(counted)).astype(self.t))
        self.tied = product(turned(grad[0]), output[0])
        return product(grad, table)

    def backward(self, grad):
        self.stages["output_grad"] = grad
        grad = super().backward(grad)
        for key in ("segment_embedding", "position_embedding") + ("x",) * ("vocab" not in self.doc):
            self.gather(key, grad)
        self.gather("embedding", grad, start=np.ravel(self.tied))
        self.gather("memory", *self.memory_grads)

@np.errstate(all="ignore")  # an infinity that masks is no accident
def results(doc, kind="f32"):
    """Of a document all stages, those on the way back where it has a gradient or a loss"""
    if "vocab" in doc and "x" not in doc:
        doc = {**doc, "x": [doc["vocab"][word] for word in doc["tokens"]]}
    one = (Layers if "layers" in doc else Attention)(doc, dict(zip(("f32", "f64"), TYPES))[kind])
    output = one.forward()
    if {"output_grad", "logsumexp_grad"} & set(doc) or doc.get("loss", "none") != "none":
        one.backward(one.loss_back(output))
    return one.shown()
