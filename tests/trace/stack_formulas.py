"""Lines of a trace that hold for all rows, and those of their own form."""
import math
import re

from expression import Wrong, evaluate, listed, parse
from stack_masks import (check_allowed, check_capped, check_hidden, check_masked, check_masked_sum,
                         check_slope, check_slope_rule)
from stack_shown import must_equal, must_show
from stack_scores import SCORES
from stack_softmax import SOFTMAX
from stack_turns import check_factor, check_normal, check_pair_rule, check_turn_rule, check_turned
from stack_waves import check_angle, check_wave_sum, position_of, wave
from stack_worked import check_worked, must_spell

# What stands behind a letter in a formula that is for every row.
GENERAL = re.compile(r"([\w.]+)\[i(,j)?\]")
NORM = re.compile(r"(\w+)\[i\] = (?:\(([\w.]+)\[i\] − mean\) / √\(variance|([\w.]+)\[i\] / "
                  r"√\(mean of [\w.]+\[i\]²) \+ eps\)(·gain)?( \+ bias)?")


# Of numbers that are all 1 a quotient is a product, too.
FIXED = {
    "exp[i,j]": r"exp\(\w+\[i,j\] − row_max\[i\]\)",
    "row_sum[i]": r"Σⱼ exp\[i,j\]",
    "weights[i,j]": r"exp\[i,j\] / row_sum\[i\]",
}


def check_general(section, left, right):
    """q[i] = x[i]·Wq + bq: for every row, of every head."""
    if left in FIXED and not re.fullmatch(FIXED[left], right):
        raise Wrong(f"{right} is not what makes {left}")
    name, is_element = GENERAL.fullmatch(left).groups()
    tree = parse(right)
    if tree[0] == "call" and tree[1] == "exp":
        section.locals["from"] = tree[2][1][1]
    if tree[0] == "maxⱼ":
        section.locals["from"] = tree[1][1]
    heads = range(1, section.heads() + 1) if section.part and section.name not in (
        "projections", "unify") else [None]
    for head in heads:
        for row in range(1, len(section.matrix(name, head)) + 1 - appended_to(section, name)):
            check_row(section, name, row, head, tree, bool(is_element))


def appended_to(section, name):
    """Rows behind keys and values, which no formula makes: they must be what they are called."""
    if name not in ("k", "v"):
        return 0
    rows = section.whole(name)
    width, count = len(rows[0]), len(section.appended())
    added = [section.vector("bias_" + name, 1, width) if kind == "bias_k" else [0.0] * width
             for kind in section.appended()]
    must_equal(section, rows[len(rows) - count :], added, f"what is behind {name}")
    return count


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


def check_context(section, line):
    heads = [int(head) for head in re.findall(r"attended\[head (\d+), i\]", line)]
    wanted = list(range(1, section.heads() + 1))
    is_alone = wanted == [1] and line == "context[i] = attended[i]"
    if not is_alone and heads != ([wanted[0], wanted[-1]] if "…" in line else wanted):
        raise Wrong("heads are missing, or in another order")
    joined = [sum(rows, []) for rows in zip(*(section.matrix("attended", head) for head in wanted))]
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
    for layer in range(1, count + 1):
        means = section.of_step(
            "rollout", section.run.stages[f"layer.{layer - 1}.attention.mean_weights"])
        share = [[x / 2 + (i == j) / 2 for j, x in enumerate(row)] for i, row in enumerate(means)]
        total = share if total is None else [
            [math.fsum(a * b for a, b in zip(row, c)) for c in zip(*total)] for row in share]
        section.locals.update({f"means[{layer}]": means, f"A[{layer}]": share, f"R[{layer}]": total})
    must_equal(section, total, section.whole("rollout"), "rollout")


def check_half(section, match):
    """A[2][1,1] = 0.5·mean_weights[2][1,1] + 0.5·I[1,1] = 0.5·0.75 + 0.5 = 0.875"""
    layer, row, of, *rows = match.groups()[:5]
    count = section.locals.get("halves", 0) + 1
    section.locals["halves"] = count
    if {layer, of} != {str(count)} or {row, *rows} != {str(section.row())}:
        raise Wrong(f"this is layer {count}, and row {section.row()}")
    mean = section.locals[f"means[{layer}]"][section.row() - 1][0]
    must_spell(section, match[6], [0.5, "·", mean, "+", 0.5 if section.row() == 1 else 0])
    must_show(section, match[7], section.locals[f"A[{layer}]"][section.row() - 1][0])


