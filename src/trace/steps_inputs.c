/* The first steps: inputs and parameters. */
#include "trace/derivation.h"

#include <string.h>

static void show_given(builder *b, const projection *r, stage_id id)
{
    if (r->given.data == NULL)
        return;
    const char *name = map_name_of(id);
    build_sentence(b, "%s is given directly, so nothing is projected for it.", name);
    derivation_matrix(b, name, 0);
}

/* Whether any of what is given has one matrix a head. */
static bool gives_heads_apart(const builder *b)
{
    static const stage_id ROLES[] = {STAGE_Q, STAGE_K, STAGE_V};
    for (size_t i = 0; i < sizeof ROLES / sizeof ROLES[0]; i++) {
        if (plan_role(b->plan, ROLES[i])->given.data != NULL &&
            build_stage_of_batch(b, ROLES[i]).rank == 3)
            return true;
    }
    return false;
}

static bool is_made_of(const projection *r, input rows)
{
    return r->rows.data != NULL && r->rows_as == rows;
}

/* Whether anything is made of them. */
static bool is_used(const plan *p, input rows)
{
    return is_made_of(&p->q, rows) || is_made_of(&p->k, rows) || is_made_of(&p->v, rows);
}

/* What is made of these rows: "the queries and the keys", in this order. */
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

static void say_inputs(builder *b)
{
    const plan *p = b->plan;
    const tensor *x = p->asked->in[INPUT_X];
    size_t rows = x->size[x->rank - 2], width = x->size[x->rank - 1];
    const char *goes = rows == 1 ? "input goes" : "inputs go";
    const char *as = rows == 1 ? "a row" : "each a row";
    if (p->q.rows.data != NULL && is_made_of(&p->k, INPUT_X) && is_made_of(&p->v, INPUT_X))
        build_sentence(b,
                       "%zu %s in, %s of %zu number%s. A row plays three roles: as a "
                       "query it looks at the others, as a key it is looked at, and its value is "
                       "what it passes on.",
                       rows, goes, as, width, build_plural(width));
    else
        build_sentence(b, "%zu %s in, %s of %zu number%s. Out of x come %s.", rows, goes, as, width,
                       build_plural(width), roles_of(b, INPUT_X));
}

static void say_appended(builder *b)
{
    const plan *p = b->plan;
    if (p->appended == 0)
        return;
    const char *learned = p->bias_k.data != NULL ? "a learned row each (bias_k, bias_v)" : "";
    bool is_one = p->appended == 1;
    build_sentence(b,
                   "After the keys and the values of the sequence stand%s %s%s%s: every query "
                   "sees %s, whatever takes other keys out.",
                   is_one ? "s" : "", learned, is_one ? "" : ", and ",
                   p->asked->adds_zero ? "a row of zeros" : "", is_one ? "it" : "them");
}

void make_inputs(builder *b)
{
    const plan *p = b->plan;
    const problem *asked = p->asked;
    if (asked->in[INPUT_X] == &asked->looked_up)
        build_sentence(b, "Each token is looked up in the vocab: its embedding is its row of x.");
    if (is_used(p, INPUT_X)) {
        say_inputs(b);
        derivation_matrix(b, input_key(INPUT_X), 0);
    }
    if (is_used(p, INPUT_XK)) {
        build_sentence(b,
                       asked->number != NULL
                           ? "Out of xk come %s: these queries are some rows of a whole."
                           : "Out of another sequence, xk, come %s: this is cross-attention.",
                       roles_of(b, INPUT_XK));
        derivation_matrix(b, input_key(INPUT_XK), 0);
    }
    if (is_used(p, INPUT_XV)) {
        build_sentence(b, "The values come from a sequence of their own, xv.");
        derivation_matrix(b, input_key(INPUT_XV), 0);
    }
    say_appended(b);
    show_given(b, &p->q, STAGE_Q);
    show_given(b, &p->k, STAGE_K);
    show_given(b, &p->v, STAGE_V);
    if (gives_heads_apart(b))
        build_other_heads(b);
    if (p->has_batch && p->batches == 1)
        build_sentence(b, "It is the one sequence of its batch.");
    build_entry(b, p->batches);
}

/* A bias and va are shown as they were given, also where each head has a part of them. */
static void show_parameter(builder *b, input which)
{
    const tensor *given = b->plan->asked->in[which];
    if (strchr("bv", *input_key(which)) == NULL)
        derivation_matrix(b, input_label(which), 0);
    else if (given != NULL && given->rank <= 2)
        build_matrix(b, input_label(which), given, build_numbers(), build_numbers(), 0);
}

