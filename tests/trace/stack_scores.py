"""Lines of the score functions that have parameters: general, q·Ws·kᵀ + bs, and additive,
va·tanh(q·Wa + k·Ua + ba). What is not given changes nothing."""
import math

from expression import Wrong, dot, listed, times
from stack_shown import Near, must_equal, must_show
from stack_worked import must_follow, must_spell


def name_of(section, role):
    """The last form of queries or keys, which are compared."""
    if role == "k" and section.step > 1 and section.part != "cross":
        return "present_k"
    return section.last_form(role)


def transformed_by(section, role):
    """Ws, Wa or Ua where it is given and changes this role; else None."""
    is_general = section.said("score") == "general"
    name = "Ua" if role == "k" else "Ws" if is_general else "Wa"
    is_there = section.said(name.lower()) is not None and not (is_general and role == "k")
    return name if is_there else None


def compared(section, role):
    """The stage whose rows the score takes."""
    return name_of(section, role) if transformed_by(section, role) is None else f"{role}_score"


def vector(section, name, head, absent, count):
    given = section.said(name) is not None
    return section.vector(name, head, count) if given else [absent] * count


def score_of(section, head, q, k):
    if section.said("score") == "general":
        return dot(q, k) + vector(section, "bs", head, 0, 1)[0]
    return math.fsum(v * math.tanh(total) for v, _, total in additive_terms(section, head, q, k))


def additive_terms(section, head, q, k):
    """Of each number v, what is added up inside, and its sum."""
    factors, shifts = vector(section, "va", head, 1, len(q)), vector(section, "ba", head, 0, len(q))
    return [(v, (a, b, c), a + b + c) for v, a, b, c in zip(factors, q, k, shifts, strict=True)]


def formula(section):
    q, k = (f"{name_of(section, role)}[{index}]" for role, index in (("q", "i"), ("k", "j")))
    if section.said("score") == "general":
        return f"{q}·Ws·{k}ᵀ + bs"
    return f"va·tanh({q}·Wa + {k}·Ua + ba)"


def check_scores(section, match):
    """scores[i,j] = q[i]·Ws·k[j]ᵀ + bs: of every head, query and key."""
    if match[1] != formula(section):
        raise Wrong(f"the score is {formula(section)}")
    for head in range(1, section.heads() + 1):
        queries, keys = (section.matrix(compared(section, role), head) for role in "qk")
        made = [[score_of(section, head, q, k) for k in keys] for q in queries]
        must_equal(section, made, section.matrix("scores", head), match[0])


def check_transformed(section, match):
    """q_score[i] = q[i]·Ws, k_score[j] = k[j]·Ua"""
    role, index, right = match.groups()
    by, source = transformed_by(section, role), name_of(section, role)
    if right != f"{source}[{index}]·{by}":
        raise Wrong(f"{right} is not what makes {role}_score")
    for head in range(1, section.heads() + 1):
        made = [times(row, section.matrix(by, head)) for row in section.matrix(source, head)]
        must_equal(section, made, section.matrix(role + "_score", head), match[0])


def check_additive(section, match):
    """scores[1,2] = va·tanh(q_score[1] + k[2] + ba) = 1·tanh(2 + 1 + 0) = 1·0.9951 = 0.9951"""
    index, form, spelled, bent, result, count = match.groups()
    must_follow(section, "scores", index)
    (row, key), head = (int(place) for place in index.split(",")), section.run.head
    q, k = f"{compared(section, 'q')}[{row}]", f"{compared(section, 'k')}[{key}]"
    if form != f"va·tanh({q} + {k} + ba)":
        raise Wrong(f"{form} is not the additive score")
    rows = (section.matrix(compared(section, role), head)[at - 1]
            for role, at in (("q", row), ("k", key)))
    terms = additive_terms(section, head, *rows)
    inner = [[v, "·", "tanh", "(", a, "+", b, "+", c, ")"] for v, (a, b, c), _ in terms]
    must_spell(section, spelled, listed(inner, "+"))
    must_spell(section, bent, listed([[v, "·", Near(math.tanh(x))] for v, _, x in terms], "+"))
    must_show(section, result, section.at("scores", index, head))
    if count and int(count) != len(terms):
        raise Wrong(f"{len(terms)} terms are {count}")


SCORES = [
    (r"([qk])_score\[([ij])\] = (.*)", check_transformed),
    (r"scores\[i,j\] = (.*(?:·Ws·|tanh).*)", check_scores),
    (r"scores\[([\d,]+)\] = (va·tanh\(.*?\)) = (.*) = (.*) = (\S+)(?:  \((\d+) terms\))?",
     check_additive),
]
