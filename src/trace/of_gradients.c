/* The derivations of an attention's gradients, from the output back to the inputs: each is made of
 * gradients of what came after it, and of stages and inputs on the way. */
#include "attn/engine/positions.h"
#include "trace/build.h"
#include "trace/derivation.h"
#include "trace/nodes.h"

#include <math.h>

/* ---- what all entries of a batch add to ---- */

/* The numbers of a gradient without an axis of entries. Of several entries, or layers, what the one
 * in focus adds is shown, which no stage holds, and say_summed works out. */
static tensor summed(builder *b, stage_id id, tensor all)
{
    if (!build_is_part(b, id) || all.data == NULL)
        return all;
    return build_numbers_new(b, build_summed_name(b, id), all.type, all.rank, all.size);
}

static trace_map *add_summed(builder *b, stage_id id, step_id step, tensor all)
{
    tensor numbers = summed(b, id, all);
    trace_map *added = map_add(b, build_summed_name(b, id), step, &numbers);
    added->is_part = build_is_part(b, id);
    return added;
}

static void say_summed(builder *b, trace_map *m, operation op, const map_operand of[TRACE_OPERANDS])
{
    map_say(b, m, op, of);
    if (m->is_part && m->values.data != NULL)
        derivation_fill(b, m);
}

static tensor whole(const builder *b, stage_id id)
{
    const tensor *found = bundle_tensor(b->result, map_name_of(id));
    return found == NULL ? (tensor){0} : tensor_view_of(found);
}

/* All its numbers in one row. */
static tensor flat(const builder *b, stage_id id)
{
    tensor all = whole(b, id);
    return all.data == NULL ? all : tensor_flat(&all);
}

/* As the input is seen: turned, where it came so. */
static tensor like_input(const builder *b, stage_id id, input which, const tensor *view)
{
    tensor grad = whole(b, id);
    return grad.data == NULL ? grad : tensor_seen_as(&grad, view, b->plan->asked->in[which]);
}

static trace_map *add_number_a_head(builder *b, stage_id id, step_id step)
{
    tensor numbers = summed(b, id, flat(b, id));
    trace_map *added = map_add_number_a_head(b, build_summed_name(b, id), step, numbers);
    added->is_number = true;
    added->is_part = build_is_part(b, id);
    return added;
}

/* ---- the output ---- */

void map_make_loss(builder *b, const loss_said *of, const tensor *number)
{
    bool is_square = of->kind == LOSS_SQUARE, is_mean = of->kind == LOSS_MEAN;
    if (is_mean)
        map_add_number(b, "count", of->step, of->count)->letters =
            "how many numbers the output has";
    trace_map *made = map_add(b, of->number, of->step, number);
    made->is_number = true;
    map_say(b, made,
            is_square ? OP_LOSS_SQUARE
            : is_mean ? OP_LOSS_MEAN
                      : OP_TOTAL,
            (map_operand[TRACE_OPERANDS]){
                {PART_WHOLE, of->output},
                {is_square ? PART_WHOLE : PART_NUMBER, is_square ? "target" : "count"}});
    if (of->batches > 1 && number->data != NULL)
        derivation_fill(b, made);
    if (is_square || of->is_given)
        return;
    bool is_one = of->kind == LOSS_SUM || of->is_ones;
    double each = is_mean ? 1 / of->count : is_one ? 1 : 0;
    map_add_number(b, "each", of->step, each)->letters =
        is_mean                ? "1 / count"
        : of->kind == LOSS_SUM ? "1, as a sum gains what a number gains"
        : is_one               ? "1, as output_grad is ones"
                               : "0, as nothing comes back to the output";
}

void map_say_loss_grad(builder *b, const loss_said *of, trace_map *grad)
{
    if (of->kind == LOSS_SQUARE)
        map_say(b, grad, OP_MINUS,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, of->output}, {PART_CELL, "target"}});
    else if (!of->is_given)
        map_say(b, grad, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_NUMBER, "each"}});
}

loss_said build_loss(builder *b)
{
    const plan *p = b->plan;
    return (loss_said){.kind = p->asked->loss,
                       .is_given = p->asked->in[INPUT_OUTPUT_GRAD] != NULL,
                       .is_ones = p->asked->begins_with_ones,
                       .batches = p->batches,
                       .count = (double)(p->batches * p->n_q * p->width_out),
                       .output = build_output_name(b),
                       .number = build_summed_name(b, STAGE_LOSS),
                       .step = STEP_LOSS};
}

static void add_loss(builder *b)
{
    const plan *p = b->plan;
    const loss_said of = build_loss(b);
    trace_labels queries = build_query_labels(b, NULL);
    size_t slices = map_there(b, of.output)->slices;
    bool is_of_layers = b->comes.of[0].map != NULL;
    if (of.kind == LOSS_SQUARE) {
        tensor all = plan_given_like(p, INPUT_TARGET), of_entry = tensor_at(&all, b->focus.batch);
        trace_map *target = map_add(b, "target", STEP_LOSS, &of_entry);
        target->rows = queries;
        target->is_of_queries = true;
        target->slices = slices;
    }
    if (!is_of_layers) {
        const tensor number = summed(b, STAGE_LOSS, whole(b, STAGE_LOSS));
        map_make_loss(b, &of, &number);
    }
    trace_map *grad = map_add_stage(b, STAGE_OUTPUT_GRAD, STEP_LOSS, queries);
    grad->slices = slices;
    if (is_of_layers)
        map_say_origins(b, grad, b->comes.op, b->comes.of);
    else
        map_say_loss_grad(b, &of, grad);
}

