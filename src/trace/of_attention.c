/* The derivations of an attention: its inputs, q, k and v, every form that queries and keys take
 * before they are compared, scores, weights and results. A part adds what a run has, and says where
 * its cells come from: a map that others name must be there before. */
#include "attn/engine/positions.h"
#include "attn/engine/rows.h"
#include "attn/spec/angle.h"
#include "trace/build.h"
#include "trace/derivation.h"
#include "trace/nodes.h"

/* ---- positions that are added to x ---- */

/* The angles of an n × pairs map: each row's position times each pair's frequency. */
static void add_angles(builder *b, const char *name, step_id step, const char *positions,
                       const char *frequencies, trace_labels rows)
{
    const trace_map *of_rows = map_named(b->room, positions);
    const trace_map *of_pairs = map_named(b->room, frequencies);
    if (of_rows == NULL || of_pairs == NULL)
        return;
    trace_map *angles =
        map_add_made(b, name, step, 1, of_rows->values.size[1], of_pairs->values.size[2]);
    angles->rows = rows;
    map_say(b, angles, OP_TIMES,
            (map_operand[TRACE_OPERANDS]){{PART_OF_ROW, positions}, {PART_OF_COLUMN, frequencies}});
    derivation_fill(b, angles);
}

void map_say_waves(builder *b, trace_map *sums, trace_origin of, trace_origin learned, double first)
{
    size_t rows = sums->values.size[1], width = sums->values.size[2], pairs = (width + 1) / 2;
    step_id step = sums->step;
    bool is_apart = b->plan != NULL && b->plan->asked->places != NULL;
    if (sums->values.data == NULL) /* a picture is drawn of weights alone */
        return;
    trace_map *positions = map_add_made(b, "x_position", step, 1, rows, 1);
    trace_map *frequencies = map_add_made(b, "x_frequency", step, 1, 1, pairs);
    for (size_t i = 0; i < rows && !b->failed; i++)
        tensor_set(&positions->values, (size_t[]){0, i, 0},
                   is_apart ? (double)visible_position(b->plan, b->focus.batch, i)
                            : first + (double)i);
    for (size_t pair = 0; pair < pairs && !b->failed; pair++)
        tensor_set(&frequencies->values, (size_t[]){0, 0, pair}, sinusoid_frequency(pair, width));
    positions->letters = "where row i stands, from 0";
    frequencies->letters = build_text(b, "10000^(−2(j − 1)/%zu)", width);
    add_angles(b, "x_angle", step, "x_position", "x_frequency", sums->rows);
    map_say_origins(
        b, sums, OP_WAVE,
        (trace_origin[TRACE_OPERANDS]){of, map_from(b, PART_OF_PAIR, "x_angle"), learned});
    sums->paired = 2 * pairs;
    sums->is_interleaved = true;
}

/* ---- q, k and v ---- */

/* What a projection takes of its latent, whose map is the stage's; or of the norm of that. */
static const char *add_latent(builder *b, const char *from, const projection *r)
{
    const plan *p = b->plan;
    bool is_query = r == &p->q;
    const latent *l = plan_latent(p, r);
    const stage_id id = is_query ? STAGE_Q_LATENT : STAGE_KV_LATENT,
                   normed = is_query ? STAGE_Q_LATENT_NORM : STAGE_KV_LATENT_NORM;
    const char *name = map_name_of(id), *gain = build_text(b, "%s_gain", name);
    const char *weight = input_label(is_query ? INPUT_WQ_DOWN : INPUT_WKV_DOWN),
               *bias = input_label(is_query ? INPUT_BQ_DOWN : INPUT_BKV_DOWN);
    trace_labels rows =
        is_query ? build_query_labels(b, "x") : build_new_labels(b, build_key_labels(b, "x"));
    if (map_named(b->room, name) == NULL) { /* of keys and values once */
        map_add(b, weight, STEP_PARAMETERS, &l->weight);
        map_add(b, bias, STEP_PARAMETERS, &l->bias);
        map_say(b, map_add_stage(b, id, STEP_PROJECTIONS, rows), OP_DOT,
                (map_operand[TRACE_OPERANDS]){
                    {PART_ROW_I, from}, {PART_COLUMN_J, weight}, {PART_OF_COLUMN, bias}});
        if (l->gain.data != NULL) {
            map_add_number(b, "latent_eps", STEP_PROJECTIONS, p->asked->latent_eps);
            map_add(b, gain, STEP_PARAMETERS, &l->gain);
            map_say(
                b, map_add_stage(b, normed, STEP_PROJECTIONS, rows), OP_NORMALIZE,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, name},
                                              {r->shared > 0 ? PART_OWN_ROW_I : PART_ROW_I, name},
                                              {PART_NUMBER, "latent_eps"},
                                              {PART_OF_COLUMN, gain}});
        }
    }
    return l->gain.data != NULL ? map_name_of(normed) : name;
}

