"""selfattn-contract(7) again: every stage of an attention, forward and backward.

Tables are nested lists with the axes batch entry, head, row and column, whether or not a document
has such an axis; rows that all heads share have one head.
"""
import math
from fractions import Fraction
from functools import reduce

from arithmetic import TYPES, cosine_and_sine, fma, ln, power
from check import flat, shape

MATRICES = ("x xk xv q k v past_k past_v wq wk wv wo bq bk bv bo bias_k bias_v mask bias sinks "
            "ws bs wa ua va ba q_gain k_gain output_grad logsumexp_grad target").split()
F64 = TYPES["f64"]
SHARED = "ws", "wa", "ua"
LEARNED = {"general": {"q": "ws"}, "additive": {"q": "wa", "k": "ua"}}


def over(levels, f, *tables):
    """f of what lies so deep in all the tables"""
    return [over(levels - 1, f, *parts) for parts in zip(*tables)] if levels else f(*tables)


def at(levels, f, *tables, path=()):
    """The same; f is told first where that is."""
    if len(path) == levels:
        return f(path, *tables)
    return [at(levels, f, *parts, path=path + (n,)) for n, parts in enumerate(zip(*tables))]


def indexed(table, *path):
    for n, part in enumerate(table):
        yield from indexed(part, *path, n) if isinstance(part, list) else [(path + (n,), part)]


def rank(table):
    return len(shape(table))


def listed(value, count):
    return value if isinstance(value, list) else [value] * count


def turned(matrix):
    return [list(column) for column in zip(*matrix)]


def split(matrix, heads):
    width = len(matrix[0]) // heads if matrix else 0
    return [[row[h * width:(h + 1) * width] for row in matrix] for h in range(heads)]


def beside(matrices):
    return [sum(rows, []) for rows in zip(*matrices)]


def below(matrices):
    return sum(matrices, [])


def in_order(numbers):
    """Their sum"""
    return reduce(lambda total, x: total + x, numbers, 0.0)