static void add_join(builder *b)
{
    const plan *p = b->plan;
    const char *output_grad = map_name_of(STAGE_OUTPUT_GRAD), *rows = map_name_of(STAGE_CONTEXT);
    trace_map *bo = add_summed(b, STAGE_BO_GRAD, STEP_JOIN_BACK, flat(b, STAGE_BO_GRAD));
    bo->slices = p->wo.data == NULL && plan_keeps_heads_apart(p) ? p->heads : 1;
    say_summed(b, bo, OP_ADD_UP, (map_operand[TRACE_OPERANDS]){{PART_COLUMN_J, output_grad}});
    if (p->wo.data != NULL) {
        if (map_from(b, PART_WHOLE, "joined").map != NULL)
            rows = "joined";
        say_summed(
            b,
            add_summed(b, STAGE_WO_GRAD, STEP_JOIN_BACK,
                       like_input(b, STAGE_WO_GRAD, INPUT_WO, &p->wo)),
            OP_DOT,
            (map_operand[TRACE_OPERANDS]){{PART_COLUMN_I, rows}, {PART_COLUMN_J, output_grad}});
        trace_map *context =
            map_add_stage(b, STAGE_CONTEXT_GRAD, STEP_JOIN_BACK, build_query_labels(b, NULL));
        context->slices = context->values.size[0] == 1 ? p->heads : 1;
        map_say(b, context, OP_DOT,
                (map_operand[TRACE_OPERANDS]){{PART_ROW_I, output_grad}, {PART_ROW_J, "Wo"}});
    }
    if (build_result_grad(b) == STAGE_ATTENDED_GRAD)
        map_say(b,
                map_add_stage(b, STAGE_ATTENDED_GRAD, STEP_JOIN_BACK, build_query_labels(b, NULL)),
                OP_COPY,
                (map_operand[TRACE_OPERANDS]){
                    {PART_CELL,
                     map_name_of(p->wo.data != NULL ? STAGE_CONTEXT_GRAD : STAGE_OUTPUT_GRAD)}});
}

/* ---- weights to scores ---- */

/* Gradients of keys or values: of each what all queries give, and of heads that share them the sum
 * of theirs. */
static void add_gathered(builder *b, stage_id id, step_id step, operation op,
                         const map_operand of[TRACE_OPERANDS], trace_labels labels)
{
    const plan *p = b->plan;
    const char *name = map_name_of(id);
    trace_map *grad = map_add_stage(b, id, step, labels);
    if (p->heads == p->kv_heads) {
        map_say(b, grad, op, of);
        return;
    }
    const size_t size[] = {p->heads, p->n_k, plan_role(p, id)->width};
    const char *by_head = build_text(b, "%s_by_head", name);
    tensor each = build_numbers_new(b, by_head, p->type, 3, size);
    trace_map *of_heads = map_add(b, by_head, step, &each);
    of_heads->rows = labels;
    of_heads->is_of_heads = true;
    map_say(b, of_heads, op, of);
    derivation_fill(b, of_heads);
    map_say(b, grad, OP_ADD_UP, (map_operand[TRACE_OPERANDS]){{PART_OF_HEADS, by_head}});
}

/* Before weights_grad: rows of attended_grad are those of attended, as a page learns here. */
static void add_delta(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, "q");
    tensor all = plan_given_like(p, INPUT_LOGSUMEXP_GRAD);
    if (all.data != NULL) {
        tensor of_entry = tensor_at(&all, b->focus.batch);
        trace_map *given = map_add(b, "logsumexp_grad", STEP_SOFTMAX_BACK, &of_entry);
        given->rows = queries;
        given->is_of_queries = given->is_column = given->is_of_heads = true;
    }
    map_say(b, map_add_stage(b, STAGE_DELTA, STEP_SOFTMAX_BACK, queries), OP_DOT_LESS,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, map_name_of(build_result_grad(b))},
                                          {PART_ROW_I, "attended"},
                                          {PART_OF_ROW, "logsumexp_grad"}});
}

static void add_sum(builder *b)
{
    const char *weights = map_name_of(STAGE_WEIGHTS), *v = map_name_of(build_values(b)),
               *result = map_name_of(build_result_grad(b));
    map_say(b, map_add_square(b, STAGE_WEIGHTS_GRAD, STEP_SUM_BACK), OP_DOT,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, result}, {PART_ROW_J, v}});
    add_gathered(b, build_gradient_of(build_values(b)), STEP_SUM_BACK, OP_DOT,
                 (map_operand[TRACE_OPERANDS]){{PART_COLUMN_I, weights}, {PART_COLUMN_J, result}},
                 build_value_labels(b, v));
}

static void add_softmax(builder *b)
{
    const plan *p = b->plan;
    map_say(b, map_add_square(b, build_gradient_of(build_masked(b)), STEP_SOFTMAX_BACK),
            OP_SOFTMAX_BACK,
            (map_operand[TRACE_OPERANDS]){
                {PART_CELL, "weights"}, {PART_CELL, "weights_grad"}, {PART_OF_ROW, "delta"}});
    if (p->sinks.data != NULL)
        say_summed(b, add_number_a_head(b, STAGE_SINKS_GRAD, STEP_SOFTMAX_BACK), OP_SINK_BACK,
                   (map_operand[TRACE_OPERANDS]){{PART_COLUMN, "sink_exp"},
                                                 {PART_COLUMN, "row_sum"},
                                                 {PART_COLUMN, "delta"}});
}

/* Whether each entry of the batch has its own, and no other layer adds to it. */
static bool is_of_entry(const builder *b, stage_id id)
{
    return (b->plan->batches == 1 || b->plan->bias.stride[0] != 0) && !build_is_shared(b, id);
}

/* Each score gives its number to the bias, and a bucket gains those of all its pairs of a query and
 * a key: a product with 1 for these, and 0 for others. */
static void add_buckets(builder *b, const tensor *grad)
{
    const size_t keys = plan_own_keys(b->plan), pairs = b->plan->n_q * keys;
    const char *name = map_name_of(STAGE_BIAS_GRAD);
    tensor own = build_numbers_new(b, "of each pair", grad->type, 3, &b->plan->bias.size[1]);
    bool is_part = !is_of_entry(b, STAGE_RELATIVE_BIAS_GRAD);
    trace_map *bias =
        map_add(b, is_part ? build_text(b, "%s_part", name) : name, STEP_MASK_BACK, &own);
    bias->is_part = is_part;
    bias->rows = build_query_labels(b, "q");
    bias->columns = build_column_labels(b);
    bias->is_of_queries = bias->is_of_heads = bias->is_apart = true;
    map_say(b, bias, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, "masked_grad"}});
    derivation_fill(b, bias);
    trace_map *in = map_add_made(b, "in_bucket", STEP_MASK_BACK, 1, grad->size[0], pairs);
    in->letters = "1 for each pair of a query and a key that is in bucket i, the rest 0";
    for (size_t n = 0; n < grad->size[0] * pairs && !b->failed; n++) {
        size_t bucket = n / pairs, pair = n % pairs;
        tensor_set(&in->values, (size_t[]){0, bucket, pair},
                   build_bucket(b, pair / keys, pair % keys) == bucket);
    }
    trace_map *sums = add_summed(b, STAGE_RELATIVE_BIAS_GRAD, STEP_MASK_BACK, *grad);
    sums->slices = b->plan->heads;
    say_summed(b, sums, OP_DOT,
               (map_operand[TRACE_OPERANDS]){{PART_ROW_I, in->name}, {PART_WHOLE, bias->name}});
}

