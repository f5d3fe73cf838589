"""One attention, forward and backward, to the last bit: by the text of selfattn-contract(7)."""
import math
from fractions import Fraction

from arithmetic import *
from forward import Attention


# --- backward --------------------------------------------------------------------------------------

class Gradients(Attention):
    def backward(self):
        s = self.stages
        self.begin()
        self.through_softmax()
        self.gather()
        self.added_to_scores()
        for role in "qkv":
            self.through_forms(role)
        for role, key in (("q", "wq"), ("k", "wk"), ("v", "wv")):
            self.of_weight(role, key)
        for key in ("x", "xk", "xv"):
            made = [role for role in "qkv" if self.rows_key(role) == key and role not in self.inputs]
            if made:
                s[key + "_grad"] = self.of_rows(key, made)
        return s

    def begin(self):
        t, doc, s = self.t, self.doc, self.stages
        output, loss = s["output"], doc.get("loss", "none")
        numbers, target = flat(output), flat(self.inputs.get("target", []))
        each = 1.0 if doc.get("output_grad") == "ones" or loss == "sum" else 0.0
        if loss != "none":
            halves = [(x - y) * (x - y) / 2 for x, y in zip(numbers, target)]
            total = 0.0
            for x in halves if loss == "square" else numbers:
                total += x
            s["loss"] = t.round(total / len(numbers) if loss == "mean" else total)
            each = t.round(1 / len(numbers)) if loss == "mean" else each
        grads = [each] * len(numbers)
        if loss == "square":
            grads = [t.round(x - y) for x, y in zip(numbers, target)]
        given = self.inputs.get("output_grad")
        if given is not None:
            four = len(shape(given)) == 4
            grads = flat([joined(entry) for entry in given] if four else given)
        s["output_grad"] = grad = shaped(grads, shape(output))
        wo = self.weight("wo")
        s["context_grad"] = [product(t, rows, turned(wo)) for rows in grad] if wo else grad
        s["attended_grad"] = [apart(rows, self.h) for rows in s["context_grad"]]
        if wo:
            s["wo_grad"] = self.as_given("wo", self.over_batch(s["context"], grad))
        if "bo" in self.inputs:
            s["bo_grad"] = self.column_sums([row for rows in grad for row in rows])

    def column_sums(self, rows):
        total = [0.0] * len(rows[0])
        for row in rows:
            total = added(self.t, [total], [row])[0]
        return total

    def over_batch(self, rows, grads):
        made = None
        for x, grad in zip(rows, grads):
            made = product(self.t, turned(x), grad, made)
        return made

    def as_given(self, key, matrix):
        """In the layout of the weight that the matrix is a gradient of"""
        if len(shape(self.inputs[key])) == 3:
            parts = shaped(flat(matrix), shape(self.inputs[key])) if key == "wo" else apart(
                matrix, len(self.inputs[key]))
            return [turned(one) for one in parts] if self.doc.get("layout") == "out-in" else parts
        return turned(matrix) if self.doc.get("layout") == "out-in" else matrix

    def through_softmax(self):
        t, s = self.t, self.stages
        comes = self.inputs.get("logsumexp_grad")
        less = shaped(flat(comes), [self.b, self.h, self.n_q]) if comes else None
        self.each("delta", lambda b, h, i, grad, row: [
            t.round(chain(t, grad, row) - (less[b][h][i] if less else 0.0))], "attended_grad", "attended")
        self.each("weights_grad", lambda b, h, i, grad: [
            chain(t, grad, value) for value in self.v[b][self.shared(h)]], "attended_grad")
        self.each("masked_grad", lambda b, h, i, row, grad, delta: [
            t.round(x * t.round(y - delta[0])) + 0.0 for x, y in zip(row, grad)],
            "weights", "weights_grad", "delta")
        if self.cap:
            s["capped_grad"] = s["masked_grad"]
            self.each("scaled_grad", lambda b, h, i, grad, row: [
                t.round(x * (1 - (y / self.cap) * (y / self.cap))) + 0.0 for x, y in zip(grad, row)],
                "masked_grad", "capped")
        else:
            s["scaled_grad"] = s["masked_grad"]
        self.each("scores_grad", lambda b, h, i, grad: [t.round(x * self.scale) + 0.0 for x in grad], "scaled_grad")

    def gather(self):
        """What comes back to queries, keys and values as they are compared and weighed"""
        t, s = self.t, self.stages
        grads = s["scores_grad"]
        self.back = {"v": [[product(t, turned(s["weights"][b][h]), s["attended_grad"][b][h])
                            for h in range(self.h)] for b in range(self.b)]}
        if self.score == "additive":
            self.additive()
        else:
            self.back["q"] = [[product(t, grads[b][h], self.k_score[b][h]) for h in range(self.h)]
                              for b in range(self.b)]
            self.back["k"] = [[product(t, turned(grads[b][h]), self.q_score[b][h]) for h in range(self.h)]
                              for b in range(self.b)]
            if self.bs[0]:
                s["bs_grad"] = self.of_heads("bs", [[self.column_sums([[x] for x in flat(grads[b][h])])
                                                     for b in range(self.b)] for h in range(self.h)])
        for role, key in (("q", "wa" if self.score == "additive" else "ws"), ("k", "ua")):
            heads, weight = self.back[role], self.of_score(key)
            if not weight[0]:
                self.back[role] = heads if role == "q" else self.over_group(heads)
                continue
            s[role + "_score_grad"], made = heads, []
            for entry in heads:
                made.append([None] * (self.h if role == "q" else self.g))
                for h, rows in enumerate(entry):
                    to = h if role == "q" else self.shared(h)
                    made[-1][to] = product(t, rows, turned(weight[h]), made[-1][to])
            self.back[role] = made
            own = self.q if role == "q" else [[e[self.shared(h)] for h in range(self.h)] for e in self.k]
            made, all_heads = None, []
            for h in range(self.h):
                made = made if len(shape(self.inputs[key])) == 2 else None
                for b in range(self.b):
                    made = product(t, turned(own[b][h]), heads[b][h], made)
                all_heads.append(turned(made) if self.doc.get("layout") == "out-in" else made)
            s[key + "_grad"] = all_heads if len(shape(self.inputs[key])) == 3 else all_heads[-1]
        self.back["v"] = self.over_group(self.back["v"])

    def over_group(self, heads):
        """Of heads that share keys the first one's, then the others added"""
        made = []
        for entry in heads:
            made.append([None] * self.g)
            for h, rows in enumerate(entry):
                first = made[-1][self.shared(h)]
                made[-1][self.shared(h)] = added(self.t, first, rows) if first else rows
        return made

    def of_heads(self, key, vectors):
        """Sums of heads and their batch entries, in the shape of the parameter"""
        numbers, width = flat(self.inputs[key]), len(vectors[0][0])
        if len(numbers) > width:
            return shaped(flat([self.column_sums(own) for own in vectors]), shape(self.inputs[key]))
        total = self.column_sums([row for own in vectors for row in own])
        return shaped(total, shape(self.inputs[key]))

    def additive(self):
        t, s = self.t, self.stages
        width = len(self.q_score[0][0][0])
        zeros = [[[[0.0] * width for _ in range(n)] for _ in range(self.h)] for n in (self.n_q, len(self.k[0][0]))
                 for _ in range(self.b)]
        self.back["q"], self.back["k"] = zeros[:self.b], zeros[self.b:]
        vectors, shifts = [[[[0.0] * width for _ in range(self.b)] for _ in range(self.h)] for _ in "vb"]
        for b, h in self.units:
            for i, row in enumerate(s["scores_grad"][b][h]):
                for j, gain in enumerate(row):
                    if gain == 0:
                        continue
                    bent = self.bent(b, h, i, j)
                    vectors[h][b] = [t.fma(gain, x, y) for x, y in zip(bent, vectors[h][b])]
                    inner = [t.round(gain * a * (1 - x * x)) for a, x in zip(self.va[h], bent)]
                    for rows, at in ((self.back["q"][b][h], i), (self.back["k"][b][h], j), (shifts[h], b)):
                        rows[at] = added(t, [rows[at]], [inner])[0]
        for key, own in (("va", vectors), ("ba", shifts)):
            if key in self.inputs:
                s[key + "_grad"] = self.of_heads(key, own)

    def added_to_scores(self):
        t, s = self.t, self.stages
        grads = s["masked_grad"]
        if "bias" in self.inputs:
            sizes, total = shape(self.inputs["bias"]), {}
            for b, h in self.units:
                for i, row in enumerate(grads[b][h]):
                    for j in range(self.n_k):
                        at = tuple(self.place("bias", b, h, i, j))
                        total[at] = t.round(total.get(at, 0.0) + row[j])
            s["bias_grad"] = shaped([total[at] for at in sorted(total)], sizes)
        if isinstance(self.doc.get("alibi"), list):
            s["slopes_grad"] = [self.total(grads, h, lambda b, i: [
                float(abs(self.position(b, i) - j)) for j in range(self.n_k)]) for h in range(self.h)]
        if self.sinks:
            tops, sums = s["row_max"], s["row_sum"]
            s["sinks_grad"] = shaped([self.total(s["delta"], h, lambda b, i: [
                exp(t, self.sinks[h], tops[b][h][i][0]) / sums[b][h][i][0]]) for h in range(self.h)],
                shape(self.inputs["sinks"]))

    def total(self, grads, h, factors):
        total = 0.0
        for b in range(self.b):
            for i in range(self.n_q):
                for x, y in zip(grads[b][h][i], factors(b, i)):
                    total -= x * y
        return self.t.round(total)

    def through_forms(self, role):
        s, grad = self.stages, self.back[role]
        if self.past and role in "kv":
            s["present_%s_grad" % role] = grad
            given = self.inputs["past_" + role]
            before = [[rows[:self.past] for rows in entry] for entry in grad]
            if len(shape(given)) < 4:
                before = [joined(entry) for entry in before]
            if len(shape(given)) == 2:
                before = [[self.column_sums(list(rows))] for rows in zip(*before)]
            s["past_%s_grad" % role] = shaped(flat(before), shape(given))
            grad = [[rows[self.past:] for rows in entry] for entry in grad]
        if role + "_rope" in s:
            s[role + "_rope_grad"] = grad
            grad = self.turn(role, grad, -1)
        if role + "_norm" in s:
            s[role + "_norm_grad"] = grad
            grad = self.norm_back(role, grad)
        s[role + "_grad"] = grad
        if "bias_" + role in self.inputs:
            rows = [[x for head in entry for x in head[self.new]] for entry in grad]
            s["bias_%s_grad" % role] = shaped(self.column_sums(rows), shape(self.inputs["bias_" + role]))

    def norm_back(self, role, grads):
        eps, heads = float(self.doc.get("qk_eps", 1e-6)), len(grads[0])
        given = self.inputs.get(role + "_gain")
        width = len(grads[0][0][0])
        gains = [[0.0] * width for _ in range(heads)]
        if given and len(flat(given)) == width:
            gains = [gains[0]] * heads
        made = [[[None] * len(rows) for rows in entry] for entry in grads]
        for b, entry in enumerate(grads):
            for h, rows in enumerate(entry):
                gain = self.gain(role, h)
                for i, dy in enumerate(rows):
                    x, squares, total = self.forms[role][b][h][i], 0.0, 0.0
                    for one in x:
                        squares += one * one
                    root = math.sqrt(squares / width + eps)
                    inverse = 1 / root if root else 0.0
                    for a, d, one in zip(gain, dy, x):
                        total += a * d * one
                    total = total / width * (inverse / root if root else 0.0)
                    made[b][h][i] = [self.t.round((a * d - one * total) * inverse)
                                     for a, d, one in zip(gain, dy, x)]
                    for c in range(width):
                        gains[h][c] += dy[c] * (x[c] * inverse)
        if given:
            numbers = gains[0] if gains[0] is gains[-1] else flat(gains)
            self.stages[role + "_gain_grad"] = shaped([self.t.round(x) for x in numbers], shape(given))
        return made

    def own_rows(self, role):
        """The gradients of the rows that were made of input rows, heads side by side"""
        n = self.n_q if role == "q" else self.new
        return [joined([rows[:n] for rows in entry]) for entry in self.stages[role + "_grad"]]

    def of_weight(self, role, key):
        grads = self.own_rows(role)
        if role in self.inputs:
            return
        if key in self.inputs:
            self.stages[key + "_grad"] = self.as_given(key, self.over_batch(self.rows[self.rows_key(role)], grads))
        if "b" + role in self.inputs:
            total = self.column_sums([row for rows in grads for row in rows])
            self.stages["b%s_grad" % role] = shaped(total, shape(self.inputs["b" + role]))

    def of_rows(self, key, roles):
        t, shared = self.t, len(shape(self.inputs[key])) == 2
        first = self.rows[key]
        total = [[[0.0] * len(first[0][0]) for _ in first[0]] for _ in range(1 if shared else self.b)]
        for role in roles:
            weight = self.weight("w" + role)
            for b, grads in enumerate(self.own_rows(role)):
                at = 0 if shared else b
                total[at] = added(t, total[at], product(t, grads, turned(weight)) if weight else grads)
        return total[0] if shared else total


