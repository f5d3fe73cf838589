"""A text trace against the JSON trace of the same run: what a page shows, character by character, is
what the data say, and nothing is left over. Spaces are layout, and don't count.

What a page without --full leaves out is where the … stands: 8 rows or terms from the beginning and 3
from the end, and as many columns as its lines have room for."""
import re
import struct
import unicodedata

import evaluate
import spelling
from operations import FUNCTIONS, ROWS, SLOPES

MOST_ROWS, MOST_TERMS, FIRST, LAST = 12, 16, 8, 3
LABEL_COLUMNS = 16
SPECIAL = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


class Wrong(Exception):
    """What a page shows otherwise."""


def bare(text):
    return re.sub(r"\s+", "", text)


def columns_of(character):
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def chosen(total, most, is_full, focus=None):
    """Of so many rows or terms, those that are shown; None is …"""
    if is_full or total <= most:
        return list(range(total))
    shown = sorted({*range(FIRST), *range(total - LAST, total), *([] if focus is None else [focus])})
    return with_gaps(shown, total)


def with_gaps(shown, total):
    found = []
    for i in range(total):
        if i in shown:
            found.append(i)
        elif not found or found[-1] is not None:
            found.append(None)
    return found


def ranges(shown, first):
    """What is not shown between the others, as text, and how many these are."""
    inside, said, hidden = [x for x in shown if x is not None], [], 0
    for before, after in zip(inside, inside[1:]):
        if after > before + 1:
            ends = (before + 1 + first, after - 1 + first)
            said.append(f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}")
            hidden += after - before - 1
    return said, hidden


class Numbers:
    """How they are written: with so many decimals; else with at most four, or with five digits and
    an exponent where those would hide it."""

    def __init__(self, digits, kind):
        self.digits, self.kind = digits, kind  # f32 or f64

    def exact(self, value):
        """What the type holds, of which the trace has the shortest name."""
        if self.kind == "f32" and not has_many_digits(value):
            return struct.unpack("f", struct.pack("f", value))[0]
        return value

    def write(self, value, digits=None):
        digits = self.digits if digits is None else digits
        if isinstance(value, str):
            return SPECIAL[value]
        value = self.exact(value)
        if digits is not None:
            return unsigned(f"{value:.{digits}f}")
        if value == 0 or 0.000999995 <= abs(value) < 1e7:
            return unsigned(trimmed(f"{value:.4f}"))
        digits, power = f"{value:.4e}".split("e")
        return trimmed(digits) + "e" + power

    def write_columns(self, rows):
        """All of a column have as many decimals, those with an exponent aside."""
        columns = []
        for column in zip(*rows):
            texts = [self.write(x) for x in column]
            most = max([len(x.partition(".")[2]) for x in texts if is_plain(x)], default=0)
            columns.append([self.write(x, most) if is_plain(text) else text
                            for x, text in zip(column, texts)])
        return [list(row) for row in zip(*columns)]


def has_many_digits(value):
    """More than a float32's shortest name needs."""
    return len(repr(value).split("e")[0].replace(".", "").strip("-0")) > 9


def is_wide(item):
    """A root's inside is of float64, however few its digits are."""
    return item["operation"] == "normalize" or any(isinstance(item.get(x), float) and has_many_digits(item[x])
               for x in ("a", "b", "inner", "result"))


def counted(values):
    return [str(i + 1) for i in range(len(values))]


def is_plain(text):
    return "e" not in text and "n" not in text


def trimmed(text):
    return text.rstrip("0").rstrip(".")


def unsigned(text):
    return text[1:] if text.startswith("-") and float(text) == 0 else text


class Worked(spelling.Spelling):
    """A line with its numbers."""

    def __init__(self, item, page, digits=None):
        super().__init__({x: item.get(x) for x in ("a", "b", "c", "d", "e", "j", "inner")})
        self.item, self.page, self.digits, self.count, self.all = item, page, digits, 0, 0
        self.node = page.nodes.get(item.get("of"))
        pair = self.node and self.node.pair(item["cell"][2])
        self.is_first = pair is not None and pair[1]

    def number(self, value):
        return self.page.numbers.write(value, self.digits)

    def value(self, of):
        """A number, or a vector in brackets."""
        if not isinstance(of, list):
            return self.number(of)
        shown = chosen(len(of), MOST_TERMS, self.page.is_full)
        return "[" + ",".join("…" if i is None else self.number(of[i]) for i in shown) + "]"

    def numbers_of(self, letters):
        """Those of the operands, one after the other."""
        return [x for letter in letters for of in [self.operands[letter]]
                for x in (of if isinstance(of, list) else [of] if of is not None else [])]

    def place(self, name):
        if name in ("n", "j"):
            return str(self.all if name == "n" else self.operands["j"])
        if name in "fg":
            by = FUNCTIONS if name == "f" else SLOPES
            return Worked(self.item, self.page).write(by[self.item["function"]])
        letters = name.strip("()")
        of = self.numbers_of(letters) if letters == "ab" else self.operands[letters]
        if isinstance(of, list) and self.term is None:
            return self.value(of)
        text = self.number(of[self.term] if isinstance(of, list) else of)
        is_open = "(" not in name and (not self.out or self.out[-1] in "([,")
        return f"({text})" if text.startswith("-") and not is_open else text

    def terms(self, letters):
        self.all = count = len(self.numbers_of(letters))
        shown = chosen(count, MOST_TERMS, self.page.is_full)
        self.count = count if None in shown else 0
        return shown

    def is_zero(self, letter):
        return self.operands[letter][self.term] == 0