/* The bias gains what each score does that it is added to: over heads and queries that share it. */
static void add_bias(builder *b, stage_id id, const tensor *given)
{
    const plan *p = b->plan;
    const tensor grad = plan_seen_as_bias(p, given);
    bool is_of_heads = p->heads == 1 || p->bias.stride[1] != 0, is_one_row = build_has_one_bias(b),
         is_of_entries = is_of_entry(b, id);
    tensor own = tensor_at(&grad, is_of_entries ? b->focus.batch : 0);
    own = tensor_range(&own, 0, 0, is_of_heads ? p->heads : 1);
    own = tensor_range(&own, 1, 0, is_one_row ? 1 : p->n_q);
    const map_operand of[TRACE_OPERANDS] = {{!is_of_heads && is_one_row ? PART_COLUMN_OF_HEADS
                                             : !is_of_heads             ? PART_OF_HEADS
                                             : is_one_row               ? PART_COLUMN_J
                                                                        : PART_CELL,
                                             "masked_grad"}};
    operation op = is_of_heads && !is_one_row ? OP_COPY : OP_ADD_UP;
    trace_map *bias;
    if (is_of_entries) {
        bias = map_add(b, map_name_of(id), STEP_MASK_BACK, &own);
        map_say(b, bias, op, of);
    } else {
        bias = add_summed(b, id, STEP_MASK_BACK, own);
        say_summed(b, bias, op, of);
    }
    bias->rows = is_one_row ? NUMBERED : build_query_labels(b, "q");
    bias->columns = build_column_labels(b);
    bias->is_of_queries = !is_one_row;
    bias->is_of_heads = bias->is_apart = is_of_heads;
}

static void add_bias_or_buckets(builder *b)
{
    stage_id id = plan_bias_gradient(b->plan);
    tensor grad = whole(b, id);
    if (grad.data != NULL && b->plan->bucket.data != NULL)
        add_buckets(b, &grad);
    else if (grad.data != NULL)
        add_bias(b, id, &grad);
}

static void add_slopes(builder *b)
{
    const plan *p = b->plan;
    if (whole(b, STAGE_SLOPES_GRAD).data == NULL)
        return;
    trace_map *apart = map_add_made(b, "distance", STEP_MASK_BACK, 1, p->n_q, p->n_k);
    for (size_t n = 0; n < p->n_q * p->n_k && !b->failed; n++) {
        const size_t at[] = {0, n / p->n_k, n % p->n_k};
        double position = (double)visible_position(p, b->focus.batch, at[1]);
        /* What is appended stands at no place, and no slope lowered its score. */
        tensor_set(&apart->values, at,
                   at[2] < plan_own_keys(p) ? fabs(position - (double)at[2]) : 0);
    }
    apart->rows = (trace_labels){NULL, "q"}; /* of their places, whichever tokens stand there */
    apart->columns = (trace_labels){NULL, "k"};
    apart->letters = "how far query i and key j are apart";
    say_summed(
        b, add_number_a_head(b, STAGE_SLOPES_GRAD, STEP_MASK_BACK), OP_SLOPE_BACK,
        (map_operand[TRACE_OPERANDS]){{PART_WHOLE, "masked_grad"}, {PART_WHOLE, "distance"}});
}

/* From the masked scores to the scores, by what is on the way. */
static void add_scores(builder *b)
{
    const plan *p = b->plan;
    const char *unmasked = build_gradient_name(build_unmasked(b));
    if (plan_masks(p)) {
        map_say(b, map_add_square(b, build_gradient_of(build_unmasked(b)), STEP_MASK_BACK), OP_COPY,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, "masked_grad"}});
        add_bias_or_buckets(b);
        add_slopes(b);
    }
    if (plan_has_stage(p, STAGE_CAPPED))
        map_say(
            b,
            map_add_square(b, p->scale == 1 ? STAGE_SCORES_GRAD : STAGE_SCALED_GRAD, STEP_CAP_BACK),
            OP_CAP_BACK,
            (map_operand[TRACE_OPERANDS]){
                {PART_CELL, unmasked}, {PART_CELL, "capped"}, {PART_NUMBER, "C"}});
    if (p->scale != 1)
        map_say(b, map_add_square(b, STAGE_SCORES_GRAD, STEP_SCALE_BACK), OP_SCALE_BACK,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, "scaled_grad"}, {PART_NUMBER, "scale"}});
}

/* ---- scores to queries and keys ---- */

/* A gradient in the shape of a score's parameter, one for all heads or one a head: a vector is the
 * only row of its matrix, a number the only cell. */
static trace_map *add_parameter(builder *b, stage_id id, const tensor *view)
{
    tensor all = whole(b, id), apart;
    if (all.data == NULL)
        return map_add(b, map_name_of(id), STEP_SCORES_BACK, &all);
    if (view->rank < 3) {
        apart = *view; /* they lie as the view's numbers do, whatever their axes */
        apart.type = all.type;
        apart.data = all.data;
    } else {
        apart = like_input(b, id, input_of_key(stage_row(id)->of_input), view);
    }
    build_heads_of_score(b, &apart);
    trace_map *added = add_summed(b, id, STEP_SCORES_BACK, apart);
    added->is_of_heads = added->is_apart = apart.size[0] > 1;
    return added;
}

