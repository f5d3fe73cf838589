"""What the names in a stack's trace stand for: the stages that encode or decode emits as JSON, the
document's matrices, and what a norm's or a choice's lines make of them.

A generation's step is some rows of the whole sequence computed at once: its cache must not show."""
import math
import re
import struct

from expression import Wrong

NORM_EPS, QK_EPS = 1e-5, 1e-6
TITLE = re.compile(r"(?:step (\d+), )?(?:layer (\d+), )?(?:(attention|cross): )?(.*)")
OF_KEYS = ("k", "v", "present_k", "present_v", "past_k", "past_v", "k_norm", "k_rope")
OF_PAIRS = ("scores", "scaled", "capped", "masked", "exp", "weights", "rounded", "weighted")
OF_HEADS = OF_PAIRS + ("row_max", "row_sum", "attended", "logsumexp", "entropy", "top", "q_score",
                       "k_score")
SIDE_BY_SIDE = ("q", "q_norm", "q_rope") + OF_KEYS
# What cross-attention takes from its layer, or from the document, where it says nothing else.
OF_BOTH = ("heads", "kv_heads", "scale", "score", "softcap", "qk_norm", "qk_eps", "layout", "round",
           "mask_true", "top", "add_zero")


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def numbers(value):
    """JSON has infinities as words."""
    if isinstance(value, list):
        return [numbers(part) for part in value]
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else float(value)


