"""Lines of what a query sees, and of what its scores lose by it: places, windows, ALiBi, biases,
masks and the soft cap."""
import math

from expression import Literal, Wrong
from stack_shown import Near, must_equal, must_show
from stack_worked import must_follow, must_spell


# ---- places ----


def keys_of_sequence(section):
    """How many keys there are that nobody appended; masked has a column for each."""
    return len(section.matrix("masked", 1)[0]) - len(section.appended())


def length_of(section):
    said = section.said("key_lengths")
    return keys_of_sequence(section) if said is None else int(said[0])


def causal_of(section):
    """How queries and keys are aligned; a decoder's own keys are never of what comes after."""
    said = section.said("causal", section.run.is_decoder and section.part != "cross")
    return {False: None, "none": None, True: "upper-left"}.get(said, said)


def place_of(section, row):
    """Where a query stands among the keys, from 0; rows count from 1."""
    if causal_of(section) == "lower-right":
        return row - 1 + length_of(section) - len(section.whole("q"))
    return row - 1 + section.first() + int(section.said("offset", 0))


def place_text(section):
    """The same from 1, in letters."""
    length, queries = length_of(section), len(section.whole("q"))
    if causal_of(section) != "lower-right":
        offset = place_of(section, 1)
        return f"i + offset, offset = {offset}" if offset else "i"
    if length == queries:
        return "i"
    if length < keys_of_sequence(section):
        return f"i + {length} − n_q"
    return "i + n_x − n_q" if section.appended() else "i + n_k − n_q"


def window_of(section):
    """How many keys before and behind a query's own place; None where all are."""
    sides = [None if side == -1 else int(side) for side in section.said("window", [-1, -1])]
    return sides[0], 0 if causal_of(section) else sides[1]


def is_allowed(section, row, key):
    """Keys from 1."""
    distance = key - 1 - place_of(section, row)
    left, right = window_of(section)
    is_late = right is not None and distance > right
    return key <= length_of(section) and not is_late and (left is None or distance >= -left)


def check_allowed(section, match):
    """allowed: p − 1 ≤ j ≤ p + 1, p = i: as the document says it, and as the keys are hidden."""
    if match[1] not in (causal_text(section), window_text(section), f"j ≤ {length_of(section)}"):
        raise Wrong(f"{match[1]} is not what a query sees")
    for rows in heads_of(section, "masked"):
        for row, keys in enumerate(rows, 1):
            for key, score in enumerate(keys[: keys_of_sequence(section)], 1):
                if score != -math.inf and not is_allowed(section, row, key):
                    raise Wrong(f"query {row} sees key {key}")
                if score == -math.inf and is_allowed(section, row, key) and not may_hide(section):
                    raise Wrong(f"query {row} does not see key {key}")


def may_hide(section):
    return section.said("mask") is not None or section.said("bias") is not None


def causal_text(section):
    return f"j ≤ {place_text(section)}"


def window_text(section):
    left, right = window_of(section)
    before = "" if left is None else f"p − {left} ≤ " if left else "p ≤ "
    behind = "" if right is None else f" ≤ p + {right}" if right else " ≤ p"
    if not before and not behind:
        return "all, the window is open on both sides"
    return f"{before}j{behind}, p = {place_text(section)}"


def heads_of(section, name):
    return [section.matrix(name, head) for head in range(1, section.heads() + 1)]


# ---- what is added ----


def unmasked(section):
    """The stage before bias and mask."""
    if section.said("softcap") is not None:
        return "capped"
    return "scores" if section.scale() == 1 else "scaled"


def slope_of(section, head):
    """As given, or published: 2^(−8·head/heads), beyond a power of two every second one of twice
    as many. The exponent's index and count where it is published."""
    said, heads = section.said("alibi"), section.heads()
    if isinstance(said, list):
        return said[head - 1], None
    below = 2 ** (heads.bit_length() - 1)
    index, count = (head, below) if head <= below else (2 * (head - below) - 1, 2 * below)
    return 2 ** (-8 * index / count), (index, count)


def bias_of(section, head, row, key):
    """Axes from the last one back: keys, queries, heads; an axis of 1 is for all."""
    value = section.said("bias")
    axes = [axis - 1 for axis in (1, head, row, key)][-depth(value):]
    for axis in axes:
        value = value[axis if len(value) > 1 else 0]
    return float(str(value).replace("Infinity", "inf"))


def depth(value):
    return 1 + depth(value[0]) if isinstance(value, list) else 0


def has_one_bias(section):
    """One row, for all queries."""
    said = section.said("bias")
    while depth(said) > 2:
        said = said[0]
    return len(section.whole("q")) > 1 and (depth(said) == 1 or len(said) == 1)


def bias_rows(section):
    """As they are shown: of the head in focus."""
    keys = range(1, keys_of_sequence(section) + 1)
    rows = 1 if has_one_bias(section) else len(section.whole("q"))
    return [[bias_of(section, section.run.head, row, key) for key in keys]
            for row in range(1, rows + 1)]