/* A copy with all query heads apart. */
static const char *heads_apart(builder *b, const char *name, size_t width)
{
    const char *copy = build_text(b, "%s_apart", name);
    const trace_map *of = map_there(b, name);
    const size_t size[] = {b->plan->heads, of->values.size[1], width};
    tensor numbers = build_numbers_new(b, copy, b->plan->type, 3, size);
    trace_map *apart = map_add(b, copy, STEP_SCORES_BACK, &numbers);
    apart->rows = of->rows;
    apart->is_of_heads = true;
    map_say(b, apart, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, name}});
    derivation_fill(b, apart);
    return copy;
}

/* And one with them side by side. */
static const char *heads_joined(builder *b, const char *name)
{
    const char *copy = build_text(b, "%s_joined", name);
    const trace_map *of = map_there(b, name);
    const size_t size[] = {of->values.size[1], b->plan->heads * of->values.size[2]};
    tensor numbers = build_numbers_new(b, copy, b->plan->type, 2, size);
    trace_map *joined = map_add(b, copy, STEP_SCORES_BACK, &numbers);
    joined->rows = of->rows;
    joined->slices = b->plan->heads;
    joined->is_of_heads = true;
    map_say(b, joined, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, name}});
    joined->letters = build_text(b, "%s, the heads side by side", name);
    derivation_fill(b, joined);
    return copy;
}

/* Through q′ = q·W: what comes back to q, and what W gains; nothing where there is no W. */
static void add_transformed(builder *b, stage_id rows, stage_id compared, stage_id weight_grad,
                            const tensor *weight, trace_labels labels)
{
    const plan *p = b->plan;
    bool is_shared = rows != build_queries(b) && p->heads != p->kv_heads;
    const char *name = map_name_of(rows), *grad = build_gradient_name(compared),
               *by = input_label(input_of_key(stage_row(weight_grad)->of_input));
    if (!plan_has_stage(p, compared))
        return;
    trace_map *back = map_add_stage(b, build_gradient_of(rows), STEP_SCORES_BACK, labels);
    if (is_shared)
        map_say(b, back, OP_DOT,
                (map_operand[TRACE_OPERANDS]){{PART_ROW_I_OF_HEADS, heads_joined(b, grad)},
                                              {PART_ROW_J_OF_HEADS, heads_joined(b, by)}});
    else
        map_say(b, back, OP_DOT,
                (map_operand[TRACE_OPERANDS]){{PART_ROW_I, grad}, {PART_ROW_J, by}});
    trace_map *gains = add_parameter(b, weight_grad, weight);
    map_operand of[TRACE_OPERANDS] = {{PART_COLUMN_I, name}, {PART_COLUMN_J, grad}};
    if (gains->values.data != NULL && !gains->is_apart && p->heads > 1) {
        of[0] = (map_operand){PART_COLUMN_I_OF_HEADS, heads_apart(b, name, weight->size[1])};
        of[1].part = PART_COLUMN_OF_HEADS;
    }
    say_summed(b, gains, OP_DOT, of);
}

/* What is added to all products of a head, or is in all of its tanhs: of heads that share one, the
 * sum of what each of them adds. */
static void add_shared(builder *b, stage_id id, const tensor *view, operation op, map_operand by)
{
    trace_map *all = add_parameter(b, id, view);
    if (all->values.data == NULL)
        return;
    const map_operand of[TRACE_OPERANDS] = {by};
    if (all->is_apart || b->plan->heads == 1) {
        say_summed(b, all, op, of);
        return;
    }
    const char *name = build_text(b, "%s_by_head", map_name_of(id));
    const size_t size[] = {b->plan->heads, 1, all->values.size[2]};
    tensor each = build_numbers_new(b, name, b->plan->type, 3, size);
    trace_map *of_heads = map_add(b, name, STEP_SCORES_BACK, &each);
    of_heads->is_of_heads = true;
    map_say(b, of_heads, op, of);
    derivation_fill(b, of_heads);
    say_summed(b, all, OP_ADD_UP, (map_operand[TRACE_OPERANDS]){{PART_OF_HEADS, name}});
}

/* What va and ba gain, of all pairs. */
static void add_tanhs(builder *b, const char *q, const char *k, const char *grad)
{
    const score_parameters *by = &b->plan->of_score;
    const char *sums = "va_grad_by_query";
    if (whole(b, STAGE_VA_GRAD).data != NULL) {
        const size_t size[] = {b->plan->heads, b->plan->n_q, b->plan->compared_width};
        tensor each = build_numbers_new(b, sums, b->plan->type, 3, size);
        trace_map *of_queries = map_add(b, sums, STEP_SCORES_BACK, &each);
        of_queries->rows = build_query_labels(b, "q");
        of_queries->is_of_queries = of_queries->is_of_heads = true;
        map_say(b, of_queries, OP_TANH_SUM,
                (map_operand[TRACE_OPERANDS]){{PART_ROW_I, "scores_grad"},
                                              {PART_COLUMN_J, k},
                                              {PART_CELL, q},
                                              {PART_OF_COLUMN, "ba"}});
        derivation_fill(b, of_queries);
    }
    add_shared(b, STAGE_VA_GRAD, &by->vector, OP_TERMS, (map_operand){PART_COLUMN_J, sums});
    add_shared(b, STAGE_BA_GRAD, &by->shift, OP_TERMS, (map_operand){PART_COLUMN_J, grad});
}

