"""stack_numbers.py [OPTION]... DOCUMENT STAGES TRACE: whether all numbers that a stack's trace shows
are true: those of a matrix, and of the lines that are worked out, are the stage's that they say, and
each formula holds for all rows of its stages.

STAGES is what encode or decode emits (--emit '*') for the document, with a generation's words behind
its prompt. --alter changes one digit, or one sign, after the other instead, and fails where that is
not noticed."""
import argparse
import json
import math
import re
import sys

from expression import Wrong, evaluate, listed, parse, spell, terms_of
from stack_truth import OF_KEYS, Run, Section

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?|-?inf|nan"
SPELLED = re.compile(rf"\s*(?:(?<![a-z])\((?P<negative>{NUMBER})\)|(?P<number>{NUMBER})|(?P<word>[a-z_]+|\S))")
MATRIX = re.compile(r"    (\S+?)(?:, head (\d+) of (\d+))? \((?:(\d+) × (\d+)|(\d+) long)\)")
PRODUCT_NAME = re.compile(r"([\w.ᵀ]+)(\[\d+\])?(?: in head (\d+))?")
# What stands behind a letter in a formula that is for every row.
GENERAL = re.compile(r"([\w.]+)\[i(,j)?\]")
NORM = re.compile(r"(\w+)\[i\] = (?:\(([\w.]+)\[i\] - mean\) / √\(variance|([\w.]+)\[i\] / "
                  r"√\(mean of [\w.]+\[i\]²) \+ eps\)(·gain)?( \+ bias)?")


# ---- numbers ----


def written(value):
    """At most four decimals; five digits and an exponent where those would hide it."""
    if not math.isfinite(value):
        return str(value)
    if value == 0 or 0.000999995 <= abs(value) < 1e7:
        text = f"{value:.4f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    digits, power = f"{value:.4e}".split("e")
    return digits.rstrip("0").rstrip(".") + "e" + power


def must_show(section, text, value):
    """The text is that of the value, or of one that differs by what a rounding may have done."""
    plain = text if "e" in text or "." not in text else text.rstrip("0").rstrip(".")
    slack = section.run.slack * max(1, abs(value)) if math.isfinite(value) else 0
    plain = "0" if plain == "-0" else re.sub(r"\.?0*e", "e", plain) if "." in plain else plain
    if plain not in {written(value + by) for by in (-slack, 0, slack)}:
        raise Wrong(f"'{text}' stands for {value:.9g}")


def must_equal(section, a, b, what):
    if isinstance(a, list) != isinstance(b, list) or (isinstance(a, list) and len(a) != len(b)):
        raise Wrong(f"{what}: other sizes")
    if isinstance(a, list):
        for x, y in zip(a, b):
            must_equal(section, x, y, what)
    elif a != b and not abs(a - b) <= 20 * section.run.slack * max(1, abs(a), abs(b)):
        raise Wrong(f"{what}: {a:.9g} is not {b:.9g}")


def must_show_row(section, texts, row):
    """… stands for what is left out."""
    if "…" in texts:
        gap = texts.index("…")
        behind = len(texts) - gap - 1
        row = row[:gap] + [None] + row[len(row) - behind :]
    if len(texts) != len(row):
        raise Wrong(f"{len(texts)} numbers, expected {len(row)}")
    for text, value in zip(texts, row):
        if text != "…":
            must_show(section, text, value)


def row_texts(line):
    return [text.strip() for text in line[line.rindex("[") + 1 : line.rindex("]")].split(",")]


# ---- worked lines ----


def must_spell(section, text, words):
    """The text is these signs and numbers."""
    found, at = [], 0
    while at < len(text.rstrip()):
        found.append(SPELLED.match(text, at))
        at = found[-1].end()
    if len(found) != len(words):
        raise Wrong(f"'{text}' has {len(found)} signs and numbers, expected {len(words)}")
    for match, word in zip(found, words):
        shown = match["negative"] or match["number"]
        if isinstance(word, str):
            if match["word"] != word:
                raise Wrong(f"'{match[0].strip()}' stands for '{word}'")
        elif shown is None:
            raise Wrong(f"'{match[0].strip()}' stands for a number")
        else:
            must_show(section, shown, word)


