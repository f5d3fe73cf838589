/* The steps from the softmax on: softmax, round, weighted, sum, concat, unify. */
#include "attn/extra.h"
#include "trace/build.h"

#include <math.h>

static const char *at(builder *b, const char *name, size_t i, size_t j)
{
    return build_text(b, "%s[%zu,%zu]", name, i + 1, j + 1);
}

static const char *at_row(builder *b, const char *name, size_t i)
{
    return build_text(b, "%s[%zu]", name, i + 1);
}

/* The stage whose weights are used: rounded where rounding was asked for. */
static stage_id used_weights(const builder *b)
{
    return plan_has_stage(b->plan, STAGE_ROUNDED) ? STAGE_ROUNDED : STAGE_WEIGHTS;
}

/* ---- what infinities and NaN come to ---- */

/* NaN is found too. */
static bool row_has(const tensor *row, double value)
{
    for (size_t j = 0; j < row->size[0]; j++) {
        double number = tensor_get(row, &j);
        if (number == value || (isnan(number) && isnan(value)))
            return true;
    }
    return false;
}

static bool row_is_finite(const tensor *row)
{
    return !row_has(row, NAN) && !row_has(row, INFINITY) && !row_has(row, -INFINITY);
}

static void say_greatest(builder *b, const tensor *masked, const tensor *row_max)
{
    tensor row = build_row(masked, b->focus.row),
           greatest = build_element(row_max, b->focus.row, 0);
    if (row_has(&row, NAN) && !isnan(tensor_get(&greatest, NULL)))
        build_sentence(b, "What is nan is no number, and not the greatest.");
}

static void say_exponents(builder *b, const tensor *masked, const tensor *row_max)
{
    tensor row = build_row(masked, b->focus.row),
           greatest = build_element(row_max, b->focus.row, 0);
    if (row_has(&row, -INFINITY) && tensor_get(&greatest, NULL) == -INFINITY)
        build_sentence(b, "The exponential of -inf is 0, whatever is taken off.");
}

static void say_shares(builder *b, const tensor *exponent, const tensor *row_sum)
{
    tensor row = build_row(exponent, b->focus.row), sum = build_element(row_sum, b->focus.row, 0);
    if (row_has(&row, 0) && isnan(tensor_get(&sum, NULL)))
        build_sentence(b, "An exponential of 0 weighs 0, also where the sum is nan.");
}

static void say_nothing_taken(builder *b, const tensor *weights, const tensor *v)
{
    for (size_t j = 0; j < v->size[0]; j++) {
        tensor weight = build_element(weights, b->focus.row, j), value = build_row(v, j);
        if (tensor_get(&weight, NULL) == 0 && !row_is_finite(&value)) {
            build_sentence(b, "A weight of 0 takes nothing of its value, also where that is inf or "
                              "nan.");
            return;
        }
    }
}

/* ---- the steps ---- */

static void show_exponents(builder *b, const tensor *masked, const tensor *row_max)
{
    size_t i = b->focus.row, lines = build_lines(b);
    tensor exponent = build_stage(b, STAGE_EXP);
    build_formula(b, "exp[i,j] = exp(%s[i,j] − row_max[i])",
                  stage_row(build_masked(b))->key.named.name);
    for (size_t j = 0; j < lines; j++) {
        trace_item *line = build_line(b, OP_EXP, at(b, "exp", i, j), NULL);
        line->a = build_element(masked, i, j);
        line->b = build_element(row_max, i, 0);
        line->result = build_element(&exponent, i, j);
    }
    build_rest(b);
    say_exponents(b, masked, row_max);
}

static void show_shares(builder *b, const tensor *row_sum)
{
    size_t i = b->focus.row, lines = build_lines(b);
    tensor exponent = build_stage(b, STAGE_EXP), weights = build_stage(b, STAGE_WEIGHTS);
    build_formula(b, "weights[i,j] = exp[i,j] / row_sum[i]");
    for (size_t j = 0; j < lines; j++) {
        trace_item *line = build_line(b, OP_DIVIDE, at(b, "weights", i, j), NULL);
        line->a = build_element(&exponent, i, j);
        line->b = build_element(row_sum, i, 0);
        line->result = build_element(&weights, i, j);
    }
    build_rest(b);
    say_shares(b, &exponent, row_sum);
}

/* Of one row, its greatest number or the sum of its numbers, with one more that is no key's. */
static void show_whole_row(builder *b, operation op, const char *formula, stage_id of,
                           stage_id made, const tensor *one_more)
{
    size_t i = b->focus.row;
    tensor row = build_stage(b, of), result = build_stage(b, made);
    build_formula(b, "%s", formula);
    trace_item *line = build_line(b, op, at_row(b, stage_row(made)->key.named.name, i), NULL);
    line->a = build_row(&row, i);
    line->c = *one_more;
    line->result = build_element(&result, i, 0);
}

