"""Experts of feed-forward parts and their routing, after selfattn-contract(7); contract.py makes a
layer with a router of them. What adds to the gradient of rows first is made last."""
import numpy as np

from arithmetic import F64, in_order, sigmoid, softmax
from contract import (AXES, PARTS, WEIGHTS, FeedForward, Node, Part, added, arranged, joined,
                      linear, step)

def softmax_back(s, grad):
    return s * (grad - in_order(grad * s))

SCORED = {"softmax": (softmax, softmax_back),
          "sigmoid": (sigmoid, lambda s, grad: grad * (s * (1 - s)))}

def weighted(rows, of, w, slope_of_w=1):
    """Each row times a number, which is found of another node"""
    def back(grad):
        of_w = in_order(grad.astype(F64) * rows.value.astype(F64)) * slope_of_w
        return grad * w, of_w.astype(w.dtype).reshape(w.shape)

    return Node(rows.value * w, [rows, of], back)

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
            of = np.nonzero(chosen[0] == number)[0]
            rows = arranged(x, lambda a: a[:, of])
            outputs.insert(0, self.expert(doc["experts"][number], rows, "experts.%d." % number))
        at = np.argsort(np.argsort(chosen.ravel(), kind="stable"))
        made = arranged(joined(outputs, 1), lambda a: a[:, at].reshape(1, n, -1))
        made, output = self.put("experts", made), Node(np.zeros_like(x.value), tape=self.tape)
        routing = step(routing, routing.value, lambda grad: grad + 0)
        for place in np.arange(tops)[:, None]:
            one = arranged(made, lambda a: a.reshape(1, n, tops, -1)[:, :, place[0]])
            w = arranged(routing, lambda a: np.take_along_axis(a, chosen[..., place], -1))
            output = added(output, weighted(one, w, w.value))
        return self.put("output", added(output, shared) if shared else output)

    def expert(self, given, rows, name):
        of_all = {key: self.doc[key] for key in ("layout", "activation") if key in self.doc}
        return Expert({**of_all, **given, "x": rows}, self.tape, "", self.weights + name).forward()

    def shared(self, x):
        gate = linear(x, self.get("shared_gate")) if "shared_gate" in self.doc else None
        made = self.expert(self.doc["shared"], x, "shared.")
        if gate:
            gate = self.tape.given[self.name + "shared_gate"] = arranged(gate, lambda a: a[0])
            a = sigmoid(gate.value.astype(F64)).astype(self.t)
            made = weighted(made, gate, a, a.astype(F64) * (1 - a.astype(F64)))
        self.put("shared", made.value)
        return made

    def route(self, scores):
        """The weights of experts, and the numbers of those that each row chooses"""
        doc, t, kind = self.doc, self.t, self.doc.get("routing", "softmax")
        scale, tops = float(doc.get("routing_scale", 1)), kind == "top-softmax"
        divides = not tops and doc.get("renormalize", True)
        if not tops:
            make, way_back = SCORED[kind]
            made = make(scores.value.astype(F64)).astype(t)
            scores = self.put("scores", step(scores, made, lambda grad: (
                way_back(made.astype(F64), grad.astype(F64)).astype(t))))
        choice = np.array([[self.choose(row.astype(F64)) for row in scores.value[0]]])
        chosen = np.sort(choice)
        share = np.take_along_axis(scores.value, chosen, -1).astype(F64)
        share = softmax(share) if tops else share
        total = in_order(share) if divides else 1
        weights = placed(share / total * scale, chosen, scores.value)

        def back(grad):
            grad = grad.astype(F64) * scale
            if divides:
                of = np.take_along_axis(grad, chosen, -1)
                of = np.where(total == 0, 0, (of - in_order(of * (share / total))) / total)
                grad = placed(of, chosen, grad)
            return (softmax_back(placed(share, chosen, grad), grad) if tops else grad).astype(t)

        self.put("choice", choice.astype(t))
        return self.put("routing", step(scores, weights, back)), chosen

    def choose(self, scores):
        """Of a row, the best first"""
        doc, by = self.doc, scores + self.get("choice_bias", [0]).value.astype(F64)
        if "groups" in doc:
            groups = by.reshape(doc["groups"], -1)
            best = in_order(-np.sort(-groups)[:, :doc.get("top_of_group", 2)])[:, 0]
            stays = np.argsort(-best, kind="stable")[:doc["top_groups"]]
            by = np.where(np.isin(np.arange(len(groups)), stays)[:, None], groups, 0).ravel()
        return np.argsort(-by, kind="stable")[:doc["top_experts"]]

def placed(a, at, like):
    whole = np.zeros_like(like)
    np.put_along_axis(whole, at, a.astype(like.dtype), -1)
    return whole

PARTS["ffn"]["router"] = Experts
WEIGHTS += ["router", "shared_gate"]
AXES.update(router=AXES["w1"], shared_gate=AXES["w1"], router_bias=AXES["b1"],
            choice_bias=AXES["b1"])
