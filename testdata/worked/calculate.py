#!/usr/bin/env python3
"""Attention by hand, to 50 digits: reads problem documents and prints every stage.

    python3 calculate.py DOCUMENT...            prints the stages
    python3 calculate.py --check DOCUMENT...    compares them with the document's "expected"

The expected numbers in testdata/seeds come from here, or were worked out with pen and paper and
agree. It is written for that purpose and shares nothing with the program: plain loops over decimal
numbers, in the order of the seeds' steps, fast enough for examples only. It believes its input:
documents that are wrong are the program's business.
"""
import json
import sys
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, localcontext, getcontext

getcontext().prec = 50
DIGITS = 12  # significant digits that are printed
NOT_ALLOWED = Decimal("-Infinity")
DEFAULT_TOLERANCE = Decimal("1e-9")
STAGES = ("x xk xv q_latent q_latent_norm kv_latent kv_latent_norm q_sum k_sum v_sum q k v q_norm k_norm q_rope k_rope "
          "present_k present_v q_score k_score scores scaled capped masked "
          "row_max exp row_sum weights logsumexp entropy top rounded weighted attended context output").split()
INPUTS = ("x xk xv wq wk wv wo bq bk bv bo past_k past_v bias key_bias relative_bias sinks q_gain k_gain bias_k bias_v ws bs wa ua va ba "
          "wq_down bq_down q_latent_gain wkv_down bkv_down kv_latent_gain").split()
NUDGE = Decimal("1e-16")
SCORES = ("scaled", "dot", "general", "additive")


# --- small tools on lists of rows -----------------------------------------------------------------

def rank(table):
    return 1 + rank(table[0]) if isinstance(table, list) else 0


def dot(a, b):
    total = Decimal(0)
    for one, other in zip(a, b, strict=True):
        total += one * other
    return total