/* The sink's own line; no data where there is none. */
static tensor show_sink(builder *b)
{
    if (b->plan->sinks.data == NULL)
        return (tensor){0};
    tensor sink = tensor_at(&b->plan->sinks, b->focus.head);
    build_sentence(b,
                   "A sink takes part: a logit of the head's own that takes its share of the "
                   "weight and has no value, so that the weights of a row leave some to nobody.");
    trace_item *line = build_line(b, OP_COPY, "sink", NULL);
    line->a = sink;
    line->result = sink;
    return sink;
}

/* What the sink adds to the row's sum. */
static tensor show_sink_term(builder *b, const tensor *sink, const tensor *row_max)
{
    if (sink->data == NULL)
        return (tensor){0};
    tensor greatest = build_element(row_max, b->focus.row, 0);
    trace_item *line = build_line(b, OP_EXP, "exp of the sink", NULL);
    tensor term = build_number(
        b, "exp of the sink", extra_sink_term(b->plan, b->focus.head, tensor_get(&greatest, NULL)));
    line->a = *sink;
    line->b = greatest;
    line->result = term;
    return term;
}

/* What of the row's weight nobody gets. */
static void show_sink_share(builder *b, const tensor *term, const tensor *row_sum)
{
    if (term->data == NULL)
        return;
    tensor sum = build_element(row_sum, b->focus.row, 0);
    trace_item *line =
        build_line(b, OP_DIVIDE, "share of the sink",
                   build_text(b, "exp of the sink / row_sum[%zu]", b->focus.row + 1));
    line->a = *term;
    line->b = sum;
    line->result =
        build_number(b, "share of the sink", tensor_get(term, NULL) / tensor_get(&sum, NULL));
}

static void show_softmax_row(builder *b)
{
    stage_id from = build_masked(b);
    tensor masked = build_stage(b, from), sink = show_sink(b);
    tensor row_max = build_stage(b, STAGE_ROW_MAX), row_sum = build_stage(b, STAGE_ROW_SUM);
    const char *name = stage_row(from)->key.named.name;
    bool has_sink = sink.data != NULL;
    show_whole_row(
        b, OP_MAX,
        build_text(b,
                   has_sink ? "row_max[i] = max(maxⱼ %s[i,j], sink)" : "row_max[i] = maxⱼ %s[i,j]",
                   name),
        from, STAGE_ROW_MAX, &sink);
    say_greatest(b, &masked, &row_max);
    show_exponents(b, &masked, &row_max);
    tensor term = show_sink_term(b, &sink, &row_max);
    show_whole_row(b, OP_SUM,
                   has_sink ? "row_sum[i] = Σⱼ exp[i,j] + exp(sink − row_max[i])"
                            : "row_sum[i] = Σⱼ exp[i,j]",
                   STAGE_EXP, STAGE_ROW_SUM, &term);
    show_shares(b, &row_sum);
    show_sink_share(b, &term, &row_sum);
}

static bool may_attend(const builder *b)
{
    tensor row_sum = build_stage(b, STAGE_ROW_SUM);
    return tensor_get(&row_sum, (size_t[]){b->focus.row, 0}) != 0;
}

static void show_softmax(builder *b)
{
    build_sentence(b,
                   "The softmax turns the scores of %s%s into weights between 0 and 1 that sum to "
                   "%s. The row's greatest score is taken off first: that changes no weight and "
                   "keeps the exponentials small.",
                   build_query_name(b), build_head_name(b),
                   b->plan->sinks.data == NULL ? "1" : "less than 1");
    show_softmax_row(b);
    build_same_for_all(b);
}

void make_softmax(builder *b)
{
    if (may_attend(b))
        show_softmax(b);
    else
        build_sentence(b,
                       "The softmax turns scores into weights, but %s%s may attend to nothing: its "
                       "weights are 0, and so is its result. The weights of all queries:",
                       build_query_name(b), build_head_name(b));
    build_matrices(b, STAGE_WEIGHTS, build_query_labels(b, "q"), build_column_labels(b));
}

