"""A JSON trace, computed again from its own derivations.

Knows operations and addresses, and nothing of attention: each node of the trace says what its cells
are made of and where that is, and every cell must come out of its operands, within what the type of
the run rounds away.
The same holds for each worked line, product and sum of its steps, each matrix that they show is a
node's, and letters are those of operations and operands (said.py). A node that is a stage has that
stage's numbers."""
import bisect
import math

import said as letters
from operations import (PLAIN, ROWS, UNSPELLED, Number, inner_of, number as as_number, phi,
                        result_of, total, work_out)

# Sixteen times what a rounding may move, and the smallest normal number: what is below it becomes 0.
SLACK = {"f32": 2.0**-20, "f64": 2.0**-49}
SMALLEST = {"f32": 2.0**-126, "f64": 2.0**-1022}
SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def number(value):
    return SPECIAL[value] if isinstance(value, str) else value


class Node:
    def __init__(self, said):
        self.name, self.operation, self.function = (
            said["name"], said.get("operation"), said.get("function"))
        self.letters = said.get("letters")
        self.heads, self.rows, self.columns = said["shape"]
        self.slices = said.get("slices", 1)
        self.appended, self.untouched = said.get("appended", 0), said.get("untouched", 0)
        self.paired, self.interleaved = said.get("paired", 0), said.get("interleaved", False)
        self.unpaired = said.get("unpaired", 0)
        self.focus, self.learned = said.get("focus"), said.get("learned")
        self.operands = {letter: said[letter] for letter in "abcde" if letter in said}
        self.values = said.get("values") and [
            [[number(x) for x in row] for row in head] for head in said["values"]]
        self.numbers = self.values and [x for head in self.values for row in head for x in row]

    def pair(self, column):
        """The number of the pair that a column is of, whether it comes first, and its partner."""
        at, half = column % (self.columns // self.slices) - self.unpaired, self.paired // 2
        if not 0 <= at < self.paired:
            return None
        if self.interleaved:
            return at // 2, at % 2 == 0, column + (1 if at % 2 == 0 else -1)
        return at % half, at < half, column + (half if at < half else -half)

    def first_of(self, at, head, row, column):
        """Where the first number of a cell's operand is, among those of its node; None where it has
        no part in the cell."""
        width = self.columns // self.slices
        own, query = column % width, 0
        head = head if self.heads > 1 else column // width
        if self.focus:
            head, query = self.focus["head"], self.focus["row"]
        first, end = at.get("rows", (0, self.rows))
        if not first <= row < end or not at.get("from_column", 0) <= own < at.get("columns", width):
            return None
        if "pair" in at:
            pair = self.pair(own)
            if not pair:
                return None
            own = pair[0] if at["pair"] == "number" else pair[2]
        return (at["base"] + at.get("query", 0) * query + at.get("row", 0) * row
                + at.get("head", 0) * (head // at.get("group", 1)) + at.get("column", 0) * own)


def cells(run, part, made, head, row, column):
    """The numbers that an operand is, in their order; none where it has no part in this cell."""
    at, numbers = part["at"], run["nodes"][part["of"]].numbers
    first = made.first_of(at, head, row, column)
    if first is None:
        return []
    return [numbers[first + p * at.get("apart", 1)] for p in range(at.get("count", 1))]


def expected(run, node, head, row, column, got):
    """What a cell must be, where it is something else; None: it is right, or need only be there."""
    if row >= node.rows - node.appended:
        wanted = 0.0
        if row == node.rows - node.appended and node.learned:
            wanted = cells(run, node.learned, node, head, row, column)[0]
        return None if same(got, wanted) else wanted
    letters = "a" if column >= node.columns - node.untouched else "abcde"
    operands = {x: [] for x in "abcde"}
    for letter in letters:
        if letter in node.operands:
            if run["nodes"][node.operands[letter]["of"]].values is None:
                return None
            operands[letter] = cells(run, node.operands[letter], node, head, row, column)
    return other_than(got, node.operation, operands, node, column, run["type"])


def same(got, wanted):
    return got == wanted or (math.isnan(got) and math.isnan(wanted))


def is_near(got, wanted, kind):
    """Within some times what its roundings may have moved it: operands that the trace makes have
    roundings of their own."""
    if math.isnan(wanted.value) or math.isinf(wanted.value):
        return same(got, wanted.value)
    slack = SLACK[kind] * (wanted.slip + abs(wanted.value)) + SMALLEST[kind]
    return abs(got - wanted.value) <= slack


def other_than(got, operation, operands, node, column, kind):
    """What the operation makes of its operands, where that is not near; None where it is."""
    try:
        if operation not in UNSPELLED and is_near(got, Number(work_out(
                ROWS[operation].spelled, operands, node, column, known=PLAIN)), kind):
            return None
    except (ArithmeticError, ValueError):
        pass
    wanted = result_of(operation, operands, node, column)
    return None if wanted is None or is_near(got, wanted, kind) else wanted.value


def run_of(trace, kind):
    return {"nodes": {said["name"]: Node(said) for said in trace["nodes"]}, "type": kind}


def check(run, nodes):
    wrong, done = [], 0
    for node in nodes:
        if node.operation is None or node.values is None:
            continue
        for head in range(node.heads):
            for row in range(node.rows):
                for column in range(node.columns):
                    got = node.values[head][row][column]
                    if node.name.endswith("masked") and got == -math.inf:
                        continue
                    wanted = expected(run, node, head, row, column, got)
                    done += 1
                    if wanted is not None:
                        wrong.append(f"{node.name}[{head},{row},{column}] is {got!r}, of its "
                                     f"operands {wanted!r}")
    return wrong, done


# ---- steps ----


def numbers(value):
    """A number, a row or a matrix, with its special values."""
    return [numbers(x) for x in value] if isinstance(value, list) else number(value)


def flat(value):
    return [y for x in value for y in flat(x)] if isinstance(value, (list, tuple)) else [value]


def is_rounded(a, result):
    """To as few decimals as it has, up or down."""
    decimals = next((d for d in range(17) if round(result, d) == result), 17)
    return abs(result - a) < 10.0**-decimals


def line_is_true(said, kind, node=None):
    op, result = said["operation"], flat(numbers(said["result"]))
    operands = {x: flat(numbers(said.get(x, []))) for x in "abcde"}
    a, b = operands["a"], operands["b"]
    if op == "round":
        return is_rounded(a[0], result[0])
    if "inner" in said:
        told = flat(numbers(said["inner"]))
        by_inner = work_out(ROWS[op].inner, operands, inner=told)
        if not all(is_near(x, y, kind) for x, y in zip(told, inner_of(op, operands))):
            return False
        if not is_near(result[0], by_inner, kind):
            return False
    column = said["cell"][2] if node else said.get("j", 1) - 1
    if len(result) == 1:
        return other_than(result[0], op, operands, node, column, kind) is None
    wide = max(len(a), len(b))
    return all(other_than(y, op, {**operands, "a": [one], "b": [other]}, node, column, kind) is None
               for one, other, y in zip(a if len(a) == wide else a * wide,
                                        b if len(b) == wide else b * wide, result))


def rows_are_true(rows, result, kind):
    """Each number of the result is the sum of its column."""
    for column, y in zip(zip(*rows), result):
        if not is_near(y, total(*map(as_number, column)), kind):
            return False
    return len(rows[0]) == len(result)


def shapes_of(node):
    """All that a step may show of a node: its heads, whole or cut, and their rows."""
    width = node.columns // node.slices
    for head in node.values:
        yield head
        for first in range(0, node.columns if node.slices > 1 else 0, width):
            yield [row[first : first + width] for row in head]
    if node.rows == 1:  # a row a head, or a number
        row = [x for head in node.values for x in head[0]]
        yield [row[first : first + width] for first in range(0, len(row), width)]
        yield row


def key_of(matrix):
    row = matrix if isinstance(matrix, list) else [matrix]
    rows = row if row and isinstance(row[0], list) else [row]
    return tuple(tuple(repr(x) for x in row) for row in rows)


def bent(number):
    """What the formulas of positions and activations make of one number."""
    x = float(number)
    if not math.isfinite(x):
        return []
    return [-x, math.sin(x), math.cos(x), math.tanh(x), phi(x), 0.044715 * x**3,
            math.sqrt(2 / math.pi)]


class Shown:
    """What the steps of a trace may show: matrices, rows and numbers of its nodes."""

    def __init__(self, trace, kind):
        self.kind = kind
        self.run = run_of(trace, kind)
        self.nodes = self.run["nodes"]
        there = [node for node in self.nodes.values() if node.values is not None]
        self.matrices = {key_of(matrix) for node in there for matrix in shapes_of(node)}
        self.matrices |= {tuple(zip(*matrix)) for matrix in self.matrices}
        self.rows = {row for matrix in self.matrices for row in matrix}
        self.numbers = {x for row in self.rows for x in row}
        self.numbers |= {repr(float(x)) for node in there for x in (
            node.rows, node.columns, node.columns // node.slices, node.heads)}
        self.bent = None
        self.is_partial = len(there) < len(self.nodes)  # a page leaves a large one out

    def begin(self):
        """A step: numbers that its lines work out may be used by those after them."""
        self.made, self.sizes = set(), {"h": 1}

    def knows(self, value):
        """A row of a node; numbers that nodes or lines before have, one by one."""
        if isinstance(value, list) and isinstance(value[0], list):
            return key_of(value) in self.matrices
        row = flat(value)
        return tuple(map(repr, row)) in self.rows or all(self.has(x) for x in row)

    def has(self, x):
        """What a node or a line before has, or how many there are; also taken off, and bent."""
        if {repr(float(x)), repr(x), repr(-x)} & (self.numbers | self.made):
            return True
        if self.bent is None:
            self.bent = sorted(y for number in self.numbers for y in bent(number))
        slack = SLACK[self.kind] * abs(x) / 4
        at = bisect.bisect_left(self.bent, x - slack)
        return (at < len(self.bent) and self.bent[at] <= x + slack or
                any(abs(x - y) <= 2.0**-50 for number in self.made for y in bent(number)))

    def cell_is_true(self, said):
        """The operands are those that the cell's node says, and the result is the cell."""
        node, (head, row, column) = self.nodes[said["of"]], said["cell"]
        if node.operation != said["operation"] or not letters.line_is_said(self.run, node, said):
            return False
        for x in "abcde":
            wanted = []
            if x in node.operands:
                if self.nodes[node.operands[x]["of"]].values is None:
                    continue
                wanted = cells(self.run, node.operands[x], node, head, row, column)
            if repr(flat(numbers(said.get(x, [])))) != repr(wanted):
                return False
        return repr(numbers(said["result"])) == repr(node.values[head][row][column])

    def line_is_true(self, said):
        if "of" in said and not self.cell_is_true(said):
            return False
        if "of" not in said and not self.is_partial and not all(
                self.knows(numbers(said[x])) for x in "abcde" if x in said):
            return False
        if not line_is_true(said, self.kind, self.nodes.get(said.get("of"))):
            return False
        self.made |= {repr(x) for x in flat(numbers(said["result"]))}
        return True

    def item_is_true(self, said):
        if said["kind"] == "line":
            return self.line_is_true(said)
        if said["kind"] == "matrix":
            return key_of(numbers(said["a"])) in self.matrices
        if said["kind"] == "product":
            a, b, result = (numbers(said[x]) for x in ("a", "b", "result"))
            rows = list(zip(a, result)) if isinstance(a[0], list) else [(a, result)]
            return (key_of(b) in self.matrices and self.knows(a) and
                    all(self.knows(made) and
                        rows_are_true([[as_number(x) * y for y in row] for x, row in zip(of, b)],
                                      made, self.kind) for of, made in rows))
        if said["kind"] == "stack":
            a, result = numbers(said["a"]), numbers(said["result"])
            return (key_of(a) in self.matrices and self.knows(result) and
                    rows_are_true(a, result, self.kind))
        if said["kind"] == "table":
            return letters.table_is_true(self.run, said["cells"], self.sizes)
        return said["kind"] != "formula" or letters.formula_is_said(self.run, said["text"])


def say_item(said):
    return str({x: y for x, y in said.items() if x not in ("rows", "columns")})[:200]


def check_letters(run):
    for node in run["nodes"].values():
        if node.operation is not None and not letters.node_is_said(run, node):
            yield f"{node.name}: {node.operation} is not '{node.letters}'"


def check_steps(trace, kind):
    shown = Shown(trace, kind)
    for step in trace["steps"]:
        shown.begin()
        for said in step["items"]:
            if not shown.item_is_true(said):
                yield f"{step['step']}: {say_item(said)}"


# ---- stages ----


def heads_of(stage):
    """Heads, rows, columns; one row stands for a stage of one axis."""
    if not isinstance(stage[0], list):
        return [[stage]]
    return stage if isinstance(stage[0][0], list) else [stage]


def joined(heads):
    """Rows, the heads side by side."""
    return [[x for row in rows for x in row] for rows in zip(*heads)]


def of_keys(name, stage, count):
    """Of a gradient by key, which has a column for each of more keys than there are, those of keys;
    all, where the others are not 0."""
    is_cut = name.endswith("key_bias_grad") and not any(any(row[count:]) for row in stage)
    return [row[:count] for row in stage] if is_cut else stage


def has_no_entries(node, stage):
    """A loss, or a gradient in the shape of an input, which may be turned: the same numbers."""
    own, turned = flat(node.values), flat(list(zip(*joined(node.values))))
    is_it = node.name == "loss" or node.name.endswith("_grad")
    return is_it and repr(flat([numbers(stage)])) in (repr(own), repr(turned))


def is_stage(node, stage, trace, end):
    """The numbers of the batch that is shown; of a generation's step, those of its rows, `end` the
    last, and of the keys so far."""
    stage = of_keys(node.name, stage, node.columns)
    if has_no_entries(node, stage):
        return True
    if "batch" in trace:
        stage = stage[trace["batch"]]
    if node.focus:
        stage = stage[node.focus["head"]] if isinstance(stage[0][0][0], list) else stage
        queries = next(said["shape"][1] for said in trace["nodes"]
                       if said["name"] == node.operands["a"]["of"])
        stage = stage[node.focus["row"] + (0 if end is None else end - queries)]
    stage = numbers(heads_of(stage))
    if end is not None and node.focus:
        stage = [stage[0][: node.rows]]
    elif end is not None and len(stage[0]) > node.rows:
        stage = [head[:end][-node.rows :] for head in stage]
    if end is not None and len(stage) == node.heads:
        stage = [[row[: node.columns] for row in head] for head in stage]
    return repr(joined(stage)) == repr(joined(node.values))


def check_stages(trace, stages, end=None, before=""):
    """The nodes that a run of `end` rows emits too; `before` is where their names begin."""
    compared = 0
    for said in trace["nodes"]:
        if said["name"].startswith(before) and "values" in said:
            name = said["name"][len(before) :]
            if name in stages:
                compared += 1
                if not is_stage(Node(said), stages[name], trace, end):
                    yield f"{said['name']} is not what the stage is"
    if compared < 8:
        yield f"only {compared} stages are nodes"


def places(value, name):
    """Where the numbers are of a number, a row or a matrix: each a list or object, and its index."""
    if isinstance(value[name], list):
        for i in range(len(value[name])):
            yield from places(value[name], i)
    elif not isinstance(value[name], str):
        yield value, name


def alter_steps(trace, kind, every):
    """Numbers of the steps, each a hundredth off in its turn: those whose change is not noticed."""
    shown, counted = Shown(trace, kind), 0
    for step in trace["steps"]:
        shown.begin()
        for said in step["items"]:
            before = set(shown.made)
            for name in ("a", "b", "c", "d", "e", "inner", "result"):
                for value, at in list(places(said, name)) if name in said else []:
                    counted += 1
                    if counted % every:
                        continue
                    kept = value[at]
                    value[at] = kept * 1.01 if kept else 0.0123
                    shown.made = set(before)
                    if shown.item_is_true(said):
                        yield f"{step['step']}: {value[at]!r} for {kept!r} in {say_item(said)}"
                    value[at] = kept
            shown.made = before
            shown.item_is_true(said)


def spoil(trace):
    """Each node's largest number, a hundredth off, in its turn: what no operation makes is left, and
    what is 0 but for roundings where experts' weights are divided by their sum."""
    for said in trace["nodes"]:
        if "operation" not in said or said["operation"] == "round" or "values" not in said:
            continue
        if said["name"].endswith("ffn.router_share"):
            continue
        made = said["values"][0][: said["shape"][1] - said.get("appended", 0)]
        places = [(abs(x), i, j) for i, row in enumerate(made) for j, x in enumerate(row)
                  if not isinstance(x, str) and x != 0]
        if places:
            _, i, j = max(places)
            kept = made[i][j]
            made[i][j] = kept * 1.01
            yield said
            made[i][j] = kept


def rename(run, trace):
    """Each node's operation, its first operand and a letter, changed in their turn: those whose
    change is not noticed."""
    names = [said["name"] for said in trace["nodes"]]
    for said in trace["nodes"]:
        if "operation" not in said or "values" not in said:
            continue
        of = said["a"]["of"]
        values = run["nodes"][of].values
        before = next(name for name in names[names.index(of) - 1 :: -1] + names[::-1]
                      if run["nodes"][name].values not in (None, values))
        for what, other in (("operation", "hide"), ("a", {**said["a"], "of": before}),
                            ("letters", said.get("letters", " ")[:-1] + "?")):
            kept = said.get(what)
            said[what] = other
            if kept is not None and not node_is_wrong(run, said):
                yield f"{said['name']}: {other} in place of {kept} is not noticed"
            said[what] = kept


def node_is_wrong(run, said):
    """As it is said now."""
    node = Node(said)
    try:
        return not letters.node_is_said(run, node) or bool(check(run, [node])[0])
    except (IndexError, TypeError):  # of an operand that has another shape
        return True


def untruths(trace, kind, every):
    """What is wrong in a trace, and which changes of it are not noticed."""
    run = run_of(trace, kind)
    wrong, done = check(run, run["nodes"].values())
    if done == 0:
        wrong = ["no cell is made of others"]
    wrong += [f"{said['name']}: a number that is a hundredth off is not noticed"
              for said in spoil(trace) if not node_is_wrong(run, said)]
    wrong += rename(run, trace)
    wrong += check_letters(run)
    wrong += check_steps(trace, kind)
    wrong += alter_steps(trace, kind, every) if every else []
    return wrong
