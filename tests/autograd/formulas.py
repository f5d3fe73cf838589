"""Attention and layers by their formulas, as products of matrices, for PyTorch to differentiate.

Of the program this knows what selfattn-document(5) says: what a document's keys mean, and the names
of stages.
"""
import math

import torch

# What a layer and its cross-attention take from the document's top.
OF_ALL_ATTENTIONS = ("heads", "kv_heads", "scale", "score", "softcap", "clip", "qk_norm", "qk_eps",
                     "latent_eps", "layout")
OF_LAYERS = OF_ALL_ATTENTIONS + ("causal", "window", "alibi", "rope", "rope_pairing", "rope_width",
                                 "norm", "norm_kind", "norm_eps", "activation", "top_experts",
                                 "routing", "renormalize", "routing_scale", "groups", "top_groups",
                                 "top_of_group")


class Numbers:
    """Those of an object in a document, and by their names all that gradients are wanted of."""

    def __init__(self, one, made, way="", own_way=""):
        self.one, self.made, self.way, self.own_way = one, made, way, own_way

    def __contains__(self, key):
        return key in self.one

    def get(self, key, default=None):
        return self.one.get(key, default)

    def inside(self, one, way, top=(), own_way=None):
        """Of an object in this one, which takes the keys in `top` from here. A layer that comes
        again has stages of its own, and the weights of the first time."""
        above = {key: self.one[key] for key in top if key in self.one}
        own_way = self.own_way + (way if own_way is None else own_way)
        return Numbers({**above, **one}, self.made, self.way + way, own_way)

    def given(self, key):
        name = self.own_way + key
        if name not in self.made:
            self.made[name] = torch.tensor(self.one[key], dtype=torch.float64, requires_grad=True)
        return self.made[name]

    def kept(self, name, numbers):
        """A stage: numbers of its own, so that its gradient is what comes back to it alone."""
        stage = numbers.clone()
        stage.retain_grad()
        self.made[self.way + name] = stage
        return stage


# ---- rows and heads ----

def with_batch(rows):
    return rows if rows.dim() > 2 else rows.unsqueeze(0)


def apart(rows, heads):
    """b × n × h·d, or as it is wanted: b × h × n × d."""
    rows = with_batch(rows)
    return rows if rows.dim() == 4 else rows.unflatten(2, (heads, -1)).transpose(1, 2)


def joined(rows):
    return rows.transpose(1, 2).flatten(2)


def in_batch(*all_rows):
    """Rows that came without a batch serve each of its entries."""
    batch = max(len(rows) for rows in all_rows)
    return [rows.expand(batch, *rows.shape[1:]) for rows in all_rows]


def kept_rows(of, name, rows, like):
    """A stage of b × h × n × d; its heads are side by side unless the key `like` has them apart."""
    if like in of and of.given(like).dim() == 4:
        return of.kept(name, rows)
    return apart(of.kept(name, joined(rows)), rows.shape[1])


def weight(of, key):
    """For rows on its left."""
    matrix = of.given(key)
    return matrix.transpose(-1, -2) if of.get("layout") == "out-in" else matrix


def latent(of, name, rows, taken):
    """The first `taken` numbers, normalized where there is a gain, and those that are left."""
    made = rows @ weight(of, f"w{name}_down")
    if f"b{name}_down" in of:
        made = made + of.given(f"b{name}_down").flatten()
    made = of.kept(name + "_latent", made)
    first, rest = made[..., :taken], made[..., taken:]
    gain = name + "_latent_gain"
    if gain in of:
        root = (first.square().mean(-1, keepdim=True) + of.get("latent_eps", 1e-6)).sqrt()
        first = of.kept(name + "_latent_norm", first / root * of.given(gain).flatten())
    return first, rest


def projected(of, role, rows, heads, rest=None):
    """Each head ends with `rest`, where that is given."""
    if role in of:
        return apart(of.given(role), heads)
    made = with_batch(rows)
    if "w" + role in of:
        by = weight(of, "w" + role)
        made = made @ by if by.dim() == 2 else torch.cat([made @ one for one in by], -1)
    if "b" + role in of:
        made = made + of.given("b" + role).flatten()
    made = apart(made, heads)
    return made if rest is None else torch.cat([made, apart(rest, 1).expand(-1, heads, -1, -1)], -1)