static void add_compared(builder *b)
{
    const plan *p = b->plan;
    const score_parameters *by = &p->of_score;
    bool is_tanh = p->asked->score->back == BACK_BY_TANH;
    stage_id rows[] = {build_queries(b), build_keys(b)}, q = build_compared(b, STAGE_Q_SCORE),
             k = build_compared(b, STAGE_K_SCORE);
    const char *queries = map_name_of(q), *keys = map_name_of(k);
    trace_labels of_queries = build_query_labels(b, "q"),
                 of_keys = build_key_labels(b, map_name_of(rows[1]));
    operation op = is_tanh ? OP_TANH_BACK : OP_DOT;
    map_operand to_q[TRACE_OPERANDS] = {{PART_ROW_I, "scores_grad"}, {PART_COLUMN_J, keys}},
                to_k[TRACE_OPERANDS] = {{PART_COLUMN_I, "scores_grad"}, {PART_COLUMN_J, queries}};
    if (is_tanh) {
        to_q[2] = (map_operand){PART_CELL, queries};
        to_k[2] = (map_operand){PART_CELL, keys};
        to_q[3] = to_k[3] = (map_operand){PART_OF_COLUMN, "va"};
        to_q[4] = to_k[4] = (map_operand){PART_OF_COLUMN, "ba"};
    }
    map_say(b, map_add_stage(b, build_gradient_of(q), STEP_SCORES_BACK, of_queries), op, to_q);
    if (k == STAGE_K_SCORE)
        map_say(b, map_add_stage(b, STAGE_K_SCORE_GRAD, STEP_SCORES_BACK, of_keys), op, to_k);
    else
        add_gathered(b, build_gradient_of(k), STEP_SCORES_BACK, op, to_k, of_keys);
    add_transformed(b, rows[0], STAGE_Q_SCORE, is_tanh ? STAGE_WA_GRAD : STAGE_WS_GRAD,
                    &by->for_query, of_queries);
    add_transformed(b, rows[1], STAGE_K_SCORE, STAGE_UA_GRAD, &by->for_key, of_keys);
    if (is_tanh)
        add_tanhs(b, queries, keys, build_gradient_name(q));
    else
        add_shared(b, STAGE_BS_GRAD, &by->shift, OP_ADD_UP,
                   (map_operand){PART_WHOLE, "scores_grad"});
}

/* What a cache had, and what is new, out of both. */
static void add_cached(builder *b, stage_id past, input which, stage_id all, stage_id fresh)
{
    const plan *p = b->plan;
    const tensor *given = p->asked->in[which];
    tensor grad = whole(b, past);
    const map_operand above[TRACE_OPERANDS] = {{PART_CELL, map_name_of(all)}};
    if (given->rank > 2)
        grad = tensor_at(&grad, b->focus.batch);
    trace_map *made = given->rank > 2 ? map_add(b, map_name_of(past), STEP_CACHE_BACK, &grad)
                                      : add_summed(b, past, STEP_CACHE_BACK, grad);
    made->rows = build_key_labels(b, input_key(which));
    made->slices = given->rank < 4 ? p->kv_heads : 1;
    made->is_of_heads = true;
    if (given->rank > 2)
        map_say(b, made, OP_COPY, above);
    else
        say_summed(b, made, OP_COPY, above);
    map_say(
        b,
        map_add_stage(b, fresh, STEP_CACHE_BACK,
                      build_new_labels(b, build_key_labels(b, which == INPUT_PAST_K ? "k" : "v"))),
        OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_BELOW, map_name_of(all)}});
}

static void add_turned_back(builder *b, stage_id from, stage_id turned, const char *angles,
                            trace_labels labels)
{
    const char *of = build_gradient_name(turned);
    trace_map *made = map_add_stage(b, build_gradient_of(from), STEP_ROPE_BACK, labels);
    map_say_turn(b, made, OP_TURN_BACK, of, angles);
    made->paired = b->plan->rope_width;
    made->unpaired = plan_rope_first(b->plan, plan_role(b->plan, turned));
    made->is_interleaved = b->plan->asked->rope.is_interleaved;
}

coming map_make_norm_back(builder *b, const norm_back_said *of)
{
    const char *root = build_text(b, "%sroot", of->before),
               *gained = build_text(b, "%sgained", of->before),
               *share = build_text(b, "%sshare", of->before);
    trace_origin rows = of->of, back = of->back;
    rows.part = PART_ROW_I;
    trace_map *made = map_add_made(b, root, of->step, of->heads, of->rows, 1);
    map_say_origins(b, made, OP_ROOT, (trace_origin[TRACE_OPERANDS]){rows, of->eps});
    made->rows = of->labels;
    made->is_column = true;
    derivation_fill(b, made);
    if (of->gain.map != NULL) {
        made = map_add_made(b, gained, of->step, of->heads, of->rows, of->width);
        made->rows = of->labels;
        map_say_origins(b, made, OP_TIMES, (trace_origin[TRACE_OPERANDS]){of->back, of->gain});
        derivation_fill(b, made);
        back = map_from(b, PART_CELL, gained);
    }
    trace_origin row_back = back, of_root = map_from(b, PART_OF_ROW, root);
    row_back.part = PART_ROW_I;
    made = map_add_made(b, share, of->step, of->heads, of->rows, 1);
    map_say_origins(b, made, OP_NORM_SHARE,
                    (trace_origin[TRACE_OPERANDS]){row_back, rows, of_root});
    made->rows = of->labels;
    made->is_column = true;
    derivation_fill(b, made);
    return (coming){.op = OP_NORM_BACK,
                    .of = {back, of->of, map_from(b, PART_OF_ROW, share), of_root}};
}

const char *map_make_gain_terms(builder *b, const norm_back_said *of)
{
    const char *terms = build_text(b, "%sgain_terms", of->before);
    trace_map *made = map_add_made(b, terms, of->step, of->heads, of->rows, of->width);
    made->rows = of->labels;
    map_say_origins(
        b, made, OP_NORM_GAIN,
        (trace_origin[TRACE_OPERANDS]){
            of->back, of->of, map_from(b, PART_OF_ROW, build_text(b, "%sroot", of->before))});
    derivation_fill(b, made);
    return terms;
}

