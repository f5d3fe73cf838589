#include "trace/floors.h"

#include "base/mem.h"
#include "trace/derivation.h"
#include "trace/stack_steps.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

trace *floors_next(floors *f)
{
    assert(f->out->parts < f->out->rooms); /* stack_trace_rooms counted them */
    return &f->out->part[f->out->parts++];
}

void floors_enter(floors *f, trace *room, const char *name, const char *way)
{
    f->b = (builder){
        .trace = room, .result = f->result, .focus = f->focus, .is_full = f->is_full, .e = f->e};
    room->first_map = f->maps;
    room->focus = f->focus;
    room->place.name = build_text(&f->b, "%s", name);
    room->place.floor = build_text(&f->b, "%s%s", f->step, f->floor);
    room->place.way = build_text(&f->b, "%s%s", f->step_way, way);
    room->place.way_in_step = build_text(&f->b, "%s", way);
    stack_place_find_more(&room->place, f->layer);
}

step_wish floors_wish(const floors *f, const char *way, const char *room, step_id id)
{
    char full[2 * STAGE_NAME];
    snprintf(full, sizeof full, "%s%s", f->step_way, way);
    trace_place at = {.name = room, .way = full, .way_in_step = way};
    stack_place_find_more(&at, f->layer);
    return stack_step_wish(f->asked, &at, id);
}

bool floors_end(floors *f)
{
    f->maps += f->b.trace->maps;
    return !f->b.failed;
}

const trace *floors_room(const floors *f, size_t rooms, const char *way, const char *name)
{
    while (rooms-- > 0) {
        const trace *room = &f->out->part[rooms];
        if (strcmp(room->place.name, name) == 0 && strcmp(room->place.way_in_step, way) == 0)
            return room;
    }
    return NULL;
}

bool floors_tells(const floors *f)
{
    return f->b.trace->steps > 0;
}

bool floors_begin(floors *f, step_id step, const char *name)
{
    trace *made = floors_next(f);
    floors_enter(f, made, name, f->way.text);
    made->heads = 1;
    made->focus.head = 0;
    made->step = mem_alloc_zeroed(1, sizeof made->step[0], f->e);
    if (made->step == NULL)
        return false;
    made->steps = f->asked == NULL || floors_wish(f, f->way.text, name, step) != STEP_UNWANTED;
    made->step->id = step;
    made->step->name = build_text(&f->b, "%s%s%s", f->step, f->place, name);
    f->b.step = made->step;
    return !f->b.failed;
}

floor_rows floors_rows(const floors *f, const char *name)
{
    char full[STAGE_NAME];
    stage_name_in_full(&f->way, name, full);
    const tensor *kept = bundle_tensor(f->result, full);
    assert(kept != NULL); /* whoever traces a stack has it keep every stage */
    tensor values = kept->rank == 3 ? tensor_at(kept, f->focus.batch) : tensor_view_of(kept);
    return (floor_rows){.name = name, .values = values};
}

void floors_show(floors *f, const floor_rows *rows)
{
    derivation_matrix(&f->b, rows->name, f->focus.row + 1);
}

/* ---- maps ---- */

/* No part, where the rows have no map. */
static trace_origin origin_of(trace_part part, const floor_rows *rows)
{
    return rows->map == NULL ? (trace_origin){0}
                             : (trace_origin){part, rows->room, rows->map, rows->name};
}

trace_map *floors_map_rows(floors *f, floor_rows *rows)
{
    rows->room = f->b.trace;
    rows->map = map_add(&f->b, build_text(&f->b, "%s", rows->name), f->b.step->id, &rows->values);
    rows->map->rows = f->labels;
    rows->map->is_of_queries = true;
    return rows->map;
}

trace_map *floors_map_made(floors *f, const char *name, const floor_rows *like, size_t columns)
{
    trace_map *made = map_add_made(&f->b, name, f->b.step->id, 1, like->values.size[0], columns);
    made->rows = f->labels;
    made->is_of_queries = true;
    return made;
}

void floors_map_copy(floors *f, const floor_rows *of, floor_rows *made)
{
    map_say(&f->b, floors_map_rows(f, made), OP_COPY, (trace_origin[4]){origin_of(PART_CELL, of)});
}

/* ---- norms ---- */

