/* The first steps: inputs and parameters; positions added to the rows, and how their waves are
 * worked out; queries and keys brought to one length, turned by their positions, and put after
 * those of a cache. */
#include "attn/engine/positions.h"
#include "trace/build.h"
#include "trace/derivation.h"
#include "trace/nodes.h"

#include <string.h>

static bool is_made_of(const projection *r, input rows)
{
    return r->rows.data != NULL && r->rows_as == rows;
}

/* What is made of these rows: "the queries and the keys", in this order; "": nothing is. */
static const char *roles_of(builder *b, input rows)
{
    const projection *made[] = {&b->plan->q, &b->plan->k, &b->plan->v};
    static const char *const ROLES[] = {"the queries", "the keys", "the values"};
    const char *roles[3];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (is_made_of(made[i], rows))
            roles[count++] = ROLES[i];
    }
    return build_and(b, roles, count);
}

void make_inputs(builder *b)
{
    static const stage_id ROLES[] = {STAGE_Q, STAGE_K, STAGE_V};
    const plan *p = b->plan;
    const problem *asked = p->asked;
    if (asked->in[INPUT_X] == &asked->looked_up)
        build_sentence(b, "Each token is looked up in the vocab: its embedding is its row of x.");
    const char *of_x = roles_of(b, INPUT_X), *of_xk = roles_of(b, INPUT_XK);
    if (*of_x != '\0') {
        const tensor *x = asked->in[INPUT_X];
        size_t rows = x->size[x->rank - 2], width = x->size[x->rank - 1];
        const char *goes = rows == 1 ? "input goes" : "inputs go";
        const char *as = rows == 1 ? "a row" : "each a row";
        if (p->q.rows.data != NULL && is_made_of(&p->k, INPUT_X) && is_made_of(&p->v, INPUT_X))
            build_sentence(b,
                           "%zu %s in, %s of %zu number%s. A row plays three roles: as a "
                           "query it looks at the others, as a key it is looked at, and its value "
                           "is what it passes on.",
                           rows, goes, as, width, build_plural(width));
        else
            build_sentence(b, "%zu %s in, %s of %zu number%s. From x %s are computed.", rows, goes,
                           as, width, build_plural(width), of_x);
        derivation_matrix(b, input_key(INPUT_X), 0);
    }
    if (*of_xk != '\0') {
        build_sentence(b,
                       asked->number != NULL
                           ? "From xk %s are computed: these queries are some rows of a whole."
                           : "From another sequence, xk, %s are computed: this is cross-attention.",
                       of_xk);
        derivation_matrix(b, input_key(INPUT_XK), 0);
    }
    if (is_made_of(&p->v, INPUT_XV)) {
        build_sentence(b, "The values come from a sequence of their own, xv.");
        derivation_matrix(b, input_key(INPUT_XV), 0);
    }
    if (p->appended > 0) {
        const char *learned = p->bias_k.data != NULL ? "a learned row each (bias_k, bias_v)" : "";
        bool is_one = p->appended == 1;
        build_sentence(b,
                       "After the keys and the values of the sequence stand%s %s%s%s: every query "
                       "sees %s, whatever takes other keys out.",
                       is_one ? "s" : "", learned, is_one ? "" : ", and ",
                       asked->adds_zero ? "a row of zeros" : "", is_one ? "it" : "them");
    }
    bool is_apart = false; /* something given has one matrix a head */
    for (size_t i = 0; i < sizeof ROLES / sizeof ROLES[0]; i++) {
        const char *name = map_name_of(ROLES[i]);
        if (plan_role(p, ROLES[i])->given.data == NULL)
            continue;
        build_sentence(b, "%s is given directly, so nothing is projected for it.", name);
        derivation_matrix(b, name, 0);
        is_apart = is_apart || build_stage_of_batch(b, ROLES[i]).rank == 3;
    }
    if (is_apart)
        build_other_heads(b);
    if (p->has_batch && p->batches == 1)
        build_sentence(b, "It is the one sequence of its batch.");
    build_entry(b, p->batches);
}

