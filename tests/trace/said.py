"""The letters of a JSON trace: those of a node, of a line and of a formula are what its operation and
its operands are called, in their places. And its tables of sizes: letters and shapes fit the nodes."""
import re

import spelling
from operations import ROWS

# What stands after an operand's name: of the part itself, and of its element j.
PLACES = {
    "row": ("", "[j]"), "row-i": ("[i]", "[i,j]"), "row-j": ("[j]", ""), "column-j": ("[·,j]", ""),
    "cell": ("[i,j]", "[i,j]"), "of-row": ("[i]", "[i]"), "of-column": ("[j]", "[j]"),
    "number": ("", ""), "partner": ("[i,j′]", ""), "of-pair": ("[i,p]", ""), "above": ("", ""),
    "below": ("", ""), "column": ("", ""), "column-i": ("[·,i]", ""), "all": ("", ""),
    "column-of-heads": ("[·,j]overtheheads", ""), "column-i-of-heads": ("[·,i]overtheheads", ""),
    "row-i-of-heads": ("[i]overtheheads", ""), "row-j-of-heads": ("[j]overtheheads", ""), "learned": (r"[l,j]", ""),
    "of-heads": ("[i,j]overtheheads", ""), "row-i-whole": (r"[i]", ""), "row-i-own": ("[i]", "[i,j]"), "shared": ("[i,s]", ""), "of-focus": ("[f,i]", ""),
}
FUNCTIONS = {
    "relu": "max(x,0)", "gelu": "x·Φ(x),Φthenormaldistribution", "silu": "x/(1+exp(−x))",
    "gelu_tanh": "x/2·(1+tanh(√(2/π)·(x+0.044715·x³)))", "relu2": "max(x,0)²",
}

# Their columns are ids, which a cell calls by a word or a number of its own.
OF_IDS = ("unembedding", "unembedding_bias", "product", "times", "logits", "tempered", "exponentials",
          "probabilities")
A_WORD = r"(?:\[\w*\]|[^\]])*?"  # [CLS] too


def has_ids(path):
    return path.split(".")[-1] in OF_IDS


def bare(text):
    return re.sub(r"\s+", "", text)


def names_of(path):
    """layer.0.ffn.output, ffn.output and output are one; so is a context without Wo, the output."""
    parts = path.split(".")
    names = [".".join(parts[i:]) for i in range(len(parts))]
    if parts[-1] == "context":
        names += [name[: -len("context")] + "output" for name in names]
    if len(parts) > 2 and parts[-3].isdigit():
        names.append(f"layer{int(parts[-3]) + 1}'s{parts[-1]}")
    names = list(map(re.escape, names))
    if path.endswith("output.last"):
        names.append(r"(?:output|head\.\w+)\[\d+\]")
    if parts[-1] == "unembedding":  # a table that looks words up may be turned into it
        names += ["vocabᵀ", "embeddingᵀ"]
    return "(?:" + "|".join(names) + ")"


class Pattern(spelling.Spelling):
    def literal(self, sign):
        return re.escape(sign)

    def place(self, name):
        return self.operands.get(name.strip("()"), "")