# What makes a number whose line shows numbers alone.
MADE_OF = {
    "variance": "squares / {n}",
    "row_max": "max({from}[{index}])",
    "exp": "exp({from}[{index}] − row_max[{row}])",
    "row_sum": "Σ exp[{index}]",
    "weights": "exp[{index}] / row_sum[{row}]",
    "logits": "max(all_logits)",
    "tempered": "logits[{index}] / temperature",
    "most": "max(tempered)",
    "exponentials": "exp(tempered[{index}] − most)",
    "total": "Σ exponentials",
    "probabilities": "exponentials[{index}] / total",
}


def made_of(section, name, index):
    if name == "mean":
        return ("squares" if "squares" in section.locals else "sum") + f" / {section.width}"
    source = section.locals.get("from", "masked")
    row = index.split(",")[0]
    form = MADE_OF.get(name)
    if form is None:
        raise Wrong(f"nothing says what makes {name}")
    return form.format(n=getattr(section, "width", 0), index=index, row=row, **{"from": source})


def names_in(text):
    return re.findall(r"[A-Za-z_][\w.]*ᵀ?", re.sub(NUMBER, "", re.sub(r"\b(exp|max)\(", "(", text)))


def worked_value(section, name, index, tree, look_up):
    """Of a stage, the stage's; of what is none, that of its formula."""
    if section.full_name(name) or name in ("segmented", "logits", "probabilities"):
        return section.at(name, index, section.run.head if head_applies(section, name) else None)
    value = evaluate(tree, look_up)
    if index and name not in ("tempered", "exponentials"):
        raise Wrong(f"there is no {name}")
    if not index:
        section.locals[name] = value
    return value


def head_applies(section, name):
    return bool(section.part) and (section.in_head or section.name not in ("projections", "cache"))


def must_follow(section, name, index):
    """The focus's row, and a key after the other."""
    if name not in ("scores", "scaled", "exp", "weights", "weighted") or "," not in index:
        return
    row, key = (int(place) for place in index.split(","))
    last = section.locals.get("last key of " + name, 0)
    if row != section.row() or key != last + 1:
        raise Wrong(f"{name}[{index}] follows key {last} of row {section.row()}")
    section.locals["last key of " + name] = key


def must_be_of_row(section, line):
    """All stages of queries are shown at the focus."""
    is_of_key = section.name == "projections" and line[0] in "kv"
    for name, row in re.findall(r"([A-Za-z_][\w.]*)\[(\d+)[\],]", line):
        full = section.full_name(name)
        is_query = full is not None and name not in OF_KEYS and name not in section.locals
        if is_query and not is_of_key and int(row) != section.row():
            raise Wrong(f"{name}[{row}] is not the focus's row")


def must_be_of_key(name, index, form):
    """scores[1,2] is made of k[2], and of no other key's numbers, which may be equal."""
    if name not in ("scores", "scaled", "weighted") or "," not in index:
        return
    key = index.split(",")[1]
    if re.findall(r"(\d+)\]", form)[-1] != key or f",{key}]" not in form and "," in form:
        raise Wrong(f"{form} is not of key {key}")


def check_worked(section, line):
    left, *rest = line.split(" = ")
    match = re.fullmatch(r"([\w.]+)(?:\[([^\]]*)\])?( in head (\d+))?", left)
    if match is None:
        raise Wrong("no such line is known")
    name, index = match[1], match[2] or ""
    if match[4] and int(match[4]) != section.run.head:
        raise Wrong(f"head {match[4]} is not the focus")
    section.in_head = bool(match[4])
    must_follow(section, name, index)
    rest[-1], count = (re.fullmatch(r"(.*?)(?:  \((\d+) (?:terms|numbers)\))?", rest[-1])).groups()

    def look_up(of, at):
        whole = not section.part or (section.name == "projections" and of != name)
        return section.at(of, at, None if whole or of in ("Wq", "Wk", "Wv") else section.run.head)

    if name in section.SETTINGS and len(rest) == 1:
        must_spell(section, rest[0], [section.setting(name)])
        return
    if name == "scaled" and not section.part:
        section.locals.pop("scaled", None)
    must_be_of_row(section, line)
    form = rest.pop(0) if names_in(rest[0]) else made_of(section, name, index)
    must_be_of_key(name, index, form)
    tree = parse(form)
    if form.startswith("Σ ") and name == "sum":
        section.width = len(evaluate(tree[1], look_up))
    elif name == "squares":
        section.width = len(evaluate(tree[1], look_up))
    value = worked_value(section, name, index, tree, look_up)
    must_equal(section, evaluate(tree, look_up), value, line.split(" = ")[0])
    if count and int(count) != terms_of(tree, look_up):
        raise Wrong(f"{terms_of(tree, look_up)} terms are {count}")
    for text in rest[:-1]:
        if names_in(text):
            must_equal(section, evaluate(parse(text), look_up), value, text)
            tree = parse(text)
        else:
            must_spell(section, text, spell(tree, look_up))
    if rest:
        must_spell(section, rest[-1], spelled_value(value))


