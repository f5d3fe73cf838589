/* From scores to weights. */
#include "trace/map.h"
#include "trace/map_parts.h"

#include "attn/extra.h"
#include "attn/visible.h"

/* ---- scores to weights ---- */

/* A vector as its only row, a number as its only cell. */
static tensor as_matrix(const tensor *t)
{
    tensor matrix = tensor_view_of(t);
    matrix.rank = 2;
    if (t->rank == 2)
        return matrix;
    matrix.size[1] = t->rank == 1 ? t->size[0] : 1;
    matrix.stride[1] = t->rank == 1 ? t->stride[0] : 0;
    matrix.size[0] = 1;
    matrix.stride[0] = 0;
    return matrix;
}

static trace_map *add_square(builder *b, stage_id id, step_id step)
{
    return map_add_stage(b, id, step, build_query_labels(b, "q"), build_column_labels(b));
}

/* A parameter of the score function: head 0's, and where there is more than one, one a head. */
static void add_parameter(builder *b, const char *name, const tensor *first, const tensor *second)
{
    tensor all = as_matrix(first);
    ptrdiff_t bytes = second->data == NULL ? 0 : (char *)second->data - (char *)first->data;
    size_t heads = bytes == 0 ? 1 : b->plan->heads;
    if (first->data == NULL)
        return;
    tensor apart = {
        .type = all.type,
        .rank = 3,
        .size = {heads, all.size[0], all.size[1]},
        .stride = {bytes / (ptrdiff_t)dtype_size(all.type), all.stride[0], all.stride[1]},
        .data = all.data};
    map_add(b, name, STEP_PARAMETERS, &apart);
}

static void add_parameters(builder *b)
{
    const score *by = b->plan->asked->score;
    score_parameters one = plan_score_parameters(b->plan, 0),
                     two = plan_score_parameters(b->plan, b->plan->heads > 1 ? 1 : 0);
    const char *const keys[] = {by->for_query, by->for_key, by->vector, by->shift};
    const tensor *const first[] = {&one.for_query, &one.for_key, &one.vector, &one.shift};
    const tensor *const second[] = {&two.for_query, &two.for_key, &two.vector, &two.shift};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i] != NULL)
            add_parameter(b, input_label(input_of_key(keys[i])), first[i], second[i]);
    }
}

/* q′ = q·Ws, k′ = k·Ua; its map's name, or that of what was not multiplied. */
static const char *add_compared(builder *b, stage_id id, stage_id from, const char *made_by,
                                trace_labels labels)
{
    const char *rows = map_name_of(from);
    if (!plan_has_stage(b->plan, id))
        return rows;
    const char *by = input_label(input_of_key(made_by));
    map_say(b, map_add_stage(b, id, STEP_SCORES, labels, build_numbers()), OP_DOT,
            (trace_origin[4]){map_from(b, PART_ROW_I, rows), map_from(b, PART_COLUMN_J, by)});
    return map_name_of(id);
}

static void add_scores(builder *b)
{
    const score *by = b->plan->asked->score;
    add_parameters(b);
    const char *q =
        add_compared(b, STAGE_Q_SCORE, build_queries(b), by->for_query, build_query_labels(b, "q"));
    const char *k =
        add_compared(b, STAGE_K_SCORE, build_keys(b), by->for_key, build_column_labels(b));
    trace_origin of[TRACE_OPERANDS] = {map_from(b, PART_ROW_I, q), map_from(b, PART_ROW_J, k)};
    size_t count = 2;
    if (by->vector != NULL)
        of[count++] = map_from(b, PART_ROW, input_label(input_of_key(by->vector)));
    if (by->shift != NULL)
        of[count] = map_from(b, by->shift_is_one ? PART_NUMBER : PART_ROW,
                             input_label(input_of_key(by->shift)));
    map_say(b, add_square(b, STAGE_SCORES, STEP_SCORES), by->made_by, of);
}

static void add_scaled(builder *b)
{
    if (b->plan->scale == 1)
        return;
    map_add_number(b, "scale", STEP_SCALE, b->plan->scale);
    map_say(b, add_square(b, STAGE_SCALED, STEP_SCALE), OP_TIMES,
            (trace_origin[4]){map_from(b, PART_CELL, "scores"), map_from(b, PART_NUMBER, "scale")});
}

static void add_capped(builder *b)
{
    const char *before = map_name_of(b->plan->scale == 1 ? STAGE_SCORES : STAGE_SCALED);
    if (!plan_has_stage(b->plan, STAGE_CAPPED))
        return;
    map_add_number(b, "C", STEP_CAP, b->plan->asked->softcap);
    map_say(b, add_square(b, STAGE_CAPPED, STEP_CAP), OP_CAP,
            (trace_origin[4]){map_from(b, PART_CELL, before), map_from(b, PART_NUMBER, "C")});
}