void make_round(builder *b)
{
    const problem *asked = b->plan->asked;
    size_t i = b->focus.row, lines = build_lines(b);
    tensor weights = build_stage(b, STAGE_WEIGHTS), rounded = build_stage(b, STAGE_ROUNDED);
    build_sentence(b,
                   "By hand one computes with fewer digits: the weights are rounded to %d "
                   "decimal%s%s, and what follows "
                   "uses the rounded ones.",
                   asked->round_decimals, asked->round_decimals == 1 ? "" : "s",
                   asked->round_keeps_sum
                       ? " so that each row still sums to 1 (the largest remainders are rounded up)"
                       : "");
    for (size_t j = 0; j < lines; j++) {
        trace_item *line = build_line(b, OP_ROUND, at(b, "rounded", i, j), NULL);
        line->decimals = asked->round_decimals;
        line->a = build_element(&weights, i, j);
        line->result = build_element(&rounded, i, j);
    }
    build_rest(b);
    build_matrices(b, STAGE_ROUNDED, build_query_labels(b, "q"), build_column_labels(b));
}

void make_weighted(builder *b)
{
    const char *name = stage_row(used_weights(b))->key.named.name;
    const char *v_name = stage_row(build_values(b))->key.named.name;
    size_t i = b->focus.row, n = b->plan->n_k, lines = build_lines(b);
    tensor weighted = build_weighted(b);
    tensor weights = build_stage(b, used_weights(b)), v = build_stage(b, build_values(b));
    build_sentence(b,
                   "Each value is multiplied by the weight that %s%s gives to its key. This gives "
                   "%zu weighted value%s, also called %salignment vector%s.",
                   build_query_name(b), build_head_name(b), n, build_plural(n), n == 1 ? "an " : "",
                   build_plural(n));
    build_sharing(b);
    build_formula(b, "weighted[i,j] = %s[i,j]·%s[j]", name, v_name);
    for (size_t j = 0; j < lines; j++) {
        trace_item *line =
            build_line(b, OP_TIMES, at(b, "weighted", i, j),
                       build_text(b, "%s[%zu,%zu]·%s[%zu]", name, i + 1, j + 1, v_name, j + 1));
        line->a = build_element(&weights, i, j);
        line->b = build_row(&v, j);
        line->result = build_row(&weighted, j);
    }
    build_rest(b);
    say_nothing_taken(b, &weights, &v);
}

static void show_stack(builder *b, const tensor *weighted, const tensor *attended)
{
    trace_item *stack = build_item(b, TRACE_STACK);
    stack->a = tensor_view_of(weighted);
    stack->rows = build_value_labels(b, build_text(b, "weighted[%zu", b->focus.row + 1));
    stack->text = at_row(b, "attended", b->focus.row);
    stack->result = build_row(attended, b->focus.row);
}

void make_sum(builder *b)
{
    const plan *p = b->plan;
    const char *name = stage_row(used_weights(b))->key.named.name;
    const char *v_name = stage_row(build_values(b))->key.named.name;
    size_t i = b->focus.row;
    tensor weighted = build_weighted(b);
    tensor weights = build_stage(b, used_weights(b)), v = build_stage(b, build_values(b));
    tensor attended = build_stage(b, STAGE_ATTENDED);
    build_sentence(b,
                   "The weighted values are added up, component by component: what %s takes away "
                   "from looking at all keys%s.",
                   build_query_name(b), build_head_name(b));
    build_formula(b, "attended[i] = Σⱼ %s[i,j]·%s[j]", name, v_name);
    show_stack(b, &weighted, &attended);
    trace_item *line = build_line(b, OP_DOT, at(b, "attended", i, 0),
                                  build_text(b, "%s[%zu]·%s[·,1]", name, i + 1, v_name));
    line->a = build_row(&weights, i);
    line->b = build_column(&v, 0);
    line->result = build_element(&attended, i, 0);
    say_nothing_taken(b, &weights, &v);
    build_same_for_all(b);
    build_matrices(b, STAGE_ATTENDED, build_query_labels(b, NULL), build_numbers());
    if (!p->has_heads && p->wo.data == NULL && p->bo.data == NULL)
        build_sentence(b, "There is no Wo, so %s the output.",
                       p->n_q == 1 ? "this row is" : "these rows are");
}

/* context[i] = [attended[head 1, i], …, attended[head 4, i]] */
static void show_side_by_side(builder *b, const char *made, const char *of)
{
    size_t heads = b->plan->heads;
    build_formula(b, "%s[i] = [%s[head 1, i], %s%s[head %zu, i]]", made, of, heads > 2 ? "…, " : "",
                  of, heads);
}

void make_concat(builder *b)
{
    tensor context = build_stage_of_batch(b, STAGE_CONTEXT);
    bool is_apart = context.rank == 3;
    size_t heads = b->plan->heads, width = b->plan->v.width;
    if (is_apart)
        build_sentence(b, "The queries came with their heads apart, and so the context keeps each "
                          "head's result as it is.");
    else if (heads == 1)
        build_sentence(b, "There is one head, so its result is the context as it is.");
    else {
        build_sentence(b, "The %zu heads' results are put side by side: %zu column%s from each.",
                       heads, width, build_plural(width));
        show_side_by_side(b, "context", "attended");
    }
    if (!is_apart)
        build_matrix(b, "context", &context, build_query_labels(b, NULL), build_numbers(),
                     b->focus.row + 1);
    if (b->plan->wo.data == NULL && b->plan->bo.data == NULL)
        build_sentence(b, "There is no Wo, so the context is the output.");
}

