"""What models may have besides attention and layers, after selfattn-contract(7), as rows of the
tables of contract.py: words, experts and losses."""
import numpy as np

from arithmetic import F64, exp, in_order, ln, read, sum_and_rest
from contract import (AXES, FORMS, LOSSES, PARTS, WEIGHTS, Node, Part, added, arranged,
                      axes_of_rows, joined, linear, step)
from functions import sigmoid, softmax
from layers import FeedForward
from parts import capped

# Words

def looked_up(part, x, _):
    return x or part.get("embedding")

def words(part, x, _):
    """They are no input, and have no gradient."""
    return Node(x.value, tape=part.tape)

# Numbers that T5 adds to scores by distance

def bucket(part, distance):
    doc = part.doc
    count, most = len(doc["relative_bias"]), doc.get("relative_distance", 128)
    is_causal = doc.get("causal", "none") not in (False, "none")
    n = count if is_causal else count // 2
    first = n if distance > 0 and not is_causal else 0
    a, e = 0 if distance > 0 and is_causal else abs(distance), n // 2
    if a < e:
        return first + a
    return first + e + max(m for m in range(n - e)
                           if a ** (n - e) * e ** m >= most ** m * e ** (n - e))

def by_distance(part, keys, before):
    """before: how far each key is before its query"""
    at = np.vectorize(lambda far: bucket(part, -int(far)))(before)
    table = part.get("relative_bias")
    return added(keys, arranged(table, lambda a: a[at[:, 0]].transpose(0, 3, 1, 2)))

# Experts: what adds to the gradient of rows first is made last.

def softmax_back(s, grad):
    return s * (grad - in_order(grad * s))

SCORED = {"softmax": (softmax, softmax_back),
          "sigmoid": (sigmoid, lambda s, grad: grad * (s * (1 - s)))}

def weighted(rows, of, w, slope_of_w=1):
    """Each row times a number, which is found of another node"""
    def back(grad):
        of_w = in_order(grad.astype(F64) * rows.value.astype(F64)) * slope_of_w
        return grad * w, of_w.astype(w.dtype)

    return Node(rows.value * w, [rows, of], back)

def picked(x, at):
    """Of each row some numbers; others get the gradient 0."""
    def back(grad):
        return placed(grad.astype(x.value.dtype), at, x.value.shape[-1])

    return step(x, np.take_along_axis(x.value, at, -1), back)

def placed(a, at, width):
    whole = np.zeros((*a.shape[:-1], width), a.dtype)
    np.put_along_axis(whole, at, a, -1)
    return whole

class Expert(FeedForward):
    def put(self, _, node):
        return node

class Experts(Part):
    def forward(self):
        doc, x = self.doc, self.get("x")
        routing, chosen = self.route(self.put("router", self.linear(x, "router", "router_bias")))
        shared = self.shared(x) if "shared" in doc else None
        outputs, (_, n, tops) = [], chosen.shape
        for number in reversed(range(len(doc["experts"]))):
            at = np.nonzero(chosen[0] == number)[0]
            rows = arranged(x, lambda a: a[:, at])
            outputs.insert(0, self.expert(doc["experts"][number], rows, "experts.%d." % number))
        of_rows = np.argsort(np.argsort(chosen.ravel(), kind="stable"))
        made = arranged(joined(outputs, 1), lambda a: a[:, of_rows].reshape(1, n, -1))
        made, weights = self.put("experts", made), picked(routing, chosen)
        output, width = Node(np.zeros_like(x.value), tape=self.tape), x.value.shape[-1]
        for place in range(tops):
            one = arranged(made, lambda a: a[..., place * width:(place + 1) * width])
            weight = arranged(weights, lambda a: a[..., place:place + 1])
            output = added(output, weighted(one, weight, weight.value))
        return self.put("output", added(output, shared) if shared else output)

    def expert(self, given, rows, name):
        of_all = {key: self.doc[key] for key in ("layout", "activation") if key in self.doc}
        return Expert({**of_all, **given, "x": rows}, self.tape, "", self.weights + name).forward()

    def shared(self, x):
        gate = linear(x, self.get("shared_gate")) if "shared_gate" in self.doc else None
        made = self.expert(self.doc["shared"], x, "shared.")
        if gate:
            gate.names.append((self.name + "shared_gate", lambda a: a[0]))
            a = sigmoid(gate.value.astype(F64)).astype(self.t)
            made = weighted(made, gate, a, a.astype(F64) * (1 - a.astype(F64)))
        self.put("shared", made.value)
        return made

    def route(self, scores):
        """The weights of experts, and the numbers of those that each row chooses"""
        doc, kind, t = self.doc, self.doc.get("routing", "softmax"), self.t
        if kind != "top-softmax":
            make, back_of = SCORED[kind]
            made = make(scores.value.astype(F64)).astype(t)
            scores = self.put("scores", step(scores, made, lambda grad: (
                back_of(made.astype(F64), grad.astype(F64)).astype(t))))
        choice = np.array([[self.choose(row.astype(F64)) for row in scores.value[0]]])
        self.put("choice", choice.astype(t))
        chosen, scale = np.sort(choice), float(doc.get("routing_scale", 1))
        if kind == "top-softmax":
            of_chosen = softmax(np.take_along_axis(scores.value, chosen, -1).astype(F64))
            parts = placed(of_chosen, chosen, scores.value.shape[-1])
            scores = step(scores, parts, lambda grad: softmax_back(parts, grad).astype(t))
        share = picked(scores, chosen)
        if kind != "top-softmax" and doc.get("renormalize", True):
            wide = share.value.astype(F64)
            total = in_order(wide)
            share = step(share, wide / total, lambda grad: np.where(
                total == 0, 0, (grad - in_order(grad * (wide / total))) / total))
        weights = (share.value.astype(F64) * scale).astype(t)
        routing = step(share, placed(weights, chosen, scores.value.shape[-1]), lambda grad: (
            np.take_along_axis(grad.astype(F64) * scale, chosen, -1)))
        return self.put("routing", routing), chosen

    def choose(self, scores):
        """Of a row, the best first"""
        doc, by = self.doc, scores + self.get("choice_bias", [0]).value.astype(F64)
        if "groups" in doc:
            groups = by.reshape(doc["groups"], -1)
            best = in_order(-np.sort(-groups)[:, :doc.get("top_of_group", 2)])[:, 0]
            stays = np.argsort(-best, kind="stable")[:doc["top_groups"]]
            by = np.where(np.isin(np.arange(len(groups)), stays)[:, None], groups, 0).ravel()
        return np.argsort(-by, kind="stable")[:doc["top_experts"]]