def check_product_of_halves(section, match):
    """rollout[1,1] = A[2][1]·A[1][·,1] = 0.875·0.75 + 0.125·0.125 = 0.6719"""
    name, row, layer, of_row, before, below, spelled, result = match.groups()
    layers = len(section.run.document["layers"])
    made = "rollout" if int(layer) == layers else f"R[{layer}]"
    if name != made or int(below) != int(layer) - 1 or (before == "A") != (below == "1"):
        raise Wrong(f"{name} is another product")
    if {row, of_row} != {str(section.row())}:
        raise Wrong(f"this is row {section.row()}")
    half = section.locals[f"A[{layer}]"][section.row() - 1]
    column = [numbers[0] for numbers in section.locals[f"R[{below}]"]]
    must_spell(section, spelled, listed([[a, "·", b] for a, b in zip(half, column)], "+"))
    must_show(section, result, section.locals[f"R[{layer}]"][section.row() - 1][0])


def check_products(section, match):
    if int(match[1]) != len(section.run.document["layers"]):
        raise Wrong(f"{match[1]} is not the last layer")


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
    keys = section.kept_as("present_k")
    if line != f"present_k = [past_k; {keys}], present_v = [past_v; v]":
        raise Wrong("another line of the cache")
    for name, new in (("k", keys), ("v", "v")):
        joined = section.whole("past_" + name) + section.whole(new)
        must_equal(section, joined, section.whole("present_" + name), line)


# Where norms stand, as the manual's LAYERS say it.
ORDERS = {
    "post": "norm(x + part(x))",
    "pre": "x + part(norm(x))",
    "seed": "norm(x + part(norm(x)))",
}


def check_order(section, line):
    order = section.own_keys().get("norm", section.run.document.get("norm", "post"))
    if line != ORDERS[order]:
        raise Wrong(f"the order is {order}")


def check_scaled_alike(section, line):
    must_equal(section, section.whole("scaled"), section.whole("scores"), line)


def check_embedded(section, line):
    """embedded[i] = embedding[id of i] + position_embedding[position of i]"""
    name, right = line.split(" = ")
    name = name[:-3]
    d, first = section.run.document, section.first()
    for row, made in enumerate(section.whole(name)):
        place = first + row
        ids = {"word of i": d.get("tokens", [])[place : place + 1], "id of i": d.get("ids", [])[
            place : place + 1], "segment of i": d.get("segments", [])[place : place + 1],
            "position of i": [place], "i": [row]}
        total = [0.0] * len(made)
        for of, index in re.findall(r"(\w+)\[([^\]]*)\]", right):
            at = ids[index][0]
            at = section.run.words().index(at) if isinstance(at, str) else at
            if of == "PE":
                place_of_row = position_of(section, row + 1)
                more = [wave(place_of_row, column, len(made)) for column in range(len(made))]
            else:
                more = section.whole(of)[at]
            total = [a + b for a, b in zip(total, more)]
        must_equal(section, total, made, line)


def check_wave(section, line):
    """The sinusoids of the original paper."""
    m = section.setting("m") if section.layer >= 0 else len(section.whole("embedded")[0])
    if m != int(line.split("m = ")[1]):
        raise Wrong(f"m is {m}")


def check_drawn(section, match):
    """part = drawn·total = 0.8805·1.0673 = 0.9398; the number that is drawn is no stage."""
    drawn, total, part = match.groups()
    number = section.run.drawn[section.step - 1]
    section.locals["part"] = number * section.locals["total"]
    must_show(section, drawn, number)
    must_show(section, total, section.locals["total"])
    must_show(section, part, section.locals["part"])


def check_sum_up_to(section, match):
    """sum up to cat = 0.0033 + 1 = 1.0033: the first that comes to more than the part."""
    upto = section.column(match[1])
    terms = section.locals["exponentials"][: upto + 1]
    before, total = math.fsum(terms[:-1]), math.fsum(terms)
    *spelled, result = match[2].split(" = ")
    if spelled:
        must_spell(section, spelled[0], listed([[x] for x in terms], "+"))
    must_show(section, result, total)
    if not before <= section.locals["part"] < total:
        raise Wrong(f"{match[1]} is not the first that comes to more")