/* Out of the rows that are projected; with positions, of their sums. */
static void add_role(builder *b, stage_id rows, stage_id sums, stage_id id, trace_labels row_labels,
                     trace_labels labels)
{
    const projection *r = plan_role(b->plan, id);
    const char *from = r->rows.data == NULL ? "" : input_key(r->rows_as);
    const char *weight_name = input_label(r->weight_as), *bias_name = input_label(r->bias_as);
    if (r->rows.data != NULL) {
        tensor inputs = build_stage_of_batch(b, rows);
        trace_map *x = map_add(b, from, STEP_INPUTS, &inputs);
        if (x->rows.letter == NULL)
            x->rows = (trace_labels){row_labels.names, from};
        x->is_of_queries = x->is_of_queries || rows == STAGE_X;
        if (r->rows_as == INPUT_X && plan_has_stage(b->plan, STAGE_X_POS)) {
            from = map_name_of(STAGE_X_POS);
            if (map_named(b->room, from) == NULL)
                map_say_waves(b, map_add_stage(b, STAGE_X_POS, STEP_POSITIONS, row_labels),
                              map_from(b, PART_CELL, "x"), (trace_origin){0},
                              (double)visible_position(b->plan, b->focus.batch, 0));
        }
    }
    if (r->given.data != NULL) {
        map_add_stage(b, id, STEP_INPUTS, labels);
        return;
    }
    const latent *l = plan_latent(b->plan, r);
    bool is_second = l->weight.data != NULL;
    if (is_second)
        from = add_latent(b, from, &b->plan->q == r ? r : &b->plan->k);
    /* Of a latent without a norm, which has shared numbers, not all are the product's. */
    trace_part row = is_second && l->gain.data == NULL && b->plan->k.shared > 0 && r != &b->plan->q
                         ? PART_OWN_ROW_I
                         : PART_ROW_I;
    trace_map *weight = map_add(b, weight_name, STEP_PARAMETERS, &r->weight);
    if (r->weight.rank == 2)
        weight->slices = r->heads;
    weight->is_of_heads = true;
    trace_map *bias = map_add(b, bias_name, STEP_PARAMETERS, &r->bias);
    bias->slices = r->heads;
    bias->is_row_a_head = r->bias.data != NULL && b->plan->asked->in[r->bias_as]->rank == 2 &&
                          b->plan->asked->in[r->bias_as]->size[0] > 1;
    const bool is_clipped = plan_has_stage(b->plan, sums);
    trace_map *made = map_add_stage(b, is_clipped ? sums : id, STEP_PROJECTIONS, labels);
    if (r->weight.data == NULL)
        map_say(b, made, OP_PLUS,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, from}, {PART_OF_COLUMN, bias_name}});
    else
        map_say(b, made, r->shared > 0 ? OP_DOT_BESIDE : OP_DOT,
                (map_operand[TRACE_OPERANDS]){
                    {row, from},
                    {PART_COLUMN_J, weight_name},
                    {PART_OF_COLUMN, bias_name},
                    {PART_SHARED, r->shared > 0 ? map_name_of(STAGE_KV_LATENT) : NULL}});
    if (!is_clipped)
        return;
    map_add_number(b, "clip", STEP_PROJECTIONS, b->plan->asked->clip);
    made = map_add_stage(b, id, STEP_PROJECTIONS, labels);
    map_say(b, made, OP_CLIP,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, map_name_of(sums)}, {PART_NUMBER, "clip"}});
    made->done = "clipped";
}

