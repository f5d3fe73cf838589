"""selfattn-contract(7) again, of documents of layers: every stage, forward and backward."""
import math

from arithmetic import TYPES, fma, hexes, ln, polynomial, two_product, two_sum
from check import flat, shape
from contract import Attention, beside, comes_back, in_order, norm, norm_gradient, over, turned

# Of an attention's settings those of its layers, for cross-attention too
SHARED = ("heads kv_heads scale score softcap qk_norm qk_eps layout round mask_true top "
          "add_zero").split()
OF_LAYERS = ("layers memory kind x ids embedding vocab tokens segments segment_embedding "
             "position_embedding norm norm_kind norm_eps activation ln1 ln2 ln3 ln_e ln_f cross "
             "w1 w2 w3 b1 b2 b3 loss output_grad target labels unembedding unembedding_bias").split()
F64 = TYPES["f64"]


# Numbers as sums of two: (high, low)

def times(a, b):
    high, low = two_product(a[0], b[0])
    return high, low + (a[0] * b[1] + a[1] * b[0])


def quotient(a, d):
    inverse = 1 / d[0]
    high = a[0] * inverse
    return high, (fma(-high, d[0], a[0]) + fma(-high, d[1], a[1])) * inverse


def exponential(x):
    """e^x as a pair and a power of two"""
    log, ln2, beyond = hexes("0x1.71547652b82fep+0 0x1.62e42fefa38p-1 0x1.ef35793c7673p-45")
    big = 1.5 * 2.0 ** 52
    n = fma(x[0], log, big) - big
    high, low = fma(n, -ln2, x[0]), fma(n, -beyond, x[1])
    r, first = high + low, 1 + high
    series = polynomial([1 / math.factorial(n) for n in range(13, 1, -1)], r, fma)
    rest = ((1 - first) + high) + (low + r * r * series)
    return (first + rest, rest - ((first + rest) - first)), n


def scaled(x, n):
    return x * 2.0 ** max(n, -1000) * 2.0 ** (n - max(n, -1000))


def times_sigmoid(x, w):
    """x·σ(w), w of the sign of x"""
    below = x < 0
    t, n = exponential(w if below else (-w[0], -w[1]))
    whole, rest = scaled(t[0], n), scaled(t[1], n)
    first = 1 + whole
    share = quotient(times((x, 0.0), t if below else (1.0, 0.0)),
                     (first, ((1 - first) + whole) + rest))
    return scaled(share[0] + share[1], n if below else 0.0)


def silu(x):
    near = max(min(x, 800.0), -800.0)
    return x if x > 800 else times_sigmoid(near, (near, 0.0))


def gelu_tanh(x):
    a, b = hexes("0x1.9884533d43651p+0 -0x1.cbc0d30ebfd15p-54"), hexes(
        "0x1.2444f2a4d8b4bp-4 -0x1.6c843a29d1c70p-61")
    near = max(min(x, 22.0), -22.0)
    cube = times(b, two_product(near, near))
    high, low = two_sum(a[0], cube[0])
    return x if x > 22 else times_sigmoid(
        near, times((near, 0.0), (high, low + (a[1] + cube[1]))))


EVEN = hexes("-0x1.5a76571b8b2e7p-33 0x1.5f2968ec86953p-28 -0x1.73242b4b95b53p-25 "
             "0x1.ebe99a6dfe644p-23 -0x1.db1a19b882e11p-22 -0x1.829dfdc93baefp-17 "
             "0x1.fe35fae81e93dp-13 -0x1.3b24087b5b1ccp-9 -0x1.2b2bbaf34843cp-6 "
             "-0x1.00cd0d6b9979cp-6 0x1.ac5c08ded2ec5p-4 -0x1.13ba9fd2a639cp-2")
ODD = hexes("-0x1.e42d542bfa382p-32 0x1.aa225d7545dd0p-28 -0x1.7aa89bad66446p-25 "
            "0x1.286145b8c3d13p-22 -0x1.ee1b81820f7cap-20 0x1.b2b5df6d0ef4fp-17 "
            "-0x1.4f413661c9bf3p-14 0x1.4a9ea21d740e4p-14 0x1.199829fc81564p-7 "
            "0x1.9b36b7652efcep-6 -0x1.a0c86ccfb1034p-6 -0x1.ac262e751b6aap-3")