def spelled_value(value):
    return spell(("name", "", ""), lambda *_: value)


# ---- formulas for all rows ----


def check_general(section, left, right):
    """q[i] = x[i]·Wq + bq: for every row, of every head."""
    name, is_element = GENERAL.fullmatch(left).groups()
    tree = parse(right)
    if tree[0] == "call" and tree[1] == "exp":
        section.locals["from"] = tree[2][1][1]
    if tree[0] == "maxⱼ":
        section.locals["from"] = tree[1][1]
    heads = range(1, section.heads() + 1) if section.part and section.name not in (
        "projections", "unify") else [None]
    for head in heads:
        for row in range(1, len(section.matrix(name, head)) + 1):
            check_row(section, name, row, head, tree, bool(is_element))


def check_row(section, name, row, head, tree, is_element):
    made = section.at(name, str(row), head)
    # A key after the other, since the numbers of a row may be a product's own.
    columns = range(1, len(made) + 1) if is_element else [None]
    for column in columns:

        def look_up(of, index):
            index = index.replace("i", str(row)).replace("j", str(column))
            return section.at(of, index, head)

        value = made if column is None else made[column - 1]
        must_equal(section, evaluate(tree, look_up), value, f"{name}[{row},{column}]")


def normed(row, section, centers, gain, bias):
    mean = math.fsum(row) / len(row) if centers else 0
    row = [x - mean for x in row]
    factor = 1 / math.sqrt(math.fsum(x * x for x in row) / len(row) + section.setting("eps"))
    gains = section.weight("gain") if gain else [1] * len(row)
    shifts = section.weight("bias") if bias else [0] * len(row)
    return [x * factor * g + b for x, g, b in zip(row, gains, shifts)]


def check_norm(section, match):
    name, centered, scaled, gain, bias = match.groups()
    for made, row in zip(section.whole(name), section.whole(centered or scaled), strict=True):
        must_equal(section, normed(row, section, bool(centered), gain, bias), made, name)


def check_masked(section, right):
    source, hides = re.fullmatch(r"(\w+)\[i,j\](, or -inf)?", right).groups()

    def compare(a, b):
        if isinstance(a, list):
            for x, y in zip(a, b, strict=True):
                compare(x, y)
        elif a != b and not (hides and b == -math.inf):
            raise Wrong(f"{a} became {b}")

    section.locals["from"] = "masked"
    compare(section.whole(source), section.whole("masked"))


def check_hidden(section, match):
    """masked[1,2]: 0.5433 → -inf"""
    source = "scaled" if section.setting("scale") != 1 else "scores"
    must_show(section, match[2], section.at(source, match[1], section.run.head))
    must_show(section, match[3], section.at("masked", match[1], section.run.head))


def check_context(section, line):
    heads = [int(head) for head in re.findall(r"attended\[head (\d+), i\]", line)]
    if "…" not in line and heads != list(range(1, section.heads() + 1)):
        raise Wrong("heads are missing, or in another order")
    joined = [sum(rows, []) for rows in zip(*section.whole("attended"))]
    must_equal(section, joined, section.whole("context"), "context")


