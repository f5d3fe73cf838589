#!/usr/bin/python3 -B
"""evaluate.py f32|f64 TRACE.json...: computes traces again from their own derivations.

Knows operations and parts, and nothing of attention: each node of the trace says what its cells are
made of, and every cell must come out of its operands, within what the type of the run rounds away.
A number that is changed must be noticed, too. Prints what is wrong, and how many traces passed and
failed."""
import json
import math
import sys

# What a rounding may move, and the smallest normal number: what is below it becomes 0.
SLACK = {"f32": 2.0**-22, "f64": 2.0**-50}
SMALLEST = {"f32": 2.0**-126, "f64": 2.0**-1022}
SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def number(value):
    return SPECIAL[value] if isinstance(value, str) else value


class Node:
    def __init__(self, said):
        self.name, self.operation, self.function = (
            said["name"], said.get("operation"), said.get("function"))
        self.heads, self.rows, self.columns = said["shape"]
        self.slices = said.get("slices", 1)
        self.appended, self.untouched = said.get("appended", 0), said.get("untouched", 0)
        self.paired, self.interleaved = said.get("paired", 0), said.get("interleaved", False)
        self.focus, self.learned = said.get("focus"), said.get("learned")
        self.operands = {letter: said[letter] for letter in "abcd" if letter in said}
        self.values = said.get("values") and [
            [[number(x) for x in row] for row in head] for head in said["values"]]

    def pair(self, column):
        """The number of the pair that a column is of, whether it comes first, and its partner."""
        at, half = column % (self.columns // self.slices), self.paired // 2
        if at >= self.paired:
            return None
        if self.interleaved:
            return at // 2, at % 2 == 0, column + (1 if at % 2 == 0 else -1)
        return at % half, at < half, column + (half if at < half else -half)


def home(of, made, head, column):
    """Which head of `of` goes with a cell of `made`, and which columns of it are that head's."""
    width = of.columns // of.slices
    heads = made.heads
    if made.focus:
        heads, head = made.focus["heads"], made.focus["head"]
    joined = heads == 1 and made.slices > 1
    if of.slices > 1 and joined and of.slices == made.slices:
        first = column // width * width
        return 0, first, first + width, column
    if of.heads > 1 and joined:
        return column // of.columns, 0, of.columns, column % of.columns
    if of.heads > 1:
        return head * of.heads // heads, 0, of.columns, column
    if of.slices > 1 and heads > 1:
        first = head * of.slices // heads * width
        return 0, first, first + width, column + first
    return 0, 0, of.columns, column


def cells(run, part, made, head, row, column):
    """The numbers that an operand is, in their order; none where it has no part in this cell."""
    of = run["nodes"][part["of"]]
    at, first, end, inner = home(of, made, head, column)
    values = of.values[at]
    line = 0 if of.rows == 1 else row
    pair = made.pair(inner)
    below = row - (made.rows - of.rows)
    kind = part["part"]
    if kind in ("row", "row-i"):
        return values[line][first:end]
    if kind == "row-j":
        return values[column][first:end]
    if kind == "column-j":
        return [values[p][inner] for p in range(of.rows)]
    if kind == "cell":
        return [values[line][inner]] if inner < of.columns else []
    if kind == "of-row":
        return [values[line][0]]
    if kind == "of-column":
        return [values[0][inner]]
    if kind == "partner":
        return [values[row][pair[2]]] if pair else []
    if kind == "of-pair":
        return [values[row][pair[0]]] if pair else []
    if kind == "above":
        return [values[row][inner]] if row < of.rows else []
    if kind == "below":
        return [values[below][inner]] if below >= 0 else []
    if kind == "of-heads":
        return [of.values[h][line][inner] for h in range(of.heads)]
    if kind == "of-focus":
        return [of.values[at][made.focus["row"]][row]]
    if kind == "number":
        return [of.values[at if of.heads > 1 else 0][0][0]]
    raise ValueError(f"an unknown part: {kind}")


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


ACTIVATIONS = {
    "relu": lambda x: max(x, 0),
    "gelu": lambda x: x * phi(x),
    "gelu_tanh": lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + math.exp(-x)) if x > -700 else 0.0,
}


class Terms:
    """A sum that remembers how large its terms were: rounding is relative to that."""

    def __init__(self, terms):
        terms = list(terms)
        self.sum, self.size = math.fsum(terms), math.fsum(abs(t) for t in terms)


def products(a, b):
    """A factor of 0 counts for nothing: what it hides may be no number."""
    return [0.0 if x == 0 or y == 0 else x * y for x, y in zip(a, b)]


