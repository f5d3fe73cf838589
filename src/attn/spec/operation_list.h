/* All operations: constant, name, what it makes, and how that is written. A new one is a row here:
 * its spelling is what traces and pages print, and what pages and tests/trace work out. They know
 * sums of any terms, √, squares, |x|, tanh, exp and ln (render/page/formula.js); what has an order
 * of its own, or is not arithmetic, is in evaluate.js. What is_in_f64 is worked out in float64 and
 * rounded once to the type.
 *
 * A spelling is text with these in it; a to e are the operands, vectors or numbers:
 *   {a}      the operand. A negative number is in parentheses, except where the text before it is
 *            empty or ends with ( or a comma.
 *   {(a)}    the same, a negative number always in parentheses: where a factor comes first
 *   {ab}     a's numbers and then b's
 *   <t;s>    t for each number of the first operand in t, with s between them; an operand that is
 *            one number stands in each t
 *   <t;s;z>  z in place of t where that number is 0
 *   [a?t]    t where there is such an operand;  [a?t:u]  else u
 *   {n}      how many terms the series before it has
 *   {j}      the cell's column, from 1
 *   {f}      the spelling of the map's function
 *   {g}      that of its slope
 *   {inner}  what is inside, worked out
 *   ~t~u~    t in the first column of a pair, u in the second
 * A line break stands before a space at which a line may be broken.
 *
 * In letters operands are names, q[i] and C: a vector is one name, {*a} stands for its element j,
 * and {f} for the function's name.
 *
 * In NumPy operands are whole arrays: in {a} @ {b} the columns of b are the cell's, in {+b} its
 * rows are. {j} are the columns from 1, {first} says of each whether it is its pair's first,
 * {units} are those of 1 that are rounded to; finite, nonzero and erf are what a notebook begins
 * with. Without such a spelling its numbers are taken from the run. */
/* 0: a row that does not say its operation is seen to be wrong */
OPERATION(OP_COPY, "copy", "a", .spelled = "{a}", .numpy = "{a}")
OPERATION(OP_DOT, "dot", "a₁·b₁ + a₂·b₂ + …, and c added where there is one",
          .spelled = "<{(a)}·{b};\n + >[c?\n + {c}]", .numpy = "{a} @ {b}[c? + {c}]")
/* b ends before the last columns of a head, which have d. */
OPERATION(OP_DOT_BESIDE, "dot_beside",
          "a₁·b₁ + a₂·b₂ + …, and c; d in columns that b does not have",
          .spelled = "[b?<{(a)}·{b};\n + >:{d}][c?\n + {c}]")
OPERATION(OP_ADDITIVE, "additive", "c₁·tanh(a₁ + b₁ + d₁) + c₂·tanh(a₂ + b₂ + d₂) + …",
          .spelled = "<{(c)}·tanh({a} + {b}[d? + {d}]);\n + >", .inside = INSIDE_TANHS_OF_SUMS,
          .inner = "<{(c)}·{inner};\n + >",
          .numpy = "(np.expand_dims({c}, -3) * "
                   "np.tanh(np.expand_dims({+a}, -2) + np.expand_dims({+b}, -3)[d? + "
                   "np.expand_dims({d}, -3)])).sum(-1)")
/* b and the result may be vectors */
OPERATION(OP_TIMES, "times", "a·b", .spelled = "{(a)}·{b}", .numpy = "{a} * {b}")
OPERATION(OP_CAP, "cap", "b·tanh(a / b)", .spelled = "{(b)}·tanh({a} / {b})",
          .inside = INSIDE_TANH_OF_QUOTIENT, .inner = "{(b)}·{inner}",
          .numpy = "{b} * np.tanh({a} / {b})")
/* b is above 0 */
OPERATION(OP_CLIP, "clip", "b where a is above it, −b where a is below that, else a",
          .spelled = "max(−{b}, min({a}, {b}))", .numpy = "np.clip({a}, -{b}, {b})")
OPERATION(OP_PLUS, "plus", "a + b, and − c·|d − j| where there is a c, j the column from 1",
          .spelled = "{a}[b?\n + {b}][c?\n − {c}·|{d} − {j}|]",
          .numpy = "{a}[b? + {b}][c? - {c} * np.abs({d} - {j})]")
