"""ORDER OF OPERATIONS of selfattn-contract(7): every stage of an attention, forward and backward.
layers.py, parts.py and models.py add to the tables here what others have besides.

Each operation is a node on a tape: an array, the nodes that it is made of, and how its gradient
goes back to them. The way back visits the nodes from the last one to the first, and adds what comes
to each. So what the page adds first is made last: values before keys, and keys before queries.
"""
import numpy as np

from arithmetic import F64, TYPES, exp, in_order, ln, product, read, row_sum, rowwise, turned

class Node:
    """An array; `back` makes of its gradient one for each input. Each of its names as a stage has
    with it what makes of an array the one that is shown."""

    def __init__(self, value, inputs=(), back=None, tape=None):
        self.value, self.inputs, self.back, self.grad, self.names = value, inputs, back, None, []
        self.tape = inputs[0].tape if inputs else tape
        self.tape.nodes.append(self)

class Tape:
    """All nodes, what the document gives by its name, and the stages as they are shown"""

    def __init__(self, t):
        self.t, self.nodes, self.given, self.stages = t, [], {}, {}

    def leaf(self, name, table):
        """One for a name, however often it is used"""
        if name not in self.given:
            self.given[name] = Node(read(table, self.t), tape=self)
            self.given[name].names.append((name, np.asarray))
        return self.given[name]

    def go_back(self):
        for node in reversed(self.nodes):
            if node.grad is not None:
                for name, bare in node.names:
                    self.stages.setdefault(name + "_grad", bare(node.grad))
                for one, grad in zip(node.inputs, node.back(node.grad) if node.inputs else ()):
                    one.grad = grad if one.grad is None else one.grad + grad

# Operations

def step(x, value, back=lambda grad: grad):
    """What is made of one node"""
    return Node(value, [x], lambda grad: [back(grad)])

def arranged(x, how):
    """Numbers at other places, or each at many, from which it gains in index order"""
    places = how(np.arange(x.value.size).reshape(x.value.shape))

    def back(grad):
        nothing = np.full(x.value.size, -0.0, grad.dtype)  # what is added to it stays as it is
        total = nothing if x.grad is None else x.grad.flatten()
        np.add.at(total, np.broadcast_to(places, grad.shape).ravel(), grad.ravel())
        x.grad = total.reshape(x.value.shape)
        return ()

    return Node(how(x.value), [x], back)

def added(a, b):
    return Node(a.value + b.value, [a, b], lambda grad: [grad, grad])

def multiplied(a, b):
    return Node(product(a.value, b.value), [a, b], lambda grad: [
        product(grad, turned(b.value)), product(turned(a.value), grad)])

def linear(x, w):
    """The rows that are for one matrix, of head after head, make one chain of its gradient."""
    of, shape = w.value.shape, (*np.moveaxis(x.value, -3, 0).shape[:-1], w.value.shape[-1])
    rows = arranged(x, lambda a: np.moveaxis(a, -3, 0).reshape(*of[:-2], -1, of[-2]))
    return arranged(multiplied(rows, w), lambda a: np.moveaxis(a.reshape(shape), 0, -3))

def joined(parts, axis):
    ends = np.cumsum([part.value.shape[axis] for part in parts])[:-1]
    return Node(np.concatenate([part.value for part in parts], axis), parts,
                lambda grad: np.split(grad, ends, axis))

def side_by_side(a):
    return np.swapaxes(a, -3, -2).reshape(*a.shape[:-3], a.shape[-2], -1)

def split(a, heads):
    return np.swapaxes(a.reshape(*a.shape[:2], heads, -1), 1, 2)

# What a document gives gets the axes of what it is for, and is gathered from these on the way back:
# b, h, n and column, or b, n and column where heads lie side by side.

def axes_of_rows(a, part):
    rows = side_by_side(a) if a.ndim > 3 else a.reshape(-1, *a.shape[-2:])
    return np.broadcast_to(rows, (part.b, *rows.shape[1:]))

ROWS = "x xk xv q k v past_k past_v".split()
WEIGHTS = "wq wk wv wo".split()
AXES = {key: axes for keys, axes in [
    (" ".join(ROWS), axes_of_rows),
    ("mask bias bo", lambda a, _: a),
    ("bq bk bv", lambda a, _: a.ravel()),
    ("wq wk wv", lambda a, _: (side_by_side(a) if a.ndim > 2 else a)[None]),
    ("wo", lambda a, _: a.reshape(1, -1, a.shape[-1])),
    ("sinks", lambda a, _: a.reshape(1, -1, 1, 1)),
] for key in keys.split()}