def gelu(x):
    y = min(abs(x), 40.0)
    high, low = two_product(y, y)
    e, n = exponential((-0.5 * high, -0.5 * low))
    q = (y - 5) / (y + 5)
    ratio = fma(q, polynomial(ODD, q * q, fma), polynomial(EVEN, q * q, fma))
    high, low = two_product(0.75, y)
    slope, lost = two_sum(1.0, high)
    share = quotient(times(times(e, two_sum(1.0, ratio)), (0.5 * y, 0.0)), (slope, lost + low))
    below = scaled(share[0] + share[1], n)
    return x if x > 40 else -below if x < 0 else y - below


def share_of(f, x):
    return 0.5 if abs(x) < 2.0 ** -60 else normal(F64, f(x)) / x


def normal(t, x):
    """Rounded, and 0 below the smallest normal number"""
    x = t.round(x)
    return 0.0 if abs(x) < t.smallest else x


def gelu_slope(x):
    return share_of(gelu, x) + x * (F64.exp(-(x * x) / 2, 0.0) / 2.50662827463100050242)


def gelu_tanh_slope(x):
    share = share_of(gelu_tanh, x)
    left = 2 * share * (1 - share)
    inner = 0.79788456080286535588 * (1 + 3 * 0.044715 * (x * x))
    return share + (x * left * inner if left else 0.0)


def silu_slope(x):
    share = share_of(silu, x)
    return share * (1 + x * (1 - share))


ACTIVATIONS = {"relu": (lambda x: 0.0 if x <= 0 else x, lambda x: 1.0 if x > 0 else 0.0),
               "gelu": (gelu, gelu_slope), "gelu_tanh": (gelu_tanh, gelu_tanh_slope),
               "silu": (silu, silu_slope),
               "relu2": (lambda x: 0.0 if x <= 0 else x * x, lambda x: 2 * x if x > 0 else 0.0)}