def transposed(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


def times(a, b):
    """The matrix product: each row of a with each column of b."""
    return [[dot(row, column) for column in transposed(b)] for row in a]


def plus(matrix, bias):
    return [[value + b for value, b in zip(row, bias, strict=True)] for row in matrix]


def side_by_side(matrices):
    return [[value for part in rows for value in part] for rows in zip(*matrices, strict=True)]


def cut_into_heads(matrix, count):
    width = len(matrix[0]) // count
    return [[row[h * width:(h + 1) * width] for row in matrix] for h in range(count)]


def number(value):
    """A document's number; "-inf" is a text there."""
    if isinstance(value, list):
        return [number(part) for part in value]
    return value if value is None else Decimal(value)


# --- steps 1 to 3: inputs, weights, query, key and value ------------------------------------------

def inputs(doc, key):
    """The rows of x, xk or xv. Where not given, xv is xk, xk is x, and x the words looked up."""
    if key in doc:
        return doc[key]
    if key != "x":
        return inputs(doc, "xk" if key == "xv" else "x")
    if "vocab" in doc:
        return [doc["vocab"][word] for word in doc["tokens"]]
    return None


def in_out(weight, layout):
    """A weight as it stands in x·W. One matrix a head becomes all heads side by side."""
    if rank(weight) == 3:
        return side_by_side([in_out(one, layout) for one in weight])
    return transposed(weight) if layout == "out-in" else weight


def project(rows, doc, letter):
    """q_i = x_i·Wq + bq, and so for k and v; without a weight the row itself."""
    result = rows
    if "w" + letter in doc:
        result = times(rows, in_out(doc["w" + letter], doc.get("layout")))
    if "b" + letter in doc:
        result = plus(result, doc["b" + letter])
    return result


def representations(doc, batch):
    """q, k and v of one sequence of the batch, heads side by side: given, or projected; and what
    they are projected from, where that is made by a product before."""
    made, before = {}, {}
    for letter, key in zip("qkv", ("x", "xk", "xv")):
        if letter in doc:
            given = doc[letter]
            one = given[batch] if rank(given) > 2 else given
            made[letter] = side_by_side(one) if rank(given) == 4 else one
        else:
            rows = inputs(doc, key)
            rows = rows[batch] if rank(rows) == 3 else rows
            rows, shared = brought_down(rows, doc, letter, before, batch)
            made[letter] = project(rows, doc, letter)
            if letter == "k" and shared:
                parts = cut_into_heads(made["k"], count_heads(doc)[1])
                made["k"] = side_by_side([one for part in parts for one in (part, shared)])
            if "clip" in doc:
                sums = before[letter + "_sum"] = nudged(letter + "_sum", made[letter], batch)
                made[letter] = [[max(-doc["clip"], min(x, doc["clip"])) for x in row] for row in sums]
    return made["q"], made["k"], made["v"], before


def brought_down(rows, doc, letter, before, batch):
    """What the weights of q, k or v take, and the numbers of a latent that keys share."""
    name = "q" if letter == "q" else "kv"
    if f"w{name}_down" not in doc:
        return rows, None
    made = times(rows, doc[f"w{name}_down"])
    if f"b{name}_down" in doc:
        made = plus(made, doc[f"b{name}_down"])
    made = before[f"{name}_latent"] = nudged(f"{name}_latent", made, batch)
    width = len(doc["w" + letter])
    taken = [row[:width] for row in made]
    if f"{name}_latent_gain" in doc:
        eps = doc.get("latent_eps", Decimal("1e-6"))
        taken = nudged(f"{name}_latent_norm", normalized(taken, 1, doc[f"{name}_latent_gain"], eps), batch)
        before[f"{name}_latent_norm"] = taken
    shared = [row[width:] for row in made]
    return taken, shared if shared[0] else None


# --- one length, and positions by turning ---------------------------------------------------------

def normalized(rows, heads, gain, eps):
    """Each head of each row divided by its root mean square, times the gain."""
    gains = gain if rank(gain) == 2 else [gain or [Decimal(1)] * (len(rows[0]) // heads)] * heads
    parts = []
    for part, factors in zip(cut_into_heads(rows, heads), gains, strict=True):
        roots = [(dot(row, row) / len(row) + eps).sqrt() for row in part]
        parts.append([[x / root * f for x, f in zip(row, factors, strict=True)]
                      for row, root in zip(part, roots, strict=True)])
    return side_by_side(parts)


def sine(angle):
    """Its own series, which is quick enough for angles of a few turns."""
    term = total = angle
    for n in range(1, 120):
        term *= -angle * angle / (2 * n * (2 * n + 1))
        total += term
    return total


def turned(rows, heads, doc, first):
    """Pairs of each head's numbers turned by position · base^(−2p/width)."""
    said = doc["rope"] if isinstance(doc["rope"], dict) else {"base": doc["rope"]}
    pairing = said.get("pairing", doc.get("rope_pairing", "half"))
    quarter = Decimal("1.57079632679489661923132169163975144209858469968755291048747")
    parts = cut_into_heads(rows, heads)
    shares = len(doc["wkv_down"][0]) - len(doc["wk"]) if "wkv_down" in doc else 0
    width = int(said.get("width", doc.get("rope_width", shares or len(parts[0][0]))))
    begin = len(parts[0][0]) - width if shares else 0
    for part in parts:
        for i, row in enumerate(part):
            for p in range(width // 2):
                one, other = (2 * p, 2 * p + 1) if pairing == "interleaved" else (p, p + width // 2)
                one, other = begin + one, begin + other
                angle = (first + i) * Decimal(said.get("base", 10000)) ** (Decimal(-2 * p) / width)
                cosine, a, b = sine(angle + quarter), row[one], row[other]
                row[one], row[other] = a * cosine - b * sine(angle), b * cosine + a * sine(angle)
    return side_by_side(parts)


# --- a number that is nudged, for gradients -------------------------------------------------------

AT = {}  # the name of a stage, the place of a number in it, and what is added there


def nudged(name, table, *before):
    """A stage as what follows takes it."""
    if AT.get("stage") == name and AT["place"][:len(before)] == before:
        i, j = AT["place"][len(before):]
        table = [row[:] for row in table]
        table[i][j] += AT["amount"]
    return table


# --- step 4: attention scores ---------------------------------------------------------------------

def tanh(z):
    e = (2 * z).exp()
    return (e - 1) / (e + 1)


def parameter(doc, key, matrix_rank, head):
    """A score's parameter: shared by all heads, or with an axis more, one a head."""
    value = doc.get(key)
    return value[head] if rank(value) > matrix_rank else value


def attention_scores(q, k, doc, batch, head):
    score = doc.get("score", "scaled")
    if score not in SCORES:
        raise ValueError(f"{doc['name']}: no score function is called {score} here")
    if score == "general":  # q·Ws·kᵀ + bs
        ws = parameter(doc, "ws", 2, head)
        bs = parameter(doc, "bs", 0, head) or Decimal(0)
        compared = nudged("q_score", times(q, ws), batch, head) if ws else q
        return [[s + bs for s in row] for row in times(compared, transposed(k))]
    if score == "additive":  # va·tanh(q·Wa + k·Ua + ba)
        wa, ua = parameter(doc, "wa", 2, head), parameter(doc, "ua", 2, head)
        q = nudged("q_score", times(q, wa), batch, head) if wa else q
        k = nudged("k_score", times(k, ua), batch, head) if ua else k
        width = len(q[0])
        ba = parameter(doc, "ba", 1, head) or [Decimal(0)] * width
        va = parameter(doc, "va", 1, head) or [Decimal(1)] * width
        return [[dot(va, [tanh(a + b + c) for a, b, c in zip(query, key, ba, strict=True)])
                 for key in k] for query in q]
    return times(q, transposed(k))


def scale_factor(doc, d_k):
    scale = doc.get("scale", "head" if doc.get("score", "scaled") == "scaled" else "none")
    if scale == "none":
        return Decimal(1)
    if scale == "head":
        return 1 / Decimal(d_k).sqrt()
    if scale == "embed":
        rows = inputs(doc, "x")
        return 1 / Decimal(len(rows[0][0]) if rank(rows) == 3 else len(rows[0])).sqrt()
    return Decimal(scale)


def cell(table, doc, place):
    """What a mask or a bias of any rank says about query i and key j."""
    batch, head, i, j = place
    if rank(table) == 1:
        return table[j]
    if rank(table) == 2:
        return table[batch if doc.get("mask_axis") == "batch" else i][j]
    if rank(table) == 3:
        return table[batch if doc["mask_axis"] == "batch" else head][i][j]
    for index in place:
        table = table[index if len(table) > 1 else 0]
    return table


def position_of(doc, batch, i, n_q, n_k):
    """Where query i stands among the keys, and how many of them are there."""
    length = n_k
    if "key_lengths" in doc:
        counts = doc["key_lengths"]
        length = int(counts[batch] if isinstance(counts, list) else counts)
    if doc.get("causal") == "lower-right":
        return i + length - n_q, length
    return i + int(doc.get("offset", len(doc.get("past_k", [])))), length


def published_slopes(n):
    """ALiBi's: a geometric sequence, filled up from that of the next power of two."""
    power = 1 << (n.bit_length() - 1)
    first = Decimal(2) ** (Decimal(-8) / power)
    slopes = [first ** i for i in range(1, power + 1)]
    return slopes if power == n else slopes + published_slopes(2 * power)[0::2][:n - power]


def may_attend(doc, place, n_q, n_k):
    batch, _, i, j = place
    position, length = position_of(doc, batch, i, n_q, n_k)
    causal = doc.get("causal", "none")
    left, right = doc.get("window", (-1, -1))
    if j >= length or (causal in (True, "upper-left", "lower-right") and j > position):
        return False
    if (left >= 0 and j < position - left) or (right >= 0 and j > position + right):
        return False
    if "mask" in doc:
        return bool(cell(doc["mask"], doc, place)) == (doc.get("mask_true", "attend") == "attend")
    return True


def bucket(doc, distance):
    """T5's: a distance each to begin with, then ever more of them, by equal parts of their logarithm."""
    count, is_causal = len(doc["relative_bias"]), doc.get("causal", "none") not in (False, "none")
    side = count if is_causal else count // 2
    first = side if distance > 0 and not is_causal else 0
    near, far = side // 2, max(-distance, 0) if is_causal else abs(distance)
    if far < near:
        return first + far
    parts, most = side - near, int(doc.get("relative_distance", 128))
    part = 0
    while part + 1 < parts and far**parts * near**(part + 1) >= most**(part + 1) * near**parts:
        part += 1
    return first + near + part


def masked_scores(scores, doc, batch, head, heads):
    n_q, n_k = len(scores), len(scores[0]) - ("bias_k" in doc) - bool(doc.get("add_zero"))
    masked = [row[:] for row in scores]
    for i in range(n_q):
        for j in range(n_k):
            place = (batch, head, i, j)
            if "bias" in doc:
                masked[i][j] += cell(doc["bias"], doc, place)
            if "key_bias" in doc:
                masked[i][j] += doc["key_bias"][head][j]
            if "relative_bias" in doc:
                distance = int(j - position_of(doc, batch, i, n_q, n_k)[0])
                masked[i][j] += doc["relative_bias"][bucket(doc, distance)][head]
            if "alibi" in doc:
                slopes = published_slopes(heads) if doc["alibi"] is True else doc["alibi"]
                masked[i][j] -= slopes[head] * abs(position_of(doc, batch, i, n_q, n_k)[0] - j)
            if not may_attend(doc, place, n_q, n_k):
                masked[i][j] = NOT_ALLOWED
    return masked


# --- step 5: softmax, and rounding it by hand -----------------------------------------------------

def softmax(masked, sink):
    """The row's maximum, exp(score − maximum), their sum, weights. A row of nothing gets zeros.

    A sink takes part in the maximum and in the sum; None: there is none.
    """
    stages = {"row_max": [], "exp": [], "row_sum": [], "weights": []}
    for row in masked:
        top = max(row if sink is None else row + [sink])
        e = [Decimal(0) if s == NOT_ALLOWED else (s - top).exp() for s in row]
        total = sum(e) + (0 if sink is None else (sink - top).exp())
        stages["row_max"].append([top])
        stages["exp"].append(e)
        stages["row_sum"].append([total])
        stages["weights"].append([value / total if total else Decimal(0) for value in e])
    return stages


def statistics(stages, count):
    """ln Σ exp, the entropy, and the strongest keys, counted from 0: -1 where no more have weight."""
    both = zip(stages["row_max"], stages["row_sum"], strict=True)
    found = {"logsumexp": [[top + total.ln() if total else NOT_ALLOWED]
                           for (top,), (total,) in both],
             "entropy": [[-sum(w * w.ln() for w in row if w > 0)] for row in stages["weights"]]}
    if count:
        found["top"] = []
        for row in stages["weights"]:
            order = sorted((j for j in range(len(row)) if row[j]), key=lambda j: (-row[j], j))
            found["top"].append([Decimal(j) for j in (order + [-1] * count)[:count]])
    return found


def round_row(weights, decimals, keep_sum):
    unit = Decimal(1).scaleb(-decimals)
    if not keep_sum:
        return [w.quantize(unit, ROUND_HALF_UP) for w in weights]
    rounded = [w.quantize(unit, ROUND_FLOOR) for w in weights]
    missing = int((sum(weights).quantize(unit, ROUND_HALF_UP) - sum(rounded)) / unit)
    by_remainder = sorted(range(len(weights)), key=lambda j: (rounded[j] - weights[j], j))
    for j in by_remainder[:missing]:
        rounded[j] += unit
    return rounded


def round_by_hand(weights, how):
    decimals, _, keep_sum = str(how).partition(":")
    return [round_row(row, int(decimals), bool(keep_sum)) for row in weights]


# --- steps 6 to 8: weighted values, their sums, and the heads together ----------------------------

def weighted_values(weights, v):
    return [[[w * value for value in row] for w, row in zip(of_query, v, strict=True)]
            for of_query in weights]


def sum_weighted(weighted):
    return [[sum(column) for column in transposed(rows)] for rows in weighted]


def unify_heads(context, doc):
    result = context
    if "wo" in doc:
        result = times(context, in_out(doc["wo"], doc.get("layout")))
    return plus(result, doc["bo"]) if "bo" in doc else result


# --- the whole ------------------------------------------------------------------------------------

def one_head(q, k, v, doc, batch, head, heads):
    factor = scale_factor(doc, len(q[0]))
    stages = {"scores": nudged("scores", attention_scores(q, k, doc, batch, head), batch, head)}
    before = stages["scaled"] = nudged("scaled", [[s * factor for s in row] for row in stages["scores"]],
                                       batch, head)
    if "softcap" in doc:
        cap = doc["softcap"]
        before = stages["capped"] = nudged("capped", [[cap * tanh(s / cap) for s in row] for row in before],
                                           batch, head)
    stages["masked"] = nudged("masked", masked_scores(before, doc, batch, head, heads), batch, head)
    stages.update(softmax(stages["masked"], doc["sinks"][head] if "sinks" in doc else None))
    weights = stages["weights"] = nudged("weights", stages["weights"], batch, head)
    stages.update(statistics(stages, int(doc.get("top", 0))))
    if "round" in doc:
        weights = stages["rounded"] = round_by_hand(weights, doc["round"])
    stages["weighted"] = weighted_values(weights, v)
    stages["attended"] = nudged("attended", sum_weighted(stages["weighted"]), batch, head)
    return stages


def count_heads(doc):
    """How many query heads and key/value heads, and whether anybody asked for heads."""
    for letter in "qkv":
        if rank(doc.get(letter)) == 4:
            g = len((doc.get("k") or doc["q"])[0])
            return len((doc.get("q") or doc["k"])[0]), g, True
        if rank(doc.get("w" + letter)) == 3:
            return len(doc["wq"]), len(doc["wk"]), True
    h = int(doc.get("heads", 1))
    return h, int(doc.get("kv_heads", h)), "heads" in doc


def flat(vector):
    """A row of numbers, however it is wrapped."""
    return [value for part in vector for value in flat(part)] if rank(vector) > 1 else vector


def one_sequence(doc, batch):
    h, g, has_heads = count_heads(doc)
    q, k, v, before = representations(doc, batch)
    of_head = []
    if "bias_k" in doc:
        k, v = k + [flat(doc["bias_k"])], v + [flat(doc["bias_v"])]
    if doc.get("add_zero"):
        k, v = k + [[Decimal(0)] * len(k[0])], v + [[Decimal(0)] * len(v[0])]
    stages = {**before, "q": nudged("q", q, batch), "k": nudged("k", k, batch), "v": nudged("v", v, batch)}
    q, k, v = stages["q"], stages["k"], stages["v"]
    if doc.get("qk_norm") == "rms":
        eps = doc.get("qk_eps", Decimal("1e-6"))
        q = stages["q_norm"] = nudged("q_norm", normalized(q, h, doc.get("q_gain"), eps), batch)
        k = stages["k_norm"] = nudged("k_norm", normalized(k, g, doc.get("k_gain"), eps), batch)
    if "rope" in doc:
        past = len(doc.get("past_k", []))
        q = stages["q_rope"] = nudged("q_rope", turned(q, h, doc, past), batch)
        k = stages["k_rope"] = nudged("k_rope", turned(k, g, doc, past), batch)
    if "past_k" in doc:
        k = stages["present_k"] = nudged("present_k", doc["past_k"] + k, batch)
        v = stages["present_v"] = nudged("present_v", doc["past_v"] + v, batch)
    queries, keys, values = cut_into_heads(q, h), cut_into_heads(k, g), cut_into_heads(v, g)
    for i in range(h):
        shared = i // (h // g)
        of_head.append(one_head(queries[i], keys[shared], values[shared], doc, batch, i, h))
    if doc.get("score") == "additive" and "wa" in doc:
        stages["q_score"], stages["k_score"] = times(q, doc["wa"]), times(k, doc["ua"])
    if doc.get("score") == "general" and "ws" in doc:
        stages["q_score"] = times(q, doc["ws"])
    for name in of_head[0]:
        stages[name] = [one[name] for one in of_head] if has_heads else of_head[0][name]
    stages["context"] = nudged("context", side_by_side([one["attended"] for one in of_head]), batch)
    stages["output"] = nudged("output", unify_heads(stages["context"], doc), batch)
    for name, letter in (("q", "q"), ("k", "k"), ("v", "v"), ("context", "q"), ("output", "q")):
        if rank(doc.get(letter)) == 4 and not (name == "output" and "wo" in doc):
            stages[name] = cut_into_heads(stages[name], g if name in "kv" else h)
    return stages


def calculate(doc):
    """Every stage of a document, by name."""
    given = doc.get("q") or inputs(doc, "x")
    if rank(given) > 2:
        sequences = [one_sequence(doc, batch) for batch in range(len(given))]
        stages = {name: [one[name] for one in sequences] for name in sequences[0]}
    else:
        stages = one_sequence(doc, 0)
    for key in ("x", "xk", "xv"):
        rows = inputs(doc, key)
        if rows is not None:
            stages[key] = rows
    return {name: stages[name] for name in STAGES if name in stages}


# --- gradients: how a loss grows with each number, by nudging it up and down -----------------------

def loss_of(doc):
    """What gradients are of."""
    stages = calculate(doc)
    output = [value for _, value in cells(stages["output"])]
    if doc.get("loss") == "square":
        target = [value for _, value in cells(doc["target"])]
        return sum((a - b) ** 2 for a, b in zip(output, target, strict=True)) / 2
    if "loss" in doc:
        return sum(output) / (len(output) if doc["loss"] == "mean" else 1)
    total = Decimal(0)
    for name in ("output", "logsumexp"):
        if name + "_grad" in doc:
            pairs = zip(cells(stages[name]), cells(doc[name + "_grad"]), strict=True)
            total += sum(value * factor for (_, value), (_, factor) in pairs)
    return total


def slope(doc, change):
    """change(by) makes the document's loss another one, and change(0) brings it back."""
    ends = []
    for amount in (NUDGE, -NUDGE):
        change(amount)
        ends.append(loss_of(doc))
    change(Decimal(0))
    return (ends[0] - ends[1]) / (2 * NUDGE)


def mapped(table, function, place=()):
    if isinstance(table, list):
        return [mapped(part, function, place + (index,)) for index, part in enumerate(table)]
    return function(place)


def input_gradient(doc, key):
    def at(place):
        inner = doc[key]
        for index in place[:-1]:
            inner = inner[index]
        came = inner[place[-1]]

        def change(amount):
            inner[place[-1]] = came + amount
        return slope(doc, change)
    return mapped(doc[key], at)


def stage_gradient(doc, table, name):
    """With the axes of batch entries and heads that the stage may not have here."""
    of_rows = name in ("output", "context") or (name[0] in "qkvp" and not name.endswith("_score"))
    has_batch = rank(doc.get("q") or inputs(doc, "x")) > 2

    def at(place):
        full = place if has_batch else (0,) + place
        if not of_rows and len(full) < 4:
            full = full[:1] + (0,) + full[1:]

        def change(amount):
            AT.update(stage=name, place=full, amount=amount)
        found = slope(doc, change)
        AT.clear()
        return found
    return mapped(table, at)


def gradient(doc, stages, name):
    """One of "expected": delta by what it is, all others by nudging."""
    if name == "loss":
        return loss_of(doc)
    if name == "delta":
        grads = stage_gradient(doc, stages["attended"], "attended")
        given = doc.get("logsumexp_grad")

        def of_row(place):
            own, row = grads, stages["attended"]
            for index in place[:-1]:
                own, row = own[index], row[index]
            less = Decimal(0)
            if given is not None:
                less = given
                for index in place:
                    less = less[index]
            return dot(own, row) - less
        return mapped(stages["row_max"], of_row)
    of = {"slopes_grad": "alibi"}.get(name, name.removesuffix("_grad"))
    return input_gradient(doc, of) if of in INPUTS + ["alibi"] else stage_gradient(doc, stages[of], of)


def read_document(path):
    with open(path, encoding="utf-8") as file:
        doc = json.load(file, parse_int=Decimal, parse_float=Decimal)
    if "bias" in doc:
        doc["bias"] = number(doc["bias"])
    return doc


# --- printing -------------------------------------------------------------------------------------

def number_text(value):
    """At most 12 significant digits, as JSON takes them."""
    if value == NOT_ALLOWED:
        return '"-inf"'
    with localcontext() as context:
        context.prec = DIGITS
        short = +value
    if short == short.to_integral_value():
        return str(int(short))
    short = short.normalize()
    return f"{short:f}" if short.adjusted() >= -5 else f"{short:e}".replace("E", "e")


def table_text(table, indent=""):
    if rank(table) <= 1:
        return indent + "[" + ", ".join(number_text(value) for value in table) + "]"
    rows = ",\n".join(table_text(row, indent + "  ") for row in table)
    return f"{indent}[\n{rows}\n{indent}]"


def print_stages(path):
    doc = read_document(path)
    print(f"== {doc.get('name', path)}")
    for name, table in calculate(doc).items():
        print(f"{name}:\n{table_text(table)}")


# --- comparing ------------------------------------------------------------------------------------

def cells(table, place=()):
    if isinstance(table, list):
        for index, part in enumerate(table):
            yield from cells(part, place + (index,))
    else:
        yield place, table


def shape(table):
    return [len(table)] + shape(table[0]) if isinstance(table, list) else []


def same(ours, theirs, tolerance):
    return ours == theirs if NOT_ALLOWED in (ours, theirs) else abs(ours - theirs) <= tolerance


def half_of_last_digit(value):
    return Decimal(1).scaleb(value.as_tuple().exponent) / 2


def erratum_at(doc, stage, place):
    for one in doc.get("errata", []):
        where = [one[axis] for axis in ("head", "row", "col") if axis in one]
        if one["stage"] == stage and list(place) == where:
            return one
    return None


def differences(doc):
    """Each number of "expected" that is not ours within its tolerance.

    Of an erratum the recomputed number counts, to the digits that it is given with.
    """
    stages = calculate(doc)
    for name in doc.get("expected", {}):
        if name.endswith("_grad") or name in ("delta", "loss"):
            stages[name] = gradient(doc, stages, name)
    for stage, published in doc.get("expected", {}).items():
        tol = doc.get("tol", DEFAULT_TOLERANCE)
        tolerance = tol[stage] if isinstance(tol, dict) else tol
        if shape(published) != shape(stages[stage]):
            yield f"{stage} is {shape(published)}, ours is {shape(stages[stage])}"
            continue
        pairs = zip(cells(stages[stage]), cells(number(published)), strict=True)
        for (place, ours), (_, theirs) in pairs:
            allowed = tolerance
            erratum = erratum_at(doc, stage, place)
            if erratum:
                if same(ours, erratum["published"], tolerance):
                    yield f"{stage}{list(place)} is {theirs} and right, but listed in errata"
                theirs = erratum["computed"]
                allowed = max(tolerance, half_of_last_digit(theirs))
            if theirs is not None and not same(ours, theirs, allowed):
                yield f"{stage}{list(place)} is {theirs}, ours is {number_text(ours)}"


def is_computed(doc):
    """Numbers by a score function that is not here are from elsewhere, unless their source says so."""
    is_known = doc.get("score", "scaled") in SCORES or "calculate.py" in doc.get("source", "")
    return is_known and ("q" in doc or inputs(doc, "x") is not None)


def check(path):
    doc = read_document(path)
    wrong = list(differences(doc)) if is_computed(doc) else []
    for line in wrong:
        print(f"{path}: {line}")
    return not wrong


def main(arguments):
    if not arguments or arguments == ["--check"]:
        sys.exit(__doc__)
    if arguments[0] != "--check":
        for path in arguments:
            print_stages(path)
        return 0
    passed = [check(path) for path in arguments[1:]]
    print(f"{passed.count(True)} agree, {passed.count(False)} differ")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