def work_out(op, node, a, b, c, d, column):
    """The result, and the size that its rounding is relative to."""
    if op == "copy":
        return a[0], 0
    if op == "dot":
        s = Terms(products(a, b) + c)
        return s.sum, s.size
    if op == "additive":
        bent = [math.tanh(x + y + (z if d else 0)) for x, y, z in zip(a, b, d or a)]
        s = Terms(products(c, bent))
        return s.sum, 8 * s.size
    if op == "times":
        return products(a, b)[0], abs(a[0] * b[0])
    if op == "cap":
        return b[0] * math.tanh(a[0] / b[0]), 4 * abs(b[0])
    if op == "plus":
        lost = c[0] * abs(d[0] - (column + 1)) if c else 0
        s = Terms(a + b + [-lost])
        return s.sum, s.size
    if op == "exp":
        away = b[0] if b else 0
        if away == -math.inf:
            return 0.0, 1
        x = math.exp(min(a[0] - away, 700))
        return x, 8 * x
    if op == "sum":
        s = Terms(a + c)
        return s.sum, s.size
    if op == "max":
        return max(a + c), 0
    if op == "divide":
        return (0.0, 1) if b[0] == 0 else (a[0] / b[0], abs(a[0] / b[0]))
    if op == "normalize":
        root = math.sqrt(sum(x * x for x in b) / len(b) + c[0])
        factor = 0.0 if root == 0 else (d[0] if d else 1) / root
        return a[0] * factor, 8 * max(abs(x) for x in a + b) * abs(factor)
    if op == "wave":
        turn = math.sin if node.pair(column)[1] else math.cos
        s = Terms(a + c + [turn(b[0])])
        return s.sum, s.size * (1 + abs(b[0]))
    if op == "turn":
        if not b:
            return a[0], 0
        sign = -1 if node.pair(column)[1] else 1
        x = a[0] * math.cos(c[0]) + sign * b[0] * math.sin(c[0])
        return x, (abs(a[0]) + abs(b[0])) * (1 + abs(c[0]))
    if op == "stack":
        return (a + b)[0], 0
    if op == "mean":
        s = Terms(a + b)
        return s.sum / len(a + b), s.size
    if op == "minus":
        return a[0] - b[0], abs(a[0]) + abs(b[0])
    if op == "activate":
        x = ACTIVATIONS[node.function](a[0]) * (b[0] if b else 1)
        return x, (8 + 8 * abs(a[0])) * (abs(b[0]) if b else 1)
    raise ValueError(f"an unknown operation: {op}")


def expected(run, node, head, row, column):
    """What a cell must be, and how far from that it may be; None: only that it is there."""
    if row >= node.rows - node.appended:
        if row == node.rows - node.appended and node.learned:
            return cells(run, node.learned, node, head, row, column)[0], 0
        return 0.0, 0
    letters = "a" if column >= node.columns - node.untouched else "abcd"
    operands = {x: [] for x in "abcd"}
    for letter in letters:
        if letter in node.operands:
            if run["nodes"][node.operands[letter]["of"]].values is None:
                return None
            operands[letter] = cells(run, node.operands[letter], node, head, row, column)
    if node.operation == "round":
        return None
    result, size = work_out(node.operation, node, *operands.values(), column)
    terms = max(len(x) for x in operands.values())
    rounding = SLACK[run["type"]] * (size + abs(result)) * max(4, math.sqrt(terms))
    return result, rounding + SMALLEST[run["type"]]


def is_near(got, wanted, slack):
    if math.isnan(wanted) or math.isinf(wanted):
        return got == wanted or (math.isnan(got) and math.isnan(wanted))
    return abs(got - wanted) <= slack


def check(trace, kind, only=None):
    run = {"nodes": {said["name"]: Node(said) for said in trace["nodes"]}, "type": kind}
    wrong, done = [], 0
    for node in run["nodes"].values():
        if node.operation is None or node.values is None or only not in (None, node.name):
            continue
        for head in range(node.heads):
            for row in range(node.rows):
                for column in range(node.columns):
                    got = node.values[head][row][column]
                    said = expected(run, node, head, row, column)
                    if said is None or (node.name.endswith("masked") and got == -math.inf):
                        continue
                    done += 1
                    if not is_near(got, *said):
                        wrong.append(f"{node.name}[{head},{row},{column}] is {got!r}, of its "
                                     f"operands {said[0]!r}")
    return wrong, done


def spoil(trace):
    """Each node's largest number, a hundredth off, in its turn: what no operation makes is left."""
    for said in trace["nodes"]:
        if "operation" not in said or said["operation"] == "round" or "values" not in said:
            continue
        made = said["values"][0][: said["shape"][1] - said.get("appended", 0)]
        places = [(abs(x), i, j) for i, row in enumerate(made) for j, x in enumerate(row)
                  if not isinstance(x, str) and x != 0]
        if places:
            _, i, j = max(places)
            kept = made[i][j]
            made[i][j] = kept * 1.01
            yield said["name"]
            made[i][j] = kept


def main(kind, paths):
    failed = 0
    for path in paths:
        with open(path) as file:
            trace = json.load(file)
        wrong, done = check(trace, kind)
        if done == 0:
            wrong = ["no cell is made of others"]
        wrong += [f"{name}: a number that is a hundredth off is not noticed"
                  for name in spoil(trace) if not check(trace, kind, name)[0]]
        failed += bool(wrong)
        for line in wrong[:5]:
            print(f"FAIL trace: {path}: {line}")
    print(len(paths) - failed, failed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