class Part:
    """Its stages have names that begin with `name`, and its weights with `weights`."""
    b = 1

    def __init__(self, doc, tape, name="", weights=None):
        self.doc, self.tape, self.t, self.name, self.taken = doc, tape, tape.t, name, {}
        self.weights = name if weights is None else weights

    def take(self, key):
        """With its own axes: rows of layers, or what the document gives"""
        if key not in self.taken:
            given, t = self.doc[key], self.t
            if isinstance(given, Node):
                made = arranged(given, lambda a: a[0])
                made.names.append((self.name + key, np.asarray))
            else:
                leaf = self.tape.leaf(self.weights + key, given)
                made = step(leaf, leaf.value, lambda grad: grad.astype(t) + t.type(0))
            self.taken[key] = made
        return self.taken[key]

    def get(self, key, default=None):
        """With the axes of what it is for"""
        if key not in self.doc:
            return None if default is None else Node(np.array(default, self.t), tape=self.tape)
        turn = turned if key in WEIGHTS and self.doc.get("layout") == "out-in" else np.asarray
        return arranged(self.take(key), lambda a: AXES[key](turn(a), self))

    def linear(self, x, w, b):
        made = linear(x, self.get(w)) if w in self.doc else x
        return added(made, self.get(b)) if b in self.doc else made

    def formed(self, moment, made, of):
        for key, form in FORMS[moment]:
            made = form(self, made, of) if key in ("", *self.doc) else made
        return made

    def put(self, name, made):
        """A stage; that of a part that is one operation has the name of the part."""
        node = made if isinstance(made, Node) else Node(made, tape=self.tape)
        name_of_all = (self.name + name).rstrip(".")
        node.names.append((name_of_all, lambda a: self.bare(name, a)))
        self.tape.stages[name_of_all] = self.bare(name, node.value)
        return node

    def bare(self, _, a):
        """Without the axes that were not asked for"""
        return a.reshape(a.shape[-2:])

def as_given(part, output):
    given = read(part.doc.get("output_grad", np.zeros_like(output.value)), part.t)
    output.grad = axes_of_rows(given, part).reshape(output.value.shape)

LOSSES = {"none": as_given}

# Attention

def scaled(part, scores, q):
    scale = part.doc.get("scale", "head" if part.doc.get("score", "scaled") == "scaled" else "none")
    if scale in ("head", "embed"):
        scale = 1 / np.sqrt((q if scale == "head" else part.take("x")).value.shape[-1])
    scale = read(1 if scale == "none" else scale, part.t)
    return part.put("scaled", step(scores, scores.value * scale, lambda grad: grad * scale + 0))

def allowed(part, keys, before):
    doc, j = part.doc, np.arange(part.n_k)
    left, right = doc.get("window", (-1, -1))
    right = right if doc.get("causal", "none") in (False, "none") else 0
    stays = ((left < 0) | (before <= left)) & ((right < 0) | (-before <= right))
    if "key_lengths" in doc:
        stays = stays & (j < np.array(doc["key_lengths"]).reshape(-1, 1, 1, 1))
    if "mask" in doc:
        stays = stays & ((part.get("mask").value != 0) ^ (doc.get("mask_true") == "masked"))
    return step(keys, np.where(stays, keys.value, part.t.type(-np.inf)))

# What is done to the rows of layers, to rows before and after their product, to scores, to those of
# keys, and to weights: in order, each where the document has its key
FORMS = {"embedded": [], "source": [], "scores": [("", scaled)], "weights": [],
         "rows": [("", lambda part, rows, name: part.put(name, rows))],
         "keys": [("bias", lambda part, keys, _: added(keys, part.get("bias"))), ("", allowed)]}
SCORES = dict.fromkeys(("scaled", "dot"), lambda _, q, k: multiplied(q, arranged(k, turned)))
SOURCES = {"q": ["q", "x"], "k": ["k", "xk", "x"], "v": ["v", "xv", "xk", "x"]}

