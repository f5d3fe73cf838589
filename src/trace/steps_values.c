/* The steps from the softmax on: softmax, statistics, round, weighted, sum, concat, join. */
#include "trace/build.h"

#include "trace/derivation.h"
#include "trace/nodes.h"

#include <math.h>

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

static void say_nothing_taken(builder *b, const tensor *weights, const tensor *v)
{
    for (size_t j = 0; j < v->size[0]; j++) {
        tensor weight = build_element(weights, b->focus.row, j), value = tensor_at(v, j);
        size_t index[TENSOR_MAX_RANK];
        if (tensor_get(&weight, NULL) == 0 && !tensor_is_finite(&value, index)) {
            build_sentence(b, "A weight of 0 takes nothing of its value, also where that is inf or "
                              "nan.")
                ->is_of_focus = true;
            return;
        }
    }
}

/* ---- the steps ---- */

/* Its arithmetic in numbers says enough. */
static trace_item *show_numbers(builder *b, const char *name, size_t row, size_t column)
{
    trace_item *line = derivation_line(b, name, row, column);
    line->letters = NULL;
    return line;
}

/* Those of the query in focus, a key a line. */
static void show_numbers_of_row(builder *b, const char *name)
{
    for (size_t j = 0; j < build_lines(b); j++)
        show_numbers(b, name, b->focus.row, j);
    build_rest(b);
}

static void show_softmax_row(builder *b)
{
    size_t i = b->focus.row;
    bool has_sink = b->plan->sinks.data != NULL;
    tensor masked = build_stage(b, build_masked(b)), scores = tensor_at(&masked, i);
    tensor exponents = build_stage(b, STAGE_EXP), exponent = tensor_at(&exponents, i);
    tensor row_max = build_stage(b, STAGE_ROW_MAX), most = build_element(&row_max, i, 0);
    tensor row_sum = build_stage(b, STAGE_ROW_SUM), sum = build_element(&row_sum, i, 0), term = {0};
    double greatest = tensor_get(&most, NULL);
    if (has_sink) {
        build_sentence(
            b, "A sink takes part: a logit of the head's own that takes its share of the "
               "weight and has no value, so that the weights of a row leave some to nobody.");
        trace_item *line = build_line(b, OP_COPY, "sink", NULL);
        line->a = line->result = tensor_at(&b->plan->sinks, b->focus.head);
    }
    derivation_formula(b, "row_max", "");
    show_numbers(b, "row_max", i, 0);
    if (row_has(&scores, NAN))
        build_sentence(b, "What is nan is not a number, and not the greatest.");
    derivation_formula(b, "exp", "");
    show_numbers_of_row(b, "exp");
    if (row_has(&scores, -INFINITY) && greatest == -INFINITY)
        build_sentence(b, "The exponential of -inf is 0, whatever is taken off.");
    if (has_sink) {
        trace_item *line = show_numbers(b, "sink_exp", i, 0);
        line->left = "exp of the sink";
        term = line->result;
        build_formula(b, "row_sum[i] = Σⱼ exp[i,j] + exp(sink − row_max[i])");
    } else {
        derivation_formula(b, "row_sum", "");
    }
    show_numbers(b, "row_sum", i, 0);
    derivation_formula(b, "weights", "");
    show_numbers_of_row(b, "weights");
    if (row_has(&exponent, 0) && isnan(tensor_get(&sum, NULL)))
        build_sentence(b, "An exponential of 0 weighs 0, also where the sum is nan.");
    if (term.data == NULL)
        return;
    /* What of the row's weight nobody gets. */
    trace_item *line = build_line(b, OP_DIVIDE, "share of the sink",
                                  build_text(b, "exp of the sink / row_sum[%zu]", i + 1));
    line->a = term;
    line->b = sum;
    line->result =
        build_number(b, "share of the sink", tensor_get(&term, NULL) / tensor_get(&sum, NULL));
}

void make_softmax(builder *b)
{
    tensor row_sum = build_stage(b, STAGE_ROW_SUM);
    bool sees = tensor_get(&row_sum, (size_t[]){b->focus.row, 0}) != 0;
    build_while(b, TRACE_WHILE_SEEN, sees);
    build_sentence(b,
                   "The softmax turns the scores of %s%s into shares of its attention: weights "
                   "between 0 and 1 that sum to %s. The row's greatest score is taken off first: "
                   "that changes no weight and "
                   "keeps the exponentials small.",
                   build_query_name(b), build_head_name(b),
                   b->plan->sinks.data == NULL ? "1" : "less than 1");
    show_softmax_row(b);
    build_same_for_all(b);
    build_while(b, TRACE_WHILE_UNSEEN, !sees);
    build_sentence(b,
                   "The softmax turns scores into weights, but %s%s may attend to nothing: its "
                   "weights are 0, and so is its result. The weights of all queries:",
                   build_query_name(b), build_head_name(b));
    build_always(b);
    build_matrices(b, STAGE_WEIGHTS);
}