/* Seed 000: low-dimensional heads cost 3·h·m·(m/h) = 3m², full-width heads 3·h·m·m = 3hm². */
static void count_parameters(builder *b)
{
    const plan *p = b->plan;
    const projection *made[] = {&p->q, &p->k, &p->v};
    const struct {
        const tensor *weight;
        input as;
    } downs[] = {{&p->q_latent.weight, INPUT_WQ_DOWN}, {&p->kv_latent.weight, INPUT_WKV_DOWN}};
    const char *weight[5], *bias[3], *counts = "";
    size_t weights = 0, biases = 0, given = 0, numbers = 0;
    for (size_t i = 0; i < 2; i++) {
        if (downs[i].weight->data == NULL)
            continue;
        size_t count = tensor_count(downs[i].weight);
        numbers += count;
        counts = build_text(b, "%s%s%zu", counts, weights == 0 ? "" : " + ", count);
        weight[weights++] = input_label(downs[i].as);
    }
    for (size_t i = 0; i < 3; i++) {
        const tensor *w = &made[i]->weight;
        given += made[i]->given.data != NULL;
        if (made[i]->bias.data != NULL)
            bias[biases++] = input_label(made[i]->bias_as);
        if (w->data == NULL)
            continue;
        numbers += tensor_count(w);
        counts = build_text(b, "%s%s%zu", counts, weights == 0 ? "" : " + ", tensor_count(w));
        weight[weights++] = input_label(made[i]->weight_as);
    }
    if (weights == 0) {
        build_sentence(b, "There are no projections%s%s.",
                       given == 3   ? ": queries, keys and values are given"
                       : given == 0 ? ": the rows themselves serve as queries, keys and values"
                                    : "",
                       biases == 0 ? ""
                                   : build_text(b, "; %s %s added", build_and(b, bias, biases),
                                                biases == 1 ? "is" : "are"));
        return;
    }
    build_sentence(b,
                   "What a row asks for, and what it offers, is learned: these matrices hold it.");
    if (weights == 1)
        build_sentence(b, "%s holds %zu number%s, the same for every row.", weight[0], numbers,
                       build_plural(numbers));
    else
        build_sentence(b, "%s hold %s = %zu numbers, the same for every row.",
                       build_and(b, weight, weights), counts, numbers);
    if (!p->has_heads || weights != 3)
        return;
    size_t m = p->q.rows.size[2], h = p->heads;
    if (numbers != 3 * m * h * p->q.width || (h * p->q.width != m && p->q.width != m))
        return;
    if (h * p->q.width == m)
        build_formula(b, "low-dimensional heads: 3·h·m·(m/h) = 3·%zu·%zu·(%zu/%zu) = 3·%zu² = %zu",
                      h, m, m, h, m, numbers);
    else
        build_formula(b, "full-width heads: 3·h·m·m = 3·%zu·%zu² = %zu", h, m, numbers);
    if (h > 1)
        build_sentence(b, "One head as wide as the inputs has %s.",
                       h * p->q.width == m
                           ? "as many"
                           : build_text(b, "%zu, and each further one as many again", numbers / h));
}

/* Of so many heads the columns are listed: a table of more is not read. */
enum { LISTED_HEADS = 16 };

/* "3 to 4", or "3" */
static const char *columns_of(builder *b, size_t head, size_t width)
{
    return width == 1 ? build_text(b, "%zu", head + 1)
                      : build_text(b, "%zu to %zu", head * width + 1, (head + 1) * width);
}

/* Of the queries' columns; those of keys and values are cut alike. Seed 000's view and transpose:
 * which columns are whose, and the shapes on the way. */
