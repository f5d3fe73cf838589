"""How a number that a trace shows may be written, and rows of them."""
import math
import re

from expression import Literal, Wrong

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?|-?inf|nan"


class Near(float):
    """What no stage holds, as the type has it: within a few units of its last place."""


def written(value, digits=None):
    """So many decimals; else at most four, and five digits and an exponent where those would hide
    it."""
    if not math.isfinite(value):
        return str(value)
    if digits is not None:
        text = f"{value:.{digits}f}"
        return text if float(text) != 0 else text.removeprefix("-")
    if value == 0 or 0.000999995 <= abs(value) < 1e7:
        text = f"{value:.4f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    digits, power = f"{value:.4e}".split("e")
    return digits.rstrip("0").rstrip(".") + "e" + power


def trimmed(text):
    """Without the zeros that a column of numbers has behind some."""
    plain = text if "e" in text or "." not in text else text.rstrip("0").rstrip(".")
    return "0" if plain == "-0" else re.sub(r"\.?0*e", "e", plain) if "." in plain else plain


def must_show(section, text, value):
    """The text is that of the value, or of one that differs by what this arithmetic may have done:
    far less than the last digit shown, so that it matters beside a tie alone."""
    digits = None if isinstance(value, Literal) else section.run.digits
    slack = section.run.slack * max(1, abs(value)) if math.isfinite(value) else 0
    plain = trimmed(text) if digits is None else text
    near = [value + by for by in (-slack, 0, slack)]
    if isinstance(value, Near):
        near += [value * (1 + units * section.run.unit / 2) for units in range(-4, 5)]
    if plain not in {written(one, digits) for one in near}:
        raise Wrong(f"'{text}' stands for {value:.9g}")


def must_equal(section, a, b, what):
    if isinstance(a, list) != isinstance(b, list) or (isinstance(a, list) and len(a) != len(b)):
        raise Wrong(f"{what}: other sizes")
    if isinstance(a, list):
        for x, y in zip(a, b):
            must_equal(section, x, y, what)
    elif a != b and not abs(a - b) <= section.run.error * max(1, abs(a), abs(b)):
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