OPERATION(OP_EXP, "exp", "exp(a − b), 0 where b is −∞", .spelled = "exp({a}[b? − {b}])",
          .numpy = "np.exp({a}[b? - finite({b})])")
OPERATION(OP_SUM, "sum", "a₁ + a₂ + …, and c added where there is one",
          .spelled = "<{a};\n + >[c?\n + {c}]", .letters = "Σⱼ {*a}[c? + {c}]",
          .numpy = "{a}.sum(-1, keepdims=True)[c? + {c}]")
OPERATION(OP_MAX, "max", "the greatest of a₁, a₂, … and c", .spelled = "max(<{a};,\n >[c?,\n {c}])",
          .letters = "[c?max(]maxⱼ {*a}[c?, {c})]",
          .numpy = "[c?np.maximum(]{a}.max(-1, keepdims=True)[c?, {c})]")
OPERATION(OP_DIVIDE, "divide", "a / b, 0 where b is 0", .spelled = "{a}\n / {b}",
          .numpy = "{a} / nonzero({b})")
OPERATION(OP_PLUS_LOG, "plus_log", "a + ln(b)", .spelled = "{a} + ln({b})",
          .letters = "{a} + ln {b}", .numpy = "{a} + np.log({b})")
OPERATION(OP_ENTROPY, "entropy", "−(a₁·ln(a₁) + a₂·ln(a₂) + …), 0 for an a of 0",
          .spelled = "−(<{a}·ln({a});\n + ;0>)", .letters = "−Σⱼ {*a}·ln {*a}",
          .numpy = "-({a} * np.log(nonzero({a}))).sum(-1, keepdims=True)")
OPERATION(OP_ROUND, "round", "a, rounded by hand", .spelled = "{a}", .letters = "{a}, rounded",
          .numpy = "np.floor({a} * {units} + 0.5) / {units}")
/* over all elements of a (any rank) */
OPERATION(OP_VARIANCE, "variance", "the mean square of what differs from the mean of a",
          .spelled = "")
OPERATION(OP_INVERSE_ROOT, "inverse_root", "1/√a", .spelled = "1/√{a}")
/* not allowed */
OPERATION(OP_HIDE, "hide", "−∞ in place of a", .spelled = "{a}")
OPERATION(OP_NORMALIZE, "normalize",
          "a / √((b₁² + b₂² + …)/n + c), and times d where there is one; 0 where the root is",
          .spelled = "{a}\n / √((<{(b)}²;\n + >)/{n}\n + {c})[d?·{d}]",
          .inside = INSIDE_MEAN_SQUARE, .inner = "{a}\n / √{inner}[d?·{d}]",
          .letters = "{a} / √(mean of {b}² + {c})[d?·{d}]",
          .numpy = "{a} / np.sqrt(({b}**2).mean(-1, keepdims=True) + {c})[d? * {d}]")
OPERATION(OP_WAVE, "wave", "a + c + sin(b), or cos(b) in the second column of a pair",
          .spelled = "{a}[c?\n + {c}]\n + ~sin~cos~({b})",
          .letters = "{a}[c? + {c}] + sin({b}), j the first column of pair p; cos for its second",
          .numpy = "{a}[c? + {c}] + np.where({first}, np.sin({b}), np.cos({b}))")
/* b is the other of the pair */
OPERATION(OP_TURN, "turn",
          "a·cos(c) − b·sin(c), or + in the second column of a pair; a where there is no pair",
          .spelled = "[b?{(a)}·cos({c})\n ~−~+~ {b}·sin({c}):{a}]",
          .letters = "{a}·cos({c}) − {b}·sin({c}): j and j′ are pair p; plus for its second",
          .numpy = "{a}[b? * np.cos({c}) - np.where({first}, 1, -1) * {b} * np.sin({c})]")
/* d is of each cosine and sine */
OPERATION(OP_TURN_BY, "turn_by",
          "a·(d·cos(c)) − b·(d·sin(c)), or + in the second column of a pair; a without a pair",
          .spelled = "[b?{(a)}·({d}·cos({c}))\n ~−~+~ {b}·({d}·sin({c})):{a}]",
          .letters = "{a}·{d}·cos({c}) − {b}·{d}·sin({c}): j and j′ are pair p; plus for its "
                     "second",
          .numpy = "{a}[b? * ({d} * np.cos({c})) - np.where({first}, 1, -1) * {b} * ({d} * "
                   "np.sin({c}))]")