def clipped(of, role, rows):
    most = of.get("clip")
    return rows if most is None else kept_rows(of, role + "_sum", rows, role).clamp(-most, most)


def with_appended(of, role, rows):
    """The learned row after all others, and one of zeros."""
    more = []
    if "bias_" + role in of:
        more.append(apart(of.given("bias_" + role).reshape(1, 1, -1), rows.shape[1]))
    if of.get("add_zero"):
        more.append(torch.zeros_like(rows[:1, :, :1]))
    return torch.cat([rows] + [one.expand(len(rows), -1, -1, -1) for one in more], 2)


def normalized(of, role, rows):
    heads, is_all = rows.shape[1], of.get("qk_norm") == "rms-all"
    if is_all:
        rows = joined(rows).unsqueeze(1)
    root = (rows.square().mean(-1, keepdim=True) + of.get("qk_eps", 1e-6)).sqrt()
    rows = rows / root
    if role + "_gain" in of:
        rows = rows * of.given(role + "_gain").reshape(-1, 1, rows.shape[-1])
    if is_all:
        rows = apart(rows.squeeze(1), heads)
    return kept_rows(of, role + "_norm", rows, role)


def turned(of, role, rows, positions):
    """Each pair of numbers by the angle position · base^(−2p/width)."""
    shared = weight(of, "wkv_down").shape[-1] - weight(of, "wk").shape[-2] if "wkv_down" in of else 0
    if shared:  # the last numbers of a head are turned, which keys share
        first, of = rows[..., :-shared], of.inside({"rope_width": shared}, "", of.one)
        made = pairs_turned(of, rows[..., -shared:], positions)
        return kept_rows(of, role + "_rope", torch.cat((first, made), -1), role)
    return kept_rows(of, role + "_rope", pairs_turned(of, rows, positions), role)


