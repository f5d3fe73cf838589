/* The steps up to the softmax: projections, scores, scale, mask. */
#include "trace/build.h"

#include "trace/derivation.h"
#include "trace/nodes.h"

#include <math.h>
#include <string.h>

size_t build_first_clipped(const builder *b, stage_id sums, size_t row)
{
    tensor of_head = build_stage(b, sums);
    size_t at[] = {row, 0};
    while (at[1] < of_head.size[1] && fabs(tensor_get(&of_head, at)) <= plan_clip(b->plan))
        at[1]++;
    return at[1] < of_head.size[1] ? at[1] : 0;
}

static void show_projection(builder *b, const projection *r, stage_id of_sums, stage_id id,
                            const char *role, size_t row)
{
    const char *name = map_name_of(id);
    bool has_weight = r->weight.data != NULL, has_bias = r->bias.data != NULL;
    if (r->given.data != NULL)
        return;
    const bool is_clipped = plan_has_stage(b->plan, of_sums);
    const char *sums = is_clipped ? map_name_of(of_sums) : name;
    const char *rows = map_there(b, sums)->operand[0].name;
    if (!has_weight && !has_bias) {
        build_sentence(b, "Without %s, the rows of %s are the %s as they are.",
                       input_label(r->weight_as), rows, role);
        if (b->plan->appended > 0 && id != STAGE_Q)
            derivation_matrix(b, name, row + 1);
        return;
    }
    build_sentence(b, "The %s: each row of %s%s%s%s.", role, rows, has_weight ? " times " : "",
                   has_weight ? input_label(r->weight_as) : "",
                   has_bias ? ", and the bias is added" : "");
    if (r->shared > 0)
        build_sentence(b,
                       "So far a key has %zu number%s; the %zu after them are those of kv_latent "
                       "that all heads share.",
                       r->width - r->shared, build_plural(r->width - r->shared), r->shared);
    const char *in_head = build_in_head(b, build_shown_head(b, id));
    derivation_row_formula(b, sums, 'i');
    build_begin_head(b, build_shown_head(b, id));
    derivation_line_of_head(b, sums, row, 0, in_head);
    if (r->shared > 0)
        derivation_line_of_head(b, sums, row, r->width - r->shared, in_head);
    derivation_product(b, sums, row);
    b->head = 0;
    derivation_matrix(b, sums, row + 1);
    if (!is_clipped)
        return;
    build_sentence(b,
                   "A number above clip becomes clip, and one below −clip becomes −clip, so that a "
                   "few large ones don't outweigh all others.");
    /* A page counts anew (render/page/lines.js), and keeps these words. */
    const tensor *all = &map_there(b, sums)->values;
    size_t at[TENSOR_MAX_RANK] = {0}, cut = 0;
    do
        cut += fabs(tensor_get(all, at)) > plan_clip(b->plan);
    while (tensor_next(all, at));
    build_sentence(b, "Numbers of %s further from 0 than clip, which are cut: %zu of %zu.", sums,
                   cut, tensor_count(all))
        ->map = map_there(b, name);
    derivation_formula(b, name, "");
    build_begin_head(b, build_shown_head(b, id));
    derivation_line_of_head(b, name, row, build_first_clipped(b, of_sums, row), in_head);
    b->head = 0;
    derivation_matrix(b, name, row + 1);
}

/* From rows to a latent, and to the norm of that. */
static void show_latent(builder *b, const projection *r, size_t row)
{
    const plan *p = b->plan;
    const latent *l = plan_latent(p, r);
    bool is_query = r == &p->q;
    if (l->weight.data == NULL)
        return;
    const char *name = map_name_of(is_query ? STAGE_Q_LATENT : STAGE_KV_LATENT),
               *normed = map_name_of(is_query ? STAGE_Q_LATENT_NORM : STAGE_KV_LATENT_NORM);
    const char *rows = map_named(b->room, name)->operand[0].name;
    if (is_query)
        build_sentence(b,
                       "Queries are made in two products: Wq_down brings each row of %s to %zu "
                       "number%s, its latent, of which Wq makes the queries of all heads.",
                       rows, l->width, build_plural(l->width));
    else
        build_sentence(
            b,
            "Keys and values are made of one latent: Wkv_down brings each row of %s to "
            "%zu number%s%s. A cache could keep these alone.",
            rows, l->width, build_plural(l->width),
            r->shared == 0
                ? ""
                : build_text(b, ", and to %zu more that the keys of all heads share", r->shared));
    derivation_row_formula(b, name, 'i');
    derivation_line(b, name, row, 0);
    derivation_product(b, name, row);
    derivation_matrix(b, name, row + 1);
    if (l->gain.data == NULL)
        return;
    build_sentence(b, "The latent%s is divided by its root mean square.",
                   r->shared == 0 ? "" : ", without what is shared,");
    derivation_show(b, normed, row);
    derivation_matrix(b, normed, row + 1);
}

