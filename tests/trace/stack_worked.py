"""Lines of a trace that work something out: `name = … = result`, spelled out anew."""
import re

from expression import Wrong, evaluate, parse, spell, terms_of
from stack_shown import NUMBER, must_equal, must_show
from stack_truth import OF_KEYS, OF_PAIRS

SPELLED = re.compile(rf"\s*(?:(?<![a-z])\((?P<negative>{NUMBER})\)|(?P<number>{NUMBER})|(?P<word>[a-z_]+|\S))")


def must_spell(section, text, words):
    """The text is these signs and numbers."""
    found, at = [], 0
    while at < len(text.rstrip()):
        found.append(SPELLED.match(text, at))
        at = found[-1].end()
    if len(found) != len(words):
        raise Wrong(f"'{text}' has {len(found)} signs and numbers, expected {len(words)}")
    for match, word in zip(found, words):
        shown = match["negative"] or match["number"]
        if isinstance(word, str):
            if match["word"] != word:
                raise Wrong(f"'{match[0].strip()}' stands for '{word}'")
        elif shown is None:
            raise Wrong(f"'{match[0].strip()}' stands for a number")
        else:
            must_show(section, shown, word)


# What makes a number whose line shows numbers alone.
MADE_OF = {
    "variance": "squares / {n}",
    "row_max": "max({from}[{index}])",
    "exp": "exp({from}[{index}] − row_max[{row}])",
    "row_sum": "Σ exp[{index}]",
    "weights": "exp[{index}] / row_sum[{row}]",
    "logits": "max(all_logits)",
    "tempered": "logits[{index}] / temperature",
    "most": "max(tempered)",
    "exponentials": "exp(tempered[{index}] − most)",
    "total": "Σ exponentials",
    "probabilities": "exponentials[{index}] / total",
}


def made_of(section, name, index):
    if name == "mean":
        return ("squares" if "squares" in section.locals else "sum") + f" / {section.width}"
    source = section.locals.get("from", "masked")
    row = index.split(",")[0]
    form = MADE_OF.get(name)
    if form is None:
        raise Wrong(f"nothing says what makes {name}")
    return form.format(n=getattr(section, "width", 0), index=index, row=row, **{"from": source})


def names_in(text):
    return re.findall(r"[A-Za-z_][\w.]*ᵀ?", re.sub(NUMBER, "", re.sub(r"\b(exp|max)\(", "(", text)))


def worked_value(section, name, index, tree, look_up):
    """Of a stage, the stage's; of what is none, that of its formula."""
    if section.full_name(name) or name in ("segmented", "logits", "probabilities"):
        return section.at(name, index, section.run.head if head_applies(section, name) else None)
    value = evaluate(tree, look_up)
    if index and name not in ("tempered", "exponentials"):
        raise Wrong(f"there is no {name}")
    if not index:
        section.locals[name] = value
    return value


def head_applies(section, name):
    return bool(section.part) and (section.in_head or section.name not in ("projections", "cache"))


def must_follow(section, name, index):
    """The focus's row, and a key after the other; of masked those that changed."""
    if name not in OF_PAIRS or "," not in index:
        return
    row, key = (int(place) for place in index.split(","))
    last = section.locals.get("last key of " + name, 0)
    if row != section.row() or key <= last or (name != "masked" and key != last + 1):
        raise Wrong(f"{name}[{index}] follows key {last} of row {section.row()}")
    section.locals["last key of " + name] = key


def must_be_of_row(section, line):
    """All stages of queries are shown at the focus."""
    is_of_key = line[0] in "kv" and section.name in ("projections", "scores")
    for name, row in re.findall(r"([A-Za-z_][\w.]*)\[(\d+)[\],]", line):
        full = section.full_name(name)
        is_query = full is not None and name not in OF_KEYS and name not in section.locals
        if is_query and not is_of_key and int(row) != section.row():
            raise Wrong(f"{name}[{row}] is not the focus's row")


def must_be_of_column(section, line):
    """q[1,2] = x[1]·Wq[·,2]: all that has a column has the same; in a head, the head's."""
    left, right = line.split(" = ", 1)
    column = re.fullmatch(r"[\w.]+\[[^\]]*,\s*(.*)\]", left)
    others = re.findall(r"[\w.]\[[^\]]*,\s*([^\],]*)\]", right)
    if column and any(other != column[1] for other in others):
        raise Wrong(f"{right} is of other columns than {left}")


def must_be_of_key(name, index, form):
    """scores[1,2] is made of k[2], and of no other key's numbers, which may be equal."""
    if name not in ("scores", "scaled", "weighted") or "," not in index:
        return
    key = index.split(",")[1]
    if re.findall(r"(\d+)\]", form)[-1] != key or f",{key}]" not in form and "," in form:
        raise Wrong(f"{form} is not of key {key}")


LEFT = re.compile(r"([\w.]+)(?:\[([^\]]*)\])?(?: in head (\d+))?")
COUNTED = re.compile(r"(.*?)(?:  \((\d+) (?:terms|numbers)\))?")


def read_left(section, left):
    """name[index] in head 2: of the focus's head, where one is said."""
    match = LEFT.fullmatch(left)
    if match is None:
        raise Wrong("no such line is known")
    name, index, head = match.groups()
    if head:
        section.must_be_shown(name, int(head))
    section.in_head = bool(head)
    return name, index or ""


def looking_up(section, name):
    """What a name in the line stands for: of the focus's head, but not before heads are cut."""

    def look_up(of, at):
        whole = not section.part or (section.name == "projections" and of != name)
        return section.at(of, at, None if whole or of in ("Wq", "Wk", "Wv") else section.run.head)

    return look_up


def note_width(section, name, form, tree, look_up):
    """How many numbers a mean divides by."""
    if name == "squares" or (name == "sum" and form.startswith("Σ ")):
        section.width = len(evaluate(tree[1], look_up))


def must_count(tree, look_up, count):
    if count and int(count) != terms_of(tree, look_up):
        raise Wrong(f"{terms_of(tree, look_up)} terms are {count}")


def check_steps(section, steps, tree, value, look_up):
    """The form in other letters, in numbers, and the result."""
    for text in steps[:-1]:
        if names_in(text):
            must_equal(section, evaluate(parse(text), look_up), value, text)
            tree = parse(text)
        else:
            must_spell(section, text, spell(tree, look_up))
    if steps:
        must_spell(section, steps[-1], spelled_value(value))


def spelled_value(value):
    return spell(("name", "", ""), lambda *_: value)


def check_form(section, line, name, index, steps, count):
    form = steps.pop(0) if names_in(steps[0]) else made_of(section, name, index)
    must_be_of_key(name, index, form)
    if name == "cubic" and not form.startswith("0.044715·"):
        raise Wrong(f"{form} is not gelu_tanh's")
    tree, look_up = parse(form), looking_up(section, name)
    note_width(section, name, form, tree, look_up)
    value = worked_value(section, name, index, tree, look_up)
    must_equal(section, evaluate(tree, look_up), value, line.split(" = ")[0])
    must_count(tree, look_up, count)
    check_steps(section, steps, tree, value, look_up)


def check_worked(section, line):
    left, *steps = line.split(" = ")
    name, index = read_left(section, left)
    must_follow(section, name, index)
    steps[-1], count = COUNTED.fullmatch(steps[-1]).groups()
    if name in section.SETTINGS and len(steps) == 1:
        must_spell(section, steps[0], [section.setting(name)])
        return
    if name == "scaled" and not section.part:
        section.locals.pop("scaled", None)
    must_be_of_row(section, line)
    must_be_of_column(section, line)
    check_form(section, line, name, index, steps, count)