static size_t count_of(const tensor *weight)
{
    return weight->data == NULL ? 0 : tensor_count(weight);
}

static bool is_given(const projection *r)
{
    return r->given.data != NULL;
}

/* "Wq, Wk and Wv hold 12 + 12 + 12 = 36 numbers", of those that there are. */
static void say_counts(builder *b, size_t numbers)
{
    const projection *made[] = {&b->plan->q, &b->plan->k, &b->plan->v};
    const char *names[3], *counts = "";
    size_t shown = 0;
    for (size_t i = 0; i < 3; i++) {
        size_t count = count_of(&made[i]->weight);
        if (count == 0)
            continue;
        counts = build_text(b, "%s%s%zu", counts, shown == 0 ? "" : " + ", count);
        names[shown++] = input_label(made[i]->weight_as);
    }
    if (shown == 1)
        build_sentence(b, "%s holds %zu number%s, the same for every row.", names[0], numbers,
                       build_plural(numbers));
    else
        build_sentence(b, "%s hold %s = %zu numbers, the same for every row.",
                       build_and(b, names, shown), counts, numbers);
}

/* "; bq and bv are added": what is there of a projection without weights. */
static const char *biases_added(builder *b)
{
    const projection *made[] = {&b->plan->q, &b->plan->k, &b->plan->v};
    const char *names[3];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (made[i]->bias.data != NULL)
            names[count++] = input_label(made[i]->bias_as);
    }
    return count == 0 ? ""
                      : build_text(b, "; %s %s added", build_and(b, names, count),
                                   count == 1 ? "is" : "are");
}

