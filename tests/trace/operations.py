"""The operations: how a line of each is written, and what it comes to.

A row is typed here again, so that a change of the program's own (attn/spec/operation_list.h says
how a spelling reads) is noticed: with numbers, without spaces, and with letters where they are
others. The function below it gives the result of the operands a, b, c, d, each a list of numbers,
and the size that its rounding is relative to. Where what is inside is worked out too, a second row
has its spelling, and a function of what the line says of it: what it must be, and the result by it."""
import collections
import math

Operation = collections.namedtuple("Operation", "spelled letters work")
Inside = collections.namedtuple("Inside", "spelled work")
ROWS, INSIDE = {}, {}


def operation(name, spelled, letters=None):
    def add(work):
        ROWS[name] = Operation(spelled, letters, work)
    return add


def inside(name, spelled):
    def add(work):
        INSIDE[name] = Inside(spelled, work)
    return add


# ---- what they share ----


def total(terms):
    """A sum, and how large its terms were: rounding is relative to that."""
    terms = list(terms)
    return math.fsum(terms), math.fsum(abs(t) for t in terms)


def products(a, b):
    """A factor of 0 counts for nothing: what it hides may be no number."""
    return [0.0 if x == 0 or y == 0 else x * y for x, y in zip(a, b)]


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


Function = collections.namedtuple("Function", "spelled work")
FUNCTIONS = {
    "relu": Function("max({a},0)", lambda x: max(x, 0)),
    "gelu": Function("{(a)}·Φ({a})", lambda x: x * phi(x)),
    "gelu_tanh": Function(
        "{(a)}/2·(1+tanh(√(2/π)·({a}+0.044715·{(a)}³)))",
        lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    "silu": Function("{(a)}/(1+exp(−{(a)}))", lambda x: x / (1 + math.exp(-x)) if x > -700 else 0.0),
}


def bent(a, b, d):
    return [math.tanh(x + y + z) for x, y, z in zip(a, b, d or [0] * len(a))]


# ---- the rows ----


@operation("copy", "{a}")
def _(a, *_):
    return a[0], 0


@operation("dot", "<{(a)}·{b};+>[c?+{c}]")
def _(a, b, c, *_):
    return total(products(a, b) + c)


@operation("additive", "<{(c)}·tanh({a}+{b}[d?+{d}]);+>")
def _(a, b, c, d, *_):
    result, size = total(products(c, bent(a, b, d)))
    return result, 8 * size


@inside("additive", "<{(c)}·{inner};+>")
def _(inner, a, b, c, d):
    return bent(a, b, d), math.fsum(products(c, inner))


@operation("times", "{(a)}·{b}")
def _(a, b, *_):
    return products(a, b)[0], abs(a[0] * b[0])


@operation("cap", "{(b)}·tanh({a}/{b})")
def _(a, b, *_):
    return b[0] * math.tanh(a[0] / b[0]), 4 * abs(b[0])


@inside("cap", "{(b)}·{inner}")
def _(inner, a, b, *_):
    return [math.tanh(a[0] / b[0])], b[0] * inner[0]


@operation("plus", "{a}[b?+{b}][c?−{c}·|{d}−{j}|]")
def _(a, b, c, d, _, column):
    return total(a + b + [-c[0] * abs(d[0] - (column + 1)) if c else 0])


@operation("exp", "exp({a}[b?−{b}])")
def _(a, b, *_):
    away = b[0] if b else 0
    if away == -math.inf:
        return 0.0, 1
    x = math.exp(min(a[0] - away, 700))
    return x, 8 * x


@operation("sum", "<{a};+>[c?+{c}]", "Σⱼ{*a}[c?+{c}]")
def _(a, _, c, *__):
    return total(a + c)


@operation("max", "max(<{a};,>[c?,{c}])", "[c?max(]maxⱼ{*a}[c?,{c})]")
def _(a, _, c, *__):
    return max(a + c), 0


@operation("divide", "{a}/{b}")
def _(a, b, *_):
    return (0.0, 1) if b[0] == 0 else (a[0] / b[0], abs(a[0] / b[0]))


@operation("plus_log", "{a}+ln({b})", "{a}+ln{b}")
def _(a, b, *_):
    return a[0] + math.log(b[0]), abs(a[0]) + 8


@operation("entropy", "−(<{a}·ln({a});+;0>)", "−Σⱼ{*a}·ln{*a}")
def _(a, *_):
    result, size = total(x * math.log(x) for x in a if x != 0)
    return 0.0 - result, 8 * size


# By hand, to as few decimals as its result has: evaluate.py sees to it.
operation("round", "{a}", "{a},rounded")(None)


@operation("variance", "")
def _(a, *_):
    mean = math.fsum(a) / len(a)
    result, size = total((x - mean) ** 2 for x in a)
    return result / len(a), size + sum(x * x for x in a)


@operation("inverse_root", "1/√{a}")
def _(a, *_):
    return 1 / math.sqrt(a[0]), 1 / math.sqrt(a[0])


@operation("hide", "{a}")
def _(*_):
    return -math.inf, 0


@operation("normalize", "{a}/√((<{(b)}²;+>)/{n}+{c})[d?·{d}]", "{a}/√(meanof{b}²+{c})[d?·{d}]")
def _(a, b, c, d, *_):
    root = math.sqrt(sum(x * x for x in b) / len(b) + c[0])
    factor = 0.0 if root == 0 else (d[0] if d else 1) / root
    return a[0] * factor, 8 * max(abs(x) for x in a + b) * abs(factor)


@inside("normalize", "{a}/√{inner}[d?·{d}]")
def _(inner, a, b, c, d):
    root = math.sqrt(inner[0])
    result = 0.0 if root == 0 else a[0] / root * (d[0] if d else 1)
    return [math.fsum(x * x for x in b) / len(b) + c[0]], result


@operation("wave", "{a}[c?+{c}]+~sin~cos~({b})",
           "{a}[c?+{c}]+sin({b}),jthefirstcolumnofpairp;cosforitssecond")
def _(a, b, c, _, node, column):
    turn = math.sin if node.pair(column)[1] else math.cos
    result, size = total(a + c + [turn(b[0])])
    return result, size * (1 + abs(b[0]))


@operation("turn", "[b?{(a)}·cos({c})~−~+~{b}·sin({c}):{a}]",
           "{a}·cos({c})−{b}·sin({c}):jandj′arepairp;plusforitssecond")
def _(a, b, c, _, node, column):
    if not b:
        return a[0], 0
    sign = -1 if node.pair(column)[1] else 1
    x = a[0] * math.cos(c[0]) + sign * b[0] * math.sin(c[0])
    return x, (abs(a[0]) + abs(b[0])) * (1 + abs(c[0]))


@operation("stack", None, "{a},then{b}")
def _(a, b, *_):
    return (a + b)[0], 0


@operation("mean", "(<{ab};+>)/{n}", "[b?({a}+{b})/2:meanof{a}]")
def _(a, b, *_):
    result, size = total(a + b)
    return result / len(a + b), size


@operation("minus", "{a}−{b}")
def _(a, b, *_):
    return a[0] - b[0], abs(a[0]) + abs(b[0])


@operation("activate", "{f}[b?·{b}]", "{f}({a})[b?·{b}]")
def _(a, b, _, __, node, ___):
    x = FUNCTIONS[node.function].work(a[0]) * (b[0] if b else 1)
    return x, (8 + 8 * abs(a[0])) * (abs(b[0]) if b else 1)