void make_projections(builder *b)
{
    const plan *p = b->plan;
    if (p->q.weight.data != NULL && p->k.weight.data != NULL && p->v.weight.data != NULL)
        build_sentence(b,
                       "A row should ask for one thing, be found by another, and pass on a third: "
                       "each matrix makes one of these of it.");
    show_latent(b, &p->q, b->focus.row);
    show_projection(b, &p->q, STAGE_Q_SUM, STAGE_Q, "queries", b->focus.row);
    show_latent(b, &p->k, build_key_row(b));
    show_projection(b, &p->k, STAGE_K_SUM, STAGE_K, "keys", build_key_row(b));
    show_projection(b, &p->v, STAGE_V_SUM, STAGE_V, "values", build_key_row(b));
}

/* ---- scores ---- */

/* q′ = q·Ws, k′ = k·Ua: what some score functions turn queries and keys into first. */
static void show_transform(builder *b, stage_id id, const char *by)
{
    if (!plan_has_stage(b->plan, id))
        return;
    const char *name = map_name_of(id);
    bool is_query = id == STAGE_Q_SCORE,
         is_second = !is_query && plan_has_stage(b->plan, STAGE_Q_SCORE);
    build_sentence(b, "%s each %s is multiplied by %s.", is_second ? "Then" : "First",
                   is_query ? "query" : "key", input_label(input_of_key(by)));
    derivation_row_formula(b, name, is_query ? 'i' : 'j');
    derivation_line_of_head(b, name, is_query ? b->focus.row : build_key_row(b), 0,
                            build_head_name(b));
    build_matrices(b, id);
}

/* Where the scale comes from: 1/√d_k, 1/√m, or a number that was given. */
static void show_scale(builder *b)
{
    const problem *asked = b->plan->asked;
    tensor scale = build_number(b, "scale", b->plan->scale);
    bool is_number = asked->scale_kind == SCALE_NUMBER, is_embed = asked->scale_kind == SCALE_EMBED;
    trace_item *line = build_line(b, is_number ? OP_COPY : OP_INVERSE_ROOT, "scale",
                                  is_number  ? NULL
                                  : is_embed ? "1/√m"
                                             : "1/√d_k");
    line->head = 0; /* one for all heads */
    const tensor *x = asked->in[INPUT_X];
    double width = is_embed ? (double)x->size[x->rank - 1] : (double)b->plan->k.width;
    line->a = is_number ? scale : build_number(b, "width", width);
    line->result = scale;
}