def check_rollout(section, line):
    """rollout = A[2]·A[1], A[l] = 0.5·mean_weights[l] + 0.5·I"""
    names, half, rest = re.fullmatch(
        r"rollout = (.*), A\[l\] = (\S+)·mean_weights\[l\] \+ (\S+)·I", line).groups()
    count = len(section.run.document["layers"])
    spelled = "·".join(f"A[{layer}]" for layer in range(count, 0, -1))
    if names not in (spelled, f"A[{count}]·…·A[1]"):
        raise Wrong("layers are missing, or in another order")
    if (half, rest) != ("0.5", "0.5"):
        raise Wrong("another share of attention and residual")
    total = None
    for layer in range(len(section.run.document["layers"])):
        means = section.of_step("rollout", section.run.stages[f"layer.{layer}.attention.mean_weights"])
        share = [[x / 2 + (i == j) / 2 for j, x in enumerate(row)] for i, row in enumerate(means)]
        total = share if total is None else [
            [math.fsum(a * b for a, b in zip(row, c)) for c in zip(*total)] for row in share]
    must_equal(section, total, section.whole("rollout"), "rollout")


def check_variance(section, match):
    name, head, text = match.groups()
    numbers = sum(section.matrix(name, int(head or 1)), [])
    mean = math.fsum(numbers) / len(numbers)
    must_show(section, text, math.fsum((x - mean) ** 2 for x in numbers) / len(numbers))


def check_heads_count(section, line):
    """low-dimensional heads: 3·h·m·(m/h) = 3·2·8·(8/2) = 3·8² = 192"""
    results = {evaluate(parse(text), lambda name, _: section.setting(name))
               for text in line.split(": ")[1].split(" = ")}
    if len(results) != 1:
        raise Wrong("these are not equal")


def check_present(section, line):
    if line != "present_k = [past_k; k], present_v = [past_v; v]":
        raise Wrong("another line of the cache")
    for name in "kv":
        joined = section.whole("past_" + name) + section.whole(name)
        must_equal(section, joined, section.whole("present_" + name), line)


def check_scaled_alike(section, line):
    must_equal(section, section.whole("scaled"), section.whole("scores"), line)


def check_embedded(section, line):
    """embedded[i] = embedding[id of i] + position_embedding[position of i]"""
    name, right = line.split(" = ")
    name = name[:-3]
    d, first = section.run.document, section.first()
    if "PE[i]" in right:
        return
    for row, made in enumerate(section.whole(name)):
        place = first + row
        ids = {"word of i": d.get("tokens", [])[place : place + 1], "id of i": d.get("ids", [])[
            place : place + 1], "segment of i": d.get("segments", [])[place : place + 1],
            "position of i": [place], "i": [row]}
        total = [0.0] * len(made)
        for of, index in re.findall(r"(\w+)\[([^\]]*)\]", right):
            at = ids[index][0]
            at = section.run.words().index(at) if isinstance(at, str) else at
            total = [a + b for a, b in zip(total, section.whole(of)[at])]
        must_equal(section, total, made, line)


def check_wave(section, line):
    """The sinusoids of the original paper."""
    m = section.setting("m") if section.layer >= 0 else len(section.whole("embedded")[0])
    if m != int(line.split("m = ")[1]):
        raise Wrong(f"m is {m}")


def check_drawn(section, match):
    """part = drawn·total = 0.8805·1.0673 = 0.9398; the number that is drawn is no stage."""
    drawn, total, part = match.groups()
    must_show(section, total, section.locals["total"])
    if abs(float(drawn) * section.locals["total"] - float(part)) > 1e-4 * section.locals["total"]:
        raise Wrong(f"{drawn}·{total} is not {part}")
    section.locals["part"] = float(part)


def check_sum_up_to(section, match):
    """sum up to cat = 0.0033 + 1 = 1.0033: the first that comes to more than the part."""
    upto = section.column(match[1])
    terms = section.locals["exponentials"][: upto + 1]
    before, total = math.fsum(terms[:-1]), math.fsum(terms)
    *spelled, result = match[2].split(" = ")
    if spelled:
        must_spell(section, spelled[0], listed([[x] for x in terms], "+"))
    must_show(section, result, total)
    if not before - 1e-4 <= section.locals["part"] <= total + 1e-4:
        raise Wrong(f"{match[1]} is not the first that comes to more")