class Attention:
    def __init__(self, doc, t):
        if "vocab" in doc and not {"x", "q"} & set(doc):
            doc = dict(doc, x=[doc["vocab"][word] for word in doc["tokens"]])
        self.doc, self.t, self.made = doc, t, {}
        self.given = {key: over(rank(doc[key]), t.read, doc[key]) for key in MATRICES if key in doc}
        sizes = {key: shape(doc.get(key)) for key in "x xk xv q k v past_k past_v wq wk wv".split()}
        apart = [sizes["w" + n][0] if len(sizes["w" + n]) == 3 else
                 sizes[n][1] if len(sizes[n]) == 4 else 0 for n in "qkv"]
        self.h = doc.get("heads") or apart[0] or doc.get("kv_heads", 1)
        self.g = doc.get("kv_heads") or apart[1] or apart[2] or self.h
        self.heads = {"q": self.h, "k": self.g, "v": self.g}
        self.apart = any(apart) or "heads" in doc or "kv_heads" in doc
        batches = [size[0] for key, size in sizes.items() if len(size) > 2 and key[0] != "w"]
        self.batched, self.b = bool(batches), max(batches, default=1)
        self.score = doc.get("score", "scaled")
        self.final = ("x", 1) if "wo" in doc else ("q", self.h)
        self.norms = doc.get("qk_norm", "none") != "none"
        self.norms_all = doc.get("qk_norm") == "rms-all"
        self.learned = {n: key for n, key in LEARNED.get(self.score, {}).items() if key in doc}

    def keep(self, name, table, came=None):
        """A stage. Rows have their heads side by side, unless the input came otherwise."""
        if came:
            shown = table if rank(self.doc.get(came)) == 4 else over(1, beside, table)
        else:
            shown = table if self.apart else [entry[0] for entry in table]
        shown = shown if self.batched else shown[0]
        self.made[name] = shape(shown), flat(shown)
        return table

    def for_heads(self, table):
        """Of shared keys or values those of each head"""
        return [[entry[h * len(entry) // self.h] for h in range(self.h)] for entry in table]

    def add(self, one, other):
        return over(rank(one), lambda a, b: self.t.round(a + b), one, other)

    def total(self, tables):
        return reduce(self.add, tables, over(rank(tables[0]), lambda x: 0.0, tables[0]))

    # What a document has, and what that gains

    def rows(self, key, heads=1):
        table = self.given[key]
        if rank(table) == 4:
            return table
        return [split(m, heads) for m in (table if rank(table) == 3 else [table] * self.b)]

    def way(self, matrix):
        """From the document's layout, or to it"""
        return turned(matrix) if self.doc.get("layout") == "out-in" else matrix

    def weight(self, key, heads):
        """A matrix for each head: its own, its columns, or in a score function that of all"""
        table = self.given[key]
        if rank(table) == 3:
            return over(1, self.way, table)
        table = self.way(table)
        return [table] * heads if key in SHARED else split(table, heads)

    def of_head(self, key, h, ranks):
        table = self.given[key]
        return table if rank(table) <= ranks else table[min(h, len(table) - 1)]

    def place(self, key, axes):
        """The indices of a table that may have the last axes alone, or one entry on an axis"""
        sizes = shape(self.doc[key])
        if len(axes) == 4 and self.doc.get("mask_axis") == "batch" and len(sizes) in (2, 3):
            axes = axes[:1] + axes[5 - len(sizes):]
        return tuple(min(n, size - 1) for n, size in zip(axes[len(axes) - len(sizes):], sizes))

    def entry(self, key, axes):
        return reduce(lambda table, n: table[n], self.place(key, axes), self.given[key])

    def gain(self, key, numbers):
        """A gradient, in the shape of what gains"""
        name = "slopes_grad" if key == "alibi" else key + "_grad"
        self.made[name] = shape(self.doc[key]), flat(numbers)

    def gather(self, key, numbers, t=None):
        """Sums over what each number of a table was spread over, as they come"""
        sums, t = {}, t or self.t
        for axes, x in numbers:
            index = self.place(key, axes)
            sums[index] = t.round(sums.get(index, 0.0) + x)
        self.gain(key, [self.t.round(sums[index]) for index in sorted(sums)])

    def gain_rows(self, key, tables):
        if rank(self.doc[key]) < 4:
            tables = [over(1, beside, table) for table in tables]
        self.gain(key, self.total(below(tables) if rank(self.doc[key]) == 2 else tables))

    def project(self, key, rows, heads):
        """By heads of which several may share rows"""
        if key not in self.doc:
            return [split(beside(entry), heads) for entry in rows]
        return [[self.t.product(entry[h * len(entry) // heads], weight)
                 for h, weight in enumerate(self.weight(key, heads))] for entry in rows]

    def back(self, key, grads, count):
        """To the rows: one chain over the heads that share them"""
        if key not in self.doc:
            return over(1, lambda entry: [beside(entry)], grads)
        each = len(grads[0]) // count
        back = below([turned(weight) for weight in self.weight(key, len(grads[0]))])
        back = [back[n * len(back) // count:(n + 1) * len(back) // count] for n in range(count)]
        return [[self.t.product(beside(entry[n * each:][:each]), back[n]) for n in range(count)]
                for entry in grads]

    def gain_weight(self, key, rows, grads):
        """Rows, turned, and gradients: one chain over heads that share, batch entries, rows"""
        if key not in self.doc:
            return
        heads = range(len(grads[0]))
        together = key in SHARED and rank(self.doc[key]) == 2
        parts = [self.t.product(
            turned(below([entry[h * len(entry) // len(heads)] for h in some for entry in rows])),
            below([entry[h] for h in some for entry in grads]))
            for some in ([heads] if together else [[h] for h in heads])]
        apart = rank(self.doc[key]) == 3
        self.gain(key, over(1, self.way, parts) if apart else self.way(beside(parts)))

    # Forward

    def stand(self):
        """Where queries and new keys stand"""
        doc, k = self.doc, "xk" if "xk" in self.doc else "x"
        self.origin = {"q": "x", "k": k, "v": "xv" if "xv" in doc else k}
        n_q = shape(doc["q" if "q" in doc else "x"])[-2]
        self.past = shape(doc["past_k"])[-2] if "past_k" in doc else 0
        self.new = shape(doc["k" if "k" in doc else k])[-2]
        self.n = self.past + self.new
        lengths, first = doc.get("key_lengths", self.n), doc.get("offset", self.past)
        self.lengths = listed(lengths, self.b)
        self.places = [first if isinstance(first, list) else range(first, first + n_q)] * self.b
        if doc.get("causal") == "lower-right":
            self.places = [range(n - n_q, n) for n in self.lengths]
        rope = doc.get("rope")
        self.rope = {key[5:]: doc[key] for key in doc if key.startswith("rope_")}
        self.rope.update(rope if isinstance(rope, dict) else {"base": rope})
        self.turns = {"q": self.places, "k": [range(self.past, self.n)] * self.b}
        if "positions" in self.rope:
            given = self.rope["positions"]
            given = given if rank(given) == 2 else [given] * self.b
            self.turns = {"q": [row[:n_q] for row in given],
                          "k": [row[n_q:] or row for row in given]}

    def positioned(self, row, position):
        sinusoids = [cosine_and_sine(position, power(10000.0, Fraction(c % 2 - c, len(row))))
                     for c in range(len(row))]
        return [self.t.round(x + both[1 - c % 2])
                for c, (x, both) in enumerate(zip(row, sinusoids))]

    def turn(self, row, places, i, sign=1):
        width, made = self.rope.get("width", len(row)), list(row)
        for p in range(width // 2 if i < len(places) else 0):  # rows of zeros after the keys stay
            one, two = p, p + width // 2
            if self.rope.get("pairing") == "interleaved":
                one, two = 2 * p, 2 * p + 1
            frequency = power(float(self.rope["base"]), Fraction(-2 * p, width))
            c, s = cosine_and_sine(places[i], frequency)
            made[one] = self.t.round(row[one] * c - row[two] * sign * s)
            made[two] = self.t.round(row[two] * c + row[one] * sign * s)
        return made

    def normed(self, table, heads=0):
        """Rows as their norms span them: of all heads, where it is so, and back to so many"""
        if not self.norms_all:
            return table
        return [split(m[0], heads) if heads else [beside(m)] for m in table]

    def factors(self, name, h, row):
        """Of a norm, and its eps"""
        key = name + "_gain"
        gain = self.of_head(key, h, 1) if key in self.doc else [1.0] * len(row)
        if self.norms_all and key in self.doc and rank(self.doc[key]) == 2:
            gain = sum(self.given[key], [])
        return gain, float(self.doc.get("qk_eps", 1e-6))

    def inputs(self):
        """Queries, keys and values, and all that is done to them before they are compared"""
        doc, keep, last = self.doc, self.keep, {}
        self.source = source = {n: self.rows(key) for n, key in self.origin.items() if key in doc}
        for n, name in zip("qkv", ("x", "xk", "xv")):
            if n not in doc:
                keep(name, source[n], name)
        if doc.get("positions", "none") != "none":
            x = at(3, lambda p, row: self.positioned(row, self.places[p[0]][p[2]]), source["q"])
            keep("x_pos", x, "x")
            source.update({n: x for n, key in self.origin.items() if key == "x"})
        for n, heads in self.heads.items():
            last[n] = self.rows(n, heads) if n in doc else self.biased(
                n, self.project("w" + n, source[n], heads))
        for n in "kv" if "bias_k" in doc or doc.get("add_zero") else "":
            after = [flat(self.given["bias_" + n])] if "bias_" + n in doc else []
            after += [[0.0] * self.g * len(last[n][0][0][0])] if doc.get("add_zero") else []
            last[n] = [over(1, lambda a, b: a + b, entry, split(after, self.g))
                       for entry in last[n]]
        for n in "qkv":
            keep(n, last[n], n)
        self.plain = dict(last)
        for n in "qkv":
            if self.norms and n != "v":
                self.plain[n] = self.normed(last[n])
                made = at(3, lambda p, row: norm(
                    self.t, row, *self.factors(n, p[1], row)), self.plain[n])
                last[n] = keep(n + "_norm", self.normed(made, len(last[n][0])), n)
            if "rope" in doc and n != "v":
                last[n] = keep(n + "_rope", at(3, lambda p, row: self.turn(
                    row, self.turns[n][p[0]], p[2]), last[n]), n)
            if self.past and n != "q":
                past = self.rows("past_" + n, self.g)
                last[n] = keep("present_" + n, over(2, lambda a, b: a + b, past, last[n]), n)
        return last

    def biased(self, name, table):
        if "b" + name not in self.doc:
            return table
        bias = split([flat(self.given["b" + name])], len(table[0]))
        return at(3, lambda p, row: self.add(row, bias[p[1]][0]), table)

    def tanhs(self, p, q, k):
        """Of an additive score, before they are summed"""
        both = self.add(q, k)
        both = self.add(both, self.of_head("ba", p[1], 1)) if "ba" in self.doc else both
        return [self.t.tanh(x) for x in both]

    def va(self, p, tanhs):
        return self.of_head("va", p[1], 1) if "va" in self.doc else [1.0] * len(tanhs)

    def compare(self, q, k):
        doc, t, sides = self.doc, self.t, {"q": q, "k": k}
        for n, key in self.learned.items():
            sides[n] = self.keep(n + "_score", self.project(key, sides[n], self.h))
        self.q, self.k = sides["q"], self.for_heads(sides["k"])
        if self.score == "additive":
            self.tanh = at(2, lambda p, q, k: [[self.tanhs(p, a, b) for b in k] for a in q],
                           self.q, self.k)
            return at(4, lambda p, tanhs: t.chain(tanhs, self.va(p, tanhs)), self.tanh)
        made = over(2, lambda q, k: t.product(q, turned(k)), self.q, self.k)
        if self.score == "general" and "bs" in doc:
            made = at(4, lambda p, x: t.round(x + self.of_head("bs", p[1], 0)), made)
        return made

    def scale(self, d_k):
        word = self.doc.get("scale", "head" if self.score == "scaled" else "none")
        if word in ("head", "embed"):
            return self.t.round(1 / math.sqrt(d_k if word == "head" else shape(self.doc["x"])[-1]))
        return 1.0 if word == "none" else self.t.read(word)

    def slopes(self):
        given, low = self.doc.get("alibi", False), 1 << self.h.bit_length() - 1
        if given is not True:
            return [self.t.read(x) for x in listed(given, self.h)]
        exponents = [Fraction(-8 * i, low) for i in range(1, low + 1)]
        exponents += [Fraction(-4 * i, low) for i in range(1, 2 * low, 2)]
        return [self.t.round(power(2.0, e)) for e in exponents[:self.h]]

    def distance(self, b, h, i, j):
        return self.t.round(abs(self.places[b][i] - j)) if j < self.n else 0.0

    def masked(self, cell, x):
        doc, t, (b, h, i, j) = self.doc, self.t, cell
        if j >= self.n:
            return x
        if "bias" in doc:
            x = t.round(x + self.entry("bias", cell))
        x = t.round(x - t.round(self.slope[h] * self.distance(*cell)))
        (left, right), p = doc.get("window", (-1, -1)), self.places[b][i]
        masks = doc.get("mask_true") == "masked"
        hidden = [j >= self.lengths[b], left >= 0 and j < p - left, right >= 0 and j > p + right,
                  doc.get("causal", "none") not in (False, "none") and j > p,
                  "mask" in doc and bool(self.entry("mask", cell)) == masks]
        return -math.inf if any(hidden) else x

    def softmax(self, path, row):
        t = self.t
        sink = [self.given["sinks"][path[1]]] if "sinks" in self.doc else []
        greatest = max(row + sink) + 0.0
        powers = [t.exp(x, greatest) for x in row]
        after = powers[self.n:] + [t.exp(x, greatest) for x in sink]
        total, rest = t.sum(powers[:self.n], after)
        total = t.round(total + rest)
        weights = [t.round(x / total) if total else 0.0 for x in powers]
        weights = [x if x >= t.smallest else 0.0 for x in weights]
        seen = [x for x in weights if x]
        entropy = 0.0 - F64.chain(seen, [ln(x) for x in seen])
        log = t.round(greatest + ln(total)) if total else -math.inf
        return [greatest], powers, [total], weights, [log], [t.round(entropy)]

    def top(self, row):
        order = sorted((j for j, x in enumerate(row) if x), key=lambda j: -row[j])
        return (order + [-1] * self.doc["top"])[:self.doc["top"]]

    def rounded(self, row):
        decimals, _, keep_sum = str(self.doc["round"]).partition(":")
        one = 10 ** int(decimals)
        exact = [Fraction(x) * one for x in row]
        units = [math.floor(x + (0 if keep_sum else Fraction(1, 2))) for x in exact]
        order = sorted((j for j, x in enumerate(row) if x), key=lambda j: units[j] - exact[j])
        lack = one - sum(units) if keep_sum and order else 0
        for turn in range(abs(lack)):
            units[(order if lack > 0 else order[::-1])[turn % len(order)]] += 1 if lack > 0 else -1
        return [self.t.round(x / one) for x in units]

    def attend(self, weights, v):
        pairs = [[[(w, x) for w, x in zip(row, column) if w] for column in turned(v)]
                 for row in weights]
        return over(2, lambda some: self.t.chain(*zip(*some)) if some else 0.0, pairs)

    def weigh(self, weights, v):
        return [[[self.t.round(w * x) + 0.0 if w else 0.0 for x in value]
                 for w, value in zip(row, v)] for row in weights]

    def forward(self):
        doc, t, keep = self.doc, self.t, self.keep
        self.stand()
        last = self.inputs()
        self.before, self.v = last, self.for_heads(last["v"])
        table = keep("scores", self.compare(last["q"], last["k"]))
        self.factor, self.slope = self.scale(len(last["q"][0][0][0])), self.slopes()
        table = keep("scaled", over(4, lambda x: t.round(x * self.factor), table))
        if "softcap" in doc:
            self.cap = t.read(doc["softcap"])
            table = self.capped = keep("capped", over(
                4, lambda x: t.round(self.cap * t.tanh(t.round(x / self.cap))), table))
        made = at(3, self.softmax, keep("masked", at(4, self.masked, table)))
        soft = self.soft = {}
        for n, name in enumerate("row_max exp row_sum weights logsumexp entropy".split()):
            soft[name] = keep(name, over(3, lambda parts: parts[n], made))
        weights = soft["weights"]
        if "top" in doc:
            keep("top", over(3, self.top, weights))
        if "round" in doc:
            weights = keep("rounded", over(3, self.rounded, weights))
        keep("weighted", over(2, self.weigh, weights, self.v))
        self.attended = keep("attended", over(2, self.attend, weights, self.v))
        rows = [[beside(entry)] for entry in keep("context", self.attended, "q")]
        self.output = self.biased("o", self.project("wo", rows, self.final[1]))
        keep("output", self.output, self.final[0])

    # Backward

    def softmax_back(self, grads):
        doc, t, keep, soft = self.doc, self.t, self.keep, self.soft
        delta = over(3, lambda one, other: [t.chain(one, other)], grads, self.attended)
        if "logsumexp_grad" in doc:
            given = iter(flat(self.given["logsumexp_grad"]))
            delta = over(4, lambda x: t.round(x - next(given)), delta)
        keep("delta", delta)
        table = keep("weights_grad", over(2, lambda m, v: t.product(m, turned(v)), grads, self.v))
        table = keep("masked_grad", over(3, lambda row, gain, d: [
            t.round(w * t.round(x - d[0])) + 0.0 for w, x in zip(row, gain)],
            soft["weights"], table, delta))
        cells = [(cell, x) for cell, x in indexed(table) if cell[3] < self.n]
        if "bias" in doc:
            self.gather("bias", cells)
        if doc.get("alibi", True) is not True:
            self.gather("alibi", ((cell[1:2], -x * self.distance(*cell)) for cell, x in cells), F64)
        if "sinks" in doc:
            less = at(3, lambda p, m, total, d: -(
                t.exp(self.given["sinks"][p[1]], m[0]) / total[0] * d[0]),
                soft["row_max"], soft["row_sum"], delta)
            self.gather("sinks", ((p[1:2], x) for p, x in indexed(less)), F64)
        if "softcap" in doc:
            keep("capped_grad", table)
            table = over(4, lambda x, c: t.round(x * (1 - c / self.cap * (c / self.cap))) + 0.0,
                         table, self.capped)
        keep("scaled_grad", table)
        return keep("scores_grad", over(4, lambda x: t.round(x * self.factor) + 0.0, table))

    def compare_back(self, grads):
        """To queries and keys, and to what a score function has learned"""
        doc, t, sums = self.doc, self.t, {}
        if self.score == "additive":
            gains = at(4, lambda p, x, tanhs: [t.round(x * a * (1 - y * y)) for a, y in zip(
                self.va(p, tanhs), tanhs)], grads, self.tanh)
            q = over(3, self.total, gains)
            k = over(2, lambda m: [self.total(column) for column in turned(m)], gains)
            sums["va"] = over(2, lambda m, tanh: t.product([flat(m)], below(tanh))[0],
                              grads, self.tanh)
            sums["ba"] = over(2, lambda m: self.total(below(m)), gains)
        else:
            q = over(2, t.product, grads, self.k)
            k = over(2, lambda m, q: t.product(turned(m), q), grads, self.q)
            sums["bs"] = over(2, lambda m: [reduce(self.add, flat(m), 0.0)], grads)
        found = {"q": q, "k": k}
        for n in self.learned:
            self.keep(n + "_score_grad", found[n])
        for n, key in self.learned.items():
            self.gain_weight(key, self.before[n], found[n])
            found[n] = self.back(key, found[n], self.heads[n])
        for key in [key for key in ("bs", "va", "ba") if key in doc and key in sums]:
            self.gather(key, [((h, c)[:2 if key != "bs" else 1], x) for h in range(self.h)
                              for entry in sums[key] for c, x in enumerate(entry[h])])
        return found["q"], found["k"] if "k" in self.learned else self.grouped(found["k"])

    def grouped(self, table):
        """Of heads that share keys the first one's, then the others added"""
        share = self.h // self.g
        return [[reduce(self.add, entry[g * share:][:share]) for g in range(self.g)]
                for entry in table]

    def backward(self):
        doc, t, keep = self.doc, self.t, self.keep
        self.given["output_grad"] = comes_back(self, self.made["output"])
        grads = keep("output_grad", self.rows("output_grad", self.final[1]), self.final[0])
        self.gain_bias("o", grads)
        self.gain_weight("wo", [[beside(entry)] for entry in self.attended], grads)
        grads = [split(entry[0], self.h) for entry in self.back("wo", grads, 1)]
        keep("attended_grad", keep("context_grad", grads, "q"))
        q, k = self.compare_back(self.softmax_back(grads))
        v = self.grouped(over(2, lambda m, g: t.product(turned(m), g), self.soft["weights"], grads))
        tables = {}
        for n, grad in ("q", q), ("k", k), ("v", v):
            if self.past and n != "q":
                keep("present_%s_grad" % n, grad, n)
                self.gain_rows("past_" + n, [over(2, lambda m: m[:self.past], grad)])
                grad = over(2, lambda m: m[self.past:], grad)
            if "rope" in doc and n != "v":
                keep(n + "_rope_grad", grad, n)
                grad = at(3, lambda p, row: self.turn(row, self.turns[n][p[0]], p[2], -1), grad)
            if self.norms and n != "v":
                keep(n + "_norm_grad", grad, n)
                heads = len(grad[0])
                both = at(3, lambda p, row, back: norm_gradient(
                    t, row, back, *self.factors(n, p[1], row)), self.plain[n], self.normed(grad))
                grad, gains = (over(3, lambda pair: pair[part], both) for part in range(2))
                if n + "_gain" in doc:
                    gains = self.normed(gains, heads) if rank(doc[n + "_gain"]) == 2 else gains
                    self.gather(n + "_gain", ((p[1::2], x) for p, x in indexed(gains)), F64)
                grad = self.normed(grad, heads)
            keep(n + "_grad", grad, n)
            if "bias_" + n in doc:
                self.gain("bias_" + n, self.total([beside(entry)[self.new] for entry in grad]))
            if n not in doc:
                grad = over(2, lambda m: m[:len(self.source[n][0][0])], grad)
                self.gain_weight("w" + n, self.source[n], grad)
                self.gain_bias(n, grad)
                tables.setdefault(self.origin[n], []).append(self.back("w" + n, grad, 1))
        for key in tables:
            self.gain_rows(key, tables[key])

    def gain_bias(self, name, grads):
        if "b" + name in self.doc:
            self.gain("b" + name, self.total(below(over(1, beside, grads))))


def nested(sizes, numbers):
    """A table of the numbers in index order"""
    numbers = iter(numbers)
    return [nested(sizes[1:], numbers) for _ in range(sizes[0])] if sizes else next(numbers)


def comes_back(made_by, output):
    """To the output, as it was given, or of the loss, which becomes a stage"""
    doc, t, (sizes, numbers) = made_by.doc, made_by.t, output
    kind = doc.get("loss", "none")
    if kind == "none":
        return over(len(sizes), t.read, doc["output_grad"]) if "output_grad" in doc else nested(
            sizes, [0.0] * len(numbers))
    grads = [1.0 if kind == "sum" else t.round(1 / len(numbers))] * len(numbers)
    if kind == "square":
        target = [t.read(x) for x in flat(doc["target"])]
        grads = [t.round(x - y) for x, y in zip(numbers, target)]
        numbers = [(x - y) * (x - y) / 2 for x, y in zip(numbers, target)]
    total = in_order(numbers)
    made_by.made["loss"] = [], [t.round(total / len(numbers) if kind == "mean" else total)]
    return nested(sizes, grads)


def norm(t, row, gain, eps, bias=(), centred=False):
    """A row divided by its root, of its deviations or its numbers"""
    width, mean, more = len(row), 0.0, 0.0
    if centred:
        total, rest = t.sum(row)
        mean = total / width
        more = (fma(-mean, width, total) + rest) / width if t is F64 else 0.0
    d = [(x - mean) - more for x in row]
    total, rest = t.sum([x * x for x in d])
    root = math.sqrt((total + rest) / width + eps)
    made = [(x / root if root else 0.0) * g for x, g in zip(d, gain)]
    return [t.round(x) for x in ([x + b for x, b in zip(made, bias)] if bias else made)]


def norm_gradient(t, d, grad, gain, eps, centred=False):
    """The gradients of a row with the deviations d, and what its gains are given"""
    root = math.sqrt(in_order(x * x for x in d) / len(d) + eps)
    r = 1 / root if root else 0.0
    g = [a * b for a, b in zip(gain, grad)]
    s = in_order(a * x for a, x in zip(g, d)) / len(d) * (r / root) if root else 0.0
    f = [(a - x * s) * r for a, x in zip(g, d)]
    mean = in_order(x / len(f) for x in f) if centred else 0.0
    return [t.round(x - mean) for x in f], [a * (x * r) for a, x in zip(grad, d)]


def results(doc, kind="f32"):
    """Of each stage its shape and its numbers"""
    one = Attention(doc, TYPES[kind])
    one.forward()
    if {"output_grad", "logsumexp_grad"} & set(doc) or doc.get("loss", "none") != "none":
        one.backward()
    return one.made
