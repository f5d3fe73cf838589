/* The step that says what a row of weights comes to. */
#include "trace/build.h"

static void show_logsumexp(builder *b)
{
    size_t i = b->focus.row;
    tensor row_max = build_stage(b, STAGE_ROW_MAX), row_sum = build_stage(b, STAGE_ROW_SUM),
           result = build_stage(b, STAGE_LOGSUMEXP);
    build_formula(b, "logsumexp[i] = row_max[i] + ln row_sum[i]");
    trace_item *line = build_line(b, OP_PLUS_LOG, build_text(b, "logsumexp[%zu]", i + 1), NULL);
    line->a = build_element(&row_max, i, 0);
    line->b = build_element(&row_sum, i, 0);
    line->result = build_element(&result, i, 0);
}

static void show_entropy(builder *b)
{
    size_t i = b->focus.row;
    tensor weights = build_stage(b, STAGE_WEIGHTS), result = build_stage(b, STAGE_ENTROPY);
    build_formula(b, "entropy[i] = −Σⱼ weights[i,j]·ln weights[i,j]");
    trace_item *line = build_line(b, OP_ENTROPY, build_text(b, "entropy[%zu]", i + 1), NULL);
    line->a = build_row(&weights, i);
    line->result = build_element(&result, i, 0);
}

/* A line for each of the strongest keys: its weight. */
static void show_top(builder *b)
{
    size_t i = b->focus.row;
    tensor top = build_stage(b, STAGE_TOP), weights = build_stage(b, STAGE_WEIGHTS);
    if (top.data == NULL) {
        build_sentence(b, "No strongest keys are asked for; --top N lists them.");
        return;
    }
    if (tensor_get(&top, (size_t[]){i, 0}) < 0) {
        build_sentence(b, "There is no strongest key: all weights are 0.");
        return;
    }
    build_sentence(b, "The strongest keys, in the order of their weights:");
    for (size_t t = 0; t < top.size[1]; t++) {
        double key_index = tensor_get(&top, (size_t[]){i, t});
        if (key_index < 0)
            break;
        size_t j = (size_t)key_index;
        trace_item *line = build_line(b, OP_COPY,
                                      build_text(b, "top[%zu,%zu] is %s: weights[%zu,%zu]", i + 1,
                                                 t + 1, build_key_name(b, j), i + 1, j + 1),
                                      NULL);
        line->a = line->result = build_element(&weights, i, j);
    }
}

void make_statistics(builder *b)
{
    tensor row_sum = build_stage(b, STAGE_ROW_SUM);
    if (tensor_get(&row_sum, (size_t[]){b->focus.row, 0}) == 0) {
        build_sentence(b, "There is nothing to sum up: %s%s may attend to nothing.",
                       build_query_name(b), build_head_name(b));
        return;
    }
    build_sentence(b,
                   "How %s%s spreads its attention: the entropy is 0 where one key takes all, and "
                   "greatest where all keys get the same.",
                   build_query_name(b), build_head_name(b));
    show_logsumexp(b);
    show_entropy(b);
    show_top(b);
}