void make_scores(builder *b)
{
    static const char *const STAND_INS[] = {"the identity", "the identity", "ones", "zero"};
    const problem *asked = b->plan->asked;
    const score *by = asked->score;
    show_transform(b, STAGE_Q_SCORE, by->for_query);
    show_transform(b, STAGE_K_SCORE, by->for_key);
    build_sentence(b,
                   "How much should %s attend to each key%s? The %s compares them: a larger "
                   "number, a stronger relationship.",
                   build_query_name(b), build_head_name(b),
                   by->made_by == OP_DOT && by->for_query == NULL
                       ? "dot product"
                       : build_text(b, "score function (%s)", by->named.name));
    build_sharing(b);
    /* Parameters of the score function that were not given, and what serves for each. */
    const char *const keys[] = {by->for_query, by->for_key, by->vector, by->shift};
    const char *absent = "";
    for (size_t i = 0; i < 4; i++) {
        if (keys[i] != NULL && asked->in[input_of_key(keys[i])] == NULL)
            absent = build_text(b, "%s%s%s counts as %s", absent, *absent == '\0' ? "" : ", ",
                                input_label(input_of_key(keys[i])), STAND_INS[i]);
    }
    if (*absent != '\0')
        build_sentence(b, "Not given: %s.", absent);
    /* Its formula, of the queries and keys as they are by then: q_rope, present_k. */
    const char *formula = "", *rest = by->formula;
    for (size_t bytes; *rest != '\0'; rest += bytes) {
        bool is_query = strncmp(rest, "q[i]", 4) == 0, is_key = strncmp(rest, "k[j]", 4) == 0;
        stage_id id = is_query ? build_queries(b) : build_keys(b);
        bytes = is_query || is_key ? 1 : 1 + strcspn(rest + 1, "qk");
        formula = is_query || is_key ? build_text(b, "%s%s", formula, map_name_of(id))
                                     : build_text(b, "%s%.*s", formula, (int)bytes, rest);
    }
    build_formula(b, "scores[i,j] = %s", formula);
    for (size_t j = 0; j < build_lines(b); j++)
        derivation_line(b, "scores", b->focus.row, j);
    build_rest(b);
    derivation_product(b, "scores", b->focus.row);
    build_same_for_all(b);
    build_matrices(b, STAGE_SCORES);
    /* Scores that are scaled by 1 have no step of their own. */
    bool is_scaled =
        asked->scale_kind != SCALE_NONE && (asked->scale_kind != SCALE_DEFAULT || by->is_scaled);
    if (b->plan->scale == 1 && is_scaled) {
        build_formula(b, "scaled = scores·scale = scores");
        show_scale(b);
    }
}

/* ---- scale ---- */

static void show_variance(builder *b, stage_id id)
{
    tensor of_head = build_stage(b, id);
    const char *name = build_text(b, "variance of %s%s", map_name_of(id), build_head_name(b));
    size_t at[TENSOR_MAX_RANK] = {0};
    double count = (double)tensor_count(&of_head), mean = 0, sum = 0;
    do
        mean += tensor_get(&of_head, at) / count;
    while (tensor_next(&of_head, at));
    do
        sum += (tensor_get(&of_head, at) - mean) * (tensor_get(&of_head, at) - mean);
    while (tensor_next(&of_head, at));
    trace_item *line = build_line(b, OP_VARIANCE, name, NULL);
    line->a = of_head;
    line->result = build_number(b, name, sum / count);
    line->is_of_focus = true;
}

void make_scale(builder *b)
{
    bool is_given = b->plan->asked->scale_kind == SCALE_NUMBER;
    if (is_given || b->plan->asked->score->made_by != OP_DOT)
        build_sentence(b,
                       "Every score is multiplied by the scale%s. A larger spread of the scores "
                       "makes a sharper softmax: compare the variances.",
                       is_given ? " that was given" : "");
    else
        build_sentence(b, "Dot products grow with the width of the vectors, and large ones push "
                          "the softmax to put all weight on one key. The scale brings the spread "
                          "of the scores back: compare the variances.");
    show_scale(b);
    derivation_show_lines(b, "scaled");
    show_variance(b, STAGE_SCORES);
    show_variance(b, STAGE_SCALED);
    build_matrices(b, STAGE_SCALED);
}

/* ---- cap ---- */

void make_cap(builder *b)
{
    build_sentence(b, "No score should be so large that its key takes all of the weight.");
    build_sentence(b, "A soft cap keeps every score between −C and C: small scores stay nearly as "
                      "they are, large ones come no nearer to the bound than tanh lets them.");
    derivation_show_lines(b, "capped");
    build_same_for_all(b);
    build_matrices(b, STAGE_CAPPED);
}

/* ---- mask ---- */

