"""Matrices, products and sums of a trace, against the stages that they name."""
import re

from expression import Wrong
from stack_masks import bias_rows
from stack_shown import must_show_row, row_texts
from stack_truth import OF_KEYS

MATRIX = re.compile(r"    (\S+?)(?:, head (\d+) of (\d+)| in head (\d+))? "
                    r"\((?:(\d+) × (\d+)|(\d+) long)\)")
PRODUCT_NAME = re.compile(r"([\w.ᵀ]+)(\[\d+\])?(?: in head (\d+))?")


def is_labels(line):
    """What stands above columns: k[1]  k[2]."""
    return not line.rstrip().endswith("]") or re.search(r"\w\[\d+\]$", line.rstrip())


# Of more heads only the focus's is shown.
MOST_HEADS = 4


def must_follow_head(section, name, head, heads):
    """A stage's heads are shown one after the other."""
    if heads != section.heads():
        raise Wrong(f"there are {section.heads()} heads")
    last = section.locals.get("last head of " + name, 0)
    if head != (last + 1 if heads <= MOST_HEADS else section.run.head):
        raise Wrong(f"{name} of head {head} follows head {last}")
    section.locals["last head of " + name] = head


def named_matrix(section, name, head, heads, shown_head):
    """scores, head 1 of 2; k_rope in head 1, of what is shown of the focus alone."""
    if heads:
        must_follow_head(section, name, int(head), int(heads))
    if shown_head:
        section.must_be_shown(name, int(shown_head))
    if name == "bias" and section.name == "mask":
        return bias_rows(section)
    head = section.run.head if shown_head else int(head) if head else None
    return section.matrix(name, head)


def check_matrix(section, lines):
    *named, rows, columns, long = MATRIX.fullmatch(lines[0]).groups()
    name, value = named[0], named_matrix(section, *named)
    appended = appended_labels(section, name)
    value = [value] if long else value
    size = (int(rows or 1), int(columns or long))
    if size != (len(value), len(value[0])):
        raise Wrong(f"{name} is {len(value)} × {len(value[0])}")
    if is_labels(lines[1]):
        check_column_labels(section, lines[1], size[1])
    lines = [line for line in lines[1:] if "[" in line and not is_labels(line)
             or line.strip() == "…"]
    gap = [at for at, line in enumerate(lines) if line.strip() == "…"]
    places = list(range(len(lines)))
    if gap:
        places = places[: gap[0]] + [None] + list(range(size[0] - len(lines) + gap[0] + 1, size[0]))
    if len(places) != size[0] and not gap:
        raise Wrong(f"{len(lines)} rows, expected {size[0]}")
    for line, place in zip(lines, places):
        if place is not None:
            check_label(section, line, place, appended, size[0])
            must_show_row(section, row_texts(line), value[place])


def appended_labels(section, name):
    """Of the rows behind keys and values."""
    is_behind = section.part and name in OF_KEYS
    return [kind.replace("bias_k", "bias_" + name[0]) for kind in section.appended()
            if is_behind]


def check_label(section, line, place, appended, count):
    """An arrow stands at the focus; at the first key, where there are fewer of them."""
    own = count - len(appended)
    focus = section.row() if section.row() <= own else 1
    label = line[: line.rindex("[")].strip()
    if label.startswith("→") and place + 1 != focus:
        raise Wrong(f"the arrow is at row {place + 1}")
    if place < own:
        check_name(section, label.removeprefix("→ "), place, count)
    elif label != appended[place - own]:
        raise Wrong(f"'{label}' stands for {appended[place - own]}")


def check_column_labels(section, line, count):
    labels = re.split(r"  +", line.strip())
    places = list(range(count))
    if "…" in labels:
        gap = labels.index("…")
        places = places[:gap] + [None] + places[count - len(labels) + gap + 1 :]
    for label, place in zip(labels, places, strict=True):
        if place is not None:
            check_name(section, label, place, count)


def check_name(section, label, place, count):
    """A number counts; an id is the one that stands there."""
    is_chosen = section.name in ("logits", "probabilities") and count > 1
    is_new = section.step > 0 and count == section.end() - section.first()
    counted = re.fullmatch(r"(id )?(?:[a-z_]+\[)?(\d+)\]?", label)
    if counted and counted[1]:
        is_last = section.name in ("logits", "probabilities")
        first = section.end() - 1 if is_last else section.first() if is_new else 0
        wanted = section.run.document["ids"][first + place]
    else:
        wanted = place + (0 if is_chosen else 1)
    if counted and int(counted[2]) != wanted:
        raise Wrong(f"{label} stands for {wanted}")


def check_sum(section, lines):
    """weighted[1,1]   [ … ] + …, a rule, and attended[1]."""
    row, head = section.row(), section.run.head if "heads" in section.run.document else None
    keys = section.matrix("weighted", head or 1)[row - 1]
    shown = [line for line in lines if "[" in line and "left out" not in line]
    if len(shown) != len(keys) + 1:
        return
    for at, line in enumerate(shown):
        sign = re.search(r"([+=]) *\[[^\[]*$", line)
        wanted = "=" if at == len(keys) else "+" if at else None
        if (sign[1] if sign else None) != wanted:
            raise Wrong(f"'{line.strip()}' has no {wanted}")
        named = re.match(r" *weighted\[(\d+),(\d+)\]", line)
        if named and (int(named[1]), int(named[2])) != (row, at + 1):
            raise Wrong(f"'{named[0].strip()}' stands for weighted[{row},{at + 1}]")
        if at == len(keys) and f"attended[{row}] " not in line:
            raise Wrong(f"'{line.strip()}' stands for attended[{row}]")
        label = re.match(r" *(id \d+) ", line)
        if label:
            check_name(section, label[1], at, len(keys))
        value = section.matrix("attended", head or 1)[row - 1] if at == len(keys) else keys[at]
        must_show_row(section, row_texts(line), value)


def check_product(section, lines):
    """x[1]  ×  Wq  =  q[1], each below its name."""
    groups = {}
    names = []
    for line in lines:
        bare = re.sub(r"\[(?!\d+\])[^\]]*\]", lambda m: " " * len(m[0]), line)
        bare = re.sub(r"(?<![\w])\[\d+\]", lambda m: " " * len(m[0]), bare)
        if "left out" in line:
            continue
        names += [(m.start(), m) for m in PRODUCT_NAME.finditer(bare) if not m[0][0].isdigit()]
        for m in re.finditer(r"(?<![\w])\[[^\]]*\]", line):
            groups.setdefault(m.start(), []).append(m[0])
    if len(names) != 3 or len(groups) != 3:
        raise Wrong("a product of other than two")
    for (_, name), (_, rows) in zip(sorted(names, key=lambda n: n[0]), sorted(groups.items())):
        if name[3]:
            section.must_be_shown(name[1], int(name[3]))
        value = section.matrix(name[1], section.run.head if name[3] else
                               (1 if section.part and name[1] not in ("x", "xk", "xv") and
                                not name[1].startswith("W") and name[1] not in ("context", "output")
                                else None))
        value = [value[int(name[2][1:-1]) - 1]] if name[2] else value
        check_product_rows(section, rows, value)


def check_product_rows(section, rows, value):
    """Some may be left out in the middle."""
    half = len(rows) if len(rows) == len(value) else None
    at = 0
    for number, row in enumerate(rows):
        place = number if half else None
        while place is None:
            try:
                must_show_row(section, row_texts(row), value[at])
                place = at
            except Wrong:
                at += 1
                if at == len(value):
                    raise
        must_show_row(section, row_texts(row), value[place])
        at = place + 1