class Page:
    def __init__(self, lines, is_full, numbers, nodes):
        self.lines, self.is_full, self.numbers, self.nodes = lines, is_full, numbers, nodes
        parts = [bare(line) for line in lines]
        self.text = "".join(parts)
        self.line_of = [i for i, part in enumerate(parts) for _ in part] + [len(lines)]
        self.at = 0

    # ---- what must come next ----

    def expect(self, text):
        text = bare(text)
        if not self.text.startswith(text, self.at):
            got = self.text[self.at :]
            same = next((i for i, (x, y) in enumerate(zip(text, got)) if x != y),
                        min(len(text), len(got)))
            raise Wrong(f"'{got[same:same + 40]}' in place of '{text[same:same + 40]}', after "
                        f"'{text[max(0, same - 20):same]}'")
        self.at += len(text)

    def expect_run(self, sign):
        """A rule of these signs."""
        begun = self.at
        while self.text.startswith(sign, self.at):
            self.at += 1
        if self.at == begun:
            raise Wrong(f"a rule of {sign} is missing")

    def match(self, pattern):
        found = re.compile(pattern).search(self.text, self.at)
        if found is None:
            raise Wrong(f"'{self.text[self.at:self.at + 40]}' is not followed by {pattern}")
        return found

    # ---- rows ----

    def expect_label(self, labels, i):
        label, used = labels[i], 0
        if sum(map(columns_of, label)) > LABEL_COLUMNS:
            kept = ""
            for character in label:
                used += columns_of(character)
                if used > LABEL_COLUMNS - 1:
                    break
                kept += character
            label = kept + "…"
        self.expect(label)

    def columns_next(self, total, first, has_heading):
        """Those that the next rows have, from `first` on; None is …"""
        for line in self.lines[self.line_of[self.at] + has_heading :]:
            found = re.search(r"(?:^|\s)\[([^\[\]]*)\]$", line)
            if found:  # before it, "columns 1 to 6 of 64", and names of keys
                return self.columns_of(found.group(1).split(", "), total, first)
        raise Wrong("no row follows")

    def expect_row(self, texts, columns):
        self.expect("[" + ",".join("…" if j is None else texts[j] for j in columns) + "]")

    def texts_of(self, rows, shown, also=None):
        """The rows that are shown, written; those that are not are empty."""
        there = [i for i in shown if i is not None]
        written = self.numbers.write_columns([rows[i] for i in there] + ([also] if also else []))
        return dict(zip([*there, "also"], written))

    def expect_left_out(self, rows, columns, what="column"):
        """What is not shown."""
        said, all_hidden = [], 0
        for shown, name, first in ((rows, "row", 1), (columns, what, 0 if what == "id" else 1)):
            parts, hidden = ranges(shown, first)
            all_hidden += hidden
            if hidden:
                total = [x for x in shown if x is not None][-1] + 1
                said.append(f"{name}{'s' if hidden > 1 else ''} {' and '.join(parts)} of {total}")
        if said:
            self.expect(" and ".join(said) + (" are left out; --full shows them" if all_hidden > 1
                                              else " is left out; --full shows it"))

    def expect_parts(self, rows, shown, expect_part, has_heading=False, has_ids=False):
        """All columns, in as many parts as it takes."""
        total, first = len(rows[0]), 0
        what = "id" if has_ids else "column"
        while first < total:
            columns = self.columns_next(total, first, has_heading)
            end = columns[-1] + 1
            if end - first < total:
                begin = first + (not has_ids)
                self.expect(f"{what} {begin} of {total}" if end - first == 1 else
                            f"{what}s {begin} to {end - has_ids} of {total}")
            expect_part(columns)
            first = end
        self.expect_left_out(shown, columns, what)

    # ---- kinds of items ----

    def sentence(self, item):
        self.expect(item["text"])

    formula = sentence

    def line(self, item):
        op, left, letters = item["operation"], item.get("left"), item.get("letters")
        is_change = op in ("round", "hide")
        if left is not None:
            self.expect(left)
        if letters is not None:
            self.expect((":" if is_change else "=") if left is not None else "")
            self.expect(letters)
        a = item["a"] if isinstance(item["a"], list) else [item["a"]]
        if op in ("copy", "beside") or (op == "sum" and len(a) == 1 and "c" not in item):
            self.expect("=" if left or letters else "")
            self.expect(Worked(item, self).value(a[0]))
            return
        more = less = None
        if op == "round" and self.numbers.digits is None:
            decimals = len(self.match(r"→-?\d*\.?(\d*)").group(1))
            more, less = (decimals + 2, decimals) if decimals > 4 or self.has_more() else (None, None)
        worked = Worked(item, self, more)
        worked.write(ROWS[op].spelled)
        if worked.out:
            head = left is not None or letters is not None
            self.expect((":" if is_change and letters is None else "=") if head else "")
            self.expect(worked.out)
        if "inner" in item:
            self.expect("=" + Worked(item, self).write(ROWS[op].inner))
        self.expect("→" if is_change else "=")
        self.expect(Worked(item, self, less).value(item["result"]))
        if worked.count:
            self.expect(f"({worked.count} {'numbers' if op == 'max' else 'terms'})")

    def has_more(self):
        """Whether more decimals than four stand before the arrow."""
        return len(self.match(r"[:=]-?\d*\.?(\d*)→").group(1)) > 4

    def matrix(self, item):
        a, name = item["a"], item.get("name") or ""
        rank = 0 if not isinstance(a, list) else 2 if "rows" in item else 1
        rows = a if rank == 2 else [a] if rank == 1 else [[a]]
        self.numbers_named(name, rank, rows, item.get("rows"), item.get("columns", ["1"]),
                           item.get("focus"))

    def numbers_named(self, name, rank, rows, labels, heading, focus=None):
        self.expect(name + (f"({len(rows)}×{len(rows[0])})" if rank == 2 else
                            f"({len(rows[0])}long)" if rank == 1 else ""))
        shown = chosen(len(rows), MOST_ROWS, self.is_full, focus)
        texts = self.texts_of(rows, shown)

        has_heading = heading != ["1"]

        def part(columns):
            for j in columns if has_heading else []:
                self.expect("…") if j is None else self.expect_label(heading, j)
            for i in shown:
                if i is None:
                    self.expect("…")
                    continue
                self.expect("→" if i == focus else "")
                if rank == 2 and labels != ["1"]:
                    self.expect_label(labels, i)
                self.expect_row(texts[i], columns)

        self.expect_parts(rows, shown, part, has_heading, heading[0] == "0")

    def product(self, item):
        """Side by side the three stand around the middle line; broken, the result stands below; or
        all are below each other."""
        a, b, result = item["a"], item["b"], item["result"]
        names = [item.get(x) or "" for x in ("left", "letters", "name")]
        a, result = (x if isinstance(x[0], list) else [x] for x in (a, result))
        if self.text.startswith((bare(f"{names[0]}({len(a[0])}long)"),
                                 bare(f"{names[0]}({len(a)}×{len(a[0])})")), self.at):
            for sign, name, rows in zip(("", "×", "="), names, (a, b, result)):
                rank = 1 if rows is not b and len(rows) == 1 else 2
                self.numbers_named(sign + name, rank, rows, counted(rows), counted(rows[0]))
            return
        found = self.match(r"\[([^\[\]]*)\]×(?:\[[^\[\]]*\]|…)(=?)")
        is_broken = not found.group(2)
        found = self.match(r"\[([^\[\]]*)\]×.*?=\[([^\[\]]*)\]")
        inner, outer = (self.columns_of(found.group(i).split(","), len(of[0]))
                        for i, of in ((1, a), (2, result)))
        texts = self.texts_of(b, inner)
        of_a, of_result = map(self.numbers.write_columns, (a, result))
        between = [texts[i] if i is not None else None for i in inner]
        tallest = max(len(inner), len(a))
        parts = [(names[0], of_a, inner), (names[1], between, outer), (names[2], of_result, outer)]
        if is_broken:
            self.beside(parts[:2], tallest, "×")
            self.beside(parts[2:], len(result), "", "=")
        else:
            self.beside(parts, tallest, "×=")
        self.expect_left_out(inner, outer)

    def beside(self, parts, tallest, signs, before=""):
        """Names and rows line by line, each part around the middle; signs stand between them there."""
        middle = (1 + tallest) // 2
        for line in range(1 + tallest):
            for sign, (name, rows, columns) in zip((before, *signs), parts):
                self.expect(sign if line == middle else "")
                at = line - 1 - (tallest - len(rows)) // 2
                if at == -1:
                    self.expect(name)
                elif 0 <= at < len(rows):
                    self.expect("…") if rows[at] is None else self.expect_row(rows[at], columns)

    def columns_of(self, texts, total, first=0):
        """Which columns so many numbers are."""
        if "…" not in texts:
            return list(range(first, min(first + len(texts), total)))
        gap = texts.index("…")
        return with_gaps({*range(gap), *range(total - len(texts) + gap + 1, total)}, total)

    def stack(self, item):
        rows, result, labels = item["a"], item["result"], item["rows"]
        shown = chosen(len(rows), MOST_ROWS, self.is_full, item.get("focus"))
        texts = self.texts_of(rows, shown, result)

        def part(columns):
            for n, i in enumerate(shown):
                if i is None:
                    self.expect("…")
                    continue
                self.expect_label(labels, i)
                self.expect("+" if n else "")
                self.expect_row(texts[i], columns)
            self.expect_run("-")
            self.expect((item.get("name") or "") + "=")
            self.expect_row(texts["also"], columns)

        self.expect_parts(rows, shown, part)

    def table(self, item):
        """Each column by itself: the lines of a long cell stand below each other."""
        first = self.line_of[self.at]
        end = first
        while end < len(self.lines) and self.lines[end].strip():
            end += 1
        rule = next((x for x in self.lines[first:end] if set(x) == set(" ─")), "")
        for column, span in enumerate(re.finditer("─+", rule)):
            text = "".join(cut(line, *span.span()) for line in self.lines[first:end])
            wanted = [row[column] for row in item["cells"]]
            if bare(text) != bare(wanted[0] + rule[slice(*span.span())] + "".join(wanted[1:])):
                raise Wrong(f"another column than '{wanted[0]}' in the data")
        if column + 1 != len(item["cells"][0]):
            raise Wrong(f"{column + 1} columns in a table")
        while self.line_of[self.at] < end:
            self.at += 1

    def item(self, item):
        """A line that has a number of the wider type may have others; the data don't say which."""
        begun = self.at
        try:
            getattr(self, item["kind"])(item)
        except Wrong:
            if self.numbers.kind == "f64" or item["kind"] != "line" or not is_wide(item):
                raise
            self.at, kept = begun, self.numbers
            self.numbers = Numbers(kept.digits, "f64")
            self.line(item)
            self.numbers = kept

    def title(self, text, rule):
        self.expect(text)
        self.expect_run(rule)