/* Rows after those of the sequence: a learned one, then zeros. */
static void add_appended(builder *b, stage_id id, input learned_as, const tensor *learned,
                         trace_labels labels)
{
    trace_map *made = map_add_stage(b, id, STEP_PROJECTIONS, labels);
    map_add(b, input_label(learned_as), STEP_PARAMETERS, learned)->slices = b->plan->kv_heads;
    made->appended = b->plan->appended;
    made->learned = map_from(b, PART_OF_COLUMN, input_label(learned_as));
}

static void add_normalized(builder *b, stage_id from, stage_id id, const tensor *gains,
                           trace_labels labels)
{
    const char *of = map_name_of(from), *gain = build_text(b, "%s_gain", of);
    if (!plan_has_stage(b->plan, id))
        return;
    map_add_number(b, "qk_eps", STEP_NORMALIZE, b->plan->asked->qk_eps);
    tensor apart = *gains; /* a row a head, or one that all share */
    apart.rank = 3;
    apart.size[0] = gains->stride[0] == 0 ? 1 : gains->size[0];
    apart.size[2] = gains->size[1];
    apart.stride[2] = gains->stride[1];
    apart.size[1] = 1;
    apart.stride[1] = 0;
    map_add(b, gain, STEP_NORMALIZE, &apart);
    trace_map *made = map_add_stage(b, id, STEP_NORMALIZE, labels);
    map_say(b, made, OP_NORMALIZE,
            (map_operand[TRACE_OPERANDS]){
                {PART_CELL, of},
                {b->plan->asked->norms_together ? PART_WHOLE_ROW_I : PART_ROW_I, of},
                {PART_NUMBER, "qk_eps"},
                {PART_OF_COLUMN, gain}});
    made->done = "normalized";
}

void map_say_turn(builder *b, trace_map *made, operation as, const char *of, const char *angles)
{
    map_operand by[TRACE_OPERANDS] = {{PART_CELL, of}, {PART_PARTNER, of}, {PART_OF_PAIR, angles}};
    bool has_factor = b->plan->asked->rope.attention_factor != 1;
    if (has_factor) {
        by[3] = (map_operand){PART_NUMBER, "attention_factor"};
        as = as == OP_TURN ? OP_TURN_BY : OP_TURN_BY_BACK;
    }
    map_say(b, made, as, by);
}

static void add_turned(builder *b, stage_id from, stage_id id, trace_labels labels)
{
    bool is_query = id == STAGE_Q_ROPE;
    const char *of = map_name_of(from);
    const char *positions = is_query ? "q_position" : "k_position";
    const char *angles = is_query ? "q_angle" : "k_angle";
    trace_map *made = map_add_stage(b, id, STEP_ROPE, labels);
    size_t rows = is_query ? b->plan->q.n : b->plan->k.n; /* without those that are appended */
    trace_map *stands = map_add_made(b, positions, STEP_ROPE, 1, rows, 1);
    for (size_t i = 0; i < rows && !b->failed; i++)
        tensor_set(&stands->values, (size_t[]){0, i, 0},
                   is_query ? plan_query_position(b->plan, b->focus.batch, i)
                            : plan_key_position(b->plan, b->focus.batch, i));
    stands->letters = is_query ? "where query i stands, from 0" : "where key i stands, from 0";
    add_angles(b, angles, STEP_ROPE, positions, "frequency", labels);
    map_say_turn(b, made, OP_TURN, of, angles);
    made->done = "turned by its position";
    made->appended = is_query ? 0 : b->plan->appended;
    made->paired = b->plan->rope_width;
    made->unpaired = plan_rope_first(b->plan, is_query ? &b->plan->q : &b->plan->k);
    made->is_interleaved = b->plan->asked->rope.is_interleaved;
}

/* One map whose heads lie as they came: side by side, or apart. */
static void add_past(builder *b, input which, const tensor *apart)
{
    const tensor *given = b->plan->asked->in[which];
    bool is_joined = given->rank < 4;
    tensor past = !is_joined         ? tensor_at(apart, b->focus.batch)
                  : given->rank == 3 ? tensor_at(given, b->focus.batch)
                                     : tensor_view_of(given);
    trace_map *added = map_add(b, input_key(which), STEP_CACHE, &past);
    added->rows = build_key_labels(b, input_key(which));
    added->slices = is_joined ? b->plan->kv_heads : 1;
}