static void say_cut(builder *b)
{
    static const char *const HEADING[] = {"head", "columns of q", "columns of k", "columns of v"};
    const plan *p = b->plan;
    size_t n = p->n_q, h = p->heads, width = p->q.width;
    if (h == 1) {
        build_sentence(b, "There is one head, which takes all columns of q.");
        return;
    }
    if (plan_keeps_heads_apart(p)) {
        build_sentence(b,
                       "%zu heads work side by side: q came with its heads apart, %zu column%s "
                       "each.",
                       h, width, build_plural(width));
        return;
    }
    build_sentence(b,
                   "%zu heads work side by side: of the %zu columns of q each takes %zu, head "
                   "1 the first%s, and so on.",
                   h, h * width, width, width == 1 ? "" : build_text(b, " %zu", width));
    build_sentence(b, "Its rows are cut into heads, and each head's are put below each other:");
    build_formula(b, "q: %zu × %zu → %zu × %zu × %zu → %zu × %zu × %zu", n, h * width, n, h, width,
                  h, n, width);
    if (h > LISTED_HEADS && !b->is_full)
        return;
    trace_item *cut = build_table(b, "wwww");
    build_cells(b, cut, HEADING);
    for (size_t head = 0; head < h; head++) {
        size_t shared = plan_kv_head(p, head);
        const char *cells[] = {build_text(b, "%zu", head + 1), columns_of(b, head, width),
                               columns_of(b, shared, p->k.width),
                               columns_of(b, shared, p->v.width)};
        build_cells(b, cut, cells);
    }
}

static void say_heads(builder *b)
{
    const plan *p = b->plan;
    bool shares = p->kv_heads != p->heads;
    if (!p->has_heads)
        return;
    if (p->q.weight.rank == 3 && p->heads == 1)
        build_sentence(b, "There is one head.");
    else if (p->q.weight.rank == 3)
        build_sentence(b, "Each of the %zu heads has %s of its own.", p->heads,
                       shares ? "a matrix Wq" : "matrices");
    else
        say_cut(b);
    if (shares && p->kv_heads == 1)
        build_sentence(b, "There is only 1 key/value head: %s query heads share it.",
                       p->heads == 2 ? "both" : build_text(b, "all %zu", p->heads));
    else if (shares)
        build_sentence(b, "There are only %zu key/value heads: %zu query heads share each.",
                       p->kv_heads, p->heads / p->kv_heads);
    /* What the sharing is called, and what it costs or saves in a cache. */
    size_t one = (p->k.width + p->v.width) * dtype_size(p->type);
    if (shares)
        build_sentence(b,
                       "This is %s: a cache grows by %zu bytes a token, where a key and a value "
                       "for each of the %zu heads would take %zu.",
                       p->kv_heads == 1 ? "MQA, multi-query attention"
                                        : "GQA, grouped-query attention",
                       p->kv_heads * one, p->heads, p->heads * one);
    else if (p->past > 0)
        build_sentence(b, "This is MHA, multi-head attention: a cache grows by %zu bytes a token.",
                       p->heads * one);
}