static void add_bias(builder *b)
{
    tensor all = tensor_at(&b->plan->bias, b->focus.batch);
    bool is_one_row = build_has_one_bias(b);
    tensor bias = is_one_row ? tensor_range(&all, 1, 0, 1) : all;
    trace_map *added = map_add(b, "bias", STEP_MASK, &bias);
    added->rows = is_one_row ? build_numbers() : build_query_labels(b, "q");
    added->columns = build_column_labels(b);
    added->is_of_queries = !is_one_row;
}

/* Places count from 1, as in the step's formula. */
static void add_slopes(builder *b)
{
    const plan *p = b->plan;
    tensor slopes = p->slopes;
    slopes.rank = 3;
    slopes.size[1] = slopes.size[2] = 1;
    slopes.stride[1] = slopes.stride[2] = 0;
    map_add(b, "slope", STEP_MASK, &slopes);
    trace_map *places = map_add_made(b, "p", STEP_MASK, 1, p->n_q, 1);
    for (size_t i = 0; i < p->n_q && !b->failed; i++)
        tensor_set(&places->values, (size_t[]){0, i, 0},
                   (double)visible_position(p, b->focus.batch, i) + 1);
    places->is_bare = true;
    places->letters = "where query i stands among the keys, from 1";
}

static void add_masked(builder *b)
{
    const plan *p = b->plan;
    const char *before = map_name_of(build_unmasked(b));
    if (!plan_masks(p))
        return;
    if (p->bias.data != NULL)
        add_bias(b);
    if (p->slopes.data != NULL)
        add_slopes(b);
    trace_map *masked = add_square(b, STAGE_MASKED, STEP_MASK);
    map_say(b, masked, OP_PLUS,
            (trace_origin[4]){map_from(b, PART_CELL, before), map_from(b, PART_CELL, "bias"),
                              map_from(b, PART_NUMBER, "slope"), map_from(b, PART_OF_ROW, "p")});
    masked->untouched = p->appended;
}

/* A logit a head, and what it adds to each row's sum. */
static void add_sink_terms(builder *b, trace_labels queries)
{
    const plan *p = b->plan;
    const trace_map *row_max = map_named(b->trace, map_name_of(STAGE_ROW_MAX));
    if (p->sinks.data == NULL || row_max == NULL)
        return;
    trace_map *terms = map_add_made(b, "sink_exp", STEP_SOFTMAX, p->heads, p->n_q, 1);
    for (size_t head = 0; head < p->heads && !b->failed; head++) {
        for (size_t i = 0; i < p->n_q; i++) {
            const size_t at[] = {head, i, 0};
            double greatest = tensor_get(&row_max->values, at);
            tensor_set(&terms->values, at, extra_sink_term(p, head, greatest));
        }
    }
    terms->rows = queries;
    terms->is_column = true;
    map_say(
        b, terms, OP_EXP,
        (trace_origin[4]){map_from(b, PART_NUMBER, "sink"), map_from(b, PART_OF_ROW, "row_max")});
}

static void add_sinks(builder *b)
{
    tensor sinks = tensor_view_of(&b->plan->sinks);
    if (sinks.data == NULL)
        return;
    sinks.rank = 3;
    sinks.size[1] = sinks.size[2] = 1;
    sinks.stride[1] = sinks.stride[2] = 0;
    map_add(b, "sink", STEP_SOFTMAX, &sinks);
}

static void add_softmax(builder *b)
{
    const char *masked = map_name_of(build_masked(b));
    trace_labels queries = build_query_labels(b, "q");
    add_sinks(b);
    trace_map *row_max = map_add_stage(b, STAGE_ROW_MAX, STEP_SOFTMAX, queries, build_numbers());
    map_say(
        b, row_max, OP_MAX,
        (trace_origin[4]){map_from(b, PART_ROW_I, masked), [2] = map_from(b, PART_NUMBER, "sink")});
    map_say(b, add_square(b, STAGE_EXP, STEP_SOFTMAX), OP_EXP,
            (trace_origin[4]){map_from(b, PART_CELL, masked), map_from(b, PART_OF_ROW, "row_max")});
    add_sink_terms(b, queries);
    trace_map *row_sum = map_add_stage(b, STAGE_ROW_SUM, STEP_SOFTMAX, queries, build_numbers());
    map_say(b, row_sum, OP_SUM,
            (trace_origin[4]){
                map_from(b, PART_ROW_I, "exp"), [2] = map_from(b, PART_OF_ROW, "sink_exp")});
    trace_map *weights = add_square(b, STAGE_WEIGHTS, STEP_SOFTMAX);
    map_say(b, weights, OP_DIVIDE,
            (trace_origin[4]){map_from(b, PART_CELL, "exp"), map_from(b, PART_OF_ROW, "row_sum")});
    weights->is_share = true;
}

static void add_rounded(builder *b)
{
    trace_map *rounded = add_square(b, STAGE_ROUNDED, STEP_ROUND);
    rounded->is_share = true;
    map_say(b, rounded, OP_ROUND, (trace_origin[4]){map_from(b, PART_CELL, "weights")});
}

void map_add_scores(builder *b)
{
    add_scores(b);
    add_scaled(b);
    add_capped(b);
    add_masked(b);
    add_softmax(b);
    add_rounded(b);
}