class Layers:
    def __init__(self, doc, kind):
        self.doc, self.t, self.made = doc, TYPES[kind], {}
        sizes = shape(doc.get("x"))
        self.batched, self.n = len(sizes) > 2, sizes[-2] if "x" in doc else len(
            doc.get("tokens", doc.get("ids")))

    def cut(self, rows):
        """In batch entries, if there are any"""
        if not self.batched:
            return rows
        return [rows[at:at + self.n] for at in range(0, len(rows), self.n)]

    def keep(self, name, table, cut=True):
        table_of = self.cut(table) if cut else table
        self.made[name] = shape(table_of), flat(table_of)
        return table

    def read(self, table):
        return over(len(shape(table)), self.t.read, table)

    def add(self, one, other):
        return over(2, lambda a, b: self.t.round(a + b), one, other)

    def setting(self, layer, key, default):
        return layer.get(key, self.doc.get(key, default))

    def weight(self, own, key):
        w = self.read(own[key])
        return turned(w) if self.setting(own, "layout", "") == "out-in" else w

    def gain(self, name, numbers, own, key):
        """The gradient of own[key], in the document's layout"""
        if key[0] == "w" and self.setting(own, "layout", "") == "out-in":
            numbers = turned(numbers)
        self.keep(name, numbers, False)

    # Norms

    def norm(self, own, layer, width):
        """Gain, eps, bias, and whether deviations are from the mean"""
        return (self.read(own.get("gain", [1.0] * width)),
                float(own.get("eps", self.setting(layer, "norm_eps", 1e-5))),
                self.read(own["bias"]) if "bias" in own else (),
                self.setting(layer, "norm_kind", "layer") == "layer")

    def normed(self, name, own, layer, rows):
        settings = self.norm(own, layer, len(rows[0]))
        return self.keep(name, [norm(self.t, row, *settings) for row in rows])

    def norm_back(self, name, own, layer, rows, grads):
        """What the norm was given gains"""
        gain, eps, _, centred = self.norm(own, layer, len(rows[0]))
        self.keep(name + "_grad", grads)
        made, gains = [], []
        for row, grad in zip(rows, grads):
            mean = row[0] + in_order(x - row[0] for x in row) / len(row) if centred else 0.0
            one, more = norm_gradient(self.t, [x - mean for x in row], grad, gain, eps, centred)
            made.append(one)
            gains.append(more)
        if "gain" in own:
            gains = [self.t.round(in_order(column)) for column in turned(gains)]
            self.keep(name + ".gain_grad", gains, False)
        if "bias" in own:
            self.keep(name + ".bias_grad", self.sums(grads), False)
        return made

    def sums(self, rows):
        """Of each column, from +0"""
        made = [0.0] * len(rows[0])
        for row in rows:
            made = [self.t.round(a + b) for a, b in zip(made, row)]
        return made

    # Parts

    def linear(self, rows, own, w, b):
        made = self.t.product(rows, self.weight(own, w))
        bias = self.read(own[b]) if b in own else None
        return [[self.t.round(x + y) for x, y in zip(row, bias)] for row in made] if bias else made

    def ffn(self, name, own, rows):
        t, inside = self.t, {}
        f = ACTIVATIONS[self.setting(own, "activation", "relu")][0]
        inside["hidden"] = self.keep(name + "hidden", self.linear(rows, own, "w1", "b1"))
        inside["plain"] = made = over(2, lambda x: normal(t, f(x)), inside["hidden"])
        if "w3" in own:
            gate = inside["gate"] = self.keep(name + "gate", self.linear(rows, own, "w3", "b3"))
            made = over(2, lambda x, y: t.round(x * y), made, gate)
        inside["activated"] = self.keep(name + "activated", made)
        return self.keep(name + "output", self.linear(made, own, "w2", "b2")), inside

    def ffn_back(self, name, own, rows, inside, grads):
        t, to = self.t, name[:-len("ffn.")]
        slope = ACTIVATIONS[self.setting(own, "activation", "relu")][1]
        gain = lambda key, left, right: self.gain(
            to + key + "_grad", t.product(turned(left), right), own, key)
        self.keep(name + "output_grad", grads)
        if "b2" in own:
            self.keep(to + "b2_grad", self.sums(grads), False)
        gain("w2", inside["activated"], grads)
        back = self.keep(name + "activated_grad", t.product(grads, turned(self.weight(own, "w2"))))
        ways, sides = [turned(self.weight(own, "w1"))], []
        if "w3" in own:
            gate = over(2, lambda x, y: t.round(x * y), inside["plain"], back)
            gain("w3", rows, self.keep(name + "gate_grad", gate))
            if "b3" in own:
                self.keep(to + "b3_grad", self.sums(gate), False)
            back = over(2, lambda x, y: t.round(x * y), back, inside["gate"])
            ways.append(turned(self.weight(own, "w3")))
            sides.append(gate)
        back = self.keep(name + "hidden_grad", over(
            2, lambda x, y: t.round(slope(x) * y), inside["hidden"], back))
        gain("w1", rows, back)
        if "b1" in own:
            self.keep(to + "b1_grad", self.sums(back), False)
        return t.product([sum(parts, []) for parts in zip(back, *sides)], sum(ways, []))

    def attention(self, name, layer, kind, rows):
        top = {key: x for key, x in self.doc.items() if key not in OF_LAYERS}
        own = {key: x for key, x in layer.items() if key not in OF_LAYERS}
        if kind == "cross":
            shared = {key: x for key, x in dict(top, **own).items() if key in SHARED}
            doc = dict(shared, **layer["cross"], xk=self.doc["memory"])
        else:
            doc = dict(top, **own)
            if self.doc.get("kind", "decoder" if "memory" in self.doc else "") == "decoder":
                doc.setdefault("causal", True)
        one = Attention(dict(doc, x=self.cut(rows)), self.t)
        one.forward()
        for stage, made in one.made.items():
            self.made[name + stage] = made
        weights = one.soft["weights"]
        mean = [[[self.t.round(self.sums(numbers)[0] / one.h) for numbers in zip(*(
            [[x] for x in row] for row in rows))] for rows in zip(*entry)] for entry in weights]
        self.keep(name + "mean_weights", mean if self.batched else mean[0], False)
        return sum(over(1, beside, one.output), []), (one, mean)

    def attention_back(self, name, inside, grads):
        """To the rows, and to the memory"""
        one, before = inside[0], set(inside[0].made)
        one.given["output_grad"] = self.cut(grads)
        one.doc = dict(one.doc, output_grad=self.cut(grads))
        one.backward()
        for stage in one.made:
            if stage not in before:
                self.made[name + stage] = one.made[stage]
        sizes, numbers = one.made["x_grad"]
        width = sizes[-1]
        if "xk_grad" in one.made:
            self.memory.append(one.made["xk_grad"])
        return [numbers[at:at + width] for at in range(0, len(numbers), width)]

    # The whole

    def parts(self, layer):
        """Each part's name, the norms before and after it, and what is added to it"""
        kinds = ["attention"] + ["cross"] * ("cross" in layer) + ["ffn"] * ("w1" in layer)
        order = self.setting(layer, "norm", "post")
        if order == "seed":
            return [("attention", "", "", None), ("cross", "ln1", "ln2", "layer")] if (
                "cross" in layer) else [("attention", "ln1", "ln2", "part")]
        norms = ["ln%d" % n for n in range(1, len(kinds) + 1)]
        return [(kind, ln, "", "part") if order == "pre" else (kind, "", ln, "part")
                for kind, ln in zip(kinds, norms)]

    def embedded(self):
        doc, t = self.doc, self.t
        if "x" in doc:
            rows = self.read(doc["x"])
            rows = sum(rows, []) if self.batched else rows
        elif "tokens" in doc and "vocab" in doc:
            rows = [self.read(doc["vocab"][word]) for word in doc["tokens"]]
        else:
            rows = [self.read(doc["embedding"][i]) for i in doc["ids"]]
        first, segments = doc.get("offset", 0), doc.get("segments", [0] * self.n)
        for key, places in (("segment_embedding", segments),
                            ("position_embedding", range(first, first + self.n))):
            if key in doc:
                table = self.read(doc[key])
                rows = self.add(rows, [table[places[i % self.n]] for i in range(len(rows))])
        return self.keep("embedded", rows)

    def forward(self):
        doc, self.tape, rollout = self.doc, [], None
        rows = self.first = self.embedded()
        if "ln_e" in doc:
            rows = self.normed("ln_e", doc["ln_e"], {}, rows)
        for i, layer in enumerate(doc["layers"]):
            start, name = rows, "layer.%d." % i
            for kind, before, after, adds in self.parts(layer):
                given = read = rows
                if before:
                    read = self.normed(name + before, layer.get(before, {}), layer, rows)
                if kind == "ffn":
                    rows, inside = self.ffn(name + "ffn.", layer, read)
                else:
                    rows, inside = self.attention(name + kind + ".", layer, kind, read)
                if kind == "attention" and rollout is not False:
                    rollout = self.rolled(rollout, inside[1]) if adds else False
                if adds:
                    rows = self.add(start if adds == "layer" else given, rows)
                    self.keep(name + kind + "_sum", rows)
                self.tape.append(
                    (name, layer, kind, before, after, adds, given, read, inside, rows))
                if after:
                    rows = self.normed(name + after, layer.get(after, {}), layer, rows)
            self.keep(name + "output", rows)
        if rollout:
            self.keep("rollout", rollout if self.batched else rollout[0], False)
        if "w1" in doc:
            self.end = rows
            rows, self.end_inside = self.ffn("ffn.", doc, rows)
        self.last = rows
        if "ln_f" in doc:
            rows = self.normed("ln_f", doc["ln_f"], {}, rows)
        self.output = self.keep("output", rows)

    def rolled(self, before, mean):
        half = [[[self.t.round(0.5 * x + (0.5 if i == j else 0.0)) for j, x in enumerate(row)]
                 for i, row in enumerate(entry)] for entry in mean]
        return half if before is None else [self.t.product(a, b) for a, b in zip(half, before)]

    def logits_back(self):
        """From cross-entropy to the output"""
        doc, t, rows, total = self.doc, self.t, self.output, 0.0
        labels = flat(doc["labels"])
        count = len([label for label in labels if label != -100])
        own = "unembedding" in doc
        words = doc.get("embedding", list(doc.get("vocab", {}).values()))
        way = self.weight(doc, "unembedding") if own else turned(self.read(words))
        logits = t.product(rows, way)
        if "unembedding_bias" in doc:
            bias = self.read(doc["unembedding_bias"])
            logits = [[t.round(x + y) for x, y in zip(row, bias)] for row in logits]
        self.keep("logits", logits)
        grads = []
        for row, label in zip(logits, labels):
            most = max(row) + 0.0
            powers = [F64.exp(x, most) for x in row]
            whole, rest = F64.sum(powers)
            whole += rest
            hit = [1.0 if n == label else 0.0 for n in range(len(row))]
            grads.append([t.round((x / whole - y) / count) if label != -100 else 0.0
                          for x, y in zip(powers, hit)])
            total += most + ln(whole) - row[label] if label != -100 else 0.0
        self.keep("logits_grad", grads)
        gained = t.product(turned(rows), grads)
        if own:
            self.gain("unembedding_grad", gained, doc, "w")
        elif "embedding" in doc:
            self.tied = turned(gained)
        if "unembedding_bias" in doc:
            self.keep("unembedding_bias_grad", self.sums(grads), False)
        self.made["loss"] = [], [t.round(total / count)]
        return t.product(grads, turned(way))

    def backward(self):
        doc, t, self.memory, tables = self.doc, self.t, [], []
        self.tied = None
        if doc.get("loss") == "cross-entropy":
            rows = self.logits_back()
        else:
            rows = comes_back(self, self.made["output"])
            rows = sum(rows, []) if self.batched else rows
        self.keep("output_grad", rows)
        if "ln_f" in doc:
            rows = self.norm_back("ln_f", doc["ln_f"], {}, self.last, rows)
        if "w1" in doc:
            rows = self.ffn_back("ffn.", doc, self.end, self.end_inside, rows)
        layer_grads, current = None, None
        for part in reversed(self.tape):
            name, layer, kind, before, after, adds, given, read, inside, made = part
            if name != current:
                if layer_grads:
                    rows = self.add(rows, layer_grads)
                self.keep(name + "output_grad", rows)
                current, layer_grads = name, None
            if after:
                rows = self.norm_back(name + after, layer.get(after, {}), layer, made, rows)
            if adds:
                self.keep(name + kind + "_sum_grad", rows)
            if kind == "ffn":
                grads = self.ffn_back(name + "ffn.", layer, read, inside, rows)
            else:
                grads = self.attention_back(name + kind + ".", inside, rows)
            if before:
                grads = self.norm_back(name + before, layer.get(before, {}), layer, given, grads)
            if adds == "layer":
                layer_grads = rows
            rows = self.add(rows, grads) if adds == "part" else grads
        if layer_grads:
            rows = self.add(rows, layer_grads)
        if "ln_e" in doc:
            rows = self.norm_back("ln_e", doc["ln_e"], {}, self.first, rows)
        self.keep("embedded_grad", rows)
        first, segments = doc.get("offset", 0), doc.get("segments", [0] * self.n)
        if "x" in doc:
            self.keep("x_grad", rows)
        for key, places in (("embedding", doc.get("ids")), ("segment_embedding", segments),
                            ("position_embedding", range(first, first + self.n))):
            if key in doc and places:
                grad = over(2, lambda x: 0.0, doc[key])
                if key == "embedding" and self.tied:
                    grad = self.tied
                for i, row in enumerate(rows):
                    at = places[i % self.n]
                    grad[at] = [t.round(a + b) for a, b in zip(grad[at], row)]
                self.keep(key + "_grad", grad, False)
        if self.memory:
            total = self.memory[0][1]
            for _, numbers in self.memory[1:]:
                total = [t.round(a + b) for a, b in zip(total, numbers)]
            self.made["memory_grad"] = self.memory[0][0], total


def results(doc, kind="f32"):
    one = Layers(doc, kind)
    one.forward()
    if "output_grad" in doc or doc.get("loss", "none") != "none":
        one.backward()
    return one.made
