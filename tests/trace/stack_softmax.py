"""Lines of sinks, of weights that are rounded by hand, and of what a row of weights comes to."""
import math

from expression import Literal, Wrong, listed
from stack_masks import keys_of_sequence
from stack_shown import must_equal, must_show
from stack_worked import check_worked, must_follow, must_spell


def rows_of_heads(section, name):
    """Each head, row and what the name has there."""
    for head in range(1, section.heads() + 1):
        for row, numbers in enumerate(section.matrix(name, head), 1):
            yield head, row, numbers


def in_row(section, name):
    return section.matrix(name, section.run.head)[section.row() - 1]


def must_be_row(section, text):
    if int(text) != section.row():
        raise Wrong(f"row {text} is not the focus's")


# ---- sinks ----


def sink_of(section, head):
    return float(section.said("sinks")[head - 1])


def exp_of_sink(section, head, row):
    most = section.matrix("row_max", head)[row - 1][0]
    return section.run.narrow(math.exp(sink_of(section, head) - most))


def check_sink(section, match):
    must_show(section, match[1], sink_of(section, section.run.head))


def check_sink_max(section, match):
    """row_max[i] = max(maxⱼ masked[i,j], sink)"""
    section.locals["from"] = match[1]
    for head, row, numbers in rows_of_heads(section, match[1]):
        made = section.matrix("row_max", head)[row - 1][0]
        must_equal(section, max(*numbers, sink_of(section, head)), made, match[0])


def check_sink_sum(section, match):
    """row_sum[i] = Σⱼ exp[i,j] + exp(sink − row_max[i])"""
    for head, row, numbers in rows_of_heads(section, "exp"):
        made = section.matrix("row_sum", head)[row - 1][0]
        must_equal(section, math.fsum(numbers) + exp_of_sink(section, head, row), made, match[0])


def check_whole_row(section, match):
    """row_max[1] = max(1, 2, 0.5) = 2; row_sum[1] = 0.5 + 1 + 0.25 = 1.75: the sink is the last."""
    name, row, spelled, result, count = match.groups()
    if section.said("sinks") is None:
        check_worked(section, match[0])
        return
    must_be_row(section, row)
    is_max = name == "row_max"
    numbers = in_row(section, section.locals["from"] if is_max else "exp")
    sink = sink_of(section, section.run.head) if is_max else exp_of_sink(
        section, section.run.head, section.row())
    between = "," if is_max else "+"
    words = listed([[x] for x in numbers], between) + [between, sink]
    must_spell(section, spelled, ["max", "(", *words, ")"] if is_max else words)
    must_show(section, result, in_row(section, name)[0])
    if count and int(count) != len(numbers):
        raise Wrong(f"{len(numbers)} keys are {count}")


def check_exp_of_sink(section, match):
    """exp of the sink = exp(0.5 − 1.5) = 0.3679"""
    most = in_row(section, "row_max")[0]
    sink = sink_of(section, section.run.head)
    must_spell(section, match[1], ["exp", "(", sink, "−", most, ")"])
    must_show(section, match[2], exp_of_sink(section, section.run.head, section.row()))


def check_share_of_sink(section, match):
    """share of the sink = exp of the sink / row_sum[1] = 0.3679 / 2 = 0.1839"""
    must_be_row(section, match[1])
    part = exp_of_sink(section, section.run.head, section.row())
    total = in_row(section, "row_sum")[0]
    must_spell(section, match[2], [part, "/", total])
    must_show(section, match[3], part / total)


# ---- rounded by hand ----


def check_rounded(section, match):
    """rounded[1,2]: 0.3679 → 0.4"""
    must_follow(section, "rounded", match[1])
    weight = section.at("weights", match[1], section.run.head)
    made = section.at("rounded", match[1], section.run.head)
    must_show(section, match[2], weight)
    must_show(section, match[3], made)
    decimals, _, keeps_sum = str(section.said("round")).partition(":")
    step = 10.0 ** -int(decimals)
    if abs(made - weight) > step * (1 if keeps_sum else 0.5) + section.run.error:
        raise Wrong(f"{made} is not {weight} rounded")
    must_equal(section, made, round(made / step) * step, match[0])


# ---- statistics ----