static void add_present(builder *b, stage_id id, const char *past, stage_id new_rows)
{
    map_say(b, map_add_stage(b, id, STEP_CACHE, build_key_labels(b, map_name_of(id))), OP_STACK,
            (map_operand[TRACE_OPERANDS]){{PART_ABOVE, past}, {PART_BELOW, map_name_of(new_rows)}});
}

/* Queries, keys and values in every form, one after the other. */
static void add_roles(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, "q"),
                 new_keys = build_new_labels(b, build_key_labels(b, "k")),
                 new_values = build_new_labels(b, build_value_labels(b, "v"));
    add_role(b, STAGE_X, STAGE_Q_SUM, STAGE_Q, build_query_labels(b, "x"), queries);
    add_role(b, STAGE_XK, STAGE_K_SUM, STAGE_K, build_new_labels(b, build_key_labels(b, "x")),
             new_keys);
    add_role(b, STAGE_XV, STAGE_V_SUM, STAGE_V, build_new_labels(b, build_value_labels(b, "x")),
             new_values);
    if (p->appended > 0) {
        add_appended(b, STAGE_K, INPUT_BIAS_K, &p->bias_k, new_keys);
        add_appended(b, STAGE_V, INPUT_BIAS_V, &p->bias_v, new_values);
    }
    add_normalized(b, STAGE_Q, STAGE_Q_NORM, &p->q_gain, queries);
    add_normalized(b, STAGE_K, STAGE_K_NORM, &p->k_gain, new_keys);
    if (p->rope_width > 0) {
        size_t pairs = p->rope_width / 2;
        const rope_settings *asked = &p->asked->rope;
        trace_map *made = map_add_made(b, "frequency", STEP_ROPE, 1, 1, pairs);
        for (size_t pair = 0; pair < pairs && !b->failed; pair++)
            tensor_set(&made->values, (size_t[]){0, 0, pair}, rope_frequency(p, pair));
        made->letters = build_text(b, "%g^(−2(j − 1)/%zu)", asked->base, p->rope_width);
        if (asked->frequencies != NULL)
            made->letters = "the frequency of pair j, as it is given";
        else if (rope_longer(p) > 1)
            made->letters = build_text(b, "%s·%.9g^(−2(j − 1)/%zu)", made->letters, rope_longer(p),
                                       p->rope_width - 2);
        if (asked->attention_factor != 1)
            map_add_number(b, "attention_factor", STEP_ROPE, asked->attention_factor);
        add_turned(b, plan_stand_in(p, STAGE_Q_NORM), STAGE_Q_ROPE, queries);
        add_turned(b, plan_stand_in(p, STAGE_K_NORM), STAGE_K_ROPE, new_keys);
    }
    if (p->past > 0) {
        add_past(b, INPUT_PAST_K, &p->past_k);
        add_past(b, INPUT_PAST_V, &p->past_v);
        add_present(b, STAGE_PRESENT_K, "past_k", build_new_keys(b));
        add_present(b, STAGE_PRESENT_V, "past_v", STAGE_V);
    }
}

/* ---- scores to weights ---- */

/* q′ = q·Ws, k′ = k·Ua; its map's name, or that of what was not multiplied. */
static const char *add_compared(builder *b, stage_id id, stage_id from, const char *made_by,
                                trace_labels labels)
{
    const char *rows = map_name_of(from);
    if (!plan_has_stage(b->plan, id))
        return rows;
    map_say(b, map_add_stage(b, id, STEP_SCORES, labels), OP_DOT,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, rows},
                                          {PART_COLUMN_J, input_label(input_of_key(made_by))}});
    return map_name_of(id);
}