static void map_norm(floors *f, const norm *n, const floor_rows *of, floor_rows *made)
{
    builder *b = &f->b;
    step_id step = b->step->id;
    size_t width = of->values.size[1];
    const char *eps = build_text(b, "%s.eps", made->name);
    const char *gain = build_text(b, "%s.gain", made->name);
    const char *bias = build_text(b, "%s.bias", made->name);
    const char *unit = build_text(b, "%s.unit", made->name);
    trace_origin cell = origin_of(PART_CELL, of);
    if (!n->is_rms) {
        const char *mean_name = build_text(b, "%s.mean", made->name);
        const char *centered_name = build_text(b, "%s.centered", made->name);
        trace_map *mean = floors_map_made(f, mean_name, of, 1);
        trace_map *centered = floors_map_made(f, centered_name, of, width);
        mean->is_column = true;
        map_say(b, mean, OP_MEAN, (trace_origin[4]){origin_of(PART_ROW_I, of)});
        derivation_fill(b, mean);
        map_say(b, centered, OP_MINUS,
                (trace_origin[4]){cell, map_from(b, PART_OF_ROW, mean_name)});
        derivation_fill(b, centered);
        cell = map_from(b, PART_CELL, centered_name);
    }
    map_add_number(b, eps, step, n->eps);
    map_add(b, gain, step, &n->gain);
    map_add(b, bias, step, &n->bias);
    bool is_changed = n->gain.data != NULL || n->bias.data != NULL;
    trace_map *divided =
        is_changed ? floors_map_made(f, unit, of, width) : floors_map_rows(f, made);
    trace_origin row = cell;
    row.part = PART_ROW_I;
    map_say(b, divided, OP_NORMALIZE, (trace_origin[4]){cell, row, map_from(b, PART_NUMBER, eps)});
    if (!is_changed)
        return;
    derivation_fill(b, divided);
    trace_map *rows = floors_map_rows(f, made);
    trace_origin of_gain = map_from(b, PART_OF_COLUMN, gain),
                 of_bias = map_from(b, PART_OF_COLUMN, bias),
                 of_unit = map_from(b, PART_CELL, unit);
    if (of_gain.part == PART_NONE)
        map_say(b, rows, OP_PLUS, (trace_origin[4]){of_unit, of_bias});
    else
        map_say(b, rows, OP_DOT, (trace_origin[4]){of_unit, of_gain, of_bias});
}

/* ---- sums and feed-forward parts ---- */

static void map_product(floors *f, const floor_rows *of, const char *w_name, const tensor *w,
                        const char *bias_name, const tensor *bias, floor_rows *made)
{
    builder *b = &f->b;
    bool has_bias = bias != NULL && bias->data != NULL;
    map_add(b, w_name, b->step->id, w);
    if (has_bias)
        map_add(b, bias_name, b->step->id, bias);
    map_say(
        b, floors_map_rows(f, made), OP_DOT,
        (trace_origin[4]){origin_of(PART_ROW_I, of), map_from(b, PART_COLUMN_J, w_name),
                          has_bias ? map_from(b, PART_OF_COLUMN, bias_name) : (trace_origin){0}});
}

void floors_map_mean_weights(floors *f, const stage_way *way)
{
    builder *b = &f->b;
    trace *room = b->trace;
    char full[STAGE_NAME];
    stage_name_in_full(way, "mean_weights", full);
    const tensor *kept = bundle_tensor(f->result, full);
    const trace_map *weights = map_named(room, "weights");
    if (kept == NULL || weights == NULL || room->heads == 1)
        return;
    tensor of_batch = kept->rank == 3 ? tensor_at(kept, f->focus.batch) : tensor_view_of(kept);
    trace_map *mean = map_add(b, "mean_weights", STEP_SOFTMAX, &of_batch);
    mean->rows = weights->rows;
    mean->columns = weights->columns;
    mean->is_share = mean->is_of_queries = true;
    map_say(b, mean, OP_MEAN, (trace_origin[4]){map_from(b, PART_OF_HEADS, "weights")});
    /* They are told in the step that makes the weights, where somebody asked for them. */
    if (f->asked == NULL || !stack_words_name_more(f->asked, &room->place))
        return;
    for (size_t i = 0; i < room->steps; i++) {
        if (room->step[i].id != STEP_SOFTMAX)
            continue;
        b->step = &room->step[i];
        build_sentence(b, "%s are these weights' mean over the heads:", mean->name);
        derivation_line(b, mean->name, f->focus.row, 0);
        derivation_matrix(b, mean->name, f->focus.row + 1);
    }
}

/* ---- the steps between attentions: norms, sums, feed-forward parts ---- */

/* What the part has of its own, where there is not too much of it to be looked at. */
static void show_parameter(floors *f, const char *name, const tensor *numbers)
{
    enum { MOST = 4096 };
    bool is_there = numbers != NULL && numbers->data != NULL;
    if (is_there && tensor_count(numbers) <= MOST && !dtype_is_narrower(numbers->type, DTYPE_F32))
        build_matrix(&f->b, name, numbers, build_numbers(), build_numbers(), 0);
}