# --- results ---------------------------------------------------------------------------------------

SIDES = "q k v q_norm k_norm q_rope k_rope present_k present_v".split()
HEADS = ("q_score k_score scores scaled capped masked row_max exp row_sum weights logsumexp entropy "
         "top rounded weighted attended delta weights_grad").split()
ROWS = "x xk xv x_pos context output".split()


def results(doc, dtype=None):
    """Of each stage its shape and its numbers in index order"""
    at = Gradients(doc, dtype)
    at.forward()
    if doc.get("loss", "none") != "none" or "output_grad" in doc or "logsumexp_grad" in doc:
        at.backward()
    made = {}
    for name, table in at.stages.items():
        of = name[:-5] if name.endswith("_grad") else name
        if of in SIDES:
            role = of[-1] if of.startswith("present") else of[0]
            table = table if at.four[role] else [joined(entry) for entry in table]
        elif of in HEADS:
            table = table if at.has_heads else [entry[0] for entry in table]
        elif of in ("context", "output") and at.four["q"] and (of == "context" or "wo" not in at.inputs):
            table = [apart(rows, at.h) for rows in table]
        if of in SIDES + HEADS or (of in ROWS and name not in ("x_grad", "xk_grad", "xv_grad")):
            table = table if at.has_batch else table[0]
        made[name] = (shape(table), flat(table))
    return made