/* The scores in every form but the masked one. */
static void add_scores(builder *b)
{
    const plan *p = b->plan;
    const score *by = p->asked->score;
    /* Parameters of the score function, one for all heads or one a head. */
    const score_parameters *of_all = &p->of_score;
    const char *const keys[] = {by->for_query, by->for_key, by->vector, by->shift};
    const tensor *const all[] = {&of_all->for_query, &of_all->for_key, &of_all->vector,
                                 &of_all->shift};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        tensor apart = *all[i];
        if (apart.data == NULL)
            continue;
        build_heads_of_score(b, &apart);
        map_add(b, input_label(input_of_key(keys[i])), STEP_PARAMETERS, &apart)->is_apart =
            apart.size[0] > 1;
    }
    const char *q =
        add_compared(b, STAGE_Q_SCORE, build_queries(b), by->for_query, build_query_labels(b, "q"));
    const char *k =
        add_compared(b, STAGE_K_SCORE, build_keys(b), by->for_key, build_column_labels(b));
    map_operand of[TRACE_OPERANDS] = {{PART_ROW_I, q}, {PART_ROW_J, k}};
    size_t count = 2;
    if (by->vector != NULL)
        of[count++] = (map_operand){PART_ROW, input_label(input_of_key(by->vector))};
    if (by->shift != NULL)
        of[count] = (map_operand){by->shift_is_one ? PART_NUMBER : PART_ROW,
                                  input_label(input_of_key(by->shift))};
    map_say(b, map_add_square(b, STAGE_SCORES, STEP_SCORES), by->made_by, of);
    if (p->scale != 1) {
        map_add_number(b, "scale", STEP_SCALE, p->scale);
        trace_map *scaled = map_add_square(b, STAGE_SCALED, STEP_SCALE);
        map_say(b, scaled, OP_TIMES,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, "scores"}, {PART_NUMBER, "scale"}});
        scaled->done = p->asked->scale_kind == SCALE_NUMBER  ? "multiplied by the scale"
                       : p->asked->scale_kind == SCALE_EMBED ? "divided by √m"
                                                             : "divided by √d_k";
    }
    if (plan_has_stage(p, STAGE_CAPPED)) {
        const char *before = map_name_of(p->scale == 1 ? STAGE_SCORES : STAGE_SCALED);
        map_add_number(b, "C", STEP_CAP, p->asked->softcap);
        trace_map *capped = map_add_square(b, STAGE_CAPPED, STEP_CAP);
        map_say(b, capped, OP_CAP,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, before}, {PART_NUMBER, "C"}});
        capped->done = "capped";
    }
}

static void add_masked(builder *b)
{
    const plan *p = b->plan;
    const char *before = map_name_of(build_unmasked(b));
    if (!plan_masks(p))
        return;
    if (p->key_lengths.data != NULL) {
        tensor length = tensor_at(&p->key_lengths, b->focus.batch);
        map_add(b, "key_lengths", STEP_MASK, &length);
    }
    if (p->bias.data != NULL) {
        tensor all = tensor_at(&b->plan->bias, b->focus.batch);
        bool is_one_row = build_has_one_bias(b);
        if (all.stride[0] == 0) /* one for all heads */
            all = tensor_at(&all, 0);
        tensor bias = is_one_row ? tensor_range(&all, all.rank - 2, 0, 1) : all;
        trace_map *added = map_add(b, "bias", STEP_MASK, &bias);
        added->rows = is_one_row ? NUMBERED : build_query_labels(b, "q");
        added->columns = build_column_labels(b);
        added->is_of_queries = !is_one_row;
        added->key = p->asked->key_bias != NULL ? "key_bias" : NULL;
    }
    if (p->bucket.data != NULL) {
        trace_map *buckets = map_add_made(b, "bucket", STEP_MASK, 1, p->n_q, plan_own_keys(p));
        for (size_t n = 0; n < p->n_q * plan_own_keys(p) && !b->failed; n++) {
            const size_t at[] = {0, n / plan_own_keys(p), n % plan_own_keys(p)};
            tensor_set(&buckets->values, at, (double)build_bucket(b, at[1], at[2]) + 1);
        }
        buckets->rows = build_query_labels(b, "q");
        buckets->columns = build_column_labels(b);
        buckets->letters = "in which bucket of distances query i and key j are";
    }
    if (p->slopes.data != NULL) {
        map_add_number_a_head(b, "slope", STEP_MASK, p->slopes);
        trace_map *places = map_add_made(b, "p", STEP_MASK, 1, p->n_q, 1);
        for (size_t i = 0; i < p->n_q && !b->failed; i++) /* from 1, as in the step's formula */
            tensor_set(&places->values, (size_t[]){0, i, 0},
                       (double)visible_position(p, b->focus.batch, i) + 1);
        places->is_bare = true;
        places->letters = "where query i stands among the keys, from 1";
    }
    trace_map *masked = map_add_square(b, STAGE_MASKED, STEP_MASK);
    map_say(
        b, masked, OP_PLUS,
        (map_operand[TRACE_OPERANDS]){
            {PART_CELL, before}, {PART_CELL, "bias"}, {PART_NUMBER, "slope"}, {PART_OF_ROW, "p"}});
    masked->done = "masked";
    masked->untouched = p->appended;
    masked->length = map_from(b, PART_NUMBER, "key_lengths");
}