/* Seed 000: low-dimensional heads cost 3·h·m·(m/h) = 3m², full-width heads 3·h·m·m = 3hm². */
static void count_parameters(builder *b)
{
    const plan *p = b->plan;
    size_t numbers = count_of(&p->q.weight) + count_of(&p->k.weight) + count_of(&p->v.weight);
    if (numbers == 0) {
        bool all_given = is_given(&p->q) && is_given(&p->k) && is_given(&p->v);
        bool none_given = !is_given(&p->q) && !is_given(&p->k) && !is_given(&p->v);
        build_sentence(b, "There are no projections%s%s.",
                       all_given    ? ": queries, keys and values are given"
                       : none_given ? ": the rows themselves serve as queries, keys and values"
                                    : "",
                       biases_added(b));
        return;
    }
    say_counts(b, numbers);
    size_t m = p->q.rows.data == NULL ? 0 : p->q.rows.size[2], h = p->heads;
    bool has_all = p->q.weight.data != NULL && p->k.weight.data != NULL && p->v.weight.data != NULL;
    if (!p->has_heads || !has_all || numbers != 3 * m * h * p->q.width)
        return;
    if (h * p->q.width == m)
        build_formula(b, "low-dimensional heads: 3·h·m·(m/h) = 3·%zu·%zu·(%zu/%zu) = 3·%zu² = %zu",
                      h, m, m, h, m, numbers);
    else if (p->q.width == m)
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

/* Seed 000's view and transpose: which columns are whose, and the shapes on the way. */
static void draw_cut(builder *b)
{
    const plan *p = b->plan;
    size_t n = p->n_q, h = p->heads, width = p->q.width;
    build_sentence(b, "Its rows are cut into heads, and each head's are put below each other:");
    build_formula(b, "q: %zu × %zu → %zu × %zu × %zu → %zu × %zu × %zu", n, h * width, n, h, width,
                  h, n, width);
    if (h > LISTED_HEADS && !b->is_full)
        return;
    trace_item *cut = build_table(b, "wwww");
    static const char *const HEADING[] = {"head", "columns of q", "columns of k", "columns of v"};
    for (size_t i = 0; i < 4; i++)
        build_cell(b, cut, HEADING[i]);
    for (size_t head = 0; head < h; head++) {
        size_t shared = plan_kv_head(p, head);
        build_cell(b, cut, build_text(b, "%zu", head + 1));
        build_cell(b, cut, columns_of(b, head, width));
        build_cell(b, cut, columns_of(b, shared, p->k.width));
        build_cell(b, cut, columns_of(b, shared, p->v.width));
    }
}

/* Of the queries' columns; those of keys and values are cut alike. */
static void say_cut(builder *b)
{
    const plan *p = b->plan;
    size_t width = p->q.width;
    if (p->heads == 1)
        build_sentence(b, "There is one head, which takes all columns of q.");
    else if (plan_keeps_heads_apart(p))
        build_sentence(b,
                       "%zu heads work side by side: q came with its heads apart, %zu column%s "
                       "each.",
                       p->heads, width, build_plural(width));
    else {
        build_sentence(b,
                       "%zu heads work side by side: of the %zu columns of q each takes %zu, head "
                       "1 the first%s, and so on.",
                       p->heads, p->heads * width, width,
                       width == 1 ? "" : build_text(b, " %zu", width));
        draw_cut(b);
    }
}

/* What the sharing is called, and what it costs or saves in a cache. */
static void say_sharing(builder *b)
{
    const plan *p = b->plan;
    const char *name = p->kv_heads == p->heads ? "MHA, multi-head attention"
                       : p->kv_heads == 1      ? "MQA, multi-query attention"
                                               : "GQA, grouped-query attention";
    size_t one = (p->k.width + p->v.width) * dtype_size(p->type);
    if (p->kv_heads == p->heads)
        build_sentence(b, "This is %s: a cache grows by %zu bytes a token.", name, p->heads * one);
    else
        build_sentence(b,
                       "This is %s: a cache grows by %zu bytes a token, where a key and a value "
                       "for each of the %zu heads would take %zu.",
                       name, p->kv_heads * one, p->heads, p->heads * one);
}

static void say_heads(builder *b)
{
    const plan *p = b->plan;
    if (!p->has_heads)
        return;
    if (p->q.weight.rank == 3 && p->heads == 1)
        build_sentence(b, "There is one head.");
    else if (p->q.weight.rank == 3)
        build_sentence(b, "Each of the %zu heads has %s of its own.", p->heads,
                       p->kv_heads == p->heads ? "matrices" : "a matrix Wq");
    else
        say_cut(b);
    if (p->kv_heads != p->heads) {
        if (p->kv_heads == 1)
            build_sentence(b, "There is only 1 key/value head: %s query heads share it.",
                           p->heads == 2 ? "both" : build_text(b, "all %zu", p->heads));
        else
            build_sentence(b, "There are only %zu key/value heads: %zu query heads share each.",
                           p->kv_heads, p->heads / p->kv_heads);
    }
    if (p->kv_heads != p->heads || p->past > 0)
        say_sharing(b);
}

/* Weights out of a bundle may be kept otherwise than the document's own. */
static void say_layout(builder *b)
{
    static const input WEIGHTS[] = {INPUT_WQ, INPUT_WK, INPUT_WV, INPUT_WO,
                                    INPUT_WS, INPUT_WA, INPUT_UA};
    const problem *asked = b->plan->asked;
    const char *names = "";
    size_t given = 0, turned = 0;
    for (size_t i = 0; i < sizeof WEIGHTS / sizeof WEIGHTS[0]; i++) {
        input which = WEIGHTS[i];
        bool is_turned = asked->in[which] != NULL && asked->is_out_in[which];
        given += asked->in[which] != NULL;
        turned += is_turned;
        if (is_turned)
            names = build_text(b, "%s%s%s", names, *names == '\0' ? "" : ", ", input_label(which));
    }
    bool is_mixed = turned > 0 && turned < given;
    if (is_mixed)
        build_sentence(b, "Of layout out-in, y = W·x, and shown transposed, as x·W uses them: %s.",
                       names);
    else if (turned > 0 || asked->layout_is_out_in)
        build_sentence(
            b,
            "The layout is out-in, y = W·x; the matrices are shown transposed, as x·W uses them.");
}

static bool has_matrix_a_head(const plan *p)
{
    static const input WEIGHTS[] = {INPUT_WQ, INPUT_WK, INPUT_WV, INPUT_WS, INPUT_WA, INPUT_UA};
    for (size_t i = 0; i < sizeof WEIGHTS / sizeof WEIGHTS[0]; i++) {
        const tensor *given = p->asked->in[WEIGHTS[i]];
        if (given != NULL && given->rank == 3)
            return true;
    }
    return false;
}

void make_parameters(builder *b)
{
    static const input SHOWN[] = {INPUT_WQ, INPUT_BQ, INPUT_WK, INPUT_BK, INPUT_WV,
                                  INPUT_BV, INPUT_WO, INPUT_BO, INPUT_WS, INPUT_WA,
                                  INPUT_UA, INPUT_VA, INPUT_BA, INPUT_BS};
    count_parameters(b);
    say_heads(b);
    say_layout(b);
    for (size_t i = 0; i < sizeof SHOWN / sizeof SHOWN[0]; i++)
        show_parameter(b, SHOWN[i]);
    if (has_matrix_a_head(b->plan))
        build_other_heads(b);
}
