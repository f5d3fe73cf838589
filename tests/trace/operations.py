"""The operations: how each is written, and what that comes to.

Spellings are those of the program's tables (attn/spec/operation_list.h says how one reads). An
operation is nowhere worked out by its name: its spelling is arithmetic, of which only signs and
functions are known here. So a spelling that says other than what was computed is noticed, and a new
operation needs nothing. Letters and layouts are also in the recorded traces."""
import functools
import math
import pathlib
import re

import spelling

SPEC = pathlib.Path(__file__).resolve().parent.parent.parent / "src"


class Operation:
    """`inner` is spelled with {inner}, in place of what `inside` spells; None where nothing is."""

    def __init__(self, spelled, letters=None, inner=None):
        self.spelled, self.letters, self.inner, self.inside = spelled, letters, inner, None
        if inner:
            before, after = inner.split("{inner}")
            self.inside = spelled[len(before) : len(spelled) - len(after)]


def strings(text):
    """A C string, its pieces joined, without line breaks and spaces."""
    return re.sub(r"\\n|\s", "", "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)))


def rows_of(path, pattern):
    text = (SPEC / path).read_text(encoding="utf-8")
    return re.findall(pattern, re.sub(r"/\*.*?\*/", "", text, flags=re.S), flags=re.S)


def field(name, row):
    found = re.search(rf"\.{name} =((?:\s*\"(?:[^\"\\]|\\.)*\")+)", row)
    return strings(found.group(1)) if found else None


ROWS = {name: Operation(field("spelled", row), field("letters", row), field("inner", row))
        for name, row in rows_of("attn/spec/operation_list.h",
                                 r'OPERATION\(OP_\w+, "(\w+)",(.*?)\)\n')}
FUNCTIONS, SLOPES = ({name: strings(both[at]) for name, *both in rows_of(
    "model/parts.c", r'\{\{"(\w+)",\s*"[^"]*"\},((?:\s*"[^"]*")+),((?:\s*"[^"]*")+),')}
    for at in (0, 1))

# ---- numbers ----


class Number:
    """A value, and how far roundings may move it, in units of the type's: running error analysis. A
    factor of 0 counts for nothing, what is divided by 0 is 0, and what is at −∞ stays there."""

    def __init__(self, value, slip=0.0):
        self.value, self.slip = value, slip

    def __add__(self, other):
        other = number(other)
        value = self.value + other.value
        return rounded(-math.inf if math.isnan(value) else value, self.slip + other.slip)

    def __neg__(self):
        return Number(-self.value, self.slip)

    def __sub__(self, other):
        return self + -number(other)

    def __mul__(self, other):
        other = number(other)
        if self.value == 0 or other.value == 0:
            return Number(0.0)
        return rounded(self.value * other.value,
                       abs(self.value) * other.slip + abs(other.value) * self.slip)

    def __truediv__(self, other):
        other = number(other)
        if other.value == 0:
            return Number(0.0)
        value = self.value / other.value
        return rounded(value, (self.slip + abs(value) * other.slip) / abs(other.value))

    def __le__(self, other):
        return self.value <= number(other).value

    def __pow__(self, power):
        return self * self if power == 2 else self * self * self

    def __abs__(self):
        return Number(abs(self.value), self.slip)

    def __radd__(self, other):
        return number(other) + self

    def __rsub__(self, other):
        return number(other) - self

    __rmul__ = __mul__

    def __rtruediv__(self, other):
        return number(other) / self


def number(x):
    return x if isinstance(x, Number) else Number(x)


def read(x):
    """Out of a trace, where it is the shortest decimal that gives it back."""
    return rounded(x, 0)


def rounded(value, slip, times=1):
    """So many roundings of its own."""
    return Number(value, slip + times * abs(value) if math.isfinite(value) else 0.0)


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def total(*terms):
    return functools.reduce(lambda a, b: a + b, terms, Number(0.0))


def greatest(*terms):
    return max(map(number, terms), key=lambda x: x.value)


def least(*terms):
    return min(map(number, terms), key=lambda x: x.value)


def root(x):
    x = number(x)
    value = math.sqrt(x.value)
    return rounded(value, x.slip / (2 * value) if value > 0 else 0)


def exponential(x):
    value = math.exp(min(x.value, 700))
    return rounded(value, value * x.slip, 4)


def logarithm(x):
    if x.value == 0:
        return Number(-math.inf)
    return rounded(math.log(x.value), x.slip / x.value + 1)


def bent(function, slope):
    """A function that moves at most by `slope` of what its number does."""
    def apply(x):
        x = number(x)
        return rounded(function(x.value), slope(x.value) * (x.slip + abs(x.value)), 4)
    return apply


KNOWN = {
    "total": total, "greatest": greatest, "least": least, "root": root, "exp": exponential, "ln": logarithm,
    "tanh": bent(math.tanh, lambda x: 1 - math.tanh(x) ** 2),
    "sin": bent(math.sin, lambda x: 1), "cos": bent(math.cos, lambda x: 1),
    "phi": bent(phi, lambda x: math.exp(-x * x / 2)), "pi": math.pi,
}
# The same of plain numbers, which is quicker, and fails where a rule above is needed.
PLAIN = {
    "total": lambda *terms: math.fsum(terms), "greatest": lambda *terms: max(terms), "least": lambda *terms: min(terms),
    "root": math.sqrt, "exp": math.exp, "ln": math.log, "tanh": math.tanh, "sin": math.sin,
    "cos": math.cos, "phi": phi, "pi": math.pi,
}

# ---- what a spelling comes to ----

SIGNS = ((r"·", "*"), (r"≤", "<="), (r"−", "-"), (r"²", "**2"), (r"³", "**3"), (r"√(\w+\[\d+\])", r"root(\1)"),
         (r"√", "root"), (r"\|([^|]*)\|", r"abs(\1)"), (r"\bmax\(", "greatest("), (r"\bmin\(", "least("),
         (r"Φ", "phi"), (r"π", "pi"))


class Formula(spelling.Spelling):
    """A spelling as an expression of Python, of operands that have so many numbers."""

    def __init__(self, counts, is_first, function):
        super().__init__({letter: count or None for letter, count in counts})
        self.is_first, self.function = is_first, function
        self.count = 0

    def place(self, name):
        if name == "n":
            return str(self.count)
        if name == "j":
            return "j"
        if name in "fg":
            by = (FUNCTIONS if name == "f" else SLOPES)[self.function]
            return f"({Formula(self.operands.items(), True, None).write(by)})"
        letters, at = name.strip("()"), self.term or 0
        if letters == "inner":
            return f"inner[{at}]"
        first = self.operands.get(letters[0]) or 0
        if first == len(letters) == 1:
            return f"{letters}[0]"  # one number stands in each term
        return f"{letters[0]}[{at}]" if at < first else f"{letters[-1]}[{at - first}]"

    def terms(self, letters):
        self.count = sum(self.operands.get(x) or 0 for x in letters)
        return range(self.count)

    def series(self, body):
        is_sum = body.split(";")[1] == "+"
        self.out += "total(" if is_sum else ""
        super().series(body.replace(";+", ";,", 1))
        self.out += ")" if is_sum else ""


@functools.lru_cache(None)
def compiled(spelled, counts, is_first, function):
    source = Formula(counts, is_first, function).write(spelled)
    for sign, python in SIGNS:
        source = re.sub(sign, python, source)
    return compile(source, spelled, "eval")


def work_out(spelled, operands, node=None, column=0, inner=(), known=None):
    """What it comes to, a Number; with `known` PLAIN a plain one, or an ArithmeticError or
    ValueError."""
    known = known or KNOWN
    put = read if known is KNOWN else float
    pair = node and node.pair(column)
    code = compiled(spelled, tuple((x, len(of)) for x, of in operands.items()),
                    bool(pair and pair[1]), node and node.function)
    names = {x: list(map(put, of)) for x, of in operands.items()}
    return eval(code, {**known, **names, "inner": list(map(put, inner)), "j": column + 1})


def variance(a):
    mean = math.fsum(a) / len(a)
    value = math.fsum((x - mean) ** 2 for x in a) / len(a)
    return rounded(value, sum(x * x for x in a))


# Of which spellings don't say it: a round one is rounded by hand.
UNSPELLED = {"hide": lambda a: Number(-math.inf), "variance": variance, "round": lambda a: None}


def result_of(operation, operands, node=None, column=0):
    if operation in UNSPELLED:
        return UNSPELLED[operation](operands["a"])
    return number(work_out(ROWS[operation].spelled, operands, node, column))


def inner_of(operation, operands):
    """What is worked out first: of a series as many as it has."""
    spelled = ROWS[operation].inside
    if not ROWS[operation].inner.startswith("<"):
        return [work_out(spelled, operands)]
    return [work_out(spelled, {x: of[p : p + 1] for x, of in operands.items()})
            for p in range(len(operands["a"]))]