/* Of a norm without a gain its rows gain what comes back to it. */
static void add_normalized_back(builder *b, stage_id from, stage_id normal, stage_id gain_grad,
                                trace_labels labels)
{
    const projection *role = plan_role(b->plan, from);
    bool is_of_all = b->plan->asked->norms_together;
    size_t norms = is_of_all ? 1 : role->heads, width = role->heads * role->width / norms;
    const char *of = map_name_of(from), *gain = build_text(b, "%s_gain", of);
    trace_map *grad = map_add_stage(b, build_gradient_of(from), STEP_NORMALIZE_BACK, labels);
    tensor gains = whole(b, gain_grad);
    trace_origin gained = map_from(b, PART_OF_COLUMN, gain);
    const norm_back_said by = {.before = build_text(b, "%s_", of),
                               .step = STEP_NORMALIZE_BACK,
                               .heads = norms,
                               .rows = grad->values.size[1],
                               .width = width,
                               .labels = labels,
                               .of = map_from(b, PART_CELL, of),
                               .back = map_from(b, PART_CELL, build_gradient_name(normal)),
                               .eps = map_from(b, PART_NUMBER, "qk_eps"),
                               .gain = gained};
    const coming made = map_make_norm_back(b, &by);
    map_say_origins(b, grad, made.op, made.of);
    if (gains.data == NULL)
        return;
    const char *terms = map_make_gain_terms(b, &by);
    /* A head's own, as a row each or all in one list. */
    size_t lists = tensor_count(&gains) / width;
    bool is_of_heads = !is_of_all && (gains.rank == 2 || lists > 1);
    tensor rows_of_gains = {.type = gains.type,
                            .rank = 3,
                            .size = {lists, 1, width},
                            .stride = {(ptrdiff_t)width, 0, 1},
                            .data = gains.data};
    trace_map *sums = add_summed(b, gain_grad, STEP_NORMALIZE_BACK, rows_of_gains);
    sums->is_of_heads = sums->is_apart = is_of_heads;
    say_summed(b, sums, OP_TOTAL,
               (map_operand[TRACE_OPERANDS]){
                   {is_of_heads || is_of_all ? PART_COLUMN_J : PART_COLUMN_OF_HEADS, terms}});
}

static void add_forms(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, "q"),
                 keys = build_new_labels(b, build_key_labels(b, "k"));
    if (p->past > 0) {
        add_cached(b, STAGE_PAST_K_GRAD, INPUT_PAST_K, STAGE_PRESENT_K_GRAD,
                   build_gradient_of(build_new_keys(b)));
        add_cached(b, STAGE_PAST_V_GRAD, INPUT_PAST_V, STAGE_PRESENT_V_GRAD, STAGE_V_GRAD);
    }
    if (p->rope_width > 0) {
        add_turned_back(b, plan_stand_in(p, STAGE_Q_NORM), STAGE_Q_ROPE, "q_angle", queries);
        add_turned_back(b, plan_stand_in(p, STAGE_K_NORM), STAGE_K_ROPE, "k_angle", keys);
    }
    if (p->asked->normalizes) {
        add_normalized_back(b, STAGE_Q, STAGE_Q_NORM, STAGE_Q_GAIN_GRAD, queries);
        add_normalized_back(b, STAGE_K, STAGE_K_NORM, STAGE_K_GAIN_GRAD, keys);
    }
}

/* ---- projections ---- */

static const struct role_gradients {
    stage_id role, sums, grad, sums_grad, weight, bias;
} ROLES[] = {
    {STAGE_Q, STAGE_Q_SUM, STAGE_Q_GRAD, STAGE_Q_SUM_GRAD, STAGE_WQ_GRAD, STAGE_BQ_GRAD},
    {STAGE_K, STAGE_K_SUM, STAGE_K_GRAD, STAGE_K_SUM_GRAD, STAGE_WK_GRAD, STAGE_BK_GRAD},
    {STAGE_V, STAGE_V_SUM, STAGE_V_GRAD, STAGE_V_SUM_GRAD, STAGE_WV_GRAD, STAGE_BV_GRAD},
};
enum { ROLE_COUNT = sizeof ROLES / sizeof ROLES[0] };

/* Of what was clipped, before it was. */
static void add_unclipped(builder *b, const struct role_gradients *of)
{
    trace_labels labels = map_there(b, map_name_of(of->role))->rows;
    if (plan_has_stage(b->plan, of->sums_grad))
        map_say(b, map_add_stage(b, of->sums_grad, STEP_PROJECTIONS_BACK, labels), OP_CLIP_BACK,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, map_name_of(of->grad)},
                                              {PART_CELL, map_name_of(of->sums)},
                                              {PART_NUMBER, "clip"}});
}

/* What comes back to the product: of the sums, where these were clipped. */
static const char *product_grad(const builder *b, const struct role_gradients *of)
{
    return map_name_of(plan_stand_in(b->plan, of->sums_grad));
}

static void add_weights(builder *b, const struct role_gradients *of)
{
    const plan *p = b->plan;
    const projection *role = plan_role(p, of->role);
    const bool is_clipped = plan_has_stage(p, of->sums);
    const trace_map *made = map_there(b, map_name_of(is_clipped ? of->sums : of->role));
    const char *grad = product_grad(b, of);
    trace_part column = of->role == STAGE_Q || is_clipped ? PART_COLUMN_J : PART_OWN_COLUMN_J;
    if (role->weight.data != NULL) {
        trace_map *weight = add_summed(b, of->weight, STEP_PROJECTIONS_BACK,
                                       like_input(b, of->weight, role->weight_as, &role->weight));
        weight->slices = role->weight.rank == 2 ? role->heads : 1;
        weight->is_of_heads = true;
        say_summed(
            b, weight, OP_DOT,
            (map_operand[TRACE_OPERANDS]){{PART_COLUMN_I, made->operand[0].name}, {column, grad}});
    }
    if (role->bias.data != NULL) {
        trace_map *bias = add_summed(b, of->bias, STEP_PROJECTIONS_BACK, flat(b, of->bias));
        bias->slices = role->heads;
        bias->is_of_heads = true;
        bias->is_row_a_head = map_there(b, input_label(role->bias_as))->is_row_a_head;
        say_summed(b, bias, OP_ADD_UP, (map_operand[TRACE_OPERANDS]){{column, grad}});
    }
}

/* The weights with heads side by side, as they take a row of all heads' gradients. */
static const char *side_by_side(builder *b, const projection *role)
{
    const char *label = input_label(role->weight_as);
    const tensor *w = &role->weight;
    if (w->rank == 2)
        return label;
    const char *name = build_text(b, "%s_joined", label);
    const size_t size[] = {w->size[1], w->size[0] * w->size[2]};
    tensor numbers = build_numbers_new(b, name, b->plan->type, 2, size);
    trace_map *joined = map_add(b, name, STEP_PROJECTIONS_BACK, &numbers);
    joined->slices = role->heads;
    map_say(b, joined, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, label}});
    joined->letters = build_text(b, "%s, the heads side by side", label);
    derivation_fill(b, joined);
    return name;
}