/* Where query i stands, counted from 1, in letters of this run's dimensions. */
static const char *place_of_query(builder *b)
{
    const plan *p = b->plan;
    size_t length = visible_length(p, b->focus.batch);
    if (p->asked->places != NULL)
        return "p[i] + 1, p = offset";
    if (p->asked->causal != CAUSAL_LOWER_RIGHT)
        return p->offset == 0 ? "i" : build_text(b, "i + offset, offset = %zu", p->offset);
    if (length == p->n_q)
        return "i";
    if (length < plan_own_keys(p))
        return build_text(b, "i + %zu − n_q", length);
    return p->appended > 0 ? "i + n_x − n_q" : "i + n_k − n_q";
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
        build_formula(b, "allowed: %sj%s, p = %s", from, to, place_of_query(b))->is_of_focus =
            b->plan->key_lengths.data != NULL;
}

/* How many keys the focus's query sees, whatever takes the others out. */
static void say_seen(builder *b, const tensor *masked)
{
    size_t count = 0, all = plan_own_keys(b->plan);
    for (size_t j = 0; j < all; j++)
        count += tensor_get(masked, (size_t[]){b->focus.row, j}) != -INFINITY;
    const plan *p = b->plan;
    /* " in head 2", where the heads see different keys. */
    bool differ = (p->mask.data != NULL && p->mask.stride[1] != 0) ||
                  (p->bias.data != NULL && p->bias.stride[1] != 0);
    const char *name = build_query_name(b), *in_head = differ ? build_head_name(b) : "";
    if (all == 1)
        build_sentence(b, "Here %s%s %s the only key.", name, in_head,
                       count == 1 ? "sees" : "does not see")
            ->is_of_focus = true;
    else
        build_sentence(b, "Here %s%s sees %zu of the %zu keys.", name, in_head, count, all)
            ->is_of_focus = true;
}

/* The numbers of the focus's head that are added, n_q × n_k; one row where all queries get the
 * same. */
static void show_bias(builder *b)
{
    if (b->plan->bias.data == NULL)
        return;
    bool is_one_row = build_has_one_bias(b);
    tensor of_batch = tensor_at(&b->plan->bias, b->focus.batch);
    tensor of_head = tensor_at(&of_batch, b->focus.head);
    tensor bias = is_one_row ? tensor_range(&of_head, 0, 0, 1) : of_head;
    stage_id from = build_unmasked(b);
    build_sentence(b,
                   "Some keys are to get more weight, or less, whatever the rows say. The bias is "
                   "added to the %sscores%s.",
                   from == STAGE_CAPPED   ? "capped "
                   : from == STAGE_SCALED ? "scaled "
                                          : "",
                   is_one_row ? ", the same for every query" : "");
    if (b->plan->asked->relative != NULL)
        build_sentence(b,
                       "It is relative_bias's, of the bucket of how far the key is from the query: "
                       "near distances have one each, and from %zu on all share the last.",
                       b->plan->asked->relative_distance);
    if (b->plan->bucket.data != NULL)
        derivation_matrix(b, "bucket", b->focus.row + 1);
    if (b->plan->asked->key_bias != NULL)
        build_sentence(b, "It is key_bias's, of which each head has a row.");
    build_matrix(b, build_text(b, "bias%s", build_head_name(b)), &bias,
                 is_one_row ? NUMBERED : build_query_labels(b, "q"), build_column_labels(b),
                 is_one_row ? 0 : b->focus.row + 1);
}

/* What the slope of the focus's head does, and where it comes from; one that nobody gave is
 * positive. */
static void show_slope(builder *b)
{
    const plan *p = b->plan;
    if (p->slopes.data == NULL)
        return;
    tensor slope = tensor_at(&p->slopes, b->focus.head);
    double value = tensor_get(&slope, NULL);
    const char *name =
        p->has_heads ? build_text(b, "slope of head %zu", b->focus.head + 1) : "slope";
    const char *does =
        value > 0 ? ", so that what is far away counts less"
                  : build_text(b,
                               value < 0 ? ". The %s is negative: what is far away counts more"
                                         : ". The %s is 0: no distance counts",
                               name);
    build_sentence(b,
                   "ALiBi: each score loses the head's slope times the distance of query and "
                   "key, whose places p and j count from 1%s.",
                   does);
    const char *letters = NULL; /* "2^(−8·2/2) = 1/256" */
    if (p->asked->slopes != NULL) {
        build_sentence(b, "The slopes are those that were given.");
    } else {
        bool is_power_of_two = (p->heads & (p->heads - 1)) == 0;
        size_t count = plan_slope_rule(0, p->heads).count;
        slope_rule by = plan_slope_rule(b->focus.head, p->heads);
        letters = build_text(b, "2^(−8·%zu/%zu)", by.index, by.count);
        if (8 * by.index % by.count == 0)
            letters = build_text(b, "%s = 1/%d", letters, 1 << (8 * by.index / by.count));
        if (!is_power_of_two)
            build_sentence(
                b,
                "%zu is no power of two: the first %zu heads have the slopes of %zu heads, "
                "the others every second one of those of %zu.",
                p->heads, count, count, 2 * count);
        build_formula(b, "slope of head i of h = 2^(−8·i/h), h = 1, 2, 4, …");
    }
    trace_item *line = build_line(b, OP_COPY, name, letters);
    line->a = slope;
    line->result = slope;
    line->is_of_focus = true;
}