EXACT = {
    "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0",
    "allowed: j ≤ i",
    "norm(x + part(x)): the original paper's, and BERT's",
    "x + part(norm(x)): GPT-2's",
    "norm(x + part(norm(x))), one ffn at the end: seed 003's",
}
SPECIAL = [
    (r"(\w+)\[i\] = .* / √\(.*", lambda s, m: check_norm(s, must_match(NORM, m[0]))),
    (r"masked\[i,j\] = (.*)", lambda s, m: check_masked(s, m[1])),
    (r"masked\[([\d,]+)\]: (\S+) → (\S+)", check_hidden),
    (r"context\[i\] = .*", lambda s, m: check_context(s, m[0])),
    (r"rollout = .*", lambda s, m: check_rollout(s, m[0])),
    (r"variance of (\w+)(?: in head (\d+))? = (\S+)", check_variance),
    (r"low-dimensional heads: .*", lambda s, m: check_heads_count(s, m[0])),
    (r"present_k = .*", lambda s, m: check_present(s, m[0])),
    (r"scaled = scores·scale = scores", lambda s, m: check_scaled_alike(s, m[0])),
    (r"(?:embedded|segmented)\[i\] = .*", lambda s, m: check_embedded(s, m[0])),
    (r"PE\(position, 2i\) = sin\(position·10000\^\(−2i/m\)\), m = \d+",
     lambda s, m: check_wave(s, m[0])),
    (r"allowed: j ≤ i \+ offset, offset = (\d+)", lambda s, m: must_be_offset(s, m[1])),
    (r"part = drawn·total = (\S+)·(\S+) = (\S+)", check_drawn),
    (r"sum up to (.*?) = (.*)", check_sum_up_to),
    (r"tempered = logits / temperature, probabilities = exp\(tempered − most\) / total",
     lambda s, m: None),
    (r"logits = output\[(\d+)\]·\S+", lambda s, m: check_logits(s, m[0])),
    (r"[\w.]+\[i(?:,j)?\] = .*", lambda s, m: check_general(s, *m[0].split(" = "))),
]


def must_match(pattern, text):
    if match := pattern.fullmatch(text):
        return match
    raise Wrong("no such line is known")


def must_be_offset(section, text):
    if int(text) != section.first():
        raise Wrong(f"the offset is {section.first()}")


def set_logits(section):
    """The one row that is chosen from."""
    d = section.run.document
    output = section.whole("output")[-1]
    table = numbers_of(d, "unembedding")
    table = table if table else section.whole("embeddingᵀ")
    section.locals["logits"] = [[math.fsum(a * b for a, b in zip(output, c)) for c in zip(*table)]]
    section.locals["unembedding"] = table
    section.locals["all_logits"] = section.locals["logits"][0]
    set_probabilities(section.locals, section.run.temperature)


def set_probabilities(known, temperature):
    known["tempered"] = [logit / temperature for logit in known["all_logits"]]
    most = max(known["tempered"])
    known["exponentials"] = [math.exp(x - most) for x in known["tempered"]]
    known["total"] = math.fsum(known["exponentials"])
    known["probabilities"] = [[x / known["total"] for x in known["exponentials"]]]


def numbers_of(document, name):
    given = document.get(name)
    is_out_in = document.get("layout") == "out-in"
    return [list(row) for row in zip(*given)] if given and is_out_in else given


def check_logits(section, line):
    row, table = re.fullmatch(r"logits = output\[(\d+)\]·(\S+)", line).groups()
    if int(row) != section.row():
        raise Wrong(f"the last row is {section.row()}")
    if table not in ("unembedding", "embeddingᵀ"):
        raise Wrong(f"'{table}' makes no logits")


def check_line(section, line):
    if line in EXACT:
        return
    for pattern, check in SPECIAL:
        if match := re.fullmatch(pattern, line):
            check(section, match)
            return
    if " = " in line:
        check_worked(section, line)
    else:
        raise Wrong("no such line is known")


# ---- matrices ----


def is_labels(line):
    """What stands above columns: k[1]  k[2]."""
    return not line.rstrip().endswith("]") or re.search(r"\w\[\d+\]$", line.rstrip())


