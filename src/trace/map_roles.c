/* Inputs, q, k and v, and every form that queries and keys take before they are compared. */
#include "trace/map.h"
#include "trace/map_parts.h"

#include "attn/angle.h"
#include "attn/sinusoid.h"
#include "attn/visible.h"

/* ---- positions that are added to x ---- */

/* The angles of an n × pairs map: each row's position times each pair's frequency. */
static void add_angles(builder *b, const char *name, step_id step, const char *positions,
                       const char *frequencies, trace_labels rows)
{
    const trace_map *of_rows = map_named(b->trace, positions);
    const trace_map *of_pairs = map_named(b->trace, frequencies);
    if (of_rows == NULL || of_pairs == NULL)
        return;
    size_t count = of_rows->values.size[1], pairs = of_pairs->values.size[2];
    trace_map *angles = map_add_made(b, name, step, 1, count, pairs);
    for (size_t i = 0; i < count && !b->failed; i++) {
        double position = tensor_get(&of_rows->values, (size_t[]){0, i, 0});
        for (size_t pair = 0; pair < pairs; pair++) {
            double frequency = tensor_get(&of_pairs->values, (size_t[]){0, 0, pair});
            tensor_set(&angles->values, (size_t[]){0, i, pair}, position * frequency);
        }
    }
    angles->rows = rows;
    map_say(b, angles, OP_TIMES,
            (trace_origin[4]){map_from(b, PART_OF_ROW, positions),
                              map_from(b, PART_OF_COLUMN, frequencies)});
}

void map_say_waves(builder *b, trace_map *sums, trace_origin of, trace_origin learned, double first)
{
    size_t rows = sums->values.size[1], width = sums->values.size[2], pairs = (width + 1) / 2;
    step_id step = sums->step;
    trace_map *positions = map_add_made(b, "x_position", step, 1, rows, 1);
    trace_map *frequencies = map_add_made(b, "x_frequency", step, 1, 1, pairs);
    for (size_t i = 0; i < rows && !b->failed; i++)
        tensor_set(&positions->values, (size_t[]){0, i, 0}, first + (double)i);
    for (size_t pair = 0; pair < pairs && !b->failed; pair++)
        tensor_set(&frequencies->values, (size_t[]){0, 0, pair}, sinusoid_frequency(pair, width));
    positions->letters = "where row i stands, from 0";
    frequencies->letters = build_text(b, "10000^(−2(j − 1)/%zu)", width);
    add_angles(b, "x_angle", step, "x_position", "x_frequency", sums->rows);
    map_say(b, sums, OP_WAVE, (trace_origin[4]){of, map_from(b, PART_OF_PAIR, "x_angle"), learned});
    sums->paired = 2 * pairs;
    sums->is_interleaved = true;
}

static void add_sums(builder *b, trace_labels labels)
{
    trace_map *sums = map_add_stage(b, STAGE_X_POS, STEP_POSITIONS, labels, build_numbers());
    map_say_waves(b, sums, map_from(b, PART_CELL, "x"), (trace_origin){0},
                  (double)visible_position(b->plan, b->focus.batch, 0));
}

/* ---- q, k and v ---- */

static void add_weights(builder *b, const projection *r)
{
    trace_map *weight = map_add(b, input_label(r->weight_as), STEP_PARAMETERS, &r->weight);
    if (r->weight.rank == 2)
        weight->slices = r->heads;
    trace_map *bias = map_add(b, input_label(r->bias_as), STEP_PARAMETERS, &r->bias);
    bias->slices = r->heads;
    bias->is_row_a_head = r->bias.data != NULL && b->plan->asked->in[r->bias_as]->rank == 2 &&
                          b->plan->asked->in[r->bias_as]->size[0] > 1;
}

/* The rows that are projected, and the name of their map: with positions, their sums. */
static const char *add_rows(builder *b, const projection *r, stage_id rows, trace_labels labels)
{
    if (r->rows.data == NULL)
        return ""; /* given directly */
    tensor inputs = build_stage_of_batch(b, rows);
    trace_map *x = map_add(b, input_key(r->rows_as), STEP_INPUTS, &inputs);
    if (x->rows.letter == NULL)
        x->rows = labels;
    x->is_of_queries = x->is_of_queries || rows == STAGE_X;
    if (r->rows_as != INPUT_X || !plan_has_stage(b->plan, STAGE_X_POS))
        return input_key(r->rows_as);
    if (map_named(b->trace, map_name_of(STAGE_X_POS)) == NULL)
        add_sums(b, labels);
    return map_name_of(STAGE_X_POS);
}

