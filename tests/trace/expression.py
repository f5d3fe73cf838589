"""Formulas as a trace writes them: x[1]·Wq[·,1] + bq[1]. Read into a tree, worked out, and spelled
with numbers in place of names, as the line that follows must have them."""
import math
import re

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e[-+]\d+)?|-inf|inf|nan)"
    r"|(?P<constant>√\(2/π\))"
    r"|(?P<sign>Σⱼ|maxⱼ|[-+−·/()√Σ,²³])"
    r"|(?P<name>Φ|[A-Za-z_][A-Za-z_0-9]*(?:\.[a-z]\w*)?ᵀ?)(?P<index>\[[^\]]*\])?)"
)
# A sum is spelled out up to 16 terms; of more, the first 8 and the last 3.
MOST_TERMS, FIRST_TERMS, LAST_TERMS = 16, 8, 3
FUNCTIONS = {
    "exp": math.exp,
    "tanh": math.tanh,
    "Φ": lambda x: (1 + math.erf(x / math.sqrt(2))) / 2,
    "relu": lambda x: max(x, 0),
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "silu": lambda x: x / (1 + math.exp(-x)),
}


class Wrong(Exception):
    """What does not hold in a trace."""


class Literal(float):
    """A number that stands in the formula itself: never with other digits than it has there."""


def tokens(text):
    found, at = [], 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if match is None:
            raise Wrong(f"'{text[at:]}' is no formula")
        found.append(match)
        at = match.end()
    return found


class Parser:
    """expr: term (+|− term)…; term: factor (·|/ factor)…"""

    def __init__(self, text):
        self.left = tokens(text)

    def sign(self, *signs):
        if self.left and self.left[0]["sign"] in signs:
            return self.left.pop(0)["sign"]
        return None

    def chain(self, part, *signs):
        tree = part()
        while sign := self.sign(*signs):
            tree = ({"-": "−"}.get(sign, sign), tree, part())
        return tree

    def expr(self):
        return self.chain(self.term, "+", "−", "-")

    def term(self):
        return self.chain(self.factor, "·", "/")

    def factor(self):
        tree = self.atom()
        power = self.sign("²", "³")
        return (power, tree) if power else tree

    def atom(self):
        if sign := self.sign("−", "-", "√", "Σ"):
            return (sign, self.atom())
        if sign := self.sign("Σⱼ", "maxⱼ"):
            return (sign, self.term())
        if self.sign("("):
            return self.closed(self.expr())
        if not self.left:
            raise Wrong("a formula ends too early")
        token = self.left.pop(0)
        if token["constant"]:
            return ("constant", math.sqrt(2 / math.pi))
        if token["number"]:
            return ("number", Literal(token["number"]))
        if token["name"] and token["index"] is None and self.sign("("):
            return ("call", token["name"], *self.arguments())
        if token["name"]:
            return ("name", token["name"], (token["index"] or "[]")[1:-1])
        raise Wrong(f"'{token[0]}' stands where no sign may")

    def arguments(self):
        trees = [self.expr()]
        while self.sign(","):
            trees.append(self.expr())
        return self.closed(trees)

    def closed(self, tree):
        if not self.sign(")"):
            raise Wrong("a parenthesis is not closed")
        return tree


def parse(text):
    parser = Parser(text)
    tree = parser.expr()
    if parser.left:
        raise Wrong(f"'{parser.left[0][0]}' stands behind a formula")
    return tree


# ---- values: a number, a row of numbers, or a matrix ----


def is_row(value):
    return isinstance(value, list) and not isinstance(value[0], list)


def dot(a, b):
    if len(a) != len(b):
        raise Wrong(f"rows of {len(a)} and {len(b)} numbers meet")
    return math.fsum(x * y for x, y in zip(a, b))


def times(a, b):
    if is_row(a) and isinstance(b, list):
        return dot(a, b) if is_row(b) else [dot(a, column) for column in zip(*b)]
    return each(lambda x, y: x * y, a, b)