class Attention(Part):
    def __init__(self, doc, *place):
        super().__init__(doc, *place)
        shapes = {key: self.take(key).value.shape for key in ROWS + ["wq", "wk"] if key in doc}
        ranks = {"wq": 3, "wk": 3, "q": 4, "k": 4}
        apart = {key[-1]: a[-3] for key, a in shapes.items() if len(a) == ranks.get(key)}
        self.folded, self.has_heads = len(shapes.get("q", ())) > 3, "heads" in doc or bool(apart)
        self.heads = doc.get("heads", apart.get("q", 1))
        self.kv_heads = doc.get("kv_heads", apart.get("k", self.heads))
        batches = [shapes[key][0] for key in shapes if key in ROWS and len(shapes[key]) > 2]
        self.batched, self.b = bool(batches), max(batches, default=1)
        self.source = {name: next(key for key in SOURCES[name] if key in doc) for name in "qkv"}
        self.n, self.new = (shapes[self.source[name]][-2] for name in "qk")
        self.past = shapes["past_k"][-2] if "past_k" in doc else 0
        self.n_k = self.past + self.new
        first = np.array(doc.get("offset", self.past))
        if doc.get("causal") == "lower-right":
            first = np.array(doc.get("key_lengths", self.n_k)) - self.n
        self.position = first.reshape(-1, 1, 1, 1) + np.arange(self.n)[:, None]

    def heads_of(self, name):
        """Keys and values, past and present ones begin with these letters."""
        return self.kv_heads if name[0] in "kvp" else self.heads

    def bare(self, name, a):
        if a.ndim == 3 and self.folded:
            a = split(a, self.heads_of(name))
        elif a.ndim > 3 and not self.has_heads:
            a = a[:, 0]
        return a if self.batched or a.ndim == 0 else a[0]

    def forward(self):
        v, k, q = (self.make(name) for name in "vkq")
        scores = self.put("scores", SCORES[self.doc.get("score", "scaled")](self, q, k))
        scores, n_k = self.formed("scores", scores, q), self.n_k
        before = self.position - np.arange(n_k)
        keys = self.formed("keys", arranged(scores, lambda a: a[..., :n_k]), before)
        masked = joined([keys, arranged(scores, lambda a: a[..., n_k:])], -1)
        return self.attend(self.put("masked", masked), v)

    def rows(self, name):
        """Of which queries, keys or values are made"""
        rows = self.get(self.source[name])
        self.put({"q": "x", "k": "xk", "v": "xv"}[name], rows.value)
        return self.formed("source", rows, self.source[name])

    def product(self, name):
        return self.linear(self.rows(name), "w" + name, "b" + name)

    def make(self, name):
        rows = self.get(name) if name in self.doc else self.product(name)
        rows, count = self.formed("rows", rows, name), self.heads_of(name)
        return arranged(rows, lambda a: np.repeat(split(a, count), self.heads // count, 1))

    def attend(self, masked, v):
        doc, t, sinks = self.doc, self.t, self.get("sinks", [[[[-np.inf]]]])
        top = np.maximum(masked.value.max(-1, keepdims=True), sinks.value) + 0
        e, sink = exp(masked.value, top), exp(np.broadcast_to(sinks.value, top.shape), top)
        total = row_sum(np.concatenate([e, sink], -1), self.n_k, t)
        made = np.where(total == 0, 0, e / total)
        made = np.where(made < np.finfo(t).tiny, 0, made)

        def back(grad):
            delta = rowwise(attended.grad, attended.value)
            if "logsumexp_grad" in doc:
                delta = delta - read(doc["logsumexp_grad"], t).reshape(delta.shape)
            self.put("delta", delta)
            return made * (grad - delta) + 0, -(sink.astype(F64) / total * delta)

        for name, a in (("row_max", top), ("exp", e), ("row_sum", total)):
            self.put(name, a)
        weights = self.put("weights", Node(made, [masked, sinks], back))
        wide, log = made.astype(F64), np.where(total == 0, -np.inf, ln(total.astype(F64)))
        self.put("logsumexp", (top + log).astype(t))
        self.put("entropy", (0 - rowwise(wide, ln(np.where(wide == 0, 1, wide)))).astype(t))
        if self.name:
            self.mean = self.put("mean_weights", in_order(made, 1)[:, 0] / self.heads).value[0]
        weights = self.formed("weights", weights, doc)
        self.put("weighted", weights.value[..., None] * v.value[:, :, None] + 0)
        attended = self.put("attended", multiplied(weights, v))
        context = self.put("context", arranged(attended, side_by_side))
        return self.put("output", self.linear(context, "wo", "bo"))

# What makes a document or a part of a layer, by the last of these keys that it has
PARTS = {"document": {"": Attention}}

def kind_of(part, doc):
    return [None, *(kind for key, kind in PARTS[part].items() if key in ("", *doc))][-1]

@np.errstate(all="ignore")  # an infinity that masks is no accident
def results(doc, kind="f32"):
    """Of a document all stages, those on the way back where it has a gradient or a loss"""
    if "vocab" in doc and "x" not in doc:
        doc = {**doc, "x": [doc["vocab"][word] for word in doc["tokens"]]}
    tape = Tape(dict(zip(("f32", "f64"), TYPES))[kind])
    one = kind_of("document", doc)(doc, tape)
    output, loss = one.forward(), doc.get("loss", "none")
    if loss != "none" or {"output_grad", "logsumexp_grad"} & set(doc):
        LOSSES[loss](one, output)
        tape.go_back()
    return tape.stages
