"""Lines that add the sines and cosines of a row's position (Vaswani et al., 2017, section 3.5)."""
import math
import re

from expression import Wrong, listed
from stack_shown import must_equal, must_show
from stack_worked import must_spell


def wave(position, column, m):
    """Columns from 0."""
    angle = position * 10000 ** (-(column - column % 2) / m)
    return math.cos(angle) if column % 2 else math.sin(angle)


def position_of(section, row):
    return section.first() + row - 1 + int(section.run.document.get("offset", 0))


def check_angle(section, match):
    """angle = position·10000^(−2/4) = 1·0.01 = 0.01: of one pair of columns after the other."""
    first, m = int(match[1]), int(match[2])
    if first != section.locals.get("next column", 0) or m != len(section.whole("embedded")[0]):
        raise Wrong(f"no pair of columns is {first}/{m}")
    position, frequency = position_of(section, section.row()), 10000 ** (-first / m)
    section.locals["next column"] = first
    must_spell(section, match[3], [position, "·", frequency])
    must_show(section, match[4], position * frequency)


def check_wave_sum(section, match):
    """embedded[2,1] = x[2,1] + sin(angle) = 3 + 0.8415 = 3.8415"""
    row, column, terms, function, spelled, result = match.groups()
    place = int(column) - 1
    if int(row) != section.row() or place != section.locals.get("next column"):
        raise Wrong(f"row {row}, column {column} is not the next one")
    if function != ("cos" if place % 2 else "sin"):
        raise Wrong(f"column {column} has no {function}")
    section.locals["next column"] = place + 1
    numbers = []
    for term in terms.split(" + "):
        name, index = re.fullmatch(r"(\w+)\[(.*)\]", term).groups()
        if index.split(",")[-1].strip() != column:
            raise Wrong(f"{term} is of another column")
        numbers.append(section.at(name, index))
    numbers.append(wave(position_of(section, int(row)), place, len(section.whole("embedded")[0])))
    made = section.at("embedded", f"{row},{column}")
    must_spell(section, spelled, listed([[x] for x in numbers], "+"))
    must_equal(section, math.fsum(numbers), made, terms)
    must_show(section, result, made)
