"""One attention, stage after stage, to the last bit: by the text of selfattn-contract(7).

It shows that the page says enough. It shares nothing with the program, is slow, and believes its
documents. A stage of rows is batch × row × column here, one of heads batch × head × row × column.
"""
import math
from fractions import Fraction

from arithmetic import *


# --- forward ---------------------------------------------------------------------------------------

class Attention:
    def __init__(self, doc, dtype=None):
        self.doc, self.t = doc, TYPES[dtype or doc.get("dtype", "f32")]
        self.inputs, self.stages = {}, {}
        for key in ("x xk xv wq wk wv wo bq bk bv bo q k v past_k past_v q_gain k_gain bias ws bs wa ua va ba "
                    "sinks bias_k bias_v output_grad logsumexp_grad target").split():
            if isinstance(doc.get(key), (list, int, float, Fraction)):
                self.inputs[key] = self.read(doc[key])
        if "x" not in doc and "vocab" in doc:
            self.inputs["x"] = self.read([doc["vocab"][token] for token in doc["tokens"]])
        rank = {key: len(shape(table)) for key, table in self.inputs.items()}
        self.four = {key: rank.get(key) == 4 for key in "qkv"}
        wide = [key for key in ("wq", "wk", "wv") if rank.get(key) == 3]
        self.has_heads = "heads" in doc or "kv_heads" in doc or bool(wide) or any(self.four.values())
        own = {key: len(self.inputs[key]) for key in wide}
        own.update({"w" + key: len(self.inputs[key][0]) for key in "qkv" if self.four[key]})
        self.h = doc.get("heads", own.get("wq", doc.get("kv_heads", own.get("wk", 1))))
        self.g = doc.get("kv_heads", own.get("wk", own.get("wv", self.h)))
        entries = [len(self.inputs[key]) for key in ("x", "xk", "xv", "q", "k", "v") if rank.get(key, 0) > 2]
        self.has_batch, self.b = bool(entries), max(entries, default=1)
        self.units = [(b, h) for b in range(self.b) for h in range(self.h)]
        self.score = doc.get("score", "scaled")

    def read(self, value):
        if isinstance(value, list):
            return [self.read(part) for part in value]
        return float(value) if isinstance(value, str) else self.t.read(value)

    def batched(self, table):
        return table if len(shape(table)) > 2 else [table] * self.b

    def weight(self, key):
        """One matrix, in-out, of all heads side by side; None: there is none."""
        table = self.inputs.get(key)
        if table is None:
            return None
        if self.doc.get("layout") == "out-in":
            table = [turned(one) for one in table] if len(shape(table)) == 3 else turned(table)
        if len(shape(table)) == 3:
            return [row for one in table for row in one] if key == "wo" else joined(table)
        return table

    def of_score(self, key, absent=None):
        """A parameter of the score, one a head"""
        table = self.inputs.get(key)
        if table is None:
            return [absent] * self.h
        if key in ("ws", "wa", "ua"):
            own = table if len(shape(table)) == 3 else [table] * self.h
            return [turned(one) for one in own] if self.doc.get("layout") == "out-in" else own
        width = 1 if key == "bs" else len(self.q_score[0][0][0])
        numbers = flat(table)
        return [numbers[h * width:][:width] if len(numbers) > width else numbers for h in range(self.h)]

    def position(self, b, i):
        offset = self.doc.get("offset", self.past)
        if isinstance(offset, list):
            return (offset[b] if isinstance(offset[0], list) else offset)[i]
        if self.doc.get("causal") == "lower-right":
            return i + self.length(b) - self.n_q
        return i + offset

    def length(self, b):
        lengths = self.doc.get("key_lengths", self.n_k)
        return lengths[b] if isinstance(lengths, list) else lengths

    def place(self, key, *at):
        """Where the mask or bias of batch entry, head, query and key stands in its table"""
        sizes = shape(self.doc[key])
        by_batch = self.doc.get("mask_axis") == "batch"
        axes = [[3], [0, 3] if by_batch else [2, 3], [0 if by_batch else 1, 2, 3], [0, 1, 2, 3]][len(sizes) - 1]
        return [0 if size == 1 else at[axis] for axis, size in zip(axes, sizes)]

    def sees(self, b, h, i, j):
        position, causal = self.position(b, i), self.doc.get("causal", "none")
        if j >= self.n_k:
            return True
        left, right = (self.doc.get("window") or [-1, -1])[:2]
        seen = j < self.length(b) and (causal in ("none", False) or j <= position)
        seen = seen and (left < 0 or j >= position - left) and (right < 0 or j <= position + right)
        if seen and "mask" in self.doc:
            value = self.doc["mask"]
            for at in self.place("mask", b, h, i, j):
                value = value[at]
            seen = bool(value) != (self.doc.get("mask_true") == "masked")
        return seen

    def rows_key(self, role):
        keys = {"q": ["x"], "k": ["xk", "x"], "v": ["xv", "xk", "x"]}[role]
        return next((key for key in keys if key in self.inputs), None)

    def project(self, role):
        heads = self.h if role == "q" else self.g
        if role in self.inputs:
            given = self.inputs[role]
            return given if self.four[role] else [apart(rows, heads) for rows in self.batched(given)]
        weight, bias, made = self.weight("w" + role), self.inputs.get("b" + role), []
        for rows in self.rows[self.rows_key(role)]:
            rows = product(self.t, rows, weight) if weight else rows
            made.append(apart(added(self.t, rows, [flat(bias)] * len(rows)) if bias else rows, heads))
        return made

    def normed(self, role, table):
        eps, t = float(self.doc.get("qk_eps", 1e-6)), self.t
        return [[[[t.round((x / root if root else 0.0) * gain) for x, gain in zip(row, self.gain(role, h))]
                  for row in rows for root in [norm_root(t, row, eps)]] for h, rows in enumerate(entry)]
                for entry in table]

    def gain(self, role, h):
        gain, width = self.inputs.get(role + "_gain"), len(self.forms[role][0][0][0])
        numbers = flat(gain) if gain else [1.0] * width
        return numbers[h * width:][:width] if len(numbers) > width else numbers

    def turn(self, role, table, sign=1):
        """Rotary positions; sign -1 turns back."""
        rope = self.doc["rope"] if isinstance(self.doc["rope"], dict) else {"base": self.doc["rope"]}
        base = rope.get("base", 10000)
        pairing = rope.get("pairing", self.doc.get("rope_pairing", "half"))
        places = rope.get("positions", self.doc.get("rope_positions"))
        width = rope.get("width", self.doc.get("rope_width", len(table[0][0][0])))
        waves = [frequency(10000 if base is True else base, p, width) for p in range(width // 2)]
        out = [[[list(row) for row in rows] for rows in entry] for entry in table]
        for b, entry in enumerate(table):
            own = places[b] if places and isinstance(places[0], list) else places
            for i in range(self.n_q if role == "q" else self.new):
                first = self.n_q if own and role == "k" and len(own) != self.new else 0
                at = own[first + i] if own else self.position(b, i) if role == "q" else self.past + i
                for p, wave in enumerate(waves):
                    c, s = cosine_and_sine(float(at), wave)
                    s *= sign
                    one, two = (2 * p, 2 * p + 1) if pairing == "interleaved" else (p, p + width // 2)
                    for h, rows in enumerate(entry):
                        x, y = rows[i][one], rows[i][two]
                        out[b][h][i][one] = self.t.round(x * c - y * s)
                        out[b][h][i][two] = self.t.round(y * c + x * s)
        return out

    def forward(self):
        t, doc, s = self.t, self.doc, self.stages
        self.rows = {key: self.batched(self.inputs[key]) for key in ("x", "xk", "xv") if key in self.inputs}
        past = self.inputs.get("past_k")
        self.past = 0 if past is None else shape(past)[-2]
        key_rows = self.inputs.get("k") or self.inputs.get(self.rows_key("k"))
        self.new = shape(key_rows)[-2]
        self.n_k = self.past + self.new
        self.n_q = shape(self.inputs.get("q") or self.inputs[self.rows_key("q")])[-2]
        for role, key in zip("qkv", ("x", "xk", "xv")):
            if role not in self.inputs or key in self.inputs:
                s[key] = self.rows.get(self.rows_key(role))
        if doc.get("positions") == "sinusoidal":
            m = len(self.rows["x"][0][0])
            waves = [cosine_and_sine(float(self.position(0, i)), frequency(10000, c // 2, m))[1 - c % 2]
                     for i in range(self.n_q) for c in range(m)]
            self.rows["x"] = s["x_pos"] = [added(t, rows, shaped(waves, [self.n_q, m])) for rows in self.rows["x"]]
        self.forms = {role: self.project(role) for role in "qkv"}
        for role in "kv":
            more = apart([flat(self.inputs["bias_" + role])], self.g) if "bias_" + role in self.inputs else None
            for entry in self.forms[role]:
                for h, rows in enumerate(entry):
                    width = len(rows[0])
                    entry[h] = rows + (more[h] if more else []) + ([[0.0] * width] if doc.get("add_zero") else [])
        s.update(self.forms)
        last = dict(self.forms)
        for role in "qk":
            if doc.get("qk_norm", "none") == "rms":
                last[role] = s[role + "_norm"] = self.normed(role, last[role])
            if doc.get("rope"):
                last[role] = s[role + "_rope"] = self.turn(role, last[role])
        for role in "kv" if self.past else "":
            before = self.inputs["past_" + role]
            before = before if len(shape(before)) == 4 else [apart(rows, self.g) for rows in self.batched(before)]
            last[role] = s["present_" + role] = [[a + b for a, b in zip(one, other)]
                                                 for one, other in zip(before, last[role])]
        self.q, self.k, self.v = last["q"], last["k"], last["v"]
        self.compare()
        self.softmax()
        self.output()
        return s

    def shared(self, h):
        return h // (self.h // self.g)

    def compare(self):
        t, s = self.t, self.stages
        to_q, to_k = self.of_score("wa" if self.score == "additive" else "ws"), self.of_score("ua")
        self.q_score = [[product(t, rows, to_q[h]) if to_q[h] else rows for h, rows in enumerate(entry)]
                        for entry in self.q]
        self.k_score = [[product(t, entry[self.shared(h)], to_k[h]) if to_k[h] else entry[self.shared(h)]
                         for h in range(self.h)] for entry in self.k]
        if to_q[0]:
            s["q_score"] = self.q_score
        if to_k[0]:
            s["k_score"] = self.k_score
        width = len(self.q_score[0][0][0])
        self.va, self.ba = self.of_score("va", [1.0] * width), self.of_score("ba", [0.0] * width)
        self.bs = self.of_score("bs")
        s["scores"] = [[self.scores(b, h) for h in range(self.h)] for b in range(self.b)]

    def bent(self, b, h, i, j):
        t = self.t
        return [tanh(t, t.round(t.round(x + y) + z)) for x, y, z in zip(
            self.q_score[b][h][i], self.k_score[b][h][j], self.ba[h])]

    def scores(self, b, h):
        queries, keys = self.q_score[b][h], self.k_score[b][h]
        if self.score == "additive":
            return [[chain(self.t, self.va[h], self.bent(b, h, i, j)) for j in range(len(keys))]
                    for i in range(len(queries))]
        rows = product(self.t, queries, turned(keys))
        return added(self.t, rows, [self.bs[h] * len(keys)] * len(rows)) if self.bs[h] else rows

    def each(self, name, of, *taken):
        """The stage of which row i of a head is of(b, h, i, rows...)."""
        self.stages[name] = [[[of(b, h, i, *(self.stages[key][b][h][i] for key in taken))
                               for i in range(self.n_q)] for h in range(self.h)] for b in range(self.b)]

    def softmax(self):
        t, doc, s = self.t, self.doc, self.stages
        kind = doc.get("scale", "head" if self.score == "scaled" else "none")
        width = {"head": len(self.k[0][0][0]), "embed": len(self.rows["x"][0][0]) if "x" in self.rows else 0}
        self.scale = t.round(1 / math.sqrt(width[kind]) if kind in width else 1.0) if isinstance(
            kind, str) else t.read(kind)
        self.each("scaled", lambda b, h, i, row: [t.round(x * self.scale) for x in row], "scores")
        before = "scaled"
        self.cap = t.read(doc.get("softcap", 0))
        if self.cap:
            before = "capped"
            self.each(before, lambda b, h, i, row: [
                t.round(self.cap * tanh(t, t.round(x / self.cap))) for x in row], "scaled")
        self.each("masked", self.masked, before)
        sinks = flat(self.inputs["sinks"]) if "sinks" in self.inputs else None
        self.each("row_max", lambda b, h, i, row: [max(row + sinks[h:h + 1] if sinks else row) + 0.0], "masked")
        self.each("exp", lambda b, h, i, row, top: [
            exp(t, x, top[0]) if x > -math.inf else 0.0 for x in row], "masked", "row_max")

        def row_sum(b, h, i, row, top):
            total, rest = partial_sums(t, row[:self.n_k])
            for term in row[self.n_k:] + ([exp(t, sinks[h], top[0])] if sinks else []):
                total, lost = two_sum(total, term)
                rest += lost
            return [t.round(total + rest)]
        self.sinks = sinks
        self.each("row_sum", row_sum, "exp", "row_max")
        self.each("weights", lambda b, h, i, row, total: [
            share if share >= t.smallest else 0.0 for x in row for share in [t.round(x / (total[0] or 1))]],
            "exp", "row_sum")
        self.each("logsumexp", lambda b, h, i, top, total: [
            t.round(top[0] + log(total[0])) if total[0] else -math.inf], "row_max", "row_sum")
        self.each("entropy", lambda b, h, i, row: [t.round(0 - chain(
            Float64, [x for x in row if x], [log(x) for x in row if x]))], "weights")
        if doc.get("top"):
            self.each("top", lambda b, h, i, row: (sorted(
                (float(j) for j, x in enumerate(row) if x), key=lambda j: -row[int(j)])
                + [-1.0] * doc["top"])[:doc["top"]], "weights")
        self.used = "weights"
        if "round" in doc:
            self.used = "rounded"
            self.each("rounded", self.by_hand, "weights")

    def slopes(self):
        alibi = self.doc.get("alibi", False)
        if alibi is False:
            return None
        if alibi is not True and not isinstance(alibi, str):
            return [self.t.read(x) for x in flat(alibi)]
        below = 2 ** (self.h.bit_length() - 1)
        shares = [Fraction(8 * (h + 1), below) if h < below else Fraction(8 * (2 * (h - below) + 1), 2 * below)
                  for h in range(self.h)]
        return [self.t.round(frequency(2, x.numerator, 2 * x.denominator)) for x in shares]

    def masked(self, b, h, i, row):
        t, slopes = self.t, self.slopes()
        row = list(row)
        for j in range(self.n_k):
            if "bias" in self.inputs:
                value = self.inputs["bias"]
                for at in self.place("bias", b, h, i, j):
                    value = value[at]
                row[j] = t.round(row[j] + value)
            if slopes:
                row[j] = t.round(row[j] - t.round(slopes[h] * t.round(abs(self.position(b, i) - j))))
            if not self.sees(b, h, i, j):
                row[j] = -math.inf
        return row

    def by_hand(self, b, h, i, row):
        places, keeps_sum = (str(self.doc["round"]) + ":").split(":")[:2]
        tens = 10 ** int(places)
        exact = [Fraction(x) * tens for x in row]
        units = [math.floor(x + (0 if keeps_sum else Fraction(1, 2))) for x in exact]
        takers = sorted((j for j, x in enumerate(row) if x), key=lambda j: units[j] - exact[j])
        missing = tens - sum(units) if keeps_sum and takers else 0
        for n in range(missing):
            units[takers[n % len(takers)]] += 1
        for j in [j for j in reversed(takers) if units[j] > 0][:max(-missing, 0)]:
            units[j] -= 1
        return [self.t.round(x / tens) for x in units]

    def output(self):
        t, s = self.t, self.stages

        def values(b, h):
            return self.v[b][self.shared(h)]
        self.each("weighted", lambda b, h, i, row: [
            [t.round(x * y) + 0.0 if x else 0.0 for y in value] for x, value in zip(row, values(b, h))], self.used)
        self.each("attended", lambda b, h, i, row: [
            chain(t, *zip(*[(x, y) for x, y in zip(row, column) if x])) if any(row) else 0.0
            for column in turned(values(b, h))], self.used)
        s["context"] = [joined(entry) for entry in s["attended"]]
        wo, bo = self.weight("wo"), self.inputs.get("bo")
        s["output"] = [product(t, rows, wo) if wo else rows for rows in s["context"]]
        if bo:
            s["output"] = [added(t, rows, [flat(bo)] * len(rows)) for rows in s["output"]]