def pairs_turned(of, rows, positions):
    width = of.get("rope_width", rows.shape[-1])
    rope = of.get("rope")
    rope = rope if isinstance(rope, dict) else {"base": rope}
    turn = float(rope["base"]) ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angle = positions.to(torch.float64).unsqueeze(-1) * turn
    cos, sin = (rope.get("attention_factor", 1) * a for a in (angle.cos(), angle.sin()))
    if of.get("rope_pairing") == "interleaved":
        one, two = rows[..., 0:width:2], rows[..., 1:width:2]
        pairs = torch.stack((one * cos - two * sin, two * cos + one * sin), -1).flatten(-2)
    else:
        one, two = rows[..., :width // 2], rows[..., width // 2:width]
        pairs = torch.cat((one * cos - two * sin, two * cos + one * sin), -1)
    return torch.cat((pairs, rows[..., width:]), -1)


# ---- which query sees which key ----

def lengths(of, n_k):
    """b × 1 × 1 × 1, or of all entries alike."""
    return torch.tensor(of.get("key_lengths", [n_k])).reshape(-1, 1, 1, 1)


def places(of, n_q, n_k, past):
    """Where queries stand among the keys: b × 1 × n_q × 1."""
    first = torch.tensor(of.get("offset", past)).reshape(1, 1, 1, 1)
    if of.get("causal") == "lower-right":
        first = lengths(of, n_k) - n_q
    return first + torch.arange(n_q).reshape(1, 1, n_q, 1)


def of_scores(of, numbers):
    """What a mask or a bias says of b × h × n_q × n_k."""
    by_batch = of.get("mask_axis") == "batch"
    if numbers.dim() == 1:
        return numbers.reshape(1, 1, 1, -1)
    if numbers.dim() == 2:
        return numbers[:, None, None] if by_batch else numbers[None, None]
    if numbers.dim() == 3:
        return numbers[:, None] if by_batch else numbers[None]
    return numbers


def seen(of, place, n_k):
    """True where a query may attend to a key."""
    key = torch.arange(n_k)
    allowed = (key < lengths(of, n_k)) & torch.ones_like(place, dtype=torch.bool)
    if of.get("causal", "none") != "none":
        allowed = allowed & (key <= place)
    if "window" in of:
        before, after = of.get("window")
        allowed = allowed & ((key >= place - before) | (before < 0))
        allowed = allowed & ((key <= place + after) | (after < 0))
    if "mask" in of:
        allowed = allowed & of_scores(of, torch.tensor(of.get("mask"), dtype=torch.bool))
    return allowed


def slopes(of, heads):
    """As they are given, which may learn, or the published ones, 2^(−8i/h), which don't."""
    given = of.get("alibi")
    if given is not True:
        return of.inside({"slopes": given}, "").given("slopes").reshape(1, -1, 1, 1)
    return (2. ** (-8 * torch.arange(1, heads + 1) / heads)).reshape(1, -1, 1, 1)


# ---- scores, weights, output ----

def compared(of, q, k):
    score = of.get("score", "scaled")
    if score == "general":
        if "ws" in of:
            q = of.kept("q_score", q @ weight(of, "ws"))
        made = q @ k.transpose(-1, -2)
        return made + of.given("bs").reshape(-1, 1, 1) if "bs" in of else made
    if score == "additive":
        q = of.kept("q_score", q @ weight(of, "wa")) if "wa" in of else q
        k = of.kept("k_score", k @ weight(of, "ua")) if "ua" in of else k
        pair = q.unsqueeze(3) + k.unsqueeze(2)
        width = pair.shape[-1]
        if "ba" in of:
            pair = pair + of.given("ba").reshape(-1, 1, 1, width)
        pair = pair.tanh()
        if "va" in of:
            pair = pair * of.given("va").reshape(-1, 1, 1, width)
        return pair.sum(-1)
    return q @ k.transpose(-1, -2)


def factor(of, width):
    scale = of.get("scale", "head" if of.get("score", "scaled") == "scaled" else "none")
    return {"none": 1, "head": 1 / math.sqrt(width)}.get(scale, scale)


def bucket(of, apart):
    """T5's, in whole numbers: of those of several distances number n begins at exact·(most/exact)^(n/rest)."""
    count, first = len(of.get("relative_bias")), 0
    is_causal = of.get("causal", "none") != "none"
    if not is_causal:
        count //= 2
        first = count if apart > 0 else 0
    far, exact = max(-apart, 0) if is_causal else abs(apart), count // 2
    if far < exact:
        return first + far
    rest, most = count - exact, of.get("relative_distance", 128)
    return first + exact + max(n for n in range(rest)
                               if n == 0 or far**rest >= exact**(rest - n) * most**n)


def masked(of, scores, place, own):
    """What is appended after `own` keys is seen by all, and nothing is added to its scores."""
    more = scores.shape[-1] - own
    pad = torch.nn.functional.pad
    if "bias" in of:
        scores = scores + pad(of_scores(of, of.given("bias")), (0, more))
    if "key_bias" in of:
        scores = scores + pad(of.given("key_bias")[None, :, None, :own], (0, more))
    if "relative_bias" in of:
        apart = torch.arange(own) - place
        bucket_of = apart.double().apply_(lambda far: bucket(of, int(far))).long()
        added = of.given("relative_bias")[bucket_of[:, 0]]  # b × n_q × n_k × heads
        scores = scores + pad(added.permute(0, 3, 1, 2), (0, more))
    if "alibi" in of:
        far = (place - torch.arange(own)).abs()
        scores = scores - pad(slopes(of, scores.shape[1]) * far, (0, more))
    allowed = pad(seen(of, place, own), (0, more), value=True)
    return of.kept("masked", torch.where(allowed, scores, -torch.inf))


def asked_of(of, key, stage):
    """A sum over the stage whose gradient is what the key says, 0 where it says nothing."""
    asked = torch.tensor(of.get(key, 0.), dtype=torch.float64)
    return (asked.reshape(-1) * stage.reshape(-1)).sum()


def weights_of(of, scores):
    """Softmax with a sink, where there is one, in the sum; a row that sees nothing has zeros. The
    greatest score is a number like any other that is taken off all of them: no gradient is its."""
    most = scores.detach().amax(-1, keepdim=True)
    sink = of.given("sinks").reshape(1, -1, 1, 1) if "sinks" in of else torch.tensor(-torch.inf)
    most = torch.maximum(most, sink.detach())
    most = torch.where(most.isinf(), 0., most)
    raised = (scores - most).exp()
    total = raised.sum(-1, keepdim=True) + (sink - most).exp()
    total = torch.where(total == 0, 1., total)
    return of.kept("weights", raised / total), most + total.log()


def key_rows(of, k, past):
    """New keys as they are compared: normalized, turned."""
    if "qk_norm" in of:
        k = normalized(of, "k", k)
    if "rope" in of:
        at = of.get("rope_positions", range(past, past + k.shape[2]))
        k = turned(of, "k", k, torch.tensor(at[-k.shape[2]:]))
    return k


def query_rows(of, q, place):
    if "qk_norm" in of:
        q = normalized(of, "q", q)
    if "rope" in of:
        at = of.get("rope_positions")
        q = turned(of, "q", q, place[..., 0] if at is None else torch.tensor(at[:q.shape[2]]))
    return q


def attention(of, x=None, xk=None):
    """The output, and the sum over logsumexp that logsumexp_grad asks for."""
    heads = of.get("heads", 1)
    groups = of.get("kv_heads", heads)
    x = x if x is not None else of.given("x") if "x" in of else None
    xk = xk if xk is not None else of.given("xk") if "xk" in of else x
    xv = of.given("xv") if "xv" in of else xk
    pasts = [apart(of.given(key), groups) for key in ("past_k", "past_v") if key in of]
    rest = None
    if "wq_down" in of or "wkv_down" in of:
        x, xk = in_batch(*map(with_batch, (x, xk)), *pasts)[:2]
    if "wq_down" in of:
        x, _ = latent(of, "q", x, weight(of, "wq").shape[-2])
    if "wkv_down" in of:
        xk, rest = latent(of, "kv", xk, weight(of, "wk").shape[-2])
        xv = xk
    made = in_batch(projected(of, "q", x, heads), projected(of, "k", xk, groups, rest),
                    projected(of, "v", xv, groups), *pasts)
    q, k, v = (clipped(of, role, rows) for role, rows in zip("qkv", made))
    q = kept_rows(of, "q", q, "q")
    k = kept_rows(of, "k", with_appended(of, "k", k), "k")
    v = kept_rows(of, "v", with_appended(of, "v", v), "v")
    past = pasts[0].shape[2] if pasts else 0
    own = past + k.shape[2] - ("bias_k" in of) - bool(of.get("add_zero"))
    place = places(of, q.shape[2], own, past)
    q, k = query_rows(of, q, place), key_rows(of, k, past)
    if pasts:
        k = kept_rows(of, "present_k", torch.cat((made[3], k), 2), "k")
        v = kept_rows(of, "present_v", torch.cat((made[4], v), 2), "v")
    k, v = (rows.repeat_interleave(heads // groups, 1) for rows in (k, v))

    scores = of.kept("scores", compared(of, q, k))
    scores = of.kept("scaled", scores * factor(of, q.shape[-1]))
    if "softcap" in of:
        scores = of.kept("capped", of.get("softcap") * (scores / of.get("softcap")).tanh())
    weights, logsumexp = weights_of(of, masked(of, scores, place, own))
    attended = of.kept("attended", weights @ v)
    context = output = kept_rows(of, "context", attended, "q")
    if "wo" in of or not ("q" in of and of.given("q").dim() == 4):
        output = joined(context)
    if "wo" in of:
        by = weight(of, "wo")
        output = output @ (by if by.dim() == 2 else by.flatten(0, 1))
    if "bo" in of:
        output = output + of.given("bo").flatten()
    return of.kept("output", output), asked_of(of, "logsumexp_grad", logsumexp)


# ---- layers ----

ACTIVATIONS = {
    "relu": lambda x: x.clamp(min=0),
    "gelu": lambda x: x * torch.erfc(-x / math.sqrt(2)) / 2,
    "gelu_tanh": lambda x: x * (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)).tanh()) / 2,
    "silu": lambda x: x / (1 + (-x).exp()),
    "relu2": lambda x: x.clamp(min=0) ** 2,
    "clamped": lambda x: x / (1 + (-1.702 * x).exp()),
}


def norm(of, name, rows):
    one = of.inside(of.get(name, {}), name + ".")
    if of.get("norm_kind", "layer") == "layer":
        rows = rows - rows.mean(-1, keepdim=True)
    eps = one.get("eps", of.get("norm_eps", 1e-5))
    rows = rows / (rows.square().mean(-1, keepdim=True) + eps).sqrt()
    if "gain" in one:
        rows = rows * one.given("gain")
    if "bias" in one:
        rows = rows + one.given("bias")
    return of.kept(name, rows)


def through_hidden(of, rows, kept):
    """`kept` takes a stage's name and its numbers."""
    hidden = rows @ weight(of, "w1")
    hidden = kept("hidden", hidden + of.given("b1") if "b1" in of else hidden)
    gate = None
    if "w3" in of:
        gate = rows @ weight(of, "w3") + (of.given("b3") if "b3" in of else 0)
        gate = kept("gate", gate)
    if of.get("activation") == "clamped":
        hidden, gate = hidden.clamp(max=7), gate.clamp(-7, 7) + 1
    activated = ACTIVATIONS[of.get("activation", "relu")](hidden)
    if gate is not None:
        activated = activated * gate
    output = kept("activated", activated) @ weight(of, "w2")
    return output + of.given("b2") if "b2" in of else output


def feed_forward(of, rows):
    part = of.inside({}, "ffn.")
    return part.kept("output", through_hidden(of, rows, part.kept))


def chosen(of, scores):
    """The experts of each row, in the order of their numbers. No choice has a gradient."""
    by = scores.detach()
    if "choice_bias" in of:
        by = by + torch.tensor(of.get("choice_bias"), dtype=torch.float64)
    if "groups" in of:
        apart = by.unflatten(1, (of.get("groups"), -1))
        of_group = apart.topk(of.get("top_of_group", 2), 2)[0].sum(2)
        best = of_group.topk(of.get("top_groups"), 1)[1]
        among = torch.zeros(apart.shape[:2], dtype=torch.float64).scatter(1, best, 1.)
        by = (apart * among.unsqueeze(2)).flatten(1)
    return by.topk(of.get("top_experts"), 1)[1].sort(1)[0]


def routed(of, part, rows):
    """Of each row its experts, and of all experts the weights, 0 where they are not its own."""
    kind = of.get("routing", "softmax")
    logits = rows @ weight(of, "router")
    logits = part.kept("router", logits + of.given("router_bias") if "router_bias" in of else logits)
    if kind == "top-softmax":
        choice = chosen(of, logits)
        some = logits.gather(1, choice).softmax(1)
    else:
        scores = logits.softmax(1) if kind == "softmax" else 1 / (1 + (-logits).exp())
        scores = part.kept("scores", scores)
        choice = chosen(of, scores)
        some = scores.gather(1, choice)
        if of.get("renormalize", True):
            some = some / some.sum(1, keepdim=True)
    weights = torch.zeros_like(logits).scatter(1, choice, some * of.get("routing_scale", 1))
    return choice, part.kept("routing", weights)


def mixture(of, rows):
    part, as_it_is = of.inside({}, "ffn."), lambda name, numbers: numbers
    rows = part.kept("x", rows.flatten(0, -2))
    choice, weights = routed(of, part, rows)
    experts = [of.inside(one, f"experts.{i}.", ("layout", "activation"))
               for i, one in enumerate(of.get("experts"))]
    for one, key in ((one, key) for one in experts for key in "w1 b1 w2 b2 w3 b3".split()):
        if key in one:
            one.given(key)  # of an expert that no row has chosen, too
    made = torch.stack([through_hidden(one, rows, as_it_is) for one in experts], 1)
    made = made.gather(1, choice.unsqueeze(2).expand(-1, -1, made.shape[2]))
    made = part.kept("experts", made.flatten(1)).unflatten(1, (choice.shape[1], -1))
    output = (made * weights.gather(1, choice).unsqueeze(2)).sum(1)
    if "shared" in of:
        shared = of.inside(of.get("shared"), "shared.", ("layout", "activation"))
        always = through_hidden(shared, rows, as_it_is)
        if "shared_gate" in of:
            gate = part.kept("shared_gate", rows @ weight(of, "shared_gate"))
            always = always / (1 + (-gate).exp())
        output = output + always
    return part.kept("output", output)


def layer(of, rows, memory):
    def self_attention(x):
        part = of.inside(of.one, "attention.")
        return attention(part, part.kept("x", x))[0]

    def cross_attention(x):
        part = of.inside(of.get("cross"), "cross.", OF_ALL_ATTENTIONS)
        return attention(part, part.kept("x", x), part.kept("xk", memory))[0]

    parts = [("attention", self_attention)]
    if "cross" in of:
        parts.append(("cross", cross_attention))
    if "experts" in of:
        parts.append(("ffn", lambda x: mixture(of, x).reshape(x.shape)))
    if "w1" in of:
        parts.append(("ffn", lambda x: feed_forward(of, x)))
    for i, (name, part) in enumerate(parts, 1):
        if of.get("norm") == "pre":
            rows = of.kept(name + "_sum", rows + part(norm(of, f"ln{i}", rows)))
        else:
            rows = norm(of, f"ln{i}", of.kept(name + "_sum", rows + part(rows)))
    return of.kept("output", rows)


def product(of, rows):
    """What is between the rows that are looked up and the layers."""
    one = of.inside(of.get("embed"), "embed.", ("layout",))
    rows = rows @ weight(one, "w")
    return one.kept("output", rows + one.given("b") if "b" in one else rows)


def headed(of, rows):
    one = of.inside(of.get("head"), "head.", ("layout", "norm_kind", "norm_eps"))
    rows = rows @ weight(one, "w")
    rows = one.kept("hidden", rows + one.given("b") if "b" in one else rows)
    named = one.get("activation", of.get("activation"))
    if named != "none":
        rows = one.kept("activated", ACTIVATIONS[named](rows))
    return norm(one, "norm", rows) if "norm" in one else rows


def embedded(of):
    rows = of.given("embedding")[of.get("ids")] if "ids" in of else of.given("x")
    if of.get("embed", {}).get("before") == "positions":
        rows = product(of, rows)
    if "segment_embedding" in of:
        rows = rows + of.given("segment_embedding")[of.get("segments")]
    if "position_embedding" in of:
        rows = rows + of.given("position_embedding")[:len(rows)]
    return rows


def stack(of):
    rows = of.kept("embedded", embedded(of))
    if "ln_e" in of:
        rows = norm(of, "ln_e", rows)
    if "embed" in of and "before" not in of.get("embed"):
        rows = product(of, rows)
    memory = of.given("memory") if "memory" in of else None
    layers = of.get("layers")
    for i, one in enumerate(layers * of.get("repeat", 1)):
        own_way = f"layer.{i % len(layers)}."
        rows = layer(of.inside(one, f"layer.{i}.", OF_LAYERS, own_way), rows, memory)
    return of.kept("output", norm(of, "ln_f", rows) if "ln_f" in of else rows)


def cross_entropy(of, output):
    by = weight(of, "unembedding") if "unembedding" in of else of.given("embedding").T
    logits = (headed(of, output) if "head" in of else output) @ by
    if "unembedding_bias" in of:
        logits = logits + of.given("unembedding_bias")
    scale, cap = of.get("logits_scale"), of.get("logits_softcap")
    if scale or cap:
        logits = of.kept("logits.product", logits)
    if scale:
        logits = of.kept("logits.times", scale * logits) if cap else scale * logits
    if cap:
        logits = cap * (logits / cap).tanh()
    logits = of.kept("logits", logits).flatten(0, -2)
    counted = [(i, label) for i, label in enumerate(of.get("labels")) if label != -100]
    far = [logits[i].logsumexp(0) - logits[i, label] for i, label in counted]
    return torch.stack(far).mean()


def loss_of(of, output):
    """What the document's loss makes of the output; what output_grad asks for is one too."""
    loss = "sum" if of.get("output_grad") == "ones" else of.get("loss", "none")
    if loss == "cross-entropy":
        return cross_entropy(of, output)
    if loss == "square":
        target = torch.tensor(of.get("target"), dtype=torch.float64)
        return (output - target.reshape(output.shape)).square().sum() / 2
    if loss != "none":
        return {"sum": output.sum, "mean": output.mean}[loss]()
    return asked_of(of, "output_grad", output)


def gradients(document):
    """The loss, and every gradient by the name of its stage."""
    of = Numbers(document, {})
    output, more = (stack(of), 0) if "layers" in document else attention(of)
    loss = loss_of(of, output) + more
    loss.backward()
    return loss.item(), {name + "_grad": torch.zeros_like(one) if one.grad is None else one.grad
                         for name, one in of.made.items()}
