/* The step that brings queries and keys to one length. */
#include "trace/build.h"

#include <math.h>

static tensor keep_number(builder *b, stage_id id, const char *what, double value)
{
    return build_number(b, build_text(b, "%s of %s", what, stage_row(id)->key.named.name), value);
}

/* From the row's squares to the factor that it is multiplied by, which is given back; no data where
 * a row of zeros has none. */
static tensor show_factor(builder *b, stage_id id, const tensor *row, const char *row_name)
{
    double sum = 0, width = (double)row->size[0], eps = b->plan->asked->qk_eps;
    for (size_t i = 0; i < row->size[0]; i++)
        sum += tensor_get(row, &i) * tensor_get(row, &i);
    if (sum / width + eps == 0) {
        build_sentence(b,
                       "The squares of %s come to nothing: without a root to divide by, the "
                       "result is zeros.",
                       row_name);
        return (tensor){0};
    }
    tensor squares = keep_number(b, id, "squares", sum);
    tensor mean = keep_number(b, id, "mean", sum / width);
    trace_item *line = build_line(b, OP_DOT, "squares", build_text(b, "%s·%s", row_name, row_name));
    line->a = line->b = *row;
    line->result = squares;
    line = build_line(b, OP_DIVIDE, "mean", NULL);
    line->a = squares;
    line->b = keep_number(b, id, "width", width);
    line->result = mean;
    line = build_line(b, OP_ROOT_OF_SUM, "factor", "1/√(mean + qk_eps)");
    line->a = mean;
    line->b = keep_number(b, id, "qk_eps", eps);
    line->inner = keep_number(b, id, "square", sum / width + eps);
    line->result = keep_number(b, id, "factor", 1 / sqrt(sum / width + eps));
    return line->result;
}

/* q_norm[1] = factor·q[1]; with a gain, that of its first number. */
static void show_result(builder *b, stage_id id, const tensor *factor, const tensor *row,
                        const tensor *gain, size_t at)
{
    const char *name = stage_row(id)->key.named.name, of = *name;
    tensor all = build_stage(b, id), made = build_row(&all, at);
    size_t first = 0;
    trace_item *line;
    if (gain->data == NULL) {
        line = build_line(b, OP_TIMES, build_text(b, "%s[%zu]", name, at + 1),
                          build_text(b, "factor·%c[%zu]", of, at + 1));
        line->a = *factor;
        line->b = *row;
        line->result = made;
        return;
    }
    double unit = tensor_get(factor, NULL) * tensor_get(row, &first);
    line = build_line(b, OP_TIMES, "unit", build_text(b, "factor·%c[%zu,1]", of, at + 1));
    line->a = *factor;
    line->b = tensor_at(row, 0);
    line->result = keep_number(b, id, "unit", unit);
    tensor kept = line->result;
    line = build_line(b, OP_TIMES, build_text(b, "%s[%zu,1]", name, at + 1),
                      build_text(b, "unit·%c_gain[1]", of));
    line->a = kept;
    line->b = tensor_at(gain, 0);
    line->result = tensor_at(&made, 0);
}

/* One that all heads share is the same in each, and shown of the head in focus alone. */
static void show_gain(builder *b, char of, const tensor *gains, size_t head)
{
    const char *name = build_text(b, "%c_gain", of);
    if (gains->stride[0] != 0) {
        build_in_heads(b, name, gains, head, build_numbers(), build_numbers(), 0);
        return;
    }
    tensor gain = tensor_at(gains, head);
    const char *of_head = b->plan->has_heads ? build_text(b, " in head %zu", head + 1) : "";
    build_matrix(b, build_text(b, "%s%s", name, of_head), &gain, build_numbers(), build_numbers(),
                 0);
}

static void show_normalized(builder *b, stage_id from, stage_id id, const tensor *gains, size_t at,
                            trace_labels labels)
{
    const char *name = stage_row(id)->key.named.name, of = *name;
    size_t head = build_shown_head(b, id);
    tensor rows = build_stage(b, from), row = build_row(&rows, at);
    tensor gain = gains->data == NULL ? (tensor){0} : tensor_at(gains, head);
    build_begin_head(b, head);
    build_formula(b, "%s[i] = %c[i] / √(mean of %c[i]² + qk_eps)%s", name, of, of,
                  gain.data == NULL ? "" : build_text(b, "·%c_gain", of));
    if (gain.data != NULL)
        show_gain(b, of, gains, head);
    tensor factor = show_factor(b, id, &row, build_text(b, "%c[%zu]", of, at + 1));
    if (factor.data != NULL)
        show_result(b, id, &factor, &row, &gain, at);
    tensor made = build_stage_of_heads(b, id);
    build_in_heads(b, name, &made, head, labels, build_numbers(), at + 1);
    build_end_head(b);
}

void make_normalize(builder *b)
{
    const plan *p = b->plan;
    build_sentence(b, "Each head's query and key is divided by its root mean square, so that a "
                      "score depends on their directions and not on how long they are.");
    show_normalized(b, STAGE_Q, STAGE_Q_NORM, &p->q_gain, b->focus.row, build_query_labels(b, "q"));
    show_normalized(b, STAGE_K, STAGE_K_NORM, &p->k_gain, build_key_row(b),
                    build_new_key_labels(b, "k"));
    build_other_heads(b);
}
