/* The steps that decide what the softmax sees: cap and mask. */
#include "trace/derivation.h"

#include "attn/visible.h"

#include <math.h>

/* ---- cap ---- */

void make_cap(builder *b)
{
    build_sentence(b, "A soft cap keeps every score between −C and C: small scores stay nearly as "
                      "they are, large ones come no nearer to the bound than tanh lets them.");
    derivation_formula(b, "capped", "");
    for (size_t j = 0; j < build_lines(b); j++)
        derivation_line(b, "capped", b->focus.row, j);
    build_rest(b);
    build_same_for_all(b);
    build_matrices(b, STAGE_CAPPED, build_query_labels(b, "q"), build_column_labels(b));
}

/* ---- mask ---- */

/* Where query i stands, counted from 1, in letters of this run's dimensions. */
static const char *place_of_query(builder *b)
{
    const plan *p = b->plan;
    size_t length = visible_length(p, b->focus.batch);
    if (p->asked->causal != CAUSAL_LOWER_RIGHT)
        return p->offset == 0 ? "i" : build_text(b, "i + offset, offset = %zu", p->offset);
    if (length == p->n_q)
        return "i";
    if (length < plan_own_keys(p))
        return build_text(b, "i + %zu − n_q", length);
    return p->appended > 0 ? "i + n_x − n_q" : "i + n_k − n_q";
}

static void say_causal(builder *b)
{
    if (!plan_is_causal(b->plan))
        return;
    build_sentence(b, "Causal: a query sees the keys up to its own place, not what comes after.");
    if (!b->plan->asked->has_window)
        build_formula(b, "allowed: j ≤ %s", place_of_query(b));
}

static void say_window(builder *b)
{
    const problem *asked = b->plan->asked;
    if (!asked->has_window)
        return;
    bool is_open = asked->window_left == SIZE_MAX, is_causal = plan_is_causal(b->plan);
    const char *from = is_open                   ? ""
                       : asked->window_left == 0 ? "p ≤ "
                                                 : build_text(b, "p − %zu ≤ ", asked->window_left);
    const char *to = is_causal || asked->window_right == 0 ? " ≤ p"
                     : asked->window_right == SIZE_MAX
                         ? ""
                         : build_text(b, " ≤ p + %zu", asked->window_right);
    build_sentence(b,
                   "Window: a query sees the keys around its own place p, counted from 1, however "
                   "many there are.");
    if (is_open && *to == '\0')
        build_formula(b, "allowed: all, the window is open on both sides");
    else
        build_formula(b, "allowed: %sj%s, p = %s", from, to, place_of_query(b));
}

static void say_length(builder *b)
{
    if (b->plan->key_lengths.data == NULL)
        return;
    build_sentence(b, "Only so many of the keys are there; the rest fills the batch up.");
    build_formula(b, "allowed: j ≤ %zu", visible_length(b->plan, b->focus.batch));
}

static bool is_hidden(double value)
{
    return isinf(value) && value < 0;
}

/* " in head 2", where the heads see different keys. */
static const char *head_that_sees(builder *b)
{
    const plan *p = b->plan;
    bool differ = (p->mask.data != NULL && p->mask.stride[1] != 0) ||
                  (p->bias.data != NULL && p->bias.stride[1] != 0);
    return differ ? build_head_name(b) : "";
}

/* How many keys the focus's query sees, whatever takes the others out. */
static void say_seen(builder *b, const tensor *masked)
{
    size_t count = 0, all = plan_own_keys(b->plan);
    for (size_t j = 0; j < all; j++)
        count += !is_hidden(tensor_get(masked, (size_t[]){b->focus.row, j}));
    const char *name = build_query_name(b), *in_head = head_that_sees(b);
    if (all == 1)
        build_sentence(b, "Here %s%s %s the only key.", name, in_head,
                       count == 1 ? "sees" : "does not see");
    else
        build_sentence(b, "Here %s%s sees %zu of the %zu keys.", name, in_head, count, all);
}

/* The numbers of the focus's head that are added, n_q × n_k; one row where all queries get the
 * same. */
static tensor added(const builder *b)
{
    tensor of_batch = tensor_at(&b->plan->bias, b->focus.batch);
    tensor of_head = tensor_at(&of_batch, b->focus.head);
    return build_has_one_bias(b) ? tensor_range(&of_head, 0, 0, 1) : of_head;
}

static const char *kind_of_scores(const builder *b)
{
    stage_id from = build_unmasked(b);
    return from == STAGE_CAPPED ? "capped " : from == STAGE_SCALED ? "scaled " : "";
}

static void show_bias(builder *b)
{
    if (b->plan->bias.data == NULL)
        return;
    tensor bias = added(b);
    bool is_one_row = build_has_one_bias(b);
    build_sentence(b, "The bias is added to the %sscores%s.", kind_of_scores(b),
                   is_one_row ? ", the same for every query" : "");
    build_matrix(b, build_text(b, "bias%s", build_head_name(b)), &bias,
                 is_one_row ? build_numbers() : build_query_labels(b, "q"), build_column_labels(b),
                 is_one_row ? 0 : b->focus.row + 1);
}

static bool is_power_of_two(size_t count)
{
    return (count & (count - 1)) == 0;
}