static void add_softmax(builder *b)
{
    const plan *p = b->plan;
    const char *masked = map_name_of(build_masked(b));
    trace_labels queries = build_query_labels(b, "q");
    if (p->sinks.data != NULL)
        map_add_number_a_head(b, "sink", STEP_SOFTMAX, p->sinks);
    trace_map *row_max = map_add_stage(b, STAGE_ROW_MAX, STEP_SOFTMAX, queries);
    map_say(b, row_max, OP_MAX,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, masked}, [2] = {PART_NUMBER, "sink"}});
    trace_map *powers = map_add_square(b, STAGE_EXP, STEP_SOFTMAX);
    map_say(b, powers, OP_EXP,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, masked}, {PART_OF_ROW, "row_max"}});
    powers->done = "made a power of e";
    if (p->sinks.data != NULL && map_named(b->room, "row_max") != NULL) {
        /* A logit a head, and what it adds to each row's sum. */
        trace_map *terms = map_add_made(b, "sink_exp", STEP_SOFTMAX, p->heads, p->n_q, 1);
        for (size_t row = 0; row < p->heads * p->n_q && !b->failed; row++) {
            const size_t at[] = {row / p->n_q, row % p->n_q, 0};
            tensor_set(&terms->values, at,
                       extra_sink_term(p, at[0], tensor_get(&row_max->values, at)));
        }
        terms->rows = queries;
        terms->is_column = true;
        map_say(b, terms, OP_EXP,
                (map_operand[TRACE_OPERANDS]){{PART_NUMBER, "sink"}, {PART_OF_ROW, "row_max"}});
    }
    map_say(b, map_add_stage(b, STAGE_ROW_SUM, STEP_SOFTMAX, queries), OP_SUM,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, "exp"}, [2] = {PART_OF_ROW, "sink_exp"}});
    trace_map *weights = map_add_square(b, STAGE_WEIGHTS, STEP_SOFTMAX);
    map_say(b, weights, OP_DIVIDE,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, "exp"}, {PART_OF_ROW, "row_sum"}});
    weights->done = "divided by the row's sum";
    weights->is_share = true;
    trace_map *rounded = map_add_square(b, STAGE_ROUNDED, STEP_ROUND);
    rounded->done = "rounded";
    rounded->is_share = true;
    map_say(b, rounded, OP_ROUND, (map_operand[TRACE_OPERANDS]){{PART_CELL, "weights"}});
}

/* ---- results ---- */

static void add_results(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, NULL);
    const char *weights = map_name_of(build_used_weights(b)), *v = map_name_of(build_values(b)),
               *name = map_name_of(STAGE_WEIGHTED);
    map_say(b, map_add_stage(b, STAGE_ATTENDED, STEP_SUM, queries), OP_DOT,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, weights}, {PART_COLUMN_J, v}});
    trace_map *context = map_add_stage(b, STAGE_CONTEXT, STEP_CONCAT, queries);
    context->slices = context->values.size[0] == 1 ? p->heads : 1;
    map_say(b, context, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, "attended"}});
    context->letters = "attended, the heads side by side";
    if (bundle_tensor(b->result, name) == NULL)
        return;
    /* Of one query, its own row of the weights times the rows of v: that in focus, then others. */
    for (size_t i = 0; i <= (b->shows_all_rows ? p->n_q : 0); i++) {
        size_t query = i == 0 ? b->focus.row : i - 1;
        if (i > 0 && query == b->focus.row)
            continue;
        tensor rows = build_weighted(b, query);
        trace_map *weighted =
            map_add(b, i == 0 ? name : build_text(b, "%s[%zu]", name, i), STEP_WEIGHTED, &rows);
        weighted->rows = build_value_labels(b, v);
        weighted->is_of_focus = true;
        weighted->query = query;
        map_say(b, weighted, OP_TIMES,
                (map_operand[TRACE_OPERANDS]){{PART_OF_FOCUS, weights}, {PART_CELL, v}});
    }
}