def check_matrix(section, lines):
    name, head, heads, rows, columns, long = MATRIX.fullmatch(lines[0]).groups()
    if heads and int(heads) != section.heads():
        raise Wrong(f"there are {section.heads()} heads")
    value = section.matrix(name, int(head) if head else None)
    is_row = long is not None
    value = [value] if is_row else value
    size = (int(rows or 1), int(columns or long))
    if size != (len(value), len(value[0])):
        raise Wrong(f"{name} is {len(value)} × {len(value[0])}")
    if is_labels(lines[1]):
        check_column_labels(section, lines[1], size[1])
    lines = [line for line in lines[1:] if "[" in line and not is_labels(line)
             or line.strip() == "…"]
    gap = [at for at, line in enumerate(lines) if line.strip() == "…"]
    places = list(range(len(lines)))
    if gap:
        places = places[: gap[0]] + [None] + list(range(size[0] - len(lines) + gap[0] + 1, size[0]))
    if len(places) != size[0] and not gap:
        raise Wrong(f"{len(lines)} rows, expected {size[0]}")
    for line, place in zip(lines, places):
        if place is not None:
            check_label(section, line, place, size[0])
            must_show_row(section, row_texts(line), value[place])


def check_label(section, line, place, count):
    """An arrow stands at the focus."""
    label = line[: line.rindex("[")].strip()
    if label.startswith("→") and place + 1 != min(section.row(), count):
        raise Wrong(f"the arrow is at row {place + 1}")
    check_name(section, label.removeprefix("→ "), place, count)


def check_column_labels(section, line, count):
    labels = re.split(r"  +", line.strip())
    places = list(range(count))
    if "…" in labels:
        gap = labels.index("…")
        places = places[:gap] + [None] + places[count - len(labels) + gap + 1 :]
    for label, place in zip(labels, places, strict=True):
        if place is not None:
            check_name(section, label, place, count)


def check_name(section, label, place, count):
    """A number counts; an id is the one that stands there."""
    is_chosen = section.name in ("logits", "probabilities") and count > 1
    is_new = section.step > 0 and count == section.end() - section.first()
    counted = re.fullmatch(r"(id )?(?:[a-z]+\[)?(\d+)\]?", label)
    if counted and counted[1]:
        is_last = section.name in ("logits", "probabilities")
        first = section.end() - 1 if is_last else section.first() if is_new else 0
        wanted = section.run.document["ids"][first + place]
    else:
        wanted = place + (0 if is_chosen else 1)
    if counted and int(counted[2]) != wanted:
        raise Wrong(f"{label} stands for {wanted}")


def check_sum(section, lines):
    """weighted[1,1]   [ … ] + …, a rule, and attended[1]."""
    row, head = section.row(), section.run.head if "heads" in section.run.document else None
    keys = section.matrix("weighted", head or 1)[row - 1]
    shown = [line for line in lines if "[" in line and "left out" not in line]
    if len(shown) != len(keys) + 1:
        return
    for at, line in enumerate(shown):
        sign = re.search(r"([+=]) *\[[^\[]*$", line)
        wanted = "=" if at == len(keys) else "+" if at else None
        if (sign[1] if sign else None) != wanted:
            raise Wrong(f"'{line.strip()}' has no {wanted}")
        named = re.match(r" *weighted\[(\d+),(\d+)\]", line)
        if named and (int(named[1]), int(named[2])) != (row, at + 1):
            raise Wrong(f"'{named[0].strip()}' stands for weighted[{row},{at + 1}]")
        if at == len(keys) and f"attended[{row}] " not in line:
            raise Wrong(f"'{line.strip()}' stands for attended[{row}]")
        label = re.match(r" *(id \d+) ", line)
        if label:
            check_name(section, label[1], at, len(keys))
        value = section.matrix("attended", head or 1)[row - 1] if at == len(keys) else keys[at]
        must_show_row(section, row_texts(line), value)


def check_product(section, lines):
    """x[1]  ×  Wq  =  q[1], each below its name."""
    groups = {}
    names = []
    for line in lines:
        bare = re.sub(r"\[(?!\d+\])[^\]]*\]", lambda m: " " * len(m[0]), line)
        bare = re.sub(r"(?<![\w])\[\d+\]", lambda m: " " * len(m[0]), bare)
        if "left out" in line:
            continue
        names += [(m.start(), m) for m in PRODUCT_NAME.finditer(bare) if not m[0][0].isdigit()]
        for m in re.finditer(r"(?<![\w])\[[^\]]*\]", line):
            groups.setdefault(m.start(), []).append(m[0])
    if len(names) != 3 or len(groups) != 3:
        raise Wrong("a product of other than two")
    for (_, name), (_, rows) in zip(sorted(names, key=lambda n: n[0]), sorted(groups.items())):
        value = section.matrix(name[1], int(name[3]) if name[3] else
                               (1 if section.part and name[1] not in ("x", "xk", "xv") and
                                not name[1].startswith("W") and name[1] not in ("context", "output")
                                else None))
        value = [value[int(name[2][1:-1]) - 1]] if name[2] else value
        check_product_rows(section, rows, value)