OPERATION(OP_STACK, "stack", "a, or b where the rows of a have ended", .spelled = "{ab}",
          .letters = "{a}, then {b}", .numpy = "np.concatenate(({a}, {b}), axis=-2)")
OPERATION(OP_BESIDE, "beside", "a, or b where the columns of a have ended",
          .spelled = "[a?{a}:{b}]", .numpy = "np.concatenate(({a}, {b}), axis=-1)")
OPERATION(OP_MEAN, "mean", "the mean of a₁, a₂, … and b₁, b₂, …", .spelled = "(<{ab};\n + >) / {n}",
          .letters = "[b?({a} + {b}) / 2:mean of {a}]",
          .numpy = "[b?({a} + {b}) / 2:{a}.mean(-1, keepdims=True)]")
OPERATION(OP_MINUS, "minus", "a − b", .spelled = "{a}\n − {b}", .numpy = "{a} - {b}")
OPERATION(OP_ACTIVATE, "activate", "the node's function of a, and times b where there is one",
          .spelled = "{f}[b?·{b}]", .letters = "{f}({a})[b?·{b}]", .numpy = "{f}[b? * {b}]")
/* Of experts: which of them a row has chosen is 1 or 0 in a node of its own. */
OPERATION(OP_SOFTMAX, "softmax", "exp(a) / (exp(b₁) + exp(b₂) + …)",
          .spelled = "exp({a})\n / (<exp({b});\n + >)", .letters = "exp({a}) / Σ exp({*b})",
          .is_in_f64 = true, .numpy = "np.exp({a}) / np.exp({b}).sum(-1, keepdims=True)")
OPERATION(OP_SIGMOID, "sigmoid", "1/(1 + exp(−a))", .spelled = "1 / (1 + exp(−{(a)}))",
          .is_in_f64 = true, .numpy = "1 / (1 + np.exp(-{a}))")
OPERATION(OP_SOFTMAX_OF, "softmax_of", "a·exp(b) / (c₁·exp(d₁) + c₂·exp(d₂) + …)",
          .spelled = "{(a)}·exp({b})\n / (<{(c)}·exp({d});\n + >)",
          .letters = "{a}·exp({b}) / Σ {*c}·exp({*d})",
          .numpy = "{a} * np.exp({b}) / ({c} * np.exp({d})).sum(-1, keepdims=True)")
OPERATION(OP_ROUTE, "route", "a, times b, divided by c and times d where there are such",
          .spelled = "{(a)}[b?·{b}][c?\n / {c}][d?·{d}]", .is_in_f64 = true,
          .numpy = "{a}[b? * {b}][c? / {c}][d? * {d}]")
/* Each product is rounded, and then each sum. */
OPERATION(OP_MIX, "mix", "a₁·b₁ + a₂·b₂ + …, and c added where there is one",
          .spelled = "<{(a)}·{b};\n + >[c?\n + {c}]")
/* Backward. Each 0 of softmax_back, cap_back, clip_back and scale_back is +0. */
OPERATION(OP_ADD_UP, "add_up", "a₁ + a₂ + …, one after the other", .spelled = "<{a};\n + >",
          .letters = "Σ {a}")
OPERATION(OP_ADD_THREE, "add_three", "a, and b and c where there are such",
          .spelled = "{a}[b?\n + {b}][c?\n + {c}]", .numpy = "{a}[b? + {b}][c? + {c}]")
/* What comes back to one number by several ways; a sum of 0 is +0. */
OPERATION(OP_GATHER, "gather", "a, and b and c where there are such, added to 0",
          .spelled = "{a}[b?\n + {b}][c?\n + {c}]", .numpy = "{a}[b? + {b}][c? + {c}]")
/* One chain of fused multiply-adds, which begins with c. */
OPERATION(OP_GO_ON, "go_on", "c, and a₁·b₁ + a₂·b₂ + … added to it one after the other",
          .spelled = "{c}\n + <{(a)}·{b};\n + >", .numpy = "{c} + {a} @ {b}")
OPERATION(OP_LOSS_MEAN, "loss_mean", "(a₁ + a₂ + …) / b", .spelled = "(<{a};\n + >) / {b}",
          .letters = "Σ {a} / {b}", .is_in_f64 = true)