def check_logsumexp(section, match):
    """logsumexp[i] = row_max[i] + ln row_sum[i]"""
    for head, row, most in rows_of_heads(section, "row_max"):
        total = section.matrix("row_sum", head)[row - 1][0]
        made = section.matrix("logsumexp", head)[row - 1][0]
        if total > 0:
            must_equal(section, most[0] + math.log(total), made, match[0])


def check_logsumexp_of_row(section, match):
    """logsumexp[1] = 2 + ln(1.75) = 2.5596"""
    must_be_row(section, match[1])
    most, total = in_row(section, "row_max")[0], in_row(section, "row_sum")[0]
    must_spell(section, match[2], [most, "+", "ln", "(", total, ")"])
    must_show(section, match[3], in_row(section, "logsumexp")[0])


def check_entropy(section, match):
    """entropy[i] = −Σⱼ weights[i,j]·ln weights[i,j]"""
    for head, row, weights in rows_of_heads(section, "weights"):
        total = -math.fsum(w * math.log(w) for w in weights if w > 0)
        must_equal(section, total, section.matrix("entropy", head)[row - 1][0], match[0])


def check_entropy_of_row(section, match):
    """entropy[1] = −(0.5·ln(0.5) + 0) = 0.3466"""
    must_be_row(section, match[1])
    weights = in_row(section, "weights")
    terms = [[w, "·", "ln", "(", w, ")"] if w > 0 else [Literal(0)] for w in weights]
    must_spell(section, match[2], ["−", "(", *listed(terms, "+"), ")"])
    must_show(section, match[3], in_row(section, "entropy")[0])
    if match[4] and int(match[4]) != len(weights):
        raise Wrong(f"{len(weights)} terms are {match[4]}")


def check_top(section, match):
    """top[1,2] is key 3 (cat): weights[1,3] = 0.25: no key has more that is not above."""
    row, place, key, word, of_row, of_key, text = match.groups()
    must_be_row(section, row)
    must_be_row(section, of_row)
    above = section.locals.setdefault("above", [])
    weights = in_row(section, "weights")
    own, left = weights[int(key) - 1], [w for k, w in enumerate(weights, 1) if k not in above]
    if int(place) != len(above) + 1 or of_key != key or int(key) in above or own < max(left):
        raise Wrong(f"key {key} is not the strongest of those that are left")
    above.append(int(key))
    must_be_named(section, int(key), word)
    must_show(section, text, own)


def must_be_named(section, key, word):
    own = keys_of_sequence(section)
    names = section.run.document.get("tokens") if section.part != "cross" else None
    names = (names[:own] if names else [None] * own) + section.appended()
    if word != names[key - 1]:
        raise Wrong(f"key {key} is called {names[key - 1]}")


SOFTMAX = [
    (r"sink = (\S+)", check_sink),
    (r"row_max\[i\] = max\(maxⱼ (\w+)\[i,j\], sink\)", check_sink_max),
    (r"row_sum\[i\] = Σⱼ exp\[i,j\] \+ exp\(sink − row_max\[i\]\)", check_sink_sum),
    (r"(row_max|row_sum)\[(\d+)\] = (.*) = (\S+)(?:  \((\d+) \w+\))?", check_whole_row),
    (r"exp of the sink = (exp\(.*\)) = (\S+)", check_exp_of_sink),
    (r"share of the sink = exp of the sink / row_sum\[(\d+)\] = (.*) = (\S+)", check_share_of_sink),
    (r"rounded\[([\d,]+)\]: (\S+) → (\S+)", check_rounded),
    (r"logsumexp\[i\] = row_max\[i\] \+ ln row_sum\[i\]", check_logsumexp),
    (r"logsumexp\[(\d+)\] = (.*) = (\S+)", check_logsumexp_of_row),
    (r"entropy\[i\] = −Σⱼ weights\[i,j\]·ln weights\[i,j\]", check_entropy),
    (r"entropy\[(\d+)\] = (−\(.*\)) = (\S+)(?:  \((\d+) terms\))?", check_entropy_of_row),
    (r"top\[(\d+),(\d+)\] is key (\d+)(?: \((.*)\))?: weights\[(\d+),(\d+)\] = (\S+)", check_top),
]