def check_product_rows(section, rows, value):
    """Some may be left out in the middle."""
    half = len(rows) if len(rows) == len(value) else None
    at = 0
    for number, row in enumerate(rows):
        place = number if half else None
        while place is None:
            try:
                must_show_row(section, row_texts(row), value[at])
                place = at
            except Wrong:
                at += 1
                if at == len(value):
                    raise
        must_show_row(section, row_texts(row), value[place])
        at = place + 1


# ---- a page ----


def sections_of(text):
    """Of each step its title and its lines."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := re.fullmatch(r"\d+\. (.*?) ─+", line):
            found.append((match[1], []))
        elif found:
            found[-1][1].append((number, line))
    return found


def paragraphs(lines):
    part = []
    for number, line in lines + [(0, "")]:
        if line.strip() and (line.startswith("    ") or line.startswith("  → ")):
            part.append((number, line))
        elif part:
            yield part
            part = []


def logical(lines):
    """Lines with what continues them."""
    joined = []
    for line in lines:
        if joined and line.startswith("     "):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
    return joined


def check_paragraph(section, lines):
    if MATRIX.fullmatch(lines[0]):
        check_matrix(section, lines)
    elif any(re.fullmatch(r" *---+", line) for line in lines):
        check_sum(section, lines)
    elif any(re.search(r"\] +× +\[", line) for line in lines):
        check_product(section, lines)
    elif section.name != "dimensions":
        for line in logical(lines):
            check_line(section, line)


def check_section(run, title, lines):
    """What is wrong, and near which line."""
    section = Section(run, title)
    if section.name in ("logits", "probabilities", "choice"):
        set_logits(section)
    for part in paragraphs(lines):
        try:
            check_paragraph(section, [line for _, line in part])
        except Wrong as e:
            return f"line {part[0][0]}, {title}: {e}"
        except (KeyError, IndexError, ValueError, TypeError, AttributeError, ZeroDivisionError) as e:
            return f"line {part[0][0]}, {title}: {type(e).__name__} {e}: {part[0][1]}"
    return None


# ---- changes ----

SIGNS = {"+": "−", "·": "+", "/": "·", "−": "+", "√": "−", "×": "+"}


def changed(character):
    return str((int(character) + 1) % 10) if character in "0123456789" else SIGNS.get(character)


def is_checked(section, line):
    is_worked = line.startswith("    ") or line.startswith("  → ")
    return is_worked and section.name != "dimensions" and "left out" not in line


def alterations(run, text, every):
    """Of all places of digits and signs, one in so many: title, lines with the change, place."""
    counted = 0
    for title, lines in sections_of(text):
        for at, (number, line) in enumerate(lines):
            for place, character in enumerate(line):
                other = changed(character)
                if other is None or not is_checked(Section(run, title), line):
                    continue
                counted += 1
                if counted % every == 0:
                    new = line[:place] + other + line[place + 1 :]
                    yield title, lines[:at] + [(number, new)] + lines[at + 1 :], (number, new)


def alter(run, text, every):
    changes = missed = 0
    for title, lines, (number, line) in alterations(run, text, every):
        changes += 1
        if check_section(run, title, lines) is None:
            missed += 1
            print(f"not noticed: line {number}: {line}")
    print(f"{changes} changes, {missed} of them not noticed")
    return missed == 0


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--alter", type=int, default=0)
    options.add_argument("--row", type=int, default=1)
    options.add_argument("--head", type=int, default=1)
    options.add_argument("--temperature", type=float, default=1)
    options.add_argument("--prompt", type=int, default=0)
    options.add_argument("files", nargs=3)
    asked = options.parse_args()
    document, stages = (json.load(open(name, encoding="utf-8")) for name in asked.files[:2])
    text = open(asked.files[2], encoding="utf-8").read()
    run = Run(document, stages, asked.row, asked.head, asked.prompt,
              asked.temperature)
    if asked.alter:
        sys.exit(not alter(run, text, asked.alter))
    found = [w for w in (check_section(run, *section) for section in sections_of(text)) if w]
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