OPERATION(OP_LOSS_SQUARE, "loss_square", "((a₁ − b₁)² + (a₂ − b₂)² + …) / 2",
          .spelled = "(<({a} − {b})²;\n + >) / 2", .letters = "Σ ({a} − {b})² / 2",
          .is_in_f64 = true)
/* Of logits, in float64 whatever the run's type: what a kernel of that makes of them. */
OPERATION(OP_EXPONENTIAL, "exponential", "exp(a − b)", .spelled = "exp({a} − {b})",
          .numpy = "np.exp({a} - {b})")
OPERATION(OP_WIDE_SUM, "wide_sum", "a₁ + a₂ + …", .spelled = "<{a};\n + >", .letters = "Σ {a}")
OPERATION(OP_ROW_LOSS, "row_loss", "(a + ln(b) − c)·d", .spelled = "({a} + ln({b}) − {c})·{d}",
          .letters = "({a} + ln {b} − {c})·{d}")
OPERATION(OP_LABEL_BACK, "label_back", "(a/b − c)·d/e", .spelled = "({a} / {b} − {c})·{d} / {e}",
          .is_in_f64 = true)
OPERATION(OP_WIDE_DOT, "wide_dot", "a₁·b₁ + a₂·b₂ + …", .spelled = "<{(a)}·{b};\n + >",
          .is_in_f64 = true)
/* Through the weights of chosen experts, and the scores of all. */
OPERATION(OP_SHARE_BACK, "share_back", "a₁·(b₁/c) + a₂·(b₂/c) + …",
          .spelled = "<{(a)}·({b} / {c});\n + >",
          .numpy = "({a} * ({b} / {c})).sum(-1, keepdims=True)")
OPERATION(OP_ROUTE_BACK, "route_back", "(a − b) / c, times d", .spelled = "({a} − {b}) / {c}·{d}",
          .is_in_f64 = true, .numpy = "({a} - {b}) / {c} * {d}")
OPERATION(OP_ROUTER_BACK, "router_back", "a·(b − c)", .spelled = "{(a)}·({b} − {c})",
          .is_in_f64 = true, .numpy = "{a} * ({b} - {c})")
OPERATION(OP_SIGMOID_BACK, "sigmoid_back", "a·(b·(1 − b))", .spelled = "{(a)}·({(b)}·(1 − {b}))",
          .is_in_f64 = true, .numpy = "{a} * ({b} * (1 - {b}))")
OPERATION(OP_DOT_LESS, "dot_less", "a₁·b₁ + a₂·b₂ + …, and c taken off where there is one",
          .spelled = "<{(a)}·{b};\n + >[c?\n − {c}]", .numpy = "{a} @ {b}[c? - {c}]")
OPERATION(OP_SOFTMAX_BACK, "softmax_back", "a·(b − c)", .spelled = "{(a)}·({b} − {c})",
          .numpy = "{a} * ({b} - {c})")
OPERATION(OP_CAP_BACK, "cap_back", "a·(1 − (b / c)²)", .spelled = "{(a)}·(1 − ({b} / {c})²)",
          .is_in_f64 = true, .numpy = "{a} * (1 - ({b} / {c})**2)")
/* c is above 0 */
OPERATION(OP_CLIP_BACK, "clip_back", "a where b lies between −c and c, or at them, else 0",
          .spelled = "{(a)}·(|{b}| ≤ {c})", .numpy = "np.where(np.abs({b}) > {c}, 0, {a})")
OPERATION(OP_SCALE_BACK, "scale_back", "a·b", .spelled = "{(a)}·{b}", .numpy = "{a} * {b}")
/* a, b, c, d, e: what each score gains, the other side's numbers, the own one, va and ba. Each term
 * is worked out in float64 and rounded once, then they are added up. */
OPERATION(OP_TANH_BACK, "tanh_back",
          "a₁·d·(1 − tanh(c + b₁ + e)²) + a₂·d·(1 − tanh(c + b₂ + e)²) + …",
          .spelled = "<{(a)}·{d}·(1 − tanh({c} + {b} + {e})²);\n + >",
          .letters = "Σ {a}·{d}·(1 − tanh({c} + {b} + {e})²)")
OPERATION(OP_TANH_SUM, "tanh_sum", "a₁·tanh(c + b₁ + d) + a₂·tanh(c + b₂ + d) + …",
          .spelled = "<{(a)}·tanh({c} + {b} + {d});\n + >",
          .letters = "Σ {a}·tanh({c} + {b} + {d})")