def place_of(run, node, part, letters, cell, is_element=False):
    """As a pattern: i and j, or the numbers of a cell; j of any element stays."""
    of = run["nodes"][part["of"]]
    i, j = "i", "j"
    if cell is not None:
        head, row, column = cell
        width = of.columns // of.slices
        first = node.first_of(part["at"], head, row, column) or 0
        inner = first % of.columns
        own = column % (node.columns // node.slices)
        i = str(row + 1)
        j = "|".join({str(column + 1), str(own + 1), str(inner + 1),
                      f"{inner // width + 1},{inner % width + 1}"})
        if part["part"] in ("row-j", "turned"):
            j = str(first // of.columns % of.rows + 1)
    if part["part"] == "cell" and of.rows == 1 < node.rows:
        i = "1"
    pair = cell and node.pair(column)
    if part["part"] == "partner" and pair:
        letters, j = letters.replace("′", ""), str(pair[2] % width + 1)
    if part["part"] == "shared" and cell:
        letters = letters.replace("s", str(inner + 1))
    if part["part"] == "of-pair" and pair:
        letters = letters.replace("p", str(pair[0] + 1))
    if cell and (of.letters or "").startswith("the"):
        i = A_WORD  # that is looked up, of which nodes say nothing
    if cell and has_ids(part["of"]):
        j = A_WORD
    j = "j" if is_element else j
    if part["part"] == "learned":
        letters = letters.replace("l", str(part["at"]["base"] // of.columns + 1))
    if part["part"] == "of-focus":
        letters = letters.replace("f", str(node.focus["row"] + 1))
    text = "".join({"i": i, "j": f"(?:{j})"}.get(x, re.escape(x)) for x in letters)
    if of.operation is None:
        text = text.replace("overtheheads", "ofeachexpert")
    return f"(?:{text})?" if part["of"].split(".")[-1] == "p" else text


def pattern(run, node, cell=None):
    """What the letters must be like."""
    operands = {"f": re.escape(node.function or ""),
                "j": "j" if cell is None else str(cell[2] % (node.columns // node.slices) + 1)}
    for letter, part in node.operands.items():
        if cell is not None and node.first_of(part["at"], *cell) is None:
            continue
        name, of = names_of(part["of"]), PLACES[part["part"]]
        operands[letter] = name + place_of(run, node, part, of[0], cell)
        operands["*" + letter] = name + place_of(run, node, part, of[1], cell, True)
    row = ROWS[node.operation]
    is_of_pair = cell is not None and "~" in (row.spelled or "")
    found = Pattern(operands)
    found.is_first = is_of_pair and (node.pair(cell[2]) or (0, False))[1]
    found = found.write(row.spelled if is_of_pair else row.letters or row.spelled)
    if node.operation == "activate":
        found += "(?::" + re.escape(FUNCTIONS[node.function]) + ")?"
    if node.operation == "copy" and cell is None:
        found += ("|" + names_of(node.operands["a"]["of"]) +
                  ",(theheadssidebyside|withoutwhatkeysshare)")
    return found


def node_is_said(run, node):
    return node.letters is None or re.fullmatch(pattern(run, node), bare(node.letters))


def head_of(node, said):
    """From 0: that of a cell whose heads lie side by side is the one of its column."""
    width = node.columns // node.slices
    return said.get("head", said["cell"][0] if node.heads > 1 else said["cell"][2] // width)


def line_is_said(run, node, said):
    """Its letters, and what stands left of them."""
    head, row, column = cell = said["cell"]
    own = column % (node.columns // node.slices)
    at = (rf"\[{A_WORD}\]" if has_ids(node.name) else
          rf"\[{row + 1}(?:,(?:{column + 1}|{own + 1}))?\]")
    at = f"(?:{at})" + ("?" if node.rows == node.columns == 1 else "")
    left = f"expofthesink|{names_of(node.name)}{at}(?:inhead{head_of(node, said) + 1})?"
    return re.fullmatch(left, bare(said.get("left", ""))) and (
        "letters" not in said or re.fullmatch(pattern(run, node, cell), bare(said["letters"])))


# ---- sizes ----


def size_of(letters, sizes):
    product = 1
    for letter in letters.split("·"):
        product *= sizes[letter]
    return product


def written_out(run, room, letters):
    """Rows that are made of others by a matrix alone, in their place: q[i] for q_score[i]."""
    def put(found):
        node = run["nodes"].get(room + found.group(1))
        by = node and re.fullmatch(r"(\w+)\[i\]·(\w+)\[·,j\]", bare(node.letters or ""))
        return f"{by.group(1)}[{found.group(2)}]" if by else found.group(0)

    return re.sub(r"(\w+_score)\[([ij])\]", put, letters)


def formula_is_said(run, text):
    """Where it begins with a node's name, the letters that follow are some node's of that name. A
    score function is shown with its matrices, which are ones where they are not given."""
    plain = re.sub(r"·(Wa|Ua|Ws)\b|ᵀ", "", bare(text))
    found = re.match(r"([A-Za-z_][\w.]*)\[i,j\]=(.*)", plain)
    nodes = found and [(path, node) for path, node in run["nodes"].items() if node.letters and
                       re.fullmatch(names_of(path), found.group(1))]
    for path, node in nodes or []:
        said = bare(node.letters).split(":")[0]
        if node.focus:  # of any query, where the node has the one in focus
            said = re.sub(r"\[\d+,i\]·(\w+)\[i,j\]", r"[i,j]·\1[j]", said)
        room = path[: len(path) - len(node.name.split(".")[-1])]
        if found.group(2).startswith((said, written_out(run, room, said))):
            return True
    return not nodes


def table_is_true(run, cells, sizes):
    """Letters have sizes; those of a matrix are its axes, and it has them."""
    if cells[0][0] == "letter":
        for letter, _, here in cells[1:]:
            if "·" not in letter:
                sizes[letter] = int(here)
        return all(size_of(letter, sizes) == int(here) for letter, _, here in cells[1:])
    for name, letters, here, _, count in cells[1:] if cells[0][0] == "matrix" else []:
        shape = [int(x) for x in here.split(" × ")]
        if [size_of(x, sizes) for x in letters.split(" × ")] != shape:
            return False
        nodes = [node for path, node in run["nodes"].items() if path.split(".")[-1] == name]
        if nodes and not any(has_shape(node, shape) for node in nodes):
            return False
        if count and not any(multiplications(run, node) == int(count) for node in nodes):
            return False
    return True


def multiplications(run, node):
    """Of a product of two matrices: as many for each cell as its row has numbers of the head; what
    is clipped is one before."""
    if node.operation == "clip":
        return multiplications(run, run["nodes"][node.operands["a"]["of"]])
    if node.operation not in ("dot", "dot_beside"):
        return 0
    width = node.columns // node.slices
    each = min(width, node.operands["b"]["at"].get("columns", width))
    return node.heads * node.rows * node.slices * each * node.operands["a"]["at"].get("count", 1)


def has_shape(node, shape):
    """Its heads may be an axis, or side by side; a focus shows one of them."""
    if node.focus:
        return True
    numbers = node.heads * node.rows * node.columns
    product = 1
    for size in shape:
        product *= size
    return product % numbers == 0 and (len(shape) < 2 or node.rows in shape)
