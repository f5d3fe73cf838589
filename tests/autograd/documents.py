"""Random documents with gradients: one attention in all its variants, and encoders and decoders.

Numbers are small, so that no row is sure of one key and no sum of a gradient cancels what a
comparison by its largest number should see.
"""
import random


def matrix(dice, *sizes, most=1):
    if not sizes:
        return round(dice.uniform(-most, most), 6)
    return [matrix(dice, *sizes[1:], most=most) for _ in range(sizes[0])]


def chance(dice, share=0.3):
    return dice.random() < share


class Sizes:
    def __init__(self, dice):
        some = lambda most: dice.randint(1, most)
        self.groups = dice.choice((1, 1, 2, 3))
        self.heads = self.groups * dice.choice((1, 1, 2, 3))
        self.n_q = some(7)
        self.n_k = self.n_q if chance(dice, 0.5) else some(7)
        self.batch = some(3) if chance(dice) else 0
        self.d_q = self.d_k = 2 * some(3)
        self.d_v = some(5)
        self.m = 1 + some(5)  # a row of one number would be lost in qk_norm, all but its sign
        self.past = some(4) if chance(dice) else 0
        self.own = self.n_k + self.past
        self.is_given = chance(dice)  # q, k and v
        self.is_apart = self.is_given and self.batch and chance(dice, 0.5)  # of rank 4

    def rows(self, dice, n, width, share=1.0):
        """n × width, of each batch entry or of all of them."""
        of_entries = (self.batch,) if self.batch and chance(dice, share) else ()
        return matrix(dice, *of_entries, n, width)


def add_weight(one, dice, key, heads, rows, columns):
    """For all heads or one a head, turned round where the layout says so."""
    apart = chance(dice)
    sizes = (rows, columns if apart else heads * columns)
    if one.get("layout") == "out-in":
        sizes = sizes[::-1]
    one[key] = matrix(dice, *((heads,) if apart else ()), *sizes)


def add_role(one, dice, size, role, n, heads, width):
    if size.is_given:
        one[role] = (matrix(dice, size.batch, heads, n, width) if size.is_apart
                     else size.rows(dice, n, heads * width))
        return
    add_weight(one, dice, "w" + role, heads, size.m, width)
    if chance(dice):
        one["b" + role] = matrix(dice, heads * width)


def appends(one):
    return "bias_k" in one or one.get("add_zero")


def add_rows(one, dice, size):
    """x, and xk and xv where keys are of other rows; or q, k and v themselves."""
    if not size.is_given:
        one["x"] = size.rows(dice, size.n_q, size.m)
        if size.n_k != size.n_q or chance(dice):
            one["xk"] = size.rows(dice, size.n_k, size.m, 0.7)
        if "xk" in one and chance(dice):
            one["xv"] = size.rows(dice, size.n_k, size.m, 0.7)
    add_role(one, dice, size, "q", size.n_q, size.heads, size.d_q)
    add_role(one, dice, size, "k", size.n_k, size.groups, size.d_k)
    add_role(one, dice, size, "v", size.n_k, size.groups, size.d_v)
    if size.past:
        for role, width in (("k", size.d_k), ("v", size.d_v)):
            one["past_" + role] = size.rows(dice, size.past, size.groups * width)


def add_score(one, dice, size):
    """The score's parameters, all of a head's own or of all heads."""
    width = dice.randint(1, 5)
    own = lambda *sizes: (size.heads, *sizes) if chance(dice) else sizes

    def turned(rows, columns):
        return own(*((columns, rows) if one.get("layout") == "out-in" else (rows, columns)))
    if one["score"] == "general":
        one["ws"] = matrix(dice, *turned(size.d_q, size.d_k))
        if chance(dice):
            one["bs"] = matrix(dice, dice.choice((1, size.heads)))
    else:
        one["wa"] = matrix(dice, *turned(size.d_q, width))
        one["ua"] = matrix(dice, *turned(size.d_k, width))
        one["va"] = matrix(dice, *own(width))
        one["ba"] = matrix(dice, *own(width))
    if chance(dice):
        one["scale"] = round(dice.uniform(0.2, 1.5), 3)


