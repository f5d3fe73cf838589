"""What a line of an operation looks like, with numbers or with letters, without its spaces."""
import re


class Spelling:
    """An expression that is being written: `operands` has what stands for each letter."""
    is_first = True  # of a pair

    def __init__(self, operands):
        self.operands, self.out, self.term = operands, "", None

    def literal(self, sign):
        return sign

    def has(self, letter):
        return self.operands.get(letter) is not None

    def place(self, name):
        """What stands for {name}; a series means one of its numbers."""
        return str(self.operands.get(name.strip("()*"), ""))

    def terms(self, _):
        """The indices of a series; None is …"""
        return [0]

    def is_zero(self, _):
        return False

    def series(self, body):
        term, between, *zero = body.split(";")
        first = re.search(r"{\(?(\w+)", term).group(1)
        for n, self.term in enumerate(self.terms(first)):
            self.out += "".join(map(self.literal, between)) if n else ""
            if self.term is None:
                self.out += "…"
            elif zero and self.is_zero(first):
                self.out += zero[0]
            else:
                self.write(term)
        self.term = None

    def choice(self, body):
        there, _, other = body[2:].partition(":")
        self.write(there if self.has(body[0]) else other)

    def write(self, template):
        """Gives the whole, for convenience."""
        at = 0
        while at < len(template):
            here, close = template[at], {"{": "}", "<": ">", "[": "]"}.get(template[at])
            if here == "~":
                first, second, rest = template[at + 1 :].split("~", 2)
                self.write(first if self.is_first else second)
                at = len(template) - len(rest)
                continue
            if close is None:
                self.out += self.literal(here)
                at += 1
                continue
            end = closing(template, at, here, close)
            body = template[at + 1 : end]
            if here == "{":
                self.out += self.place(body)
            elif here == "<":
                self.series(body)
            else:
                self.choice(body)
            at = end + 1
        return self.out


def closing(template, at, opening, close):
    depth = 0
    for i in range(at, len(template)):
        depth += (template[i] == opening) - (template[i] == close)
        if depth == 0:
            return i
    raise ValueError(template)