void make_round(builder *b)
{
    const problem *asked = b->plan->asked;
    build_sentence(b,
                   "By hand one computes with fewer digits: the weights are rounded to %d "
                   "decimal%s%s, and what follows "
                   "uses the rounded ones.",
                   asked->round_decimals, asked->round_decimals == 1 ? "" : "s",
                   asked->round_keeps_sum
                       ? " so that each row still sums to 1 (the largest remainders are rounded up)"
                       : "");
    show_numbers_of_row(b, "rounded");
    build_matrices(b, STAGE_ROUNDED);
}

/* Of the query in focus, a key a line. */
static void show_weighted(builder *b)
{
    const char *name = map_name_of(build_used_weights(b));
    const char *v_name = map_name_of(build_values(b));
    size_t i = b->focus.row, lines = build_lines(b);
    tensor weights = build_stage(b, build_used_weights(b)), v = build_stage(b, build_values(b)),
           weighted = build_weighted(b, i);
    for (size_t j = 0; j < lines; j++) {
        trace_item *line =
            build_line(b, OP_TIMES, build_text(b, "weighted[%zu,%zu]", i + 1, j + 1),
                       build_text(b, "%s[%zu,%zu]·%s[%zu]", name, i + 1, j + 1, v_name, j + 1));
        line->a = build_element(&weights, i, j);
        line->b = tensor_at(&v, j);
        line->result = tensor_at(&weighted, j);
    }
}

void make_weighted(builder *b)
{
    const char *name = map_name_of(build_used_weights(b));
    const char *v_name = map_name_of(build_values(b));
    size_t n = b->plan->n_k;
    tensor weights = build_stage(b, build_used_weights(b)), v = build_stage(b, build_values(b));
    build_sentence(b,
                   "A key that matters more should pass on more: each value is multiplied by the "
                   "weight that %s%s gives to its key. This gives %zu weighted value%s, also "
                   "called %salignment vector%s.",
                   build_query_name(b), build_head_name(b), n, build_plural(n), n == 1 ? "an " : "",
                   build_plural(n));
    build_sharing(b);
    build_formula(b, "weighted[i,j] = %s[i,j]·%s[j]", name, v_name);
    show_weighted(b);
    build_rest(b);
    say_nothing_taken(b, &weights, &v);
    build_repeat(b, show_weighted);
}

/* What the weighted values of the query in focus come to. */
static void show_sum(builder *b)
{
    tensor weighted = build_weighted(b, b->focus.row), attended = build_stage(b, STAGE_ATTENDED);
    trace_item *rows = build_item(b, TRACE_STACK);
    rows->a = weighted;
    rows->rows = build_value_labels(b, build_text(b, "weighted[%zu", b->focus.row + 1));
    rows->text = build_text(b, "attended[%zu]", b->focus.row + 1);
    rows->result = tensor_at(&attended, b->focus.row);
}

void make_sum(builder *b)
{
    const plan *p = b->plan;
    const char *name = map_name_of(build_used_weights(b));
    const char *v_name = map_name_of(build_values(b));
    tensor weights = build_stage(b, build_used_weights(b)), v = build_stage(b, build_values(b));
    build_sentence(b,
                   "The weighted values are added up, column by column: the sum is what attention "
                   "makes of %s%s.",
                   build_query_name(b), build_head_name(b));
    build_formula(b, "attended[i] = Σⱼ %s[i,j]·%s[j]", name, v_name);
    show_sum(b);
    derivation_line(b, "attended", b->focus.row, 0);
    say_nothing_taken(b, &weights, &v);
    build_repeat(b, show_sum);
    derivation_whole_product(b, "attended");
    build_same_for_all(b);
    build_matrices(b, STAGE_ATTENDED);
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
        build_sentence(b,
                       "Each head has looked for something else, and all of it is kept: the %zu "
                       "heads' results are put side by side, %zu column%s from each.",
                       heads, width, build_plural(width));
        show_side_by_side(b, "context", "attended");
    }
    if (!is_apart)
        derivation_matrix(b, "context", b->focus.row + 1);
    if (b->plan->wo.data == NULL && b->plan->bo.data == NULL)
        build_sentence(b, "There is no Wo, so the context is the output.");
}