def added_to(section, head, row, key):
    """What bias and distance make of a score; keys that were appended keep theirs."""
    if key > keys_of_sequence(section):
        return 0.0
    bias = 0.0 if section.said("bias") is None else bias_of(section, head, row, key)
    if section.said("alibi") is None:
        return bias
    return bias - slope_of(section, head)[0] * abs(place_of(section, row) - (key - 1))


def masked_text(section):
    text = unmasked(section) + "[i,j]"
    if section.said("bias") is not None:
        text += " + bias[1,j]" if has_one_bias(section) else " + bias[i,j]"
    has_slope = section.said("alibi") is not None
    hides = any(-math.inf in row for rows in heads_of(section, "masked") for row in rows)
    return (text + (" − slope·|p − j|" if has_slope else "") + (", or -inf" if hides else "")
            + (f", p = {place_text(section)}" if has_slope else ""))


def check_masked(section, right):
    """masked[i,j] = scaled[i,j] + bias[i,j] − slope·|p − j|, or -inf, p = i: of all heads."""
    if right != masked_text(section):
        raise Wrong(f"masked is {masked_text(section)}")
    section.locals["from"] = "masked"
    for head in range(1, section.heads() + 1):
        before, after = section.matrix(unmasked(section), head), section.matrix("masked", head)
        for row, scores in enumerate(before, 1):
            for key, score in enumerate(scores, 1):
                made = after[row - 1][key - 1]
                if made != -math.inf:
                    must_equal(section, score + added_to(section, head, row, key), made, "masked")


# ---- worked lines ----


def must_follow_changed(section, index):
    """The keys in between had nothing to show."""
    last = section.locals.get("last key of masked", 0)
    must_follow(section, "masked", index)
    scores = section.matrix("masked", section.run.head)[section.row() - 1]
    is_added = section.said("bias") is not None or section.said("alibi") is not None
    for key in range(last + 1, int(index.split(",")[1])):
        if scores[key - 1] == -math.inf or (is_added and key <= keys_of_sequence(section)):
            raise Wrong(f"key {key} is left out")


def check_hidden(section, match):
    """masked[1,2]: 0.5433 → -inf"""
    must_follow_changed(section, match[1])
    must_show(section, match[2], section.at(unmasked(section), match[1], section.run.head))
    must_show(section, match[3], section.at("masked", match[1], section.run.head))
    if match[3] != "-inf":
        raise Wrong("this key is not hidden")


def check_masked_sum(section, match):
    """masked[1,2] = scaled[1,2] + bias[1,2] − slope·|p − 2| = 1 + 2 − 0.5·|1 − 2| = 2.5"""
    index, form, spelled, result = match.groups()
    must_follow_changed(section, index)
    head, source = section.run.head, unmasked(section)
    row, key = (int(place) for place in index.split(","))
    wanted, words = f"{source}[{index}]", [section.at(source, index, head)]
    if section.said("bias") is not None:
        wanted += f" + bias[{1 if has_one_bias(section) else row},{key}]"
        words += ["+", bias_of(section, head, row, key)]
    if section.said("alibi") is not None:
        wanted += f" − slope·|p − {key}|"
        place = place_of(section, row) + 1
        words += ["−", slope_of(section, head)[0], "·", "|", place, "−", Literal(key), "|"]
    if form != wanted or len(words) == 1:
        raise Wrong(f"{form} is not what is added")
    must_spell(section, spelled, words)
    must_show(section, result, section.at("masked", index, head))


def check_slope_rule(section, match):
    if isinstance(section.said("alibi"), list):
        raise Wrong("the slopes are given")


def check_slope(section, match):
    """slope of head 1 = 2^(−8·1/2) = 1/16 = 0.0625"""
    slope, power = slope_of(section, section.run.head)
    wanted = "slope" if section.said("heads") is None else f"slope of head {section.run.head}"
    if power:
        wanted += f" = 2^(−8·{power[0]}/{power[1]})"
        wanted += f" = 1/{1 / slope:.0f}" if 8 * power[0] % power[1] == 0 else ""
    if match[1] != wanted:
        raise Wrong(f"the slope is {wanted}")
    must_show(section, match[2], section.run.narrow(slope))


def check_capped(section, match):
    """capped[1,2] = C·tanh(scaled[1,2] / C) = 0.5·tanh(0.7 / 0.5) = 0.5·0.8854 = 0.4427"""
    index, name, of, outer, inner, result = match.groups()
    must_follow(section, "capped", index)
    source = "scores" if section.scale() == 1 else "scaled"
    if name != source or of != index:
        raise Wrong(f"{source}[{index}] is capped")
    most, score = section.setting("C"), section.at(source, index, section.run.head)
    made = section.at("capped", index, section.run.head)
    must_spell(section, outer, [most, "·", "tanh", "(", score, "/", most, ")"])
    must_spell(section, inner, [most, "·", Near(math.tanh(score / most))])
    must_equal(section, most * math.tanh(score / most), made, "capped")
    must_show(section, result, made)