bool floors_norm(floors *f, const norm *n, const floor_rows *of, const char *name, floor_rows *made)
{
    builder *b = &f->b;
    bool has_gain = n->gain.data != NULL, has_bias = n->bias.data != NULL;
    if (!floors_begin(f, FLOOR_NORM, name))
        return false;
    floor_rows normed = floors_rows(f, name);
    map_norm(f, n, of, &normed);
    *made = normed;
    if (!floors_tells(f) || b->failed)
        return floors_end(f);
    /* With an eps that is not small a row's variance is not 1 then. */
    if (n->is_rms)
        build_sentence(b,
                       "Each row is divided by the root of mean square + eps, with eps = %g: an "
                       "RMSNorm. Its mean square s becomes s / (s + eps), close to 1 where eps is "
                       "small next to s.",
                       n->eps);
    else
        build_sentence(b,
                       "Each row is moved to mean 0 and divided by the root of variance + eps, "
                       "with eps = %g: a LayerNorm. Its variance v becomes v / (v + eps), close to "
                       "1 where eps is small next to v.",
                       n->eps);
    if (has_gain || has_bias)
        build_sentence(b, "Then each column is %s%s%s.", has_gain ? "multiplied by its gain" : "",
                       has_gain && has_bias ? ", and " : "", has_bias ? "moved by its bias" : "");
    show_parameter(f, build_text(b, "%s.gain", name), &n->gain);
    show_parameter(f, build_text(b, "%s.bias", name), &n->bias);
    /* The row's first number, by way of all that no stage holds. */
    for (size_t i = 0; i < b->trace->maps; i++) {
        if (b->trace->map[i].has_origin)
            derivation_show(b, b->trace->map[i].name, f->focus.row);
    }
    floors_show(f, &normed);
    return floors_end(f);
}

/* ---- sums ---- */

bool floors_sum(floors *f, const floor_rows *a, const floor_rows *b, const char *name,
                floor_rows *made)
{
    if (!floors_begin(f, FLOOR_RESIDUAL, name))
        return false;
    floor_rows added = floors_rows(f, name);
    map_say(&f->b, floors_map_rows(f, &added), OP_PLUS,
            (trace_origin[4]){origin_of(PART_CELL, a), origin_of(PART_CELL, b)});
    if (floors_tells(f)) {
        build_sentence(&f->b,
                       "The part's result is added to %s%s, so that it changes the rows and does "
                       "not replace them: the residual.",
                       strcmp(a->name, "x") == 0 ? "the layer's " : "", a->name);
        derivation_show(&f->b, added.name, f->focus.row);
        floors_show(f, &added);
    }
    *made = added;
    return floors_end(f);
}

/* ---- feed-forward parts ---- */

/* The first number of the row: made[i,1] = of[i]·w[·,1] + bias[1]. */
static void show_product(floors *f, const char *w_name, const tensor *w, const char *bias_name,
                         const tensor *bias, const floor_rows *made)
{
    show_parameter(f, w_name, w);
    show_parameter(f, bias_name, bias);
    derivation_show(&f->b, made->name, f->focus.row);
    floors_show(f, made);
}

bool floors_feed_forward(floors *f, const feed_forward *by, const floor_rows *of, floor_rows *made)
{
    builder *b = &f->b;
    if (!floors_begin(f, FLOOR_FEED_FORWARD, "ffn"))
        return false;
    bool has_gate = by->w3.data != NULL;
    floor_rows hidden = floors_rows(f, "ffn.hidden"), activated = floors_rows(f, "ffn.activated"),
               output = floors_rows(f, "ffn.output"), gate = {0};
    const named *function = &by->by->named;
    map_product(f, of, "w1", &by->w1, "b1", &by->b1, &hidden);
    if (has_gate) {
        gate = floors_rows(f, "ffn.gate");
        map_product(f, of, "w3", &by->w3, NULL, NULL, &gate);
    }
    trace_map *map = floors_map_rows(f, &activated);
    map->function = by->by;
    map_say(b, map, OP_ACTIVATE,
            (trace_origin[4]){origin_of(PART_CELL, &hidden), origin_of(PART_CELL, &gate)});
    map->letters = build_text(b, "%s: %s", map->letters, function->help);
    map_product(f, &activated, "w2", &by->w2, "b2", &by->b2, &output);
    *made = output;
    if (!floors_tells(f))
        return floors_end(f);
    build_sentence(b,
                   "Each row by itself goes through %zu hidden number%s and comes back %zu "
                   "wide.",
                   by->hidden, build_plural(by->hidden), by->width);
    show_product(f, "w1", &by->w1, "b1", &by->b1, &hidden);
    if (has_gate)
        show_product(f, "w3", &by->w3, NULL, NULL, &gate);
    build_sentence(b, "%s: %s.", function->name, function->help);
    derivation_show(b, "ffn.activated", f->focus.row);
    floors_show(f, &activated);
    show_product(f, "w2", &by->w2, "b2", &by->b2, &output);
    return floors_end(f);
}

