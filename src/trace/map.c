#include "trace/map.h"

#include "trace/build.h"

#include <string.h>

/* ---- adding ---- */

static size_t find_in(const trace *t, const char *name)
{
    size_t i = 0;
    while (i < t->maps && strcmp(t->map[i].name, name) != 0)
        i++;
    return i;
}

static size_t find(const builder *b, const char *name)
{
    return find_in(b->trace, name);
}

/* A tensor of rank 0 to 2 as one head's matrix. */
static tensor as_heads(const tensor *t)
{
    tensor heads = tensor_view_of(t);
    for (; heads.rank < 3; heads.rank++) {
        memmove(heads.size + 1, heads.size, (size_t)heads.rank * sizeof heads.size[0]);
        memmove(heads.stride + 1, heads.stride, (size_t)heads.rank * sizeof heads.stride[0]);
        heads.size[0] = 1;
        heads.stride[0] = 0;
    }
    return heads;
}

/* Adds what has data, once under a name; the map to be completed, a spare one where there is no
 * data. */
static trace_map *add(builder *b, const char *name, step_id step, const tensor *values)
{
    static trace_map spare;
    size_t at = values->data == NULL ? TRACE_MAPS : find(b, name);
    if (at == TRACE_MAPS)
        return &spare;
    if (at < b->trace->maps)
        return &b->trace->map[at];
    trace_map *added = &b->trace->map[b->trace->maps++];
    *added = (trace_map){.name = name, .step = step, .values = as_heads(values), .slices = 1};
    return added;
}

/* No part, where there is no such map. */
static trace_origin from(const builder *b, trace_part part, const char *name)
{
    size_t at = find(b, name);
    return at < b->trace->maps ? (trace_origin){part, at} : (trace_origin){0};
}

/* What makes it; without its first operand it has letters only. */
static void say_origin(trace_map *m, const char *letters, operation op, trace_origin a,
                       trace_origin second)
{
    m->letters = letters;
    m->has_origin = a.part != PART_NONE;
    m->op = op;
    m->a = a;
    m->b = second;
}

/* ---- stages ---- */

static const char *name_of(stage_id id)
{
    return stage_row(id)->key.named.name;
}

static trace_map *add_stage(builder *b, stage_id id, step_id step, trace_labels rows,
                            trace_labels columns)
{
    tensor values = plan_has_stage(b->plan, id) ? build_stage_of_batch(b, id) : (tensor){0};
    trace_map *added = add(b, name_of(id), step, &values);
    const projection *role = plan_role(b->plan, id);
    added->rows = rows;
    added->columns = columns;
    if (role != NULL && values.rank == 2)
        added->slices = role->heads;
    return added;
}

/* ---- q, k and v ---- */

static void add_weights(builder *b, const projection *r)
{
    trace_map *weight = add(b, input_label(r->weight_as), STEP_PARAMETERS, &r->weight);
    if (r->weight.rank == 2)
        weight->slices = r->heads;
    trace_map *bias = add(b, input_label(r->bias_as), STEP_PARAMETERS, &r->bias);
    bias->slices = r->heads;
}

/* The rows that are projected, and the name of their map: with positions, their sums. */
static const char *add_rows(builder *b, const projection *r, stage_id rows, trace_labels labels)
{
    if (r->rows.data == NULL)
        return ""; /* given directly */
    tensor inputs = build_stage_of_batch(b, rows);
    trace_map *x = add(b, input_key(r->rows_as), STEP_INPUTS, &inputs);
    if (x->rows.letter == NULL)
        x->rows = labels;
    if (r->rows_as != INPUT_X || !plan_has_stage(b->plan, STAGE_X_POS))
        return input_key(r->rows_as);
    trace_map *sums = add_stage(b, STAGE_X_POS, STEP_POSITIONS, labels, build_numbers());
    sums->letters = "x[i,j], and the sine or cosine of the position";
    return name_of(STAGE_X_POS);
}

static void add_role(builder *b, const projection *r, stage_id rows, stage_id made,
                     trace_labels row_labels, trace_labels labels)
{
    const char *rows_name = add_rows(b, r, rows, row_labels);
    if (r->given.data == NULL)
        add_weights(b, r);
    bool is_given = r->given.data != NULL;
    trace_map *q =
        add_stage(b, made, is_given ? STEP_INPUTS : STEP_PROJECTIONS, labels, build_numbers());
    if (is_given)
        return;
    const char *bias = r->bias.data == NULL ? "" : build_text(b, " + %s", input_label(r->bias_as));
    if (r->weight.data != NULL) {
        say_origin(q, build_text(b, "%s[i]·%s%s", rows_name, input_label(r->weight_as), bias),
                   OP_DOT, from(b, PART_ROW_I, rows_name),
                   from(b, PART_COLUMN_J, input_label(r->weight_as)));
        q->c = from(b, PART_OF_COLUMN, input_label(r->bias_as));
    } else
        say_origin(q, build_text(b, "%s[i]%s", rows_name, bias), OP_PLUS,
                   from(b, PART_CELL, rows_name), from(b, PART_OF_COLUMN, input_label(r->bias_as)));
}