/* The terms of each a, one chain over all of them. */
OPERATION(OP_TERMS, "terms", "a₁ + a₂ + …, what each is a sum of one after the other",
          .spelled = "<{a};\n + >", .letters = "Σ {a}")
OPERATION(OP_SLOPE_BACK, "slope_back", "−(a₁·b₁ + a₂·b₂ + …)", .spelled = "−(<{(a)}·{b};\n + >)",
          .letters = "−Σ {a}·{b}", .is_in_f64 = true)
OPERATION(OP_SINK_BACK, "sink_back", "−(a₁ / b₁·c₁ + a₂ / b₂·c₂ + …)",
          .spelled = "−(<{a} / {b}·{(c)};\n + >)", .letters = "−Σ {a} / {b}·{c}", .is_in_f64 = true)
OPERATION(OP_TURN_BACK, "turn_back",
          "a·cos(c) + b·sin(c), or − in the second column of a pair; a where there is no pair",
          .spelled = "[c?{(a)}·cos({c})\n ~+~−~ {b}·sin({c}):{a}]",
          .letters = "{a}·cos({c}) + {b}·sin({c}): j and j′ are pair p; minus for its second",
          .numpy = "{a}[c? * np.cos({c}) + np.where({first}, 1, -1) * {b} * np.sin({c})]")
OPERATION(OP_TURN_BY_BACK, "turn_by_back",
          "a·(d·cos(c)) + b·(d·sin(c)), or − in the second column of a pair; a without a pair",
          .spelled = "[c?{(a)}·({d}·cos({c}))\n ~+~−~ {b}·({d}·sin({c})):{a}]",
          .letters = "{a}·{d}·cos({c}) + {b}·{d}·sin({c}): j and j′ are pair p; minus for its "
                     "second",
          .numpy = "{a}[c? * ({d} * np.cos({c})) + np.where({first}, 1, -1) * {b} * ({d} * "
                   "np.sin({c}))]")
/* Of a norm, by its root: 1 / root is 0 where the root is, and a factor of its own. */
OPERATION(OP_ROOT, "root", "√((a₁² + a₂² + …)/n + b)", .spelled = "√((<{(a)}²;\n + >)/{n}\n + {b})",
          .letters = "√(mean of {a}² + {b})",
          .numpy = "np.sqrt(({a}**2).mean(-1, keepdims=True) + {b})")
OPERATION(OP_NORM_SHARE, "norm_share", "(a₁·b₁ + a₂·b₂ + …)/n·(1 / c / c)",
          .spelled = "(<{(a)}·{b};\n + >)/{n}·(1 / {c} / {c})",
          .letters = "(mean of {a}·{b}) / {c}²")
OPERATION(OP_NORM_BACK, "norm_back", "(a − b·c)·(1 / d)", .spelled = "({a} − {(b)}·{c})·(1 / {d})",
          .is_in_f64 = true, .numpy = "({a} - {b} * {c}) / nonzero({d})")
/* Of what norms center by: equal numbers are away from it by nothing. */
OPERATION(OP_MIDDLE, "middle", "b + ((a₁ − b) + (a₂ − b) + …)/n",
          .spelled = "{b}\n + (<({a} − {b});\n + >)/{n}", .letters = "mean of {a}",
          .numpy = "{a}.mean(-1, keepdims=True)")
OPERATION(OP_SHARES, "shares", "a₁/b + a₂/b + …", .spelled = "<{a} / {b};\n + >",
          .letters = "Σ {a} / {b}")
OPERATION(OP_NORM_CENTER, "norm_center", "a − b", .spelled = "{a}\n − {b}", .is_in_f64 = true,
          .numpy = "{a} - {b}")
OPERATION(OP_NORM_GAIN, "norm_gain", "a·(b·(1 / c))", .spelled = "{(a)}·({(b)}·(1 / {c}))",
          .numpy = "{a} * ({b} / nonzero({c}))")
OPERATION(OP_ACTIVATE_BACK, "activate_back", "the slope of the node's function at a, times b",
          .spelled = "({g})·{b}", .letters = "{f}′({a})·{b}", .is_in_f64 = true)
OPERATION(OP_TOTAL, "total", "a₁ + a₂ + …", .spelled = "<{a};\n + >", .letters = "Σ {a}",
          .is_in_f64 = true)