def each(what, a, b):
    """Number by number; one number with each of a row."""
    if isinstance(a, list) and isinstance(b, list):
        return [each(what, x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, list):
        return [each(what, x, b) for x in a]
    if isinstance(b, list):
        return [each(what, a, y) for y in b]
    return what(a, b)


OPERATIONS = {
    "+": lambda a, b: each(lambda x, y: x + y, a, b),
    # A row that may attend to nothing has −inf for its maximum, and exponentials of 0.
    "−": lambda a, b: each(lambda x, y: x if x == -math.inf else x - y, a, b),
    "/": lambda a, b: each(lambda x, y: x / y if y != 0 else 0.0, a, b),
    "·": times,
}


def evaluate(tree, look_up):
    """look_up(name, index) is what a name stands for."""
    kind = tree[0]
    if kind in ("number", "constant"):
        return tree[1]
    if kind == "name":
        return look_up(tree[1], tree[2])
    if kind in ("Σⱼ", "maxⱼ"):
        return over_keys(tree, look_up)
    if kind == "call" and tree[1] == "max":
        return max(over_arguments(tree, look_up))
    if kind == "call":
        if tree[1] not in FUNCTIONS:
            raise Wrong(f"'{tree[1]}' is no function")
        return FUNCTIONS[tree[1]](evaluate(tree[2], look_up))
    parts = [evaluate(part, look_up) for part in tree[1:]]
    if kind in OPERATIONS and len(parts) == 2:
        return OPERATIONS[kind](*parts)
    return {"√": math.sqrt, "²": lambda x: x * x, "³": lambda x: x**3,
            "Σ": math.fsum}.get(kind, lambda x: -x)(parts[0])


def over_arguments(tree, look_up):
    """max(masked[1]): a row's numbers; max(ffn.hidden[1,1], 0): those in the parentheses."""
    values = [evaluate(part, look_up) for part in tree[2:]]
    return values[0] if is_row(values[0]) else values


def over_keys(tree, look_up):
    """maxⱼ masked[i,j]: of the row; Σⱼ weights[i,j]·v[j]: a row times a matrix."""

    def without_key(name, index):
        return look_up(name, re.sub(r",?j$", "", index))

    inner = evaluate(tree[1], without_key)
    return inner if tree[1][0] == "·" else max(inner) if tree[0] == "maxⱼ" else math.fsum(inner)


# ---- spelling ----


def listed(parts, between):
    """Terms with what stands between them, the middle ones of many left out."""
    if len(parts) > MOST_TERMS:
        parts = parts[:FIRST_TERMS] + [["…"]] + parts[-LAST_TERMS:]
    return [word for part in parts for word in [between] + part][1:]


def spell_value(value):
    return ["["] + listed([[x] for x in value], ",") + ["]"] if is_row(value) else [value]


def spell(tree, look_up):
    """The formula with numbers for its names: signs, and values as floats."""
    kind = tree[0]
    value = evaluate(tree, look_up)
    if kind in ("name", "number", "constant", "-") or (kind == "−" and len(tree) == 2):
        return spell_value(value)
    if kind == "Σ":
        return listed([[x] for x in evaluate(tree[1], look_up)], "+")
    if kind == "call" and tree[1] == "max":
        return ["max", "("] + listed([[x] for x in over_arguments(tree, look_up)], ",") + [")"]
    if kind == "call":
        return [tree[1], "("] + spell(tree[2], look_up) + [")"]
    if len(tree) == 2:
        return [kind] + spell(tree[1], look_up)
    a, b = (evaluate(part, look_up) for part in tree[1:])
    if kind == "·" and is_row(a) and is_row(b):
        return listed([[x, "·", y] for x, y in zip(a, b)], "+")
    return spell(tree[1], look_up) + [kind] + spell(tree[2], look_up)


def terms_of(tree, look_up):
    """How many terms the formula's longest row gives; what '(20 terms)' must say."""
    if tree[0] == "name":
        value = look_up(tree[1], tree[2])
        return len(value) if is_row(value) else 1
    return max([terms_of(part, look_up) for part in tree[1:] if isinstance(part, tuple)] or [1])