void make_parameters(builder *b)
{
    static const input SHOWN[] = {INPUT_WQ_DOWN,
                                  INPUT_BQ_DOWN,
                                  INPUT_Q_LATENT_GAIN,
                                  INPUT_WQ,
                                  INPUT_BQ,
                                  INPUT_WKV_DOWN,
                                  INPUT_BKV_DOWN,
                                  INPUT_KV_LATENT_GAIN,
                                  INPUT_WK,
                                  INPUT_BK,
                                  INPUT_WV,
                                  INPUT_BV,
                                  INPUT_WO,
                                  INPUT_BO,
                                  INPUT_WS,
                                  INPUT_WA,
                                  INPUT_UA,
                                  INPUT_VA,
                                  INPUT_BA,
                                  INPUT_BS};
    const problem *asked = b->plan->asked;
    const tensor *const *in = asked->in;
    const char *names = "";
    size_t of_weights = 0, turned = 0;
    bool has_one_a_head = false;
    count_parameters(b);
    say_heads(b);
    /* Weights out of a bundle may be kept otherwise than the document's own. */
    for (size_t i = 0; i < sizeof SHOWN / sizeof SHOWN[0]; i++) {
        input which = SHOWN[i];
        bool is_weight = in[which] != NULL && strchr("bvqk", *input_key(which)) == NULL;
        bool is_turned = is_weight && asked->is_out_in[which];
        of_weights += is_weight;
        turned += is_turned;
        if (is_turned)
            names = build_text(b, "%s%s%s", names, *names == '\0' ? "" : ", ", input_label(which));
    }
    if (turned > 0 && turned < of_weights)
        build_sentence(b, "Of layout out-in, y = W·x, and shown transposed, as x·W uses them: %s.",
                       names);
    else if (turned > 0)
        build_sentence(
            b,
            "The layout is out-in, y = W·x; the matrices are shown transposed, as x·W uses them.");
    for (size_t i = 0; i < sizeof SHOWN / sizeof SHOWN[0]; i++) {
        const char *label = input_label(SHOWN[i]);
        const tensor *given = in[SHOWN[i]];
        if (given == NULL)
            continue;
        /* A bias and va are shown as they were given, also where each head has a row of them. */
        if (given->rank <= 2 && strchr("bvqk", *input_key(SHOWN[i])) != NULL)
            build_matrix(b, label, given, NUMBERED, NUMBERED, 0);
        else
            derivation_matrix(b, label, 0);
        has_one_a_head = has_one_a_head || (given->rank == 3 && SHOWN[i] != INPUT_WO);
    }
    if (has_one_a_head)
        build_other_heads(b);
}

/* ---- positions ---- */

/* Pairs that are spelled out: the first one, and one that is slower. */
enum { PAIRS = 2 };