def cut(line, first, end):
    """What stands in these columns."""
    at, found = 0, ""
    for character in line:
        if first <= at < end:
            found += character
        at += columns_of(character)
    return found


# ---- the whole ----


def parts_of(trace):
    """What is on a page, in its order: each reads itself."""
    name, title = trace.get("name"), trace.get("title")
    if name or title:
        yield lambda page: page.title(": ".join(x for x in (name, title) if x), "═")
    if "notes" in trace:
        yield lambda page: page.expect(trace["notes"])
    for number, step in enumerate(trace["steps"]):
        yield lambda page, title=f"{number + 1}. {step['step']}": page.title(title, "─")
        for item in step["items"]:
            yield lambda page, item=item: page.item(item)


def nodes_of(trace):
    return {said["name"]: evaluate.Node(said) for said in trace["nodes"]}


def difference(trace, text, is_full, numbers):
    """Where the page shows something else, or None."""
    page = Page(text.splitlines(), is_full, numbers, nodes_of(trace))
    try:
        for part in parts_of(trace):
            part(page)
    except Wrong as e:
        line = page.line_of[page.at]
        return f"line {line + 1}: {e}"
    left = page.text[page.at :]
    return f"'{left[:40]}' is left over" if left else None


SIGNS = {"+": "−", "·": "+", "/": "·", "−": "+", "√": "−", "×": "+", "[": "(", "→": "="}


def changes(line):
    """The line with each digit and each sign another, in its turn."""
    for at, character in enumerate(line):
        other = str((int(character) + 1) % 10) if character in "0123456789" else SIGNS.get(character)
        if other is not None:
            yield line[:at] + other + line[at + 1 :]


def notices(part, lines, page):
    """Whether these lines are not what this part says."""
    page = Page(lines, page.is_full, page.numbers, page.nodes)
    try:
        part(page)
    except Wrong:
        return True
    return page.at < len(page.text)


def alter(trace, text, is_full, numbers, every):
    """Of all changes one in so many: those that are not noticed."""
    page, counted, missed = Page(text.splitlines(), is_full, numbers, nodes_of(trace)), 0, []
    for part in parts_of(trace):
        first = page.line_of[page.at]
        part(page)
        lines = page.lines[first : page.line_of[page.at - 1] + 1]
        for i, line in enumerate(lines):
            for other in changes(line):
                counted += 1
                if counted % every == 0 and not notices(
                        part, lines[:i] + [other] + lines[i + 1 :], page):
                    missed.append(f"line {first + i + 1}: {other}")
    return missed