def narrowed(value):
    """Each fraction as the float32 that it is read as."""
    if isinstance(value, dict):
        return {key: narrowed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [narrowed(part) for part in value]
    return struct.unpack("f", struct.pack("f", value))[0] if isinstance(value, float) else value


class Run:
    """A document, its stages, and what was asked of the trace (stack_numbers.py's options)."""

    def __init__(self, document, stages, asked):
        self.head, self.prompt = asked.head, asked.prompt
        self.is_decoder = asked.command != "encode"
        self.temperature, self.digits, self.drawn = asked.temperature, asked.digits, asked.drawn
        self.narrow = narrowed if asked.dtype == "f32" else lambda value: value
        self.document = self.narrow(document)
        self.stages = {name: self.narrow(numbers(m)) for name, m in stages.items()
                       if isinstance(m, list)}
        self.row = asked.row or self.default_row()
        # What is shown is made of the stages' own numbers, in float64. What a stage is made of is
        # as far from it as some 32 roundings to the type take it.
        self.slack = 1e-12
        self.error = 32 * 2.0**-24 if asked.dtype == "f32" else 2e-11
        self.unit = 2.0**-23 if asked.dtype == "f32" else 2.0**-52

    def default_row(self):
        """The last one where an attention is causal, else the first."""
        parts = [self.document, *self.document["layers"]]
        said = [part["causal"] for part in parts if "causal" in part] or [self.is_decoder]
        output = self.stages["output"]
        rows = output[0] if isinstance(output[0][0], list) else output
        return len(rows) if any(one not in (False, "none") for one in said) else 1

    def dot(self, a, b):
        total = 0.0
        for x, y in zip(a, b, strict=True):
            total = self.narrow(total + x * y)
        return total

    def words(self):
        vocab = self.document.get("vocab")
        return list(vocab) if isinstance(vocab, dict) else None

    def token_rows(self, name):
        if name == "vocab":
            return [numbers(row) for row in self.document["vocab"].values()]
        return numbers(self.document[name])


class Section:
    """One step of a trace: where its names are found."""

    def __init__(self, run, title):
        self.run, self.locals, self.in_head = run, {}, False
        step, layer, self.part, self.name = TITLE.fullmatch(title).groups()
        self.step, self.layer = int(step or 0), int(layer or 0) - 1
        self.name = self.name.removesuffix(", its parts")

    # ---- rows of a step ----

    def first(self):
        return 0 if self.step < 2 else self.run.prompt + self.step - 2

    def end(self):
        return self.run.prompt + self.step - 1 if self.step else None

    def of_step(self, name, stage):
        """The step's own queries, and the keys up to it."""
        if not self.step:
            return stage
        rows = slice(self.first(), self.end())
        if self.part == "cross":
            rows = slice(None) if name in OF_KEYS + ("xk", "xv", "k_score") else rows
            return [m[rows] for m in stage] if self.has_heads(name) else stage[rows]
        if name in ("present_k", "present_v"):
            return stage[: self.end()]
        if name in ("past_k", "past_v"):
            return stage[: self.first()]
        if name in OF_PAIRS:
            keys = slice(None, self.end())
            if self.has_heads(name):
                return [[row[keys] for row in m[rows]] for m in stage]
            return [row[keys] for row in stage[rows]]
        if name == "k_score":
            keys = slice(None, self.end())
            return [m[keys] for m in stage] if self.has_heads(name) else stage[keys]
        if name == "rollout":
            return [row[: self.end()] for row in stage[rows]]
        return [m[rows] for m in stage] if self.has_heads(name) else stage[rows]

    def row(self):
        """The focus; a generation's is its last row."""
        return self.end() - self.first() if self.step else self.run.row

    # ---- names ----

    def heads(self):
        return int(self.said("heads", 1))

    def has_heads(self, name):
        return name in OF_HEADS and self.said("heads") is not None

    def groups(self, name):
        """How many heads a name has whose heads lie side by side."""
        is_shared = name.rstrip("ᵀ") in OF_KEYS or name in ("Wk", "Wv", "k_gain")
        return int(self.said("kv_heads", self.heads())) if is_shared else self.heads()

    def shared(self, name, head):
        """The one of these that a query head uses, from 1."""
        return (head - 1) // (self.heads() // self.groups(name)) + 1

    def own_keys(self):
        layers = self.run.document["layers"]
        own = layers[self.layer] if self.layer >= 0 else self.run.document
        return own.get("cross", {}) if self.part == "cross" else own

    def said(self, name, otherwise=None):
        """A setting of this attention: of its own, or of all layers."""
        places = [self.own_keys()]
        if self.layer >= 0 and (self.part != "cross" or name in OF_BOTH):
            places += [self.run.document["layers"][self.layer], self.run.document]
        return next((place[name] for place in places if name in place), otherwise)

    def kept_as(self, name):
        """A cache keeps keys as they are compared: normalized and turned."""
        if name in ("present_k", "past_k"):
            return self.last_form("k")
        return name.removeprefix("present_").removeprefix("past_")

    def last_form(self, role):
        if self.said("rope") is not None:
            return role + "_rope"
        return role if self.said("qk_norm") is None else role + "_norm"

    def full_name(self, name):
        before = f"layer.{self.layer}." if self.layer >= 0 else ""
        name = self.kept_as(name)
        part = f"{before}{self.part}.{name}" if self.part else None
        if name == "x" and not self.part:
            below = f"layer.{self.layer - 1}.output" if self.layer > 0 else "ln_e"
            return below if below in self.run.stages else "embedded"
        last = f"layer.{len(self.run.document['layers']) - 1}.{name}"
        for full in (part, before + name, name, last):
            if full in self.run.stages:
                return full
        return None

    def weight(self, name):
        """As x·W uses it."""
        if name in ("gain", "bias"):
            own = self.own_keys() if self.name in self.own_keys() else self.run.document
            return numbers(own[self.name][name])
        given = self.own_keys().get(name.lower(), self.run.document.get(name.lower()))
        if given is None:
            raise Wrong(f"'{name}' is no stage and no matrix")
        is_out_in = self.run.document.get("layout") == "out-in" and name[0] in "wW"
        return transposed(numbers(given)) if is_out_in else numbers(given)

    def whole(self, name):
        if name in self.locals:
            return self.locals[name]
        if name == "x" and self.name == "embedded":
            return numbers(self.run.document["x"])
        full = self.full_name(name)
        if full is not None:
            return self.of_step(name, self.run.stages[full])
        if name.endswith("ᵀ") and name[0] not in "kp":
            return transposed(self.run.token_rows(name[:-1]))
        if name in ("vocab", "embedding", "position_embedding", "segment_embedding"):
            return self.run.token_rows(name)
        if name == "segmented":
            return self.segmented()
        return self.setting(name) if name in self.SETTINGS else self.weight(name)

    def segmented(self):
        d = self.run.document
        kinds = self.run.token_rows("segment_embedding")
        rows = [d["vocab"][word] for word in d["tokens"]]
        return [[a + b for a, b in zip(row, kinds[s])] for row, s in zip(rows, d["segments"])]

    SETTINGS = ("eps", "qk_eps", "scale", "d_k", "m", "h", "temperature", "C")

    def setting(self, name):
        d, own = self.run.document, self.own_keys().get(self.name, self.run.document.get(self.name))
        if name == "eps":
            eps = own.get("eps") if isinstance(own, dict) else None
            return float(eps or 0) if eps is not None else float(d.get("norm_eps", NORM_EPS))
        if name == "h":
            return self.heads()
        if name == "m":
            return len(self.whole("x")[0])
        if name == "d_k":
            return len(self.whole("q")[0]) // self.heads()
        if name == "temperature":
            return self.run.temperature
        if name in ("C", "qk_eps"):
            return float(self.said("softcap")) if name == "C" else float(self.said(name, QK_EPS))
        return self.scale()

    def scale(self):
        said = self.said("scale", "head" if self.said("score", "scaled") == "scaled" else "none")
        made = {"head": "d_k", "embed": "m"}.get(said)
        scale = 1 / math.sqrt(self.setting(made)) if made else 1 if said == "none" else said
        return self.run.narrow(float(scale))

    # ---- one head ----

    def of_head(self, name, head):
        """The rows of one head, from 1, of a name that has heads."""
        whole = self.whole(name)
        if self.has_heads(name):
            return whole[head - 1]
        if self.said("heads") is None or name not in SIDE_BY_SIDE + ("Wq", "Wk", "Wv"):
            return whole
        width = len(whole[0]) // self.groups(name)
        first = (self.shared(name, head) - 1) * width
        return [row[first : first + width] for row in whole]

    def matrix(self, name, head=None):
        if name.endswith("ᵀ") and name[:-1] in OF_KEYS:
            return transposed(self.matrix(name[:-1], head))
        if name in ("q_gain", "k_gain"):
            return self.gain(name, head or 1)
        if name in ("Ws", "Wa", "Ua"):
            return self.score_matrix(name, head or 1)
        if name == "bs" and head is not None:
            return self.vector(name, head, 1)[0]
        return self.whole(name) if head is None else self.of_head(name, head)

    def gain(self, name, head):
        return self.vector(name, self.shared(name, head), len(self.matrix(name[0], head)[0]))

    def score_matrix(self, name, head):
        """As x·W uses it; one for all heads, or one a head."""
        said = numbers(self.said(name.lower()))
        if isinstance(said[0][0], list):
            said = said[head - 1]
        return transposed(said) if self.said("layout") == "out-in" else said

    def vector(self, name, head, count):
        """So many numbers, said once for all heads, or head by head."""
        said = numbers(self.said(name))
        said = sum(said, []) if isinstance(said[0], list) else said
        first = (head - 1) * count if len(said) > count else 0
        return said[first : first + count]

    def appended(self):
        """What stands behind the keys of the sequence, by its names."""
        learned = self.said("bias_k") is not None
        return ["bias_k"] * learned + ["zero"] * bool(self.said("add_zero", False))

    def must_be_shown(self, name, head):
        """`name in head 2`: the head that the focus's query uses."""
        if head != self.shared(name, self.run.head):
            raise Wrong(f"{name} is shown in head {self.shared(name, self.run.head)}")

    # ---- an index ----

    def column(self, text):
        """A column or row that is named: 3, cat, 'id 3', 'position 0'."""
        words = self.run.words()
        if words and text in words:
            return words.index(text)
        if match := re.fullmatch(r"(?:id|position|segment) (\d+)", text):
            return int(match[1])
        if re.fullmatch(r"[1-9]\d*", text):
            return int(text) - 1
        raise Wrong(f"'{text}' is no index")

    def at(self, name, index, head=None):
        """An element, a row or a column of what the name stands for."""
        value = self.matrix(name, head)
        if index == "":
            return value
        if name in ("logits", "probabilities"):
            return value[0][self.column(index)]
        places = index.split(",")
        if places[0] == "·":
            return [row[self.column(places[1])] for row in value]
        try:
            for place in places:
                value = value[self.column(place.strip())]
        except (IndexError, TypeError) as e:
            raise Wrong(f"{name}[{index}] is outside") from e
        is_alone = isinstance(value, list) and name in ("row_max", "row_sum")
        return value[0] if is_alone else value