/* Where there are no heads, no step before has made a context. */
static void show_output_formula(builder *b)
{
    if (!b->plan->has_heads)
        build_formula(b, "context[i] = attended[i]");
    derivation_row_formula(b, "output", 'i');
}

void make_join(builder *b)
{
    const plan *p = b->plan;
    tensor output = build_stage_of_batch(b, STAGE_OUTPUT);
    size_t width = p->v.width;
    if (p->wo.data == NULL) {
        /* Of heads that came apart each takes its part of bo. */
        bool is_apart = plan_keeps_heads_apart(p);
        const char *parts = !is_apart || p->heads == 1 ? ""
                            : width == 1
                                ? ": 1 of its numbers in each head, in head 1 the first"
                                : build_text(b,
                                             ": %zu of its numbers in each head, in head 1 the "
                                             "first %zu",
                                             width, width);
        build_sentence(b, "The bias bo is added to every row of the context%s.", parts);
        show_output_formula(b);
        if (is_apart)
            build_begin_head(b, b->focus.head);
        derivation_line_of_head(b, "output", b->focus.row, 0, is_apart ? build_head_name(b) : "");
        b->head = 0;
    } else {
        build_sentence(b, "Wo %s each row to the width of the output, %zu.",
                       p->heads > 1 ? "mixes what the heads found and brings" : "brings",
                       p->width_out);
        if (b->joined.data != NULL) {
            build_sentence(b, "For that a query's results of all heads are put side by side.");
            show_side_by_side(b, "joined", "context");
        }
        show_output_formula(b);
        derivation_line(b, "output", b->focus.row, 0);
        derivation_product(b, "output", b->focus.row);
    }
    if (output.rank == 2)
        derivation_matrix(b, "output", b->focus.row + 1);
    else
        build_matrices(b, STAGE_OUTPUT);
}

/* ---- what the weights come to ---- */

/* Nothing goes on from it, so that its node is there only where it is told. */
static void show_statistic(builder *b, stage_id id, operation op, map_operand first,
                           map_operand second)
{
    trace_map *made = map_add_stage(b, id, STEP_STATISTICS, build_query_labels(b, "q"));
    map_say(b, made, op, (map_operand[TRACE_OPERANDS]){first, second});
    derivation_formula(b, map_name_of(id), "");
    show_numbers(b, map_name_of(id), b->focus.row, 0);
}

void make_statistics(builder *b)
{
    size_t i = b->focus.row;
    tensor row_sum = build_stage(b, STAGE_ROW_SUM);
    bool sees = tensor_get(&row_sum, (size_t[]){i, 0}) != 0;
    build_while(b, TRACE_WHILE_UNSEEN, !sees);
    build_sentence(b, "There is nothing to sum up: %s%s may attend to nothing.",
                   build_query_name(b), build_head_name(b));
    build_while(b, TRACE_WHILE_SEEN, sees);
    build_sentence(b,
                   "How %s%s spreads its attention: the entropy is 0 where one key takes all, and "
                   "greatest where all keys get the same.",
                   build_query_name(b), build_head_name(b));
    show_statistic(b, STAGE_LOGSUMEXP, OP_PLUS_LOG, (map_operand){PART_OF_ROW, "row_max"},
                   (map_operand){PART_OF_ROW, "row_sum"});
    show_statistic(b, STAGE_ENTROPY, OP_ENTROPY, (map_operand){PART_ROW_I, "weights"},
                   (map_operand){0});
    /* A line for each of the strongest keys: its weight. */
    tensor top = build_stage(b, STAGE_TOP), weights = build_stage(b, STAGE_WEIGHTS);
    if (top.data == NULL) {
        build_sentence(b, "No strongest keys are asked for; --top N lists them.");
        build_always(b);
        return;
    }
    bool is_strong = tensor_get(&top, (size_t[]){i, 0}) >= 0;
    build_while(b, TRACE_WHILE_WEAK, sees && !is_strong);
    build_sentence(b, "There is no strongest key: all weights are 0.");
    build_while(b, TRACE_WHILE_STRONG, is_strong);
    build_sentence(b, "The strongest keys, in the order of their weights:");
    for (size_t t = 0; t < top.size[1]; t++) {
        double key_index = tensor_get(&top, (size_t[]){i, t});
        size_t j = key_index < 0 ? 0 : (size_t)key_index;
        build_while(b, TRACE_WHILE_TOP, key_index >= 0);
        trace_item *line = build_line(b, OP_COPY,
                                      build_text(b, "top[%zu,%zu] is %s: weights[%zu,%zu]", i + 1,
                                                 t + 1, build_key_name(b, j), i + 1, j + 1),
                                      NULL);
        line->a = line->result = build_element(&weights, i, j);
    }
    build_always(b);
}
