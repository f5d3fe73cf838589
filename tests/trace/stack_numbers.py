"""stack_numbers.py [OPTION]... DOCUMENT STAGES TRACE: whether all numbers that a stack's trace shows
are true: those of a matrix, and of the lines that are worked out, are the stage's that they say, and
each formula holds for all rows of its stages.

STAGES is what encode or decode emits (--emit '*') for the document, with a generation's words behind
its prompt. The options say what the trace was asked for. --alter changes one digit, or one sign, after the other instead, and fails where that is
not noticed."""
import argparse
import json
import re
import sys

from expression import Wrong
from stack_formulas import check_line, set_logits
from stack_matrices import MATRIX, check_matrix, check_product, check_sum
from stack_truth import Run, Section


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
    elif any(re.search(r"\] +× +[\[…]", line) for line in lines):
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
    missing = next(section.locals.get("turned lines", iter([])), None)
    return None if missing is None else f"{title}: '{missing[0]}' is missing"


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
    options.add_argument("--row", type=int)
    options.add_argument("--head", type=int, default=1)
    options.add_argument("--temperature", type=float, default=1)
    options.add_argument("--command", choices=["encode", "decode", "generate"], default="encode")
    options.add_argument("--prompt", type=int, default=0)
    options.add_argument("--drawn", type=float, action="append", default=[])
    options.add_argument("--digits", type=int)
    options.add_argument("--dtype", choices=["f32", "f64"], default="f64")
    options.add_argument("files", nargs=3)
    asked = options.parse_args()
    document, stages = (json.load(open(name, encoding="utf-8")) for name in asked.files[:2])
    text = open(asked.files[2], encoding="utf-8").read()
    run = Run(document, stages, asked)
    if asked.alter:
        sys.exit(not alter(run, text, asked.alter))
    found = [w for w in (check_section(run, *section) for section in sections_of(text)) if w]
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