EXACT = {
    "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0",
}
LINES = SCORES + SOFTMAX + [
    (r"([qk])_norm\[i\] = (.*)", check_normal),
    (r"factor = 1/√\(mean \+ qk_eps\) = (.*) = (.*) = (\S+)", check_factor),
    (r"angle of pair p = .*", check_turn_rule),
    (r"pair p: numbers (.*), p from 0", check_pair_rule),
    (r"(?:p = \d+: numbers|angle = position·base|[qk]_rope\[).*", check_turned),
    (r"(\w+)\[i\] = .* / √\(.*", lambda s, m: check_norm(s, must_match(NORM, m[0]))),
    (r"masked\[i,j\] = (.*)", lambda s, m: check_masked(s, m[1])),
    (r"masked\[([\d,]+)\]: (\S+) → (\S+)", check_hidden),
    (r"masked\[([\d,]+)\] = (.*) = (.*) = (\S+)", check_masked_sum),
    (r"slope of head i of h = 2\^\(−8·i/h\), h a power of two", check_slope_rule),
    (r"(slope.*) = (\S+)", check_slope),
    (r"capped\[([\d,]+)\] = C·tanh\((\w+)\[([\d,]+)\] / C\) = (.*) = (.*) = (\S+)", check_capped),
    (r"context\[i\] = .*", lambda s, m: check_context(s, m[0])),
    (r"A\[(\d+)\]\[(\d+),1\] = 0\.5·mean_weights\[(\d+)\]\[(\d+),1\] \+ 0\.5·I\[(\d+),1\] = (.*) = "
     r"(\S+)", check_half),
    (r"(rollout|R\[\d+\])\[(\d+),1\] = A\[(\d+)\]\[(\d+)\]·([AR])\[(\d+)\]\[·,1\] = (.*) = (\S+)"
     r"(?:  \(\d+ terms\))?", check_product_of_halves),
    (r"R\[1\] = A\[1\], R\[l\] = A\[l\]·R\[l−1\], rollout = R\[(\d+)\]", check_products),
    (r"rollout = .*", lambda s, m: check_rollout(s, m[0])),
    (r"variance of (\w+)(?: in head (\d+))? = (\S+)", check_variance),
    (r"low-dimensional heads: .*", lambda s, m: check_heads_count(s, m[0])),
    (r"present_k = .*", lambda s, m: check_present(s, m[0])),
    (r".*\bpart\(.*", lambda s, m: check_order(s, m[0])),
    (r"scaled = scores·scale = scores", lambda s, m: check_scaled_alike(s, m[0])),
    (r"angle = position·10000\^\(−(\d+)/(\d+)\) = (.*) = (\S+)", check_angle),
    (r"embedded\[(\d+),(\d+)\] = (.*) \+ (sin|cos)\(angle\) = (.*) = (\S+)", check_wave_sum),
    (r"(?:embedded|segmented)\[i\] = .*", lambda s, m: check_embedded(s, m[0])),
    (r"PE\(position, 2i\) = sin\(position·10000\^\(−2i/m\)\), m = \d+",
     lambda s, m: check_wave(s, m[0])),
    (r"allowed: (.*)", check_allowed),
    (r"part = drawn·total = (\S+)·(\S+) = (\S+)", check_drawn),
    (r"sum up to (.*?) = (.*)", check_sum_up_to),
    (r"tempered = logits / temperature, probabilities = exp\(tempered − most\) / total",
     lambda s, m: None),
    (r"logits = output\[(\d+)\]·\S+", lambda s, m: check_logits(s, m[0])),
    (r"[\w.]+\[i(?:,j)?\] = .*", lambda s, m: check_general(s, *m[0].split(" = "))),
]
SPECIAL = [(re.compile(pattern), check) for pattern, check in LINES]


def must_match(pattern, text):
    if match := pattern.fullmatch(text):
        return match
    raise Wrong("no such line is known")


def table_of(document):
    """What the output is compared with: what words or ids look up, where nothing else is said."""
    if "unembedding" in document:
        return "unembedding"
    return "vocabᵀ" if "vocab" in document else "embeddingᵀ"


def set_logits(section):
    """The one row that is chosen from."""
    d = section.run.document
    output = section.whole("output")[-1]
    name = table_of(d)
    table = numbers_of(d, name) if name == "unembedding" else section.whole(name)
    section.locals["logits"] = [[section.run.dot(output, column) for column in zip(*table)]]
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
    if table != table_of(section.run.document):
        raise Wrong(f"'{table}' makes no logits")


def check_line(section, line):
    if line in EXACT:
        return
    for pattern, check in SPECIAL:
        if match := pattern.fullmatch(line):
            check(section, match)
            return
    if " = " in line:
        check_worked(section, line)
    else:
        raise Wrong("no such line is known")