/* Where slopes come from. */
static void say_slopes(builder *b)
{
    const plan *p = b->plan;
    if (p->asked->slopes != NULL) {
        build_sentence(b, "The slopes are those that were given.");
        return;
    }
    if (!is_power_of_two(p->heads)) {
        size_t count = plan_slope_rule(0, p->heads).count;
        build_sentence(b,
                       "%zu is no power of two: the first %zu heads have the slopes of %zu heads, "
                       "the others every second one of those of %zu.",
                       p->heads, count, count, 2 * count);
    }
    build_formula(b, "slope of head i of h = 2^(−8·i/h), h a power of two");
}

/* "2^(−8·2/2) = 1/256", or NULL where it was given. */
static const char *slope_letters(builder *b)
{
    slope_rule by = plan_slope_rule(b->focus.head, b->plan->heads);
    if (b->plan->asked->slopes != NULL)
        return NULL;
    const char *power = build_text(b, "2^(−8·%zu/%zu)", by.index, by.count);
    bool is_whole = 8 * by.index % by.count == 0;
    return is_whole ? build_text(b, "%s = 1/%d", power, 1 << (8 * by.index / by.count)) : power;
}

/* What the slope of the focus's head does; one that nobody gave is positive. */
static void say_distance(builder *b, const char *name, double slope)
{
    const char *does =
        slope > 0 ? ", so that what is far away counts less"
                  : build_text(b,
                               slope < 0 ? ". The %s is negative: what is far away counts more"
                                         : ". The %s is 0: no distance counts",
                               name);
    build_sentence(b,
                   "ALiBi: each score loses the head's slope times the distance of query and "
                   "key, whose places p and j count from 1%s.",
                   does);
}

static void show_slope(builder *b)
{
    const plan *p = b->plan;
    if (p->slopes.data == NULL)
        return;
    tensor slope = tensor_at(&p->slopes, b->focus.head);
    const char *name =
        p->has_heads ? build_text(b, "slope of head %zu", b->focus.head + 1) : "slope";
    say_distance(b, name, tensor_get(&slope, NULL));
    say_slopes(b);
    trace_item *line = build_line(b, OP_COPY, name, slope_letters(b));
    line->a = slope;
    line->result = slope;
}

/* False where the key's score stays as it is: then there is no line. */
static bool show_masked(builder *b, size_t j, const tensor *unmasked, const tensor *masked)
{
    const plan *p = b->plan;
    size_t i = b->focus.row;
    tensor before = build_element(unmasked, i, j), after = build_element(masked, i, j);
    bool hides = is_hidden(tensor_get(&after, NULL));
    bool is_changed = (p->bias.data != NULL || p->slopes.data != NULL) && j < plan_own_keys(p);
    if (!hides && !is_changed)
        return false;
    if (!hides) {
        derivation_line(b, "masked", i, j);
        return true;
    }
    trace_item *line = build_line(b, OP_HIDE, build_text(b, "masked[%zu,%zu]", i + 1, j + 1), NULL);
    line->a = before;
    line->result = after;
    return true;
}

/* In any head, since the formula is all heads'. A bias of −inf hides a key too. */
static bool hides_any(const builder *b)
{
    tensor masked = build_stage_of_batch(b, STAGE_MASKED);
    size_t index[TENSOR_MAX_RANK] = {0};
    do {
        if (is_hidden(tensor_get(&masked, index)))
            return true;
    } while (tensor_next(&masked, index));
    return false;
}

/* The keys whose scores are changed, as many as lines are spelled out. */
static void show_masked_row(builder *b, const tensor *unmasked, const tensor *masked)
{
    size_t most = build_lines(b), shown = 0;
    for (size_t j = 0; j < b->plan->n_k; j++) {
        if (shown == most) {
            build_rest(b);
            return;
        }
        shown += show_masked(b, j, unmasked, masked);
    }
}

/* What no formula of this step is about. */
static void say_untouched(builder *b)
{
    const plan *p = b->plan;
    const char *learned = p->bias_k.data != NULL ? input_key(INPUT_BIAS_K) : "",
               *zero = p->asked->adds_zero ? "zero" : "";
    if (p->appended == 1)
        build_sentence(b,
                       "This holds for the keys of the sequence. The last column, %s%s, is none "
                       "of them: every query sees it, and its scores stay as they are.",
                       learned, zero);
    else if (p->appended > 1)
        build_sentence(b,
                       "This holds for the keys of the sequence. The last columns, %s and %s, are "
                       "none of them: every query sees them, and their scores stay as they are.",
                       learned, zero);
}

void make_mask(builder *b)
{
    const plan *p = b->plan;
    tensor before = build_stage(b, build_unmasked(b)), masked = build_stage(b, STAGE_MASKED);
    say_causal(b);
    say_window(b);
    say_length(b);
    if (p->mask.data != NULL)
        build_sentence(b, "The mask takes out the keys that may not be attended to.");
    bool hides = hides_any(b);
    if (hides)
        build_sentence(b, "A key that is not allowed gets -inf, so that its exponential, and with "
                          "it its weight, is exactly 0.");
    show_bias(b);
    if (plan_is_causal(p) || p->asked->has_window || p->key_lengths.data != NULL)
        say_seen(b, &masked);
    show_slope(b);
    derivation_formula(b, "masked",
                       build_text(b, "%s%s%s", hides ? ", or -inf" : "",
                                  p->slopes.data != NULL ? ", p = " : "",
                                  p->slopes.data != NULL ? place_of_query(b) : ""));
    say_untouched(b);
    show_masked_row(b, &before, &masked);
    build_matrices(b, STAGE_MASKED, build_query_labels(b, "q"), build_column_labels(b));
}
