"""Layers, after selfattn-contract(7), as rows of the tables of contract.py"""
import numpy as np

from arithmetic import F64, product, read
from contract import (AXES, PARTS, WEIGHTS, Attention, Node, Part, added, arranged, joined, kind_of,
                      linear, step)
from functions import activation, norm, norm_back, slope

def times(a, b):
    return Node(a.value * b.value, [a, b], lambda grad: [grad * b.value, a.value * grad])

def normed(x, gain, eps, centred=False, bias=None):
    wide = gain.value.astype(F64)
    made = norm(x.value, wide, bias and bias.value, eps, centred)
    return Node(made, [one for one in (x, gain, bias) if one], lambda grad: [
        *norm_back(x.value, grad, wide, eps, centred), grad])

def clipped(x, most):
    return step(x, np.clip(x.value, -most, most),
                lambda grad: np.where(abs(x.value) <= most, grad, 0))

class Norm(Part):
    def forward(self):
        eps = float(self.doc.get("eps", self.doc.get("norm_eps", 1e-5)))
        centred = self.doc.get("norm_kind", "layer") == "layer"
        gain = self.get("gain", [1])
        return self.put("", normed(self.doc["x"], gain, eps, centred, self.get("bias")))

class FeedForward(Part):
    def forward(self):
        doc, name = self.doc, self.doc.get("activation", "relu")
        both = linear(doc["x"], joined([self.get(w) for w in ("w1", "w3") if w in doc], -1))
        width = self.get("w2").value.shape[-2]
        first = arranged(both, lambda a: a[..., :width])
        hidden = self.put("hidden", self.linear(first, None, "b1"))
        made = step(hidden, activation(name, hidden.value), lambda grad: (
            slope(name, hidden.value) * grad).astype(self.t))
        if "w3" in doc:
            second = arranged(both, lambda a: a[..., width:])
            gate = self.put("gate", self.linear(second, None, "b3"))
            if name == "clamped":
                gate = clipped(gate, 7)
                gate = step(gate, gate.value + 1)
            made = times(made, gate)
        return self.put("output", self.linear(self.put("activated", made), "w2", "b2"))

ORDERS = {"post": "around {0} {0}_sum ln", "pre": "around ln {0} {0}_sum",
          "inner": "around {0} ln {0}_sum", "sandwich": "around ln {0} ln {0}_sum",
          "seed": {1: "around ln attention attention_sum ln",
                   2: "around attention ln cross cross_sum ln"}}
OF_ALL = ("heads kv_heads scale score softcap qk_norm qk_eps layout round mask_true top add_zero "
          "norm_kind norm_eps activation").split()

class Layers(Part):
    def forward(self):
        doc, layers = self.doc, self.doc["layers"]
        self.n = len(doc.get("ids", doc.get("x")))
        settings = self.settings = {key: doc[key] for key in doc if key not in AXES}
        self.rollout = np.eye(self.n, dtype=self.t)
        x = self.put("embedded", self.formed("embedded", self.get("x"), doc))
        if "ln_e" in doc:
            x = Norm({**settings, **doc["ln_e"], "x": x}, self.tape, "ln_e.").forward()
        for number in range(len(layers) * doc.get("repeat", 1)):
            x = self.layer(number, number % len(layers), x)
        if "w1" in doc:
            x = FeedForward({**doc, "x": x}, self.tape, "ffn.", "").forward()
        if "ln_f" in doc:
            x = Norm({**settings, **doc["ln_f"], "x": x}, self.tape, "ln_f.").forward()
        if doc.get("norm") != "seed" or "memory" not in doc:
            self.put("rollout", self.rollout)
        return self.put("output", x)

    def layer(self, number, of, x):
        layer, where, weights = self.doc["layers"][of], "layer.%d." % number, "layer.%d." % of
        kind = self.doc.get("kind", "decoder" if "memory" in self.doc else "encoder")
        doc = {"causal": kind == "decoder", **self.settings, **layer}
        of_all = {key: doc[key] for key in OF_ALL if key in doc}
        parts = [part for part in ("attention", "cross", "ffn") if kind_of(part, layer)]
        order = ORDERS[doc.get("norm", "post")]
        flow = order[len(parts)] if isinstance(order, dict) else " ".join(map(order.format, parts))
        around, norms, scale = x, 0, read(doc.get("residual_scale", 1), self.t)
        for part in flow.split():
            if part == "around":
                around = x
            elif part.endswith("_sum"):
                x = x if scale == 1 else step(x, x.value * scale, lambda grad: grad * scale)
                x = self.put(where + part, added(around, x))
            else:
                norms += part == "ln"
                name = "ln%d" % norms if part == "ln" else part
                own = doc if part in ("attention", "ffn") else {**of_all, **layer.get(name, {})}
                if part == "cross":
                    own["xk"] = self.get("memory")
                place = where + name + ".", weights + (name + ".") * (part != "ffn")
                made = kind_of(part, layer)({**own, "x": x}, self.tape, *place)
                x = made.forward()
                if part == "attention":
                    kept = 0.5 * made.mean + 0.5 * np.eye(self.n, dtype=self.t)
                    self.rollout = product(kept, self.rollout)
        return self.put(where + "output", x)

# Rows of the tables

PARTS["document"]["layers"] = Layers
PARTS.update({"attention": {"": Attention}, "cross": {"cross": Attention}, "ln": {"": Norm},
              "ffn": {"w1": FeedForward}})
WEIGHTS += "w1 w2 w3".split()
AXES.update({**dict.fromkeys("gain b1 b2 b3".split(), AXES["bo"]),
             **dict.fromkeys("w1 w2 w3 memory".split(), AXES["wo"])})
