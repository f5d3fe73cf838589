"""Lines that normalize queries and keys, and that turn them by their positions (Zhang and Sennrich,
2019, equation 4; Su et al., 2021, equation 34)."""
import math
import re

from expression import Literal, Wrong
from stack_masks import place_of
from stack_shown import must_equal, must_show
from stack_worked import must_spell

# So many pairs of a row are spelled out.
MOST_PAIRS = 2


# ---- norms ----


def check_normal(section, match):
    """q_norm[i] = q[i] / √(mean of q[i]² + qk_eps)·q_gain: of every head and row."""
    name = match[1]
    has_gain = section.said(name + "_gain") is not None
    wanted = f"{name}[i] / √(mean of {name}[i]² + qk_eps)" + (f"·{name}_gain" if has_gain else "")
    if match[2] != wanted:
        raise Wrong(f"{match[2]} is not what makes {name}_norm")
    for head in range(1, section.heads() + 1):
        gain = section.gain(name + "_gain", head) if has_gain else None
        rows, normal = section.matrix(name, head), section.matrix(name + "_norm", head)
        for row, made in zip(rows, normal, strict=True):
            must_equal(section, normalized(section, row, gain), made, match[0])


def normalized(section, row, gain):
    root = math.sqrt(math.fsum(x * x for x in row) / len(row) + section.setting("qk_eps"))
    return [x / root * factor for x, factor in zip(row, gain or [1] * len(row))]


def check_factor(section, match):
    """factor = 1/√(mean + qk_eps) = 1/√(4 + 0.01) = 1/√4.01 = 0.4994"""
    mean, eps = section.locals["mean"], section.setting("qk_eps")
    section.locals["factor"] = 1 / math.sqrt(mean + eps)
    must_spell(section, match[1], [Literal(1), "/", "√", "(", mean, "+", eps, ")"])
    must_spell(section, match[2], [Literal(1), "/", "√", mean + eps])
    must_show(section, match[3], section.locals["factor"])


# ---- turns ----


def new_keys(section):
    """How many a position turns: what is appended stands nowhere."""
    return len(section.whole("k")) - len(section.appended())


class Turns:
    """What a section's queries and keys are turned by."""

    def __init__(self, section):
        rope = section.said("rope")
        parts = rope if isinstance(rope, dict) else {"base": rope}
        parts = {part: section.said("rope_" + part, parts.get(part)) for part in (
            "base", "width", "pairing", "positions")}
        self.section, self.positions = section, parts["positions"]
        self.base = 10000 if parts["base"] in (None, True) else parts["base"]
        self.width = int(parts["width"] or section.setting("d_k"))
        self.is_interleaved = parts["pairing"] == "interleaved"

    def places(self, pair):
        """The columns of a pair, from 0."""
        return (2 * pair, 2 * pair + 1) if self.is_interleaved else (pair, pair + self.width // 2)

    def position(self, role, row):
        if self.positions is not None:
            is_own = role == "k" and len(self.positions) != new_keys(self.section)
            return self.positions[row - 1 + (len(self.section.whole("q")) if is_own else 0)]
        if role == "q":
            return place_of(self.section, row)
        return row - 1 + (0 if self.section.part == "cross" else self.section.first())

    def frequency(self, pair):
        return self.base ** (-2 * pair / self.width)


def check_turn_rule(section, match):
    turns = Turns(section)
    if match[0] != (f"angle of pair p = position·base^(−2p/width), base = {turns.base:g}, "
                    f"width = {turns.width}"):
        raise Wrong(f"base and width are {turns.base:g} and {turns.width}")


def check_pair_rule(section, match):
    numbers = "2p + 1 and 2p + 2" if Turns(section).is_interleaved else "p + 1 and p + 1 + width/2"
    if match[1] != numbers:
        raise Wrong(f"the numbers are {numbers}")


def turned_lines(section):
    """The lines in their order: how each begins, what it spells, and what it comes to."""
    turns = Turns(section)
    for role in "qk":
        row = section.row() if role == "q" or section.row() <= new_keys(section) else 1
        for pair in range(min(MOST_PAIRS, turns.width // 2)):
            yield from lines_of_pair(section, turns, role, row, pair)


def lines_of_pair(section, turns, role, row, pair):
    first, second = turns.places(pair)
    position, frequency = turns.position(role, row), turns.frequency(pair)
    sine, cosine = math.sin(position * frequency), math.cos(position * frequency)
    name = role if section.said("qk_norm") is None else role + "_norm"
    before = section.matrix(name, section.run.head)[row - 1]
    yield f"p = {pair}: numbers {first + 1} and {second + 1}", None, None
    yield (f"angle = position·base^(−{2 * pair}/{turns.width}) = ", [position, "·", frequency],
           position * frequency)
    for own, other, sign in ((first, second, "−"), (second, first, "+")):
        yield (f"{role}_rope[{row},{own + 1}] = {name}[{row},{own + 1}]·cos(angle) {sign} "
               f"{name}[{row},{other + 1}]·sin(angle) = ",
               [before[own], "·", cosine, sign, before[other], "·", sine],
               before[own] * cosine + (-sine if sign == "−" else sine) * before[other])


def check_turned(section, match):
    if "turned lines" not in section.locals:
        section.locals["turned lines"] = turned_lines(section)
    line = match[0]
    begin, words, result = next(section.locals["turned lines"], ("nothing more", None, None))
    if not line.startswith(begin) or (words is None and line != begin):
        raise Wrong(f"'{line}' stands for '{begin}'")
    if words is None:
        return
    spelled, shown = line[len(begin):].split(" = ")
    must_spell(section, spelled, words)
    if turned := re.match(r"([qk]_rope)\[([\d,]+)\]", line):
        made = section.at(turned[1], turned[2], section.run.head)
        must_equal(section, result, made, begin)
        result = made
    must_show(section, shown, result)