/* Rows that no stage holds, to be said and filled. */
static trace_map *add_numbers(builder *b, const char *name, size_t rows, size_t width,
                              trace_labels labels)
{
    const size_t size[] = {rows, width};
    tensor numbers = build_numbers_new(b, name, b->plan->type, 2, size);
    trace_map *added = map_add(b, name, STEP_PROJECTIONS_BACK, &numbers);
    added->rows = labels;
    return added;
}

/* The role's gradient without the numbers that keys share, which no weight of it has made. */
static const char *own_grad(builder *b, const projection *role, const char *grad)
{
    if (role->shared == 0)
        return grad;
    const char *name = build_text(b, "%s_own", grad);
    trace_map *own = add_numbers(b, name, role->n, role->heads * (role->width - role->shared),
                                 map_there(b, grad)->rows);
    own->slices = role->heads;
    own->is_of_heads = true;
    map_say(b, own, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, grad}});
    own->letters = build_text(b, "%s, without what keys share", grad);
    derivation_fill(b, own);
    return name;
}

/* What comes back to rows by way of the role: grad·Wᵀ, without a weight the gradient itself. */
static void say_rows_of_role(builder *b, const projection *role, const char *grad, trace_map *to)
{
    if (role->weight.data == NULL)
        map_say(b, to, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, grad}});
    else
        map_say(b, to, OP_DOT,
                (map_operand[TRACE_OPERANDS]){{PART_ROW_I, own_grad(b, role, grad)},
                                              {PART_ROW_J, side_by_side(b, role)}});
}

/* ---- latents ---- */

/* What comes back to a latent by way of what takes it. */
static void say_takers(builder *b, bool is_query, trace_map *to)
{
    enum { TAKERS = 2 };
    map_operand parts[TRACE_OPERANDS] = {{{0}, NULL}};
    if (is_query) {
        say_rows_of_role(b, &b->plan->q, product_grad(b, &ROLES[0]), to);
        return;
    }
    for (size_t i = 0; i < TAKERS; i++) {
        const struct role_gradients *of = &ROLES[i + 1];
        const char *name = build_text(b, "%s_by_%s", to->name, map_name_of(of->role));
        trace_map *part = add_numbers(b, name, to->values.size[1], to->values.size[2], to->rows);
        say_rows_of_role(b, plan_role(b->plan, of->role), product_grad(b, of), part);
        derivation_fill(b, part);
        parts[i] = (map_operand){PART_CELL, name};
    }
    map_say(b, to, OP_ADD_THREE, parts);
}

/* What keys share gains what each head's does: the operand of the latent's columns after `own`. */
static map_operand shared_grad(builder *b, trace_labels labels)
{
    const projection *role = &b->plan->k;
    const char *grad = product_grad(b, &ROLES[1]);
    if (role->heads == 1)
        return (map_operand){PART_SHARED, grad};
    const char *by_head = build_text(b, "%s_shared_by_head", grad),
               *name = build_text(b, "%s_shared", grad);
    const size_t size[] = {role->heads, role->n, role->shared};
    tensor numbers = build_numbers_new(b, by_head, b->plan->type, 3, size);
    trace_map *each = map_add(b, by_head, STEP_PROJECTIONS_BACK, &numbers);
    each->rows = labels;
    each->is_of_heads = true;
    map_say(b, each, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_SHARED, grad}});
    derivation_fill(b, each);
    trace_map *sums = add_numbers(b, name, role->n, role->shared, labels);
    map_say(b, sums, OP_ADD_UP, (map_operand[TRACE_OPERANDS]){{PART_OF_HEADS, by_head}});
    derivation_fill(b, sums);
    return (map_operand){PART_SHARED, name};
}

static const struct latent_gradients {
    stage_id latent, normed_grad, gain_grad, grad, weight_grad, bias_grad;
} LATENTS[] = {
    {STAGE_Q_LATENT, STAGE_Q_LATENT_NORM_GRAD, STAGE_Q_LATENT_GAIN_GRAD, STAGE_Q_LATENT_GRAD,
     STAGE_WQ_DOWN_GRAD, STAGE_BQ_DOWN_GRAD},
    {STAGE_KV_LATENT, STAGE_KV_LATENT_NORM_GRAD, STAGE_KV_LATENT_GAIN_GRAD, STAGE_KV_LATENT_GRAD,
     STAGE_WKV_DOWN_GRAD, STAGE_BKV_DOWN_GRAD},
};
enum { LATENT_COUNT = sizeof LATENTS / sizeof LATENTS[0] };

/* Through the norm of the first numbers of a latent to these, `to`; and what its gain gains. */
static void say_latent_norm(builder *b, const struct latent_gradients *of, size_t width,
                            trace_map *to)
{
    const char *name = map_name_of(of->latent), *normed = map_name_of(of->normed_grad), *own = name;
    if (map_there(b, name)->values.size[2] > width) {
        own = build_text(b, "%s_own", name);
        trace_map *copy = add_numbers(b, own, to->values.size[1], width, to->rows);
        map_say(b, copy, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, name}});
        copy->letters = build_text(b, "%s, without what keys share", name);
        derivation_fill(b, copy);
    }
    const norm_back_said by = {.before = build_text(b, "%s_", name),
                               .step = STEP_PROJECTIONS_BACK,
                               .heads = 1,
                               .rows = to->values.size[1],
                               .width = width,
                               .labels = to->rows,
                               .of = map_from(b, PART_CELL, own),
                               .back = map_from(b, PART_CELL, normed),
                               .eps = map_from(b, PART_NUMBER, "latent_eps"),
                               .gain = map_from(b, PART_OF_COLUMN, build_text(b, "%s_gain", name))};
    const coming made = map_make_norm_back(b, &by);
    map_say_origins(b, to, made.op, made.of);
    const char *terms = map_make_gain_terms(b, &by);
    say_summed(b, add_summed(b, of->gain_grad, STEP_PROJECTIONS_BACK, flat(b, of->gain_grad)),
               OP_TOTAL, (map_operand[TRACE_OPERANDS]){{PART_COLUMN_J, terms}});
}