# Losses

def loss(part, of, terms, count, grad):
    part.put("loss", np.array(in_order(terms.ravel())[0] / count).astype(part.t))
    of.grad = (grad / count).astype(part.t).reshape(of.value.shape)

def added_up(part, y, count=1):
    loss(part, y, y.value.astype(F64), count, np.ones_like(y.value))

def squares(part, y):
    target = axes_of_rows(read(part.doc["target"], part.t), part)
    loss(part, y, (y.value.astype(F64) - target) ** 2 / 2, 1, y.value - target)

def changed(part, logits):
    """By a factor and a cap, where there are such"""
    scale, cap = (part.doc.get("logits_" + key) for key in ("scale", "softcap"))
    if scale or cap:
        logits = part.put("logits.product", logits)
    if scale:
        factor = read(scale, part.t)
        times = step(logits, logits.value * factor, lambda grad: grad * factor)
        logits = part.put("logits.times", times) if cap else times
    return capped(part, logits, "logits_softcap", "logits") if cap else part.put("logits", logits)

def of_labels(part, output):
    table, labels = part.take("embedding"), np.array(part.doc["labels"])
    logits = changed(part, linear(output, arranged(table, lambda a: a.T[None])))
    wide, counted = logits.value[0].astype(F64), np.flatnonzero(labels >= 0)
    top = wide.max(-1, keepdims=True)
    e = exp(wide, top)
    total, at_label = sum(sum_and_rest(e, F64)), (counted, labels[counted])
    grad = np.zeros_like(wide)
    grad[counted] = (e / total)[counted]
    grad[at_label] -= 1
    loss(part, logits, (top + ln(total))[counted, 0] - wide[at_label], len(counted), grad)

# Rows of the tables

FORMS["embedded"] += [("embedding", looked_up), ("vocab", words)] + [
    (key, lambda part, x, _, key=key: added(x, part.get(key)))
    for key in ("segment_embedding", "position_embedding")]
FORMS["keys"].insert(-1, ("relative_bias", by_distance))
PARTS["ffn"]["router"] = Experts
LOSSES.update({"sum": added_up, "mean": lambda part, y: added_up(part, y, y.value.size),
               "square": squares, "cross-entropy": of_labels})
WEIGHTS += ["router", "shared_gate"]
AXES.update(relative_bias=AXES["bo"], router=AXES["w1"], shared_gate=AXES["w1"],
            router_bias=AXES["b1"], choice_bias=AXES["b1"],
            embedding=lambda a, part: a[part.doc["ids"]][None],
            segment_embedding=lambda a, part: a[part.doc.get("segments", [0] * part.n)][None],
            position_embedding=lambda a, part: a[None, :part.n])