def add_form(one, dice, size):
    """What queries and keys become before they are compared."""
    if chance(dice):
        one.update(qk_norm="rms", qk_eps=dice.choice((1e-6, 0.1)))
        for role, heads, width in (("q", size.heads, size.d_q), ("k", size.groups, size.d_k)):
            if chance(dice, 0.6):
                one[role + "_gain"] = matrix(dice, width * dice.choice((1, heads)))
        apart = any(isinstance(one.get(role), list) and isinstance(one[role][0][0], list) and
                    isinstance(one[role][0][0][0], list) for role in "qk")
        if not apart and chance(dice, 0.4):
            one["qk_norm"] = "rms-all"
            for role, numbers in (("q", size.heads * size.d_q), ("k", size.groups * size.d_k)):
                if role + "_gain" in one:
                    one[role + "_gain"] = matrix(dice, numbers)
    if chance(dice, 0.4):
        one.update(rope=dice.choice((10000, 10, {"base": 10, "attention_factor": 1.3})),
                   rope_pairing=dice.choice(("half", "interleaved")),
                   rope_width=2 * dice.randint(1, size.d_q // 2))
        if chance(dice):
            one["rope_positions"] = [dice.randint(0, 30) for _ in range(size.n_q + size.n_k)]


def spread(dice, size):
    """A shape of a mask or a bias, of each rank, and what its first axis is."""
    b = size.batch or 1
    shapes = [((size.own,), None), ((size.n_q, size.own), None), ((b, size.own), "batch"),
              ((b, size.n_q, size.own), "batch"), ((size.heads, size.n_q, size.own), "head"),
              ((dice.choice((1, b)), dice.choice((1, size.heads)), dice.choice((1, size.n_q)),
                size.own), None)]
    return dice.choice(shapes)


def yes_or_no(numbers, seen):
    if isinstance(numbers, list):
        return [yes_or_no(one, seen) for one in numbers]
    return int(numbers < seen)


def with_holes(dice, numbers):
    if isinstance(numbers, list):
        return [with_holes(dice, one) for one in numbers]
    return -float("inf") if chance(dice, 0.1) else numbers


def add_masks(one, dice, size):
    axis = None
    if chance(dice, 0.4):
        shape, axis = spread(dice, size)
        one["mask"] = yes_or_no(matrix(dice, *shape), 0.5)
    if chance(dice, 0.4):
        shape, other = spread(dice, size)
        if "mask" not in one or axis == other:
            one["bias"], axis = with_holes(dice, matrix(dice, *shape)), other
    if "bias" not in one and chance(dice, 0.3):
        one["key_bias"] = matrix(dice, size.heads, size.own + dice.randint(0, 2))
    elif "bias" not in one and chance(dice, 0.3):
        buckets = dice.randint(4, 9)
        one.update(relative_bias=matrix(dice, buckets, size.heads),
                   relative_distance=buckets // 2 + dice.randint(1, 6))
    if axis:
        one["mask_axis"] = axis
    if chance(dice, 0.4):
        one["causal"] = dice.choice(("upper-left", "lower-right"))
    if chance(dice, 0.2) and one.get("causal") != "lower-right":
        one["offset"] = dice.randint(0, 4)
    if chance(dice, 0.2):
        one["window"] = [dice.randint(-1, 3), dice.randint(-1, 3)]
    if chance(dice, 0.2):
        one["key_lengths"] = [dice.randint(size.past or 1, size.own)
                              for _ in range(size.batch or 1)]
    if chance(dice):
        one["alibi"] = (True if size.heads in (1, 2, 4) and chance(dice, 0.5)
                        else [abs(number) for number in matrix(dice, size.heads)])


def attention(seed):
    dice = random.Random(seed)
    size = Sizes(dice)
    one = {"dtype": "f64", "heads": size.heads, "kv_heads": size.groups}
    if chance(dice):
        one["layout"] = "out-in"
    one["score"] = dice.choice(("scaled", "scaled", "dot", "general", "additive"))
    if chance(dice, 0.2):
        one["bias_k"], one["bias_v"] = (matrix(dice, size.groups * width)
                                        for width in (size.d_k, size.d_v))
        one["add_zero"] = chance(dice, 0.5)
    if one["score"] in ("general", "additive"):
        size.d_q = 2 * dice.randint(1, 3) if not size.is_given and chance(dice) else size.d_k
    if appends(one):
        size.past, size.own, size.is_apart = 0, size.n_k, False
    add_rows(one, dice, size)
    if one["score"] in ("general", "additive"):
        add_score(one, dice, size)
    if not appends(one) and size.d_q == size.d_k:
        add_form(one, dice, size)
    add_masks(one, dice, size)
    if chance(dice):
        one["softcap"] = round(dice.uniform(0.5, 3), 3)
    if chance(dice):
        one["sinks"] = matrix(dice, size.heads)
    add_output(one, dice, size)
    if not size.is_given and chance(dice):
        one["clip"] = round(dice.uniform(0.2, 1), 3)
    return one


def latents(seed):
    """An attention again, whose queries, or keys and values, are made in two products."""
    dice = random.Random(seed)
    size = Sizes(dice)
    size.is_given = size.is_apart = False
    one = {"dtype": "f64", "heads": size.heads, "kv_heads": size.groups, "scale": "head"}
    if chance(dice):
        one["layout"] = "out-in"
    add_rows(one, dice, size)
    one.pop("xv", None)
    shared = 2 * dice.randint(0, 2)
    add_latents(one, dice, size, chance(dice, 0.8), chance(dice, 0.8), shared)
    if chance(dice, 0.5):
        one.update(rope=dice.choice((10000, 10, {"base": 10, "attention_factor": 1.3})),
                   rope_pairing=dice.choice(("half", "interleaved")))
    add_masks(one, dice, size)
    add_output(one, dice, size)
    if chance(dice):
        one["clip"] = round(dice.uniform(0.3, 1), 3)
    return one


def add_latents(one, dice, size, of_queries, of_keys, shared):
    """Keys end with so many numbers that their heads share, and queries are as wide."""
    shared = shared if of_keys else 0
    for name, roles, is_there, rest in (("q", "q", of_queries, 0), ("kv", "kv", of_keys, shared)):
        if not is_there:
            continue
        width = 1 + dice.randint(1, 4)
        one[f"w{name}_down"] = matrix(dice, *turned_if(one, size.m, width + rest))
        if chance(dice):
            one[f"b{name}_down"] = matrix(dice, width + rest)
        if chance(dice, 0.6):
            one[name + "_latent_gain"] = matrix(dice, width)
        for role, heads, columns in (("q", size.heads, size.d_q), ("k", size.groups, size.d_k),
                                     ("v", size.groups, size.d_v)):
            if role in roles:
                add_weight(one, dice, "w" + role, heads, width, columns)
    if any(key.endswith("latent_gain") for key in one) and chance(dice):
        one["latent_eps"] = 0.1
    for key, numbers in (("past_k", size.groups * (size.d_k + shared)),):
        if key in one:
            one[key] = size.rows(dice, size.past, numbers)
    if shared:  # as wide as the keys
        add_weight(one, dice, "wq", size.heads,
                   of_queries and len(one["wq_down"] if one.get("layout") == "out-in"
                                      else one["wq_down"][0]) or size.m, size.d_q + shared)
        if "bq" in one:
            one["bq"] = matrix(dice, size.heads * (size.d_q + shared))


def add_output(one, dice, size):
    width = size.heads * size.d_v
    shape = ((size.batch,) if size.batch else ()) + (size.n_q, width)
    if chance(dice, 0.6):
        columns = dice.randint(1, 5)
        sizes = (columns, width) if one.get("layout") == "out-in" else (width, columns)
        one["wo"] = matrix(dice, *sizes)
        shape = shape[:-1] + (columns,)
    elif size.is_apart:
        shape = (size.batch, size.heads, size.n_q, size.d_v)
    if chance(dice) and ("wo" in one or not size.is_apart):
        one["bo"] = matrix(dice, shape[-1])
    add_loss(one, dice, shape)
    if chance(dice, 0.2):
        rows = ((size.batch,) if size.batch else ()) + (size.heads, size.n_q)
        one["logsumexp_grad"] = matrix(dice, *rows, 1)


def add_loss(one, dice, shape, kinds=("output_grad", "ones", "sum", "mean", "square")):
    kind = dice.choice(kinds)
    if kind == "output_grad":
        one["output_grad"] = matrix(dice, *shape)
    elif kind == "ones":
        one["output_grad"] = "ones"
    else:
        one["loss"] = kind
    if kind == "square":
        one["target"] = matrix(dice, *shape)


# ---- layers ----

def norm(dice, width, kind):
    one = {"gain": [1 + number / 2 for number in matrix(dice, width)]}
    if kind == "layer":
        one["bias"] = matrix(dice, width)
    return one


def some_attention(dice, width, heads, turned):
    one = {}
    columns = width // heads["heads"]
    for role, count in (("q", heads["heads"]), ("k", heads["kv_heads"]), ("v", heads["kv_heads"])):
        sizes = (width, count * columns)
        one["w" + role] = matrix(dice, *(sizes[::-1] if turned else sizes), most=0.4)
        if chance(dice, 0.5):
            one["b" + role] = matrix(dice, count * columns)
    one["wo"] = matrix(dice, width, width)
    if chance(dice, 0.5):
        one["bo"] = matrix(dice, width)
    return one


def some_feed_forward(dice, top, width, is_gated, most=0.4):
    hidden, turned = dice.randint(2, 7), top.get("layout") == "out-in"
    shape = lambda rows, columns: (columns, rows) if turned else (rows, columns)
    one = {"w1": matrix(dice, *shape(width, hidden), most=most),
           "w2": matrix(dice, *shape(hidden, width), most=0.16 / most)}
    if is_gated:
        one["w3"] = matrix(dice, *shape(width, hidden), most=most)
        if chance(dice):
            one["b3"] = matrix(dice, hidden)
    if chance(dice, 0.5):
        one["b1"], one["b2"] = matrix(dice, hidden), matrix(dice, width)
    return one


def some_routing(dice, count):
    """Settings, of a layer or of all."""
    kind = dice.choice(("softmax", "top-softmax", "sigmoid"))
    one = {"routing": kind, "top_experts": dice.randint(1, count)}
    if kind != "top-softmax" and chance(dice, 0.5):
        one["renormalize"] = chance(dice, 0.5)
    if chance(dice):
        one["routing_scale"] = round(dice.uniform(0.5, 3), 3)
    if kind != "top-softmax" and count % 2 == 0 and count > 2 and chance(dice, 0.5):
        one.update(groups=2, top_groups=1, top_experts=dice.randint(1, count // 2))
        if chance(dice, 0.5):
            one["top_of_group"] = dice.randint(1, 2)
    if kind != "top-softmax" and one["top_experts"] == 1:
        one["renormalize"] = False  # a weight that is always 1 has the gradient 0
    return one


def some_mixture(dice, top, width, count):
    """Rows of a clamped activation are large enough that limits are met; what experts are chosen
    by is above 0, which stands for those of other groups: of equal ones each has its own first."""
    is_clamped = top["activation"] == "clamped"
    most = 3 if is_clamped else 0.4
    expert = lambda: some_feed_forward(dice, top, width, is_clamped or chance(dice), most)
    turned = top.get("layout") == "out-in"
    one = {"router": matrix(dice, *((count, width) if turned else (width, count))),
           "experts": [expert() for _ in range(count)]}
    if chance(dice, 0.5):
        one["router_bias"] = matrix(dice, count)
    if top["routing"] != "top-softmax" and chance(dice, 0.5):
        one["choice_bias"] = [abs(number) for number in matrix(dice, count, most=0.3)]
    if chance(dice, 0.5):
        one["shared"] = expert()
    if "shared" in one and chance(dice, 0.5):
        one["shared_gate"] = matrix(dice, *((1, width) if turned else (width, 1)))
    return one


def some_layer(dice, top, width):
    turned = top.get("layout") == "out-in"
    heads = {key: top[key] for key in ("heads", "kv_heads")}
    one = some_attention(dice, width, heads, turned)
    hidden = dice.randint(2, 7)
    inward, outward = (width, hidden), (hidden, width)
    if turned:
        inward, outward = outward, inward
    one["w1"], one["w2"] = matrix(dice, *inward, most=0.4), matrix(dice, *outward, most=0.4)
    if chance(dice):
        one["w3"] = matrix(dice, *inward, most=0.4)
    if chance(dice, 0.5):
        one["b1"], one["b2"] = matrix(dice, hidden), matrix(dice, width)
    if "memory" in top:
        one["cross"] = some_attention(dice, width, heads, turned)
    for i in range(1, 4 if "memory" in top else 3):
        if chance(dice, 0.7):
            one[f"ln{i}"] = norm(dice, width, top["norm_kind"])
    return one


def make_latents(one, dice, top, width):
    """Of a layer's queries, and of its keys and values, whose heads end with two they share."""
    columns, few = width // top["heads"], dice.randint(2, 4)
    one["wq_down"] = matrix(dice, *turned_if(top, width, few))
    one["q_latent_gain"] = matrix(dice, few)
    one["wkv_down"] = matrix(dice, *turned_if(top, width, few + 2))
    one["kv_latent_gain"] = matrix(dice, few)
    for role, heads, numbers in (("q", top["heads"], columns + 2), ("k", top["kv_heads"], columns),
                                 ("v", top["kv_heads"], columns)):
        one["w" + role] = matrix(dice, *turned_if(top, few, heads * numbers))
        one.pop("b" + role, None)


def add_embedding(top, dice, n, width):
    """No two rows are alike: from keys that are, no score learns."""
    ids = n + dice.randint(1, 3)
    top["embedding"] = matrix(dice, ids, width, most=0.4)
    top["ids"] = dice.sample(range(ids), n)
    if chance(dice, 0.5):
        top["ids"] = [dice.randrange(ids) for _ in range(n)]
        top["position_embedding"] = matrix(dice, n + 1, width)
    if chance(dice):
        top["segment_embedding"] = matrix(dice, 2, width)
        top["segments"] = [dice.randrange(2) for _ in range(n)]
    return ids


def add_cross_entropy(top, dice, n, width, ids):
    """Labels, one of which counts at least, and what makes logits, or the embedding again."""
    top["loss"] = "cross-entropy"
    top["labels"] = [-100 if chance(dice) else dice.randrange(ids) for _ in range(n)]
    top["labels"][dice.randrange(n)] = dice.randrange(ids)
    if chance(dice, 0.6):
        turned = top.get("layout") == "out-in"
        top["unembedding"] = matrix(dice, *((ids, width) if turned else (width, ids)), most=0.4)
    if chance(dice):
        top["unembedding_bias"] = matrix(dice, ids)
    if chance(dice):
        top["logits_scale"] = dice.choice((0.25, -0.5, 2))
    if chance(dice):
        top["logits_softcap"] = dice.choice((0.5, 1, 3))


def layers(seed):
    dice = random.Random(seed)
    groups = dice.choice((1, 2))
    heads = groups * dice.choice((1, 2))
    width, n = max(4, heads * 2 * dice.randint(1, 2)), dice.randint(1, 6)
    top = {"dtype": "f64", "heads": heads, "kv_heads": groups, "norm": dice.choice(("pre", "post")),
           "norm_kind": dice.choice(("layer", "layer", "rms")),
           "norm_eps": dice.choice((1e-5, 0.01)),
           "activation": dice.choice(("relu", "gelu", "gelu_tanh", "silu"))}
    top["kind"] = dice.choice(("encoder", "decoder"))
    if chance(dice):
        top["layout"] = "out-in"
    if top["kind"] == "decoder" and chance(dice, 0.5):
        top["memory"] = matrix(dice, dice.randint(1, 5), width)
    if top["kind"] == "decoder":
        top["causal"] = "upper-left"
    if chance(dice):
        top["rope"] = 100
    if chance(dice, 0.2):
        top["softcap"] = 2
    if chance(dice, 0.2):
        top["qk_norm"] = ("rms", "rms-all")[n % 2]
    add_rows_and_goal(top, dice, n, width)
    if chance(dice, 0.2):
        top["clip"] = round(dice.uniform(0.6, 1.5), 3)
    if not {"qk_norm", "clip"} & top.keys() and chance(dice):
        for one in top["layers"]:
            make_latents(one, dice, top, width)
    return top


def add_rows_and_goal(top, dice, n, width):
    top["layers"] = [some_layer(dice, top, width) for _ in range(dice.randint(1, 2))]
    if n % 3 == 0:
        top["repeat"] = 4 - len(top["layers"])
    for key in ("ln_e", "ln_f"):
        if chance(dice):
            top[key] = norm(dice, width, top["norm_kind"])
    if chance(dice, 0.7):
        ids = add_embedding(top, dice, n, width)
    else:
        top["x"] = matrix(dice, n, width)
    if "ids" in top and chance(dice, 0.7):
        add_cross_entropy(top, dice, n, width, ids)
    else:
        add_loss(top, dice, (n, width), ("output_grad", "square"))  # the sum of a norm is always 0


def turned_if(top, rows, columns):
    return (columns, rows) if top.get("layout") == "out-in" else (rows, columns)


def projected(seed):
    """Layers of another width than what ids look up: a product before them, and a head, whose
    rows are compared with the embedding."""
    dice = random.Random(seed)
    heads, n, wide, hidden = dice.choice((1, 2)), dice.randint(2, 6), dice.randint(3, 7), 5
    width, ids = 4 * heads, n + 2
    top = {"dtype": "f64", "heads": heads, "kv_heads": heads, "norm": dice.choice(("pre", "post")),
           "norm_kind": "layer", "activation": dice.choice(("relu", "gelu", "silu")),
           "kind": "encoder"}
    if chance(dice):
        top["layout"] = "out-in"
    is_first = chance(dice, 0.5)
    between = width if is_first else wide
    top["embed"] = {"w": matrix(dice, *turned_if(top, wide, width), most=0.5)}
    if is_first:
        top["embed"]["before"] = "positions"
    if chance(dice, 0.6):
        top["embed"]["b"] = matrix(dice, width)
    top["layers"] = [some_layer(dice, top, width)]
    if chance(dice, 0.6):
        top["ln_e"] = norm(dice, between, "layer")
    if chance(dice, 0.5):
        top["position_embedding"] = matrix(dice, n, between)
    if chance(dice, 0.4):
        top["segment_embedding"] = matrix(dice, 2, between)
        top["segments"] = [dice.randrange(2) for _ in range(n)]
    if chance(dice, 0.3):
        top["x"] = matrix(dice, n, wide)
        add_loss(top, dice, (n, width), ("output_grad", "square"))
        return top
    top["embedding"] = matrix(dice, ids, wide)
    top["ids"] = [dice.randrange(ids) for _ in range(n)]
    is_tied = chance(dice, 0.6)
    taken = wide if is_tied else hidden
    top["head"] = {"w": matrix(dice, *turned_if(top, width, taken), most=0.5)}
    if chance(dice, 0.7):
        top["head"]["activation"] = dice.choice(("none", "none", "gelu", "silu"))
    if chance(dice, 0.5):
        top["head"]["b"] = matrix(dice, taken)
    if chance(dice, 0.5):
        top["head"]["norm"] = norm(dice, taken, "layer")
    add_cross_entropy(top, dice, n, taken, ids)
    if is_tied:
        top.pop("unembedding", None)
    else:
        top.setdefault("unembedding", matrix(dice, *turned_if(top, taken, ids)))
    return top


def mixtures(seed):
    """Layers again, of which the last one and some before have a mixture of experts."""
    dice = random.Random(seed)
    one = layers(seed)
    count, width = dice.randint(2, 6), len(one["layers"][0]["wo"])
    one["activation"] = dice.choice(("relu", "gelu", "gelu_tanh", "silu", "clamped"))
    one.update(some_routing(dice, count))
    dense = [i for i in range(len(one["layers"]) - 1) if one["activation"] != "clamped" and
             chance(dice)]
    for i, of in enumerate(one["layers"]):
        if i in dense:
            continue
        for key in ("w1", "b1", "w2", "b2", "w3"):
            of.pop(key, None)
        of.update(some_mixture(dice, one, width, count))
    return one