static void add_latent(builder *b, const struct latent_gradients *of)
{
    const plan *p = b->plan;
    const bool is_query = of->latent == STAGE_Q_LATENT;
    const projection *role = is_query ? &p->q : &p->k, down = projected_down(p, role);
    const latent *l = plan_latent(p, role);
    const trace_map *there = map_from(b, PART_WHOLE, map_name_of(of->latent)).map;
    if (l->weight.data == NULL || there == NULL)
        return;
    const char *name = map_name_of(of->grad), *own_name = build_text(b, "%s_own_grad", there->name);
    trace_map *normed = plan_has_stage(p, of->normed_grad)
                            ? map_add_stage(b, of->normed_grad, STEP_PROJECTIONS_BACK, there->rows)
                            : NULL;
    if (normed != NULL)
        say_takers(b, is_query, normed);
    trace_map *own = role->shared > 0
                         ? add_numbers(b, own_name, role->n, l->width, there->rows)
                         : map_add_stage(b, of->grad, STEP_PROJECTIONS_BACK, there->rows);
    if (normed != NULL)
        say_latent_norm(b, of, l->width, own);
    else
        say_takers(b, is_query, own);
    if (role->shared > 0) {
        derivation_fill(b, own);
        const map_operand rest = shared_grad(b, there->rows);
        map_say(b, map_add_stage(b, of->grad, STEP_PROJECTIONS_BACK, there->rows), OP_BESIDE,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, own_name}, rest});
    }
    say_summed(b,
               add_summed(b, of->weight_grad, STEP_PROJECTIONS_BACK,
                          like_input(b, of->weight_grad, down.weight_as, &l->weight)),
               OP_DOT,
               (map_operand[TRACE_OPERANDS]){{PART_COLUMN_I, there->operand[0].name},
                                             {PART_COLUMN_J, name}});
    if (l->bias.data != NULL)
        say_summed(b, add_summed(b, of->bias_grad, STEP_PROJECTIONS_BACK, flat(b, of->bias_grad)),
                   OP_ADD_UP, (map_operand[TRACE_OPERANDS]){{PART_COLUMN_J, name}});
}

static void add_rows(builder *b, stage_id id)
{
    const plan *p = b->plan;
    input which = input_of_key(stage_row(id)->of_input);
    tensor grad = whole(b, id);
    struct {
        projection by;
        const char *name, *grad;
    } of[ROLE_COUNT];
    map_operand parts[TRACE_OPERANDS] = {{{0}, NULL}};
    size_t count = 0;
    if (grad.data == NULL)
        return;
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        const projection *role = plan_role(p, ROLES[i].role);
        const bool has_latent = plan_latent(p, role)->weight.data != NULL;
        /* Values have the latent of keys. */
        if (role->rows_as != which || role->given.data != NULL || (has_latent && role == &p->v))
            continue;
        of[count].by = has_latent ? projected_down(p, role) : *role;
        of[count].name = map_name_of(has_latent ? LATENTS[i].latent : ROLES[i].role);
        of[count++].grad = has_latent ? map_name_of(LATENTS[i].grad) : product_grad(b, &ROLES[i]);
    }
    bool is_of_entries = grad.rank == 3;
    if (is_of_entries)
        grad = tensor_at(&grad, b->focus.batch);
    trace_map *rows = is_of_entries ? map_add(b, map_name_of(id), STEP_PROJECTIONS_BACK, &grad)
                                    : add_summed(b, id, STEP_PROJECTIONS_BACK, grad);
    rows->rows = map_there(b, input_key(which))->rows;
    rows->is_of_queries = which == INPUT_X;
    if (count == 1)
        say_rows_of_role(b, &of[0].by, of[0].grad, rows);
    for (size_t i = 0; i < count && count > 1; i++) {
        parts[i] = (map_operand){PART_CELL, of[i].grad};
        if (of[i].by.weight.data == NULL)
            continue;
        parts[i].name = build_text(b, "%s_by_%s", map_name_of(id), of[i].name);
        tensor numbers = build_numbers_new(b, parts[i].name, p->type, 2, grad.size);
        trace_map *part = map_add(b, parts[i].name, STEP_PROJECTIONS_BACK, &numbers);
        part->rows = rows->rows;
        say_rows_of_role(b, &of[i].by, of[i].grad, part);
        derivation_fill(b, part);
    }
    if (count > 1)
        map_say(b, rows, OP_ADD_THREE, parts);
    if (!is_of_entries && p->batches > 1)
        derivation_fill(b, rows);
}

static void add_projections(builder *b)
{
    static const stage_id ROWS[] = {STAGE_X_GRAD, STAGE_XK_GRAD, STAGE_XV_GRAD};
    const plan *p = b->plan;
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        add_unclipped(b, &ROLES[i]);
        add_weights(b, &ROLES[i]);
    }
    for (size_t i = 1; p->bias_k.data != NULL && i < ROLE_COUNT; i++) {
        stage_id id = ROLES[i].role == STAGE_K ? STAGE_BIAS_K_GRAD : STAGE_BIAS_V_GRAD;
        trace_map *learned = add_summed(b, id, STEP_PROJECTIONS_BACK, flat(b, id));
        learned->slices = p->kv_heads;
        learned->is_of_heads = true;
        say_summed(b, learned, OP_COPY,
                   (map_operand[TRACE_OPERANDS]){{PART_LEARNED, map_name_of(ROLES[i].grad)}});
    }
    for (size_t i = 0; i < LATENT_COUNT; i++)
        add_latent(b, &LATENTS[i]);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        add_rows(b, ROWS[i]);
}

void map_make_back(builder *b)
{
    /* A picture is drawn of weights alone. */
    if (!b->plan->asked->goes_back || whole(b, STAGE_OUTPUT_GRAD).data == NULL)
        return;
    add_loss(b);
    add_join(b);
    add_delta(b);
    add_sum(b);
    add_softmax(b);
    add_scores(b);
    add_compared(b);
    add_forms(b);
    add_projections(b);
}