/* Where there are no heads, no step before has made a context. */
static void show_output_formula(builder *b, const char *rows)
{
    const plan *p = b->plan;
    if (!p->has_heads)
        build_formula(b, "context[i] = attended[i]");
    build_formula(b, "output[i] = %s[i]%s%s", rows, p->wo.data == NULL ? "" : "·Wo",
                  p->bo.data == NULL ? "" : " + bo");
}

static void show_output_row(builder *b, const tensor *rows, const char *name, const tensor *output)
{
    const plan *p = b->plan;
    size_t i = b->focus.row;
    trace_item *line = build_line(
        b, OP_DOT, at(b, "output", i, 0),
        build_text(b, "%s[%zu]·Wo[·,1]%s", name, i + 1, p->bo.data == NULL ? "" : " + bo[1]"));
    line->a = build_row(rows, i);
    line->b = build_column(&p->wo, 0);
    if (p->bo.data != NULL)
        line->c = tensor_at(&p->bo, 0);
    line->result = build_element(output, i, 0);
    if (p->bo.data != NULL)
        return;
    trace_item *whole = build_item(b, TRACE_ROW_PRODUCT);
    whole->left = at_row(b, name, i);
    whole->letters = "Wo";
    whole->text = at_row(b, "output", i);
    whole->a = build_row(rows, i);
    whole->b = p->wo;
    whole->result = build_row(output, i);
}

/* output[1,1] = context[1,1] + bo[1], without Wo; of heads that came apart, the focus's. */
static void show_shifted_output(builder *b, bool is_apart)
{
    size_t i = b->focus.row, first = is_apart ? b->focus.head * b->plan->v.width : 0;
    tensor context =
        is_apart ? build_stage(b, STAGE_CONTEXT) : build_stage_of_batch(b, STAGE_CONTEXT);
    tensor output = is_apart ? build_stage(b, STAGE_OUTPUT) : build_stage_of_batch(b, STAGE_OUTPUT);
    if (is_apart)
        build_begin_head(b, b->focus.head);
    trace_item *line =
        build_line(b, OP_PLUS,
                   build_text(b, "%s%s", at(b, "output", i, 0), is_apart ? build_head_name(b) : ""),
                   build_text(b, "%s + bo[%zu]", at(b, "context", i, 0), first + 1));
    line->a = build_element(&context, i, 0);
    line->b = tensor_at(&b->plan->bo, first);
    line->result = build_element(&output, i, 0);
    build_end_head(b);
}

/* Every row of the context plus bo, of which each of the heads that came apart takes its part. */
static void shift_output(builder *b, bool is_apart)
{
    const plan *p = b->plan;
    size_t width = p->v.width;
    const char *parts = !is_apart || p->heads == 1 ? ""
                        : width == 1
                            ? ": 1 of its numbers in each head, in head 1 the first"
                            : build_text(b,
                                         ": %zu of its numbers in each head, in head 1 the first "
                                         "%zu",
                                         width, width);
    build_sentence(b, "The bias bo is added to every row of the context%s.", parts);
    show_output_formula(b, "context");
    show_shifted_output(b, is_apart);
}

static void multiply_output(builder *b, const tensor *output)
{
    const plan *p = b->plan;
    const char *name;
    tensor rows = build_joined(b, &name);
    build_sentence(b, "Wo %s each row to the width of the output, %zu.",
                   p->heads > 1 ? "mixes what the heads found and brings" : "brings", p->width_out);
    if (b->joined.data != NULL) {
        build_sentence(b, "For that a query's results of all heads are put side by side.");
        show_side_by_side(b, name, "context");
    }
    show_output_formula(b, name);
    show_output_row(b, &rows, name, output);
}

void make_unify(builder *b)
{
    tensor output = build_stage_of_batch(b, STAGE_OUTPUT);
    if (b->plan->wo.data == NULL)
        shift_output(b, plan_keeps_heads_apart(b->plan));
    else
        multiply_output(b, &output);
    if (output.rank == 2)
        build_matrix(b, "output", &output, build_query_labels(b, NULL), build_numbers(),
                     b->focus.row + 1);
    else
        build_matrices(b, STAGE_OUTPUT, build_query_labels(b, NULL), build_numbers());
}