void waves_show(builder *b, const char *name, size_t row)
{
    const trace_map *made = map_named(b->room, name);
    size_t width = made == NULL ? 0 : made->values.size[2];
    derivation_row_formula(b, name, 'i');
    build_formula(b, "PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu", width);
    build_formula(b, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
    for (size_t pair = 0; pair < PAIRS && 2 * pair < width; pair++) {
        derivation_line(b, "x_angle", row, pair);
        for (size_t column = 2 * pair; column < width && column < 2 * pair + 2; column++)
            derivation_line(b, name, row, column);
    }
}

void make_positions(builder *b)
{
    size_t row = b->focus.row;
    build_sentence(b, "Attention by itself knows no order of its rows. So each row of x is told "
                      "where it stands: sines and cosines of its position are added to it, of "
                      "waves that grow longer from column to column.");
    build_sentence(b, "Row %zu stands at position %zu, counted from 0.", row + 1,
                   (size_t)visible_position(b->plan, b->focus.batch, row))
        ->is_of_focus = true;
    waves_show(b, map_name_of(STAGE_X_POS), row);
    derivation_matrix(b, "x_pos", row + 1);
}

/* ---- normalize ---- */

static void show_normalized(builder *b, stage_id id, const tensor *gains, size_t at)
{
    const char *name = map_name_of(id), *gain_name = build_text(b, "%c_gain", *name);
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    if (gains->data != NULL && gains->stride[0] != 0) {
        build_in_heads(b, gain_name, gains, head, NUMBERED, NUMBERED, 0);
    } else if (gains->data != NULL) {
        /* One that all heads share is the same in each, and shown of the head in focus alone. */
        tensor gain = tensor_at(gains, head);
        const char *in_head = b->plan->asked->norms_together ? "" : build_in_head(b, head);
        build_matrix(b, build_text(b, "%s%s", gain_name, in_head), &gain, NUMBERED, NUMBERED, 0);
    }
    derivation_show(b, name, at);
    derivation_matrix_by_head(b, name, at + 1);
    b->head = 0;
}

void make_normalize(builder *b)
{
    const plan *p = b->plan;
    build_sentence(b,
                   p->asked->norms_together
                       ? "A score should depend on the directions of a query and a key, and not "
                         "on how long they are: so the query of all heads side by side is divided "
                         "by its root mean square, one number for all heads of a row, and so is "
                         "the key."
                       : "A score should depend on the directions of a query and a key, and not "
                         "on how long they are: so each head's are divided by their root mean "
                         "square.");
    show_normalized(b, STAGE_Q_NORM, &p->q_gain, b->focus.row);
    show_normalized(b, STAGE_K_NORM, &p->k_gain, build_key_row(b));
    build_other_heads(b);
}

/* ---- rope ---- */

static void show_role(builder *b, stage_id id, size_t row, double position)
{
    const plan *p = b->plan;
    const char *name = map_name_of(id), *angle = build_text(b, "%c_angle", *name);
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    build_sentence(b, "%s %zu stands at position %.0f, counted from 0.",
                   *name == 'q' ? "Query" : "Key", row + 1, position)
        ->is_of_focus = true;
    derivation_formula(b, angle, "");
    derivation_formula(b, name, "");
    size_t first = plan_rope_first(p, id == STAGE_Q_ROPE ? &p->q : &p->k);
    for (size_t pair = 0; pair < PAIRS && pair < p->rope_width / 2; pair++) {
        rope_pair at = rope_pair_of(b->plan, pair);
        at.first += first;
        at.second += first;
        build_formula(b, "p = %zu: numbers %zu and %zu", pair + 1, at.first + 1, at.second + 1);
        derivation_line(b, angle, row, pair);
        derivation_line(b, name, row, at.first);
        derivation_line(b, name, row, at.second);
    }
    derivation_matrix_by_head(b, name, row + 1);
    b->head = 0;
}

void make_rope(builder *b)
{
    const plan *p = b->plan;
    bool is_interleaved = p->asked->rope.is_interleaved;
    size_t at = build_key_row(b);
    build_sentence(b, "A score should depend on how far a query and a key stand apart: so pairs of "
                      "numbers are turned by angles that grow with the position.");
    derivation_formula(b, "frequency", "");
    build_formula(b, "pair p: numbers %s, p from 1",
                  is_interleaved ? "2p − 1 and 2p" : "p and p + width/2");
    if (p->asked->rope.attention_factor != 1)
        build_sentence(b,
                       "Each cosine and each sine is multiplied by attention_factor, %g: products "
                       "of turned numbers have its square.",
                       p->asked->rope.attention_factor);
    /* Queries and keys may be of different widths. */
    if (p->k.shared > 0)
        build_sentence(
            b,
            "Of a %s the last %zu numbers are turned, which the keys share; those before "
            "them are in no pair, and stay as they are.",
            p->has_heads ? "head" : "row", p->rope_width);
    else if (p->rope_width < p->q.width || p->rope_width < p->k.width)
        build_sentence(b,
                       "What is after the first %zu numbers of a %s is in no pair, and stays as "
                       "it is.",
                       p->rope_width, p->has_heads ? "head" : "row");
    show_role(b, STAGE_Q_ROPE, b->focus.row, plan_query_position(p, b->focus.batch, b->focus.row));
    show_role(b, STAGE_K_ROPE, at, plan_key_position(p, b->focus.batch, at));
    build_other_heads(b);
}

/* ---- cache ---- */

void make_cache(builder *b)
{
    const plan *p = b->plan;
    size_t added = p->n_k - p->past;
    build_sentence(b, "What came before need not be computed again.");
    build_sentence(b,
                   "%zu earlier row%s left keys and values in the cache. They are taken as they "
                   "are, and the %zu new one%s after them: %zu keys can be seen.",
                   p->past, build_plural(p->past), added, added == 1 ? " goes" : "s go", p->n_k);
    build_formula(b, "present_k = [past_k; %s], present_v = [past_v; v]",
                  stage_row(build_new_keys(b))->key.named.name);
    derivation_matrix(b, "past_k", 0);
    derivation_matrix(b, "past_v", 0);
    derivation_matrix(b, "present_k", 0);
    derivation_matrix(b, "present_v", 0);
    if (build_stage_of_batch(b, STAGE_PRESENT_K).rank == 3)
        build_other_heads(b);
}