static void add_output(builder *b)
{
    const plan *p = b->plan;
    if (p->wo.data == NULL && p->bo.data == NULL)
        return;
    map_add(b, "Wo", STEP_PARAMETERS, &p->wo);
    trace_map *bo = map_add(b, "bo", STEP_PARAMETERS, &p->bo);
    trace_map *output = map_add_stage(b, STAGE_OUTPUT, STEP_JOIN, build_query_labels(b, NULL));
    if (p->wo.data == NULL) {
        bo->slices = plan_keeps_heads_apart(p) ? p->heads : 1; /* a part for each that came apart */
        map_say(b, output, OP_PLUS,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, "context"}, {PART_OF_COLUMN, "bo"}});
        return;
    }
    /* Wo takes the rows of the context, or of heads that are apart, a map of their own. */
    const char *rows;
    tensor side_by_side = build_joined(b, &rows);
    if (map_named(b->room, rows) == NULL) {
        trace_map *joined = map_add(b, rows, STEP_JOIN, &side_by_side);
        joined->rows = build_query_labels(b, NULL);
        joined->slices = p->heads;
        map_say(b, joined, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, "context"}});
        joined->letters = "context, the heads side by side";
    }
    map_say(b, output, OP_DOT,
            (map_operand[TRACE_OPERANDS]){
                {PART_ROW_I, rows}, {PART_COLUMN_J, "Wo"}, {PART_OF_COLUMN, "bo"}});
}

/* ---- how they are computed ---- */

static void say_run(builder *b)
{
    const plan *p = b->plan;
    int64_t first = visible_position(p, b->focus.batch, 0);
    bool is_causal = plan_is_causal(p) && p->asked->places == NULL;
    /* A page makes frequencies of a base alone. */
    bool is_by_base = p->asked->rope.frequencies == NULL && p->asked->rope.factor == 0;
    b->room->run = (trace_run){.keys = plan_own_keys(p),
                               .appended = p->appended,
                               .shared = p->k.shared,
                               .decimals = p->asked->round_decimals,
                               .keeps_sum = p->asked->round_keeps_sum,
                               .is_causal = is_causal,
                               .scale_is_of_k = p->scale_kind == SCALE_HEAD,
                               .scale_is_of_x = p->scale_kind == SCALE_EMBED,
                               .rope_width = is_by_base ? p->rope_width : 0,
                               .rope_base = p->asked->rope.base,
                               .first = (double)first,
                               .ends_at_key = p->asked->causal == CAUSAL_LOWER_RIGHT,
                               .mask_true_is_masked = p->asked->mask_true_is_masked};
    if (p->mask.data != NULL)
        b->room->run.mask = tensor_at(&p->mask, b->focus.batch);
    if (!p->asked->has_window && p->mask.data == NULL && is_causal == plan_is_causal(p))
        return;
    /* Which keys the window leaves to each query. Where queries don't follow one another, causality
     * counts too: the place of the first query does not tell it. */
    problem asked = *p->asked;
    plan without = *p;
    if (asked.places == NULL)
        asked.causal = CAUSAL_NONE;
    without.asked = &asked;
    without.key_lengths.data = NULL; /* a map of its own */
    without.offset = (size_t)first;  /* as they are aligned */
    tensor seen = build_numbers_new(b, "which keys are seen", DTYPE_F64, 2, (size_t[]){p->n_q, 2});
    for (size_t i = 0; i < p->n_q && !b->failed; i++) {
        key_range keys = visible_keys(&without, b->focus.batch, i);
        tensor_set(&seen, (size_t[]){i, 0}, (double)keys.first);
        tensor_set(&seen, (size_t[]){i, 1}, (double)keys.end);
    }
    b->room->run.seen = seen;
}

void map_make(builder *b)
{
    say_run(b);
    add_roles(b);
    add_scores(b);
    add_masked(b);
    add_softmax(b);
    add_results(b);
    add_output(b);
    map_make_back(b);
}