static void say_projected(builder *b, trace_map *made, const projection *r, const char *rows_name)
{
    trace_origin bias = map_from(b, PART_OF_COLUMN, input_label(r->bias_as));
    if (r->weight.data == NULL)
        map_say(b, made, OP_PLUS, (trace_origin[4]){map_from(b, PART_CELL, rows_name), bias});
    else
        map_say(b, made, OP_DOT,
                (trace_origin[4]){map_from(b, PART_ROW_I, rows_name),
                                  map_from(b, PART_COLUMN_J, input_label(r->weight_as)), bias});
}

static void add_role(builder *b, const projection *r, stage_id rows, stage_id id,
                     trace_labels row_labels, trace_labels labels)
{
    bool is_given = r->given.data != NULL;
    const char *rows_name = add_rows(b, r, rows, row_labels);
    if (!is_given)
        add_weights(b, r);
    trace_map *made =
        map_add_stage(b, id, is_given ? STEP_INPUTS : STEP_PROJECTIONS, labels, build_numbers());
    if (!is_given)
        say_projected(b, made, r, rows_name);
}

/* Rows behind those of the sequence: a learned one, then zeros. */
static void add_appended(builder *b, stage_id id, input learned_as, const tensor *learned,
                         trace_labels labels)
{
    trace_map *made = map_add_stage(b, id, STEP_PROJECTIONS, labels, build_numbers());
    map_add(b, input_label(learned_as), STEP_PARAMETERS, learned)->slices = b->plan->kv_heads;
    made->appended = b->plan->appended;
    made->learned = map_from(b, PART_OF_COLUMN, input_label(learned_as));
}

/* ---- normalized ---- */

/* A row a head, where they are shared too. */
static trace_map *add_gain(builder *b, const char *name, const tensor *gains)
{
    tensor apart = *gains;
    apart.rank = 3;
    apart.size[2] = gains->size[1];
    apart.stride[2] = gains->stride[1];
    apart.size[1] = 1;
    apart.stride[1] = 0;
    return map_add(b, name, STEP_NORMALIZE, &apart);
}

static void add_normalized(builder *b, stage_id from, stage_id id, const tensor *gains,
                           trace_labels labels)
{
    const char *of = map_name_of(from), *gain = build_text(b, "%s_gain", of);
    if (!plan_has_stage(b->plan, id))
        return;
    map_add_number(b, "qk_eps", STEP_NORMALIZE, b->plan->asked->qk_eps);
    add_gain(b, gain, gains);
    trace_map *made = map_add_stage(b, id, STEP_NORMALIZE, labels, build_numbers());
    map_say(b, made, OP_NORMALIZE,
            (trace_origin[4]){map_from(b, PART_CELL, of), map_from(b, PART_ROW_I, of),
                              map_from(b, PART_NUMBER, "qk_eps"),
                              map_from(b, PART_OF_COLUMN, gain)});
}

/* ---- turned ---- */

static void add_frequencies(builder *b)
{
    const plan *p = b->plan;
    size_t pairs = p->rope_width / 2;
    trace_map *made = map_add_made(b, "frequency", STEP_ROPE, 1, 1, pairs);
    for (size_t pair = 0; pair < pairs && !b->failed; pair++)
        tensor_set(&made->values, (size_t[]){0, 0, pair},
                   angle_frequency(p->asked->rope.base, pair, p->rope_width));
    made->letters = build_text(b, "%g^(−2(j − 1)/%zu)", p->asked->rope.base, p->rope_width);
}