/* What is made of q, k and v before they are compared is said in letters. */
static void add_form(builder *b, stage_id id, step_id step, const char *letters,
                     trace_labels labels)
{
    add_stage(b, id, step, labels, build_numbers())->letters = letters;
}

static void add_roles(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, "q"), keys = build_key_labels(b, "k"),
                 values = build_key_labels(b, "v"), new_keys = build_new_key_labels(b, "k"),
                 new_values = build_new_key_labels(b, "v");
    add_role(b, &p->q, STAGE_X, STAGE_Q, build_query_labels(b, "x"), queries);
    add_role(b, &p->k, STAGE_XK, STAGE_K, build_new_key_labels(b, "x"), new_keys);
    add_role(b, &p->v, STAGE_XV, STAGE_V, build_new_key_labels(b, "x"), new_values);
    add_form(b, STAGE_Q_NORM, STEP_NORMALIZE, "q[i] / √(mean of q[i]² + qk_eps)", queries);
    add_form(b, STAGE_K_NORM, STEP_NORMALIZE, "k[i] / √(mean of k[i]² + qk_eps)", new_keys);
    add_form(b, STAGE_Q_ROPE, STEP_ROPE, "a pair of numbers, turned by the position", queries);
    add_form(b, STAGE_K_ROPE, STEP_ROPE, "a pair of numbers, turned by the position", new_keys);
    add_form(b, STAGE_PRESENT_K, STEP_CACHE, "the cache's keys, and the new ones behind", keys);
    add_form(b, STAGE_PRESENT_V, STEP_CACHE, "the cache's values, and the new ones behind", values);
    add_form(b, STAGE_Q_SCORE, STEP_SCORES, "q[i], multiplied by the score's own matrix", queries);
    add_form(b, STAGE_K_SCORE, STEP_SCORES, "k[i], multiplied by the score's own matrix", keys);
}

/* ---- scores to weights ---- */

static trace_map *add_square(builder *b, stage_id id, step_id step)
{
    return add_stage(b, id, step, build_query_labels(b, "q"), build_key_labels(b, "k"));
}

static void add_scores(builder *b)
{
    const score *by = b->plan->asked->score;
    stage_id q = plan_has_stage(b->plan, STAGE_Q_SCORE) ? STAGE_Q_SCORE : build_queries(b);
    stage_id k = plan_has_stage(b->plan, STAGE_K_SCORE) ? STAGE_K_SCORE : build_keys(b);
    trace_map *scores = add_square(b, STAGE_SCORES, STEP_SCORES);
    if (by->vector == NULL && by->shift == NULL)
        say_origin(scores, build_text(b, "%s[i]·%s[j]", name_of(q), name_of(k)), OP_DOT,
                   from(b, PART_ROW_I, name_of(q)), from(b, PART_ROW_J, name_of(k)));
    else
        scores->letters = by->formula;
}

static void add_scaled(builder *b)
{
    if (b->plan->scale == 1)
        return;
    tensor scale = build_number(b, "the scale", b->plan->scale);
    add(b, "scale", STEP_SCALE, &scale);
    say_origin(add_square(b, STAGE_SCALED, STEP_SCALE), "scores[i,j]·scale", OP_TIMES,
               from(b, PART_CELL, "scores"), from(b, PART_NUMBER, "scale"));
}

static void add_capped(builder *b)
{
    const char *before = name_of(b->plan->scale == 1 ? STAGE_SCORES : STAGE_SCALED);
    if (!plan_has_stage(b->plan, STAGE_CAPPED))
        return;
    tensor most = build_number(b, "the cap", b->plan->asked->softcap);
    add(b, "C", STEP_CAP, &most);
    say_origin(add_square(b, STAGE_CAPPED, STEP_CAP), build_text(b, "C·tanh(%s[i,j] / C)", before),
               OP_CAP, from(b, PART_CELL, before), from(b, PART_NUMBER, "C"));
}

static void add_masked(builder *b)
{
    const plan *p = b->plan;
    const char *before = name_of(build_unmasked(b));
    if (!plan_masks(p))
        return;
    if (p->bias.data != NULL) {
        tensor bias = tensor_at(&p->bias, b->focus.batch);
        trace_map *added = add(b, "bias", STEP_MASK, &bias);
        added->rows = build_query_labels(b, "q");
        added->columns = build_key_labels(b, "k");
    }
    trace_map *masked = add_square(b, STAGE_MASKED, STEP_MASK);
    if (p->slopes.data != NULL)
        masked->letters = build_text(b, "%s[i,j] − slope·|p − j|", before);
    else
        say_origin(masked, build_text(b, "%s[i,j]%s", before, p->bias.data ? " + bias[i,j]" : ""),
                   OP_PLUS, from(b, PART_CELL, before), from(b, PART_CELL, "bias"));
}

