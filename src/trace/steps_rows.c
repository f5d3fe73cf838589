/* The steps between projections and scores: queries and keys brought to one length, turned by their
 * positions, and put after those of a cache. */
#include "attn/angle.h"
#include "attn/rope.h"
#include "trace/build.h"

#include <math.h>

/* ---- normalize ---- */

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

/* ---- rope ---- */

/* Pairs that are spelled out: the first turns as the position says, the second slower. */
enum { PAIRS = 2 };

static const char *element_name(builder *b, stage_id id, size_t row, size_t column)
{
    return build_text(b, "%s[%zu,%zu]", stage_row(id)->key.named.name, row + 1, column + 1);
}

/* A number of the row, and the other one of its pair. */
static tensor pair_of(const tensor *row, size_t own, size_t other)
{
    tensor pair = tensor_range(row, 0, own, 1);
    pair.size[0] = 2;
    pair.stride[0] = row->stride[0] * ((ptrdiff_t)other - (ptrdiff_t)own);
    return pair;
}

/* y = x·cos(angle) ± other·sin(angle), with this run's numbers. */
static void show_turned(builder *b, stage_id from, stage_id id, size_t row, rope_pair at, turn by,
                        bool is_first)
{
    size_t own = is_first ? at.first : at.second, other = is_first ? at.second : at.first;
    tensor x = build_stage(b, from), y = build_stage(b, id);
    const char *left = element_name(b, id, row, own);
    trace_item *line =
        build_line(b, is_first ? OP_DIFFERENCE : OP_DOT, left,
                   build_text(b, "%s·cos(angle) %s %s·sin(angle)", element_name(b, from, row, own),
                              is_first ? "−" : "+", element_name(b, from, row, other)));
    tensor before = build_row(&x, row);
    double factors[] = {by.cosine, by.sine};
    line->a = pair_of(&before, own, other);
    line->b = build_numbers_of(b, build_text(b, "factors of %s", left), 2, factors);
    line->result = build_element(&y, row, own);
}

static void show_pair(builder *b, stage_id from, stage_id id, size_t row, double position,
                      size_t pair)
{
    const plan *p = b->plan;
    rope_pair at = rope_pair_of(p, pair);
    double frequency = angle_frequency(p->asked->rope.base, pair, p->rope_width);
    const char *of = element_name(b, id, row, at.first);
    build_formula(b, "p = %zu: numbers %zu and %zu", pair, at.first + 1, at.second + 1);
    trace_item *line = build_line(
        b, OP_TIMES, "angle", build_text(b, "position·base^(−%zu/%zu)", 2 * pair, p->rope_width));
    line->a = build_number(b, build_text(b, "position of %s", of), position);
    line->b = build_number(b, build_text(b, "frequency of %s", of), frequency);
    line->result = build_number(b, build_text(b, "angle of %s", of), position * frequency);
    turn by = angle_turn(p->with, position, frequency);
    show_turned(b, from, id, row, at, by, true);
    show_turned(b, from, id, row, at, by, false);
}

static void show_role(builder *b, stage_id from, stage_id id, size_t row, double position,
                      trace_labels labels)
{
    const plan *p = b->plan;
    const char *name = stage_row(id)->key.named.name;
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    build_sentence(b, "%s %zu stands at position %.0f, counted from 0.",
                   *name == 'q' ? "Query" : "Key", row + 1, position);
    for (size_t pair = 0; pair < PAIRS && pair < p->rope_width / 2; pair++)
        show_pair(b, from, id, row, position, pair);
    tensor all = build_stage_of_heads(b, id);
    build_in_heads(b, name, &all, head, labels, build_numbers(), row + 1);
    build_end_head(b);
}

/* Queries and keys may be of different widths. */
static void say_unturned(builder *b)
{
    const plan *p = b->plan;
    if (p->rope_width < p->q.width || p->rope_width < p->k.width)
        build_sentence(b,
                       "What is behind the first %zu numbers of a %s is in no pair, and stays as "
                       "it is.",
                       p->rope_width, p->has_heads ? "head" : "row");
}

void make_rope(builder *b)
{
    const plan *p = b->plan;
    bool is_interleaved = p->asked->rope.is_interleaved;
    size_t at = build_key_row(b);
    stage_id q = p->asked->normalizes ? STAGE_Q_NORM : STAGE_Q,
             k = p->asked->normalizes ? STAGE_K_NORM : STAGE_K;
    build_sentence(b, "Pairs of numbers are turned by angles that grow with the position: a score "
                      "then depends on how far a query and a key stand apart.");
    build_formula(b, "angle of pair p = position·base^(−2p/width), base = %g, width = %zu",
                  p->asked->rope.base, p->rope_width);
    build_formula(b, "pair p: numbers %s, p from 0",
                  is_interleaved ? "2p + 1 and 2p + 2" : "p + 1 and p + 1 + width/2");
    say_unturned(b);
    show_role(b, q, STAGE_Q_ROPE, b->focus.row,
              plan_query_position(p, b->focus.batch, b->focus.row), build_query_labels(b, "q"));
    show_role(b, k, STAGE_K_ROPE, at, plan_key_position(p, b->focus.batch, at),
              build_new_key_labels(b, "k"));
    build_other_heads(b);
}

/* ---- cache ---- */

/* The past of the focus's batch: one head where the heads came apart, else all side by side. */
static void show_past(builder *b, input which, const tensor *apart)
{
    const plan *p = b->plan;
    const tensor *given = p->asked->in[which];
    const char *name = input_key(which);
    trace_labels labels = build_key_labels(b, name);
    if (given->rank == 4) {
        tensor heads = tensor_at(apart, b->focus.batch);
        build_in_heads(b, name, &heads, plan_kv_head(p, b->focus.head), labels, build_numbers(), 0);
        return;
    }
    tensor shown = given->rank == 3 ? tensor_at(given, b->focus.batch) : tensor_view_of(given);
    build_matrix(b, name, &shown, labels, build_numbers(), 0);
}

static void show_present(builder *b, stage_id id)
{
    const char *name = stage_row(id)->key.named.name;
    tensor all = build_stage_of_batch(b, id);
    trace_labels labels = build_key_labels(b, name);
    if (all.rank == 3)
        build_in_heads(b, name, &all, plan_kv_head(b->plan, b->focus.head), labels, build_numbers(),
                       0);
    else
        build_matrix(b, name, &all, labels, build_numbers(), 0);
}

void make_cache(builder *b)
{
    const plan *p = b->plan;
    size_t added = p->n_k - p->past;
    build_sentence(b,
                   "%zu earlier row%s left keys and values in the cache. They are taken as they "
                   "are, and the %zu new one%s behind them: %zu keys can be seen.",
                   p->past, build_plural(p->past), added, added == 1 ? " goes" : "s go", p->n_k);
    build_formula(b, "present_k = [past_k; %s], present_v = [past_v; v]",
                  stage_row(build_new_keys(b))->key.named.name);
    show_past(b, INPUT_PAST_K, &p->past_k);
    show_past(b, INPUT_PAST_V, &p->past_v);
    show_present(b, STAGE_PRESENT_K);
    show_present(b, STAGE_PRESENT_V);
    if (build_stage_of_batch(b, STAGE_PRESENT_K).rank == 3)
        build_other_heads(b);
}