static void add_turned(builder *b, stage_id from, stage_id id, trace_labels labels)
{
    bool is_query = id == STAGE_Q_ROPE;
    const char *of = map_name_of(from);
    const char *positions = is_query ? "q_position" : "k_position";
    const char *angles = is_query ? "q_angle" : "k_angle";
    trace_map *made = map_add_stage(b, id, STEP_ROPE, labels, build_numbers());
    size_t rows = is_query ? b->plan->q.n : b->plan->k.n; /* without those that are appended */
    trace_map *stands = map_add_made(b, positions, STEP_ROPE, 1, rows, 1);
    for (size_t i = 0; i < rows && !b->failed; i++)
        tensor_set(&stands->values, (size_t[]){0, i, 0},
                   is_query ? plan_query_position(b->plan, b->focus.batch, i)
                            : plan_key_position(b->plan, b->focus.batch, i));
    stands->letters = is_query ? "where query i stands, from 0" : "where key i stands, from 0";
    add_angles(b, angles, STEP_ROPE, positions, "frequency", labels);
    map_say(b, made, OP_TURN,
            (trace_origin[4]){map_from(b, PART_CELL, of), map_from(b, PART_PARTNER, of),
                              map_from(b, PART_OF_PAIR, angles)});
    made->appended = is_query ? 0 : b->plan->appended;
    made->paired = b->plan->rope_width;
    made->is_interleaved = b->plan->asked->rope.is_interleaved;
}

static void add_rope(builder *b, trace_labels queries, trace_labels keys)
{
    bool normalizes = b->plan->asked->normalizes;
    if (b->plan->rope_width == 0)
        return;
    add_frequencies(b);
    add_turned(b, normalizes ? STAGE_Q_NORM : STAGE_Q, STAGE_Q_ROPE, queries);
    add_turned(b, normalizes ? STAGE_K_NORM : STAGE_K, STAGE_K_ROPE, keys);
}

/* ---- a cache ---- */

/* One map whose heads lie as they came: side by side, or apart. */
static void add_past(builder *b, input which, const tensor *apart, size_t heads)
{
    const tensor *given = b->plan->asked->in[which];
    bool is_joined = given != NULL && given->rank < 4;
    tensor past = !is_joined         ? tensor_at(apart, b->focus.batch)
                  : given->rank == 3 ? tensor_at(given, b->focus.batch)
                                     : tensor_view_of(given);
    trace_map *added = map_add(b, input_key(which), STEP_CACHE, &past);
    added->rows = build_key_labels(b, input_key(which));
    added->slices = is_joined ? heads : 1;
}

static void add_present(builder *b, stage_id id, const char *past, stage_id new_rows)
{
    trace_labels labels = build_key_labels(b, map_name_of(id));
    if (!plan_has_stage(b->plan, id))
        return;
    map_say(b, map_add_stage(b, id, STEP_CACHE, labels, build_numbers()), OP_STACK,
            (trace_origin[4]){map_from(b, PART_ABOVE, past),
                              map_from(b, PART_BELOW, map_name_of(new_rows))});
}

static void add_cache(builder *b)
{
    const plan *p = b->plan;
    if (p->past == 0)
        return;
    add_past(b, INPUT_PAST_K, &p->past_k, p->kv_heads);
    add_past(b, INPUT_PAST_V, &p->past_v, p->kv_heads);
    add_present(b, STAGE_PRESENT_K, "past_k", build_new_keys(b));
    add_present(b, STAGE_PRESENT_V, "past_v", STAGE_V);
}

void map_add_roles(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, "q"), new_keys = build_new_key_labels(b, "k"),
                 new_values = build_new_value_labels(b, "v");
    add_role(b, &p->q, STAGE_X, STAGE_Q, build_query_labels(b, "x"), queries);
    add_role(b, &p->k, STAGE_XK, STAGE_K, build_new_key_labels(b, "x"), new_keys);
    add_role(b, &p->v, STAGE_XV, STAGE_V, build_new_value_labels(b, "x"), new_values);
    if (p->appended > 0) {
        add_appended(b, STAGE_K, INPUT_BIAS_K, &p->bias_k, new_keys);
        add_appended(b, STAGE_V, INPUT_BIAS_V, &p->bias_v, new_values);
    }
    add_normalized(b, STAGE_Q, STAGE_Q_NORM, &p->q_gain, queries);
    add_normalized(b, STAGE_K, STAGE_K_NORM, &p->k_gain, new_keys);
    add_rope(b, queries, new_keys);
    add_cache(b);
}