/* ---- rollout: what of each row after the layers comes from each row before them ----
 *
 * Abnar and Zuidema, Quantifying attention flow in transformers, 2020, section 3:
 *
 *     rollout = A[L]·…·A[1],  A[l] = 0.5·mean_weights[l] + 0.5·I */

/* Of more layers or rows, the products between the first and the last are not made again. */
enum { MOST_LAYERS = 24, MOST_ROWS = 64 };

static void label_square(const floors *f, trace_map *square)
{
    square->rows = square->columns = f->labels;
    square->is_share = square->is_of_queries = true;
}

static trace_map *add_square(floors *f, const char *name)
{
    trace_map *square = map_add_made(&f->b, name, FLOOR_ROLLOUT, 1, f->stack->rows, f->stack->rows);
    label_square(f, square);
    return square;
}

/* A1, A2, …: half the mean of the weights of a layer's own attention; of one head, its weights. */
static const char *map_layer(floors *f, size_t number)
{
    builder *b = &f->b;
    const char *name = build_text(b, "A%zu", number + 1);
    const trace *room = NULL;
    const trace_map *mean = NULL;
    size_t layers = 0;
    for (size_t i = f->first_part; i < f->out->parts; i++) {
        if (strcmp(f->out->part[i].place.name, "attention") != 0 || layers++ != number)
            continue;
        room = &f->out->part[i];
        mean = map_named(room, "mean_weights");
        if (mean == NULL)
            mean = map_named(room, "weights");
    }
    trace_map *half = add_square(f, name);
    if (mean == NULL)
        return name;
    const char *called = build_text(b, "layer %zu's %s", number + 1, mean->name);
    map_say(b, half, OP_MEAN,
            (trace_origin[4]){{PART_CELL, room, mean, called}, map_from(b, PART_CELL, "I")});
    derivation_fill(b, half);
    return name;
}

/* Each layer's half, and the products of them: the last one is the rollout itself. */
static void map_products(floors *f, trace_map *rollout)
{
    builder *b = &f->b;
    size_t layers = f->stack->layers;
    trace_map *identity = add_square(f, "I");
    identity->letters = "1 where i = j, else 0: what the residual hands on";
    for (size_t i = 0; i < f->stack->rows && !b->failed; i++) {
        for (size_t j = 0; j < f->stack->rows; j++)
            tensor_set(&identity->values, (size_t[]){0, i, j}, i == j);
    }
    const char *product = map_layer(f, 0);
    for (size_t i = 1; i < layers; i++) {
        const char *half = map_layer(f, i), *name = build_text(b, "rollout%zu", i + 1);
        bool is_last = i + 1 == layers;
        trace_map *made = is_last ? rollout : add_square(f, name);
        map_say(
            b, made, OP_DOT,
            (trace_origin[4]){map_from(b, PART_ROW_I, half), map_from(b, PART_COLUMN_J, product)});
        if (!is_last)
            derivation_fill(b, made);
        product = name;
    }
    if (layers == 1)
        map_say(b, rollout, OP_COPY, (trace_origin[4]){map_from(b, PART_CELL, "A1")});
}

bool floors_rollout(floors *f)
{
    builder *b = &f->b;
    size_t layers = f->stack->layers, n = f->stack->rows;
    bool has_products = layers <= MOST_LAYERS && n <= MOST_ROWS;
    if (!floors_begin(f, FLOOR_ROLLOUT, "rollout"))
        return false;
    floor_rows rollout = floors_rows(f, "rollout");
    trace_map *map = floors_map_rows(f, &rollout);
    label_square(f, map);
    map->letters = "the product of all layers, the last one first";
    if (has_products)
        map_products(f, map);
    if (!floors_tells(f))
        return floors_end(f);
    build_sentence(b, "How much of each row after the layers comes from each row before them, "
                      "where a layer is half its attention and half its residual. "
                      "mean_weights are the mean of a layer's weights over its heads; I is 1 "
                      "where a row meets itself, else 0.");
    build_formula(b, "rollout = %sA1, Al = (mean_weights of layer l + I) / 2",
                  layers == 1   ? ""
                  : layers == 2 ? "A2·"
                                : build_text(b, "A%zu·…·", layers));
    for (size_t i = 0; has_products && i < b->trace->maps; i++) {
        const trace_map *made = &b->trace->map[i];
        if (!made->has_origin || made == map)
            continue;
        derivation_show(b, made->name, f->focus.row);
        derivation_matrix(b, made->name, f->focus.row + 1);
    }
    if (!has_products)
        build_sentence(b,
                       "The products are spelled out up to %d layers and %d rows; here are %zu and "
                       "%zu.",
                       MOST_LAYERS, MOST_ROWS, layers, n);
    else if (layers > 1)
        derivation_show(b, map->name, f->focus.row);
    floors_show(f, &rollout);
    return floors_end(f);
}