static void add_softmax(builder *b)
{
    const char *masked = name_of(build_masked(b));
    bool has_sink = b->plan->sinks.data != NULL;
    trace_labels queries = build_query_labels(b, "q");
    trace_map *row_max = add_stage(b, STAGE_ROW_MAX, STEP_SOFTMAX, queries, build_numbers());
    say_origin(row_max, build_text(b, "maxⱼ %s[i,j]%s", masked, has_sink ? ", or the sink" : ""),
               OP_MAX, has_sink ? (trace_origin){0} : from(b, PART_ROW_I, masked),
               (trace_origin){0});
    say_origin(add_square(b, STAGE_EXP, STEP_SOFTMAX),
               build_text(b, "exp(%s[i,j] − row_max[i])", masked), OP_EXP,
               from(b, PART_CELL, masked), from(b, PART_OF_ROW, "row_max"));
    trace_map *row_sum = add_stage(b, STAGE_ROW_SUM, STEP_SOFTMAX, queries, build_numbers());
    say_origin(row_sum, has_sink ? "Σⱼ exp[i,j] + exp(sink − row_max[i])" : "Σⱼ exp[i,j]", OP_SUM,
               has_sink ? (trace_origin){0} : from(b, PART_ROW_I, "exp"), (trace_origin){0});
    trace_map *weights = add_square(b, STAGE_WEIGHTS, STEP_SOFTMAX);
    say_origin(weights, "exp[i,j] / row_sum[i]", OP_DIVIDE, from(b, PART_CELL, "exp"),
               from(b, PART_OF_ROW, "row_sum"));
    weights->is_share = true;
}

static void add_rounded(builder *b)
{
    trace_map *rounded = add_square(b, STAGE_ROUNDED, STEP_ROUND);
    rounded->is_share = true;
    say_origin(rounded, "weights[i,j], rounded", OP_ROUND, from(b, PART_CELL, "weights"),
               (trace_origin){0});
}

/* ---- weights to output ---- */

static void add_results(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, NULL);
    const char *weights = plan_has_stage(p, STAGE_ROUNDED) ? "rounded" : "weights";
    const char *v = name_of(build_values(b));
    trace_map *attended = add_stage(b, STAGE_ATTENDED, STEP_SUM, queries, build_numbers());
    say_origin(attended, build_text(b, "Σⱼ %s[i,j]·%s[j]", weights, v), OP_DOT,
               from(b, PART_ROW_I, weights), from(b, PART_COLUMN_J, v));
    trace_map *context = add_stage(b, STAGE_CONTEXT, STEP_CONCAT, queries, build_numbers());
    context->slices = context->values.size[0] == 1 ? p->heads : 1;
    say_origin(context, "attended, the heads side by side", OP_SUM, from(b, PART_CELL, "attended"),
               (trace_origin){0});
}

static void add_output(builder *b)
{
    const plan *p = b->plan;
    if (p->wo.data == NULL && p->bo.data == NULL)
        return;
    add(b, "Wo", STEP_PARAMETERS, &p->wo);
    add(b, "bo", STEP_PARAMETERS, &p->bo);
    trace_map *output =
        add_stage(b, STAGE_OUTPUT, STEP_UNIFY, build_query_labels(b, NULL), build_numbers());
    trace_origin bias = from(b, PART_OF_COLUMN, "bo");
    if (p->wo.data == NULL) {
        say_origin(output, "context[i] + bo", OP_PLUS, from(b, PART_CELL, "context"), bias);
        return;
    }
    say_origin(output, p->bo.data == NULL ? "context[i]·Wo" : "context[i]·Wo + bo", OP_DOT,
               from(b, PART_ROW_I, "context"), from(b, PART_COLUMN_J, "Wo"));
    output->c = bias;
}

void map_make(builder *b)
{
    add_roles(b);
    add_scores(b);
    add_scaled(b);
    add_capped(b);
    add_masked(b);
    add_softmax(b);
    add_rounded(b);
    add_results(b);
    add_output(b);
}

/* ---- finding ---- */

static bool is_same(const tensor *head, const tensor *matrix)
{
    int last = matrix->rank - 1;
    size_t rows = matrix->rank == 2 ? matrix->size[0] : 1;
    return matrix->rank > 0 && head->data == matrix->data && head->size[0] == rows &&
           head->size[1] == matrix->size[last];
}

const trace_map *map_of(const trace *t, const tensor *matrix, size_t *head)
{
    for (size_t i = 0; i < t->maps; i++) {
        for (*head = 0; *head < t->map[i].values.size[0]; ++*head) {
            tensor one = tensor_at(&t->map[i].values, *head);
            if (is_same(&one, matrix))
                return &t->map[i];
        }
    }
    return NULL;
}

const trace_map *map_named(const trace *t, const char *name)
{
    size_t at = find_in(t, name);
    return at < t->maps ? &t->map[at] : NULL;
}