/* The keys whose scores are changed, as many as lines are spelled out. */
static void show_masked_row(builder *b, const tensor *unmasked, const tensor *masked)
{
    const plan *p = b->plan;
    size_t i = b->focus.row, most = build_lines(b), changed = 0;
    for (size_t j = 0; j < p->n_k; j++) {
        tensor before = build_element(unmasked, i, j), after = build_element(masked, i, j);
        bool is_changed = (p->bias.data != NULL || p->slopes.data != NULL) && j < plan_own_keys(p);
        bool is_hidden = tensor_get(&after, NULL) == -INFINITY;
        changed += is_hidden || is_changed;
        if (changed > most)
            break;
        if (is_hidden) {
            const char *left = build_text(b, "masked[%zu,%zu]", i + 1, j + 1);
            trace_item *line = build_line(b, OP_HIDE, left, NULL);
            line->a = before;
            line->result = after;
        } else if (is_changed) {
            derivation_line(b, "masked", i, j);
        }
    }
    build_while(b, TRACE_WHILE_MORE, changed > most);
    if (most < p->n_k)
        build_sentence(b, "… and so on for all keys whose scores change; --full spells them out.");
    build_always(b);
}

void make_mask(builder *b)
{
    const plan *p = b->plan;
    tensor before = build_stage(b, build_unmasked(b)), masked = build_stage(b, STAGE_MASKED);
    bool has_lengths = p->key_lengths.data != NULL;
    if (plan_is_causal(p)) {
        build_sentence(b,
                       "Causal: what comes after a row is not known yet where the next word is to "
                       "be told, so a query sees the keys up to its own place.");
        if (!p->asked->has_window)
            build_formula(b, "allowed: j ≤ %s", place_of_query(b))->is_of_focus = has_lengths;
    }
    say_window(b);
    if (has_lengths) {
        build_sentence(b, "Only so many of the keys are there; the rest fills the batch up.");
        build_formula(b, "allowed: j ≤ %zu", visible_length(p, b->focus.batch))->is_of_focus = true;
    }
    if (p->mask.data != NULL)
        build_sentence(b, "The mask takes out the keys that may not be attended to.");
    /* In any head, since the formula is all heads'. A bias of −inf hides a key too. */
    tensor of_heads = build_stage_of_batch(b, STAGE_MASKED);
    size_t at[TENSOR_MAX_RANK] = {0};
    bool hides = tensor_get(&of_heads, at) == -INFINITY;
    while (!hides && tensor_next(&of_heads, at))
        hides = tensor_get(&of_heads, at) == -INFINITY;
    if (hides)
        build_sentence(b, "A key that is not allowed gets -inf, so that its exponential, and with "
                          "it its weight, is exactly 0.");
    show_bias(b);
    if (plan_is_causal(p) || p->asked->has_window || has_lengths)
        say_seen(b, &masked);
    show_slope(b);
    derivation_formula(b, "masked",
                       build_text(b, "%s%s%s", hides ? ", or -inf" : "",
                                  p->slopes.data != NULL ? ", p = " : "",
                                  p->slopes.data != NULL ? place_of_query(b) : ""));
    /* What no formula of this step is about. */
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
    show_masked_row(b, &before, &masked);
    build_matrices(b, STAGE_MASKED);
}
