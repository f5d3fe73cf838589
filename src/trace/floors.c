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

/* Each row less its mean: the names of both are made of `name`. */
static const char *map_centered(floors *f, const floor_rows *of, const char *name)
{
    builder *b = &f->b;
    const char *mean_name = build_text(b, "%s.mean", name);
    const char *centered_name = build_text(b, "%s.centered", name);
    trace_map *mean = floors_map_made(f, mean_name, of, 1);
    trace_map *centered = floors_map_made(f, centered_name, of, of->values.size[1]);
    mean->is_column = true;
    map_say(b, mean, OP_MEAN, (trace_origin[4]){origin_of(PART_ROW_I, of)});
    derivation_fill(b, mean);
    map_say(b, centered, OP_MINUS,
            (trace_origin[4]){origin_of(PART_CELL, of), map_from(b, PART_OF_ROW, mean_name)});
    derivation_fill(b, centered);
    return centered_name;
}

/* What rows that are `centered` (of an RMSNorm: as they were given) are divided by. */
static void say_divided(floors *f, trace_map *made, trace_origin centered, const char *eps)
{
    trace_origin row = centered;
    row.part = PART_ROW_I;
    map_say(&f->b, made, OP_NORMALIZE,
            (trace_origin[4]){centered, row, map_from(&f->b, PART_NUMBER, eps)});
}

/* made = unit·gain + bias, of what there is. */
static void say_shifted(floors *f, trace_map *made, const char *unit, const char *gain,
                        const char *bias)
{
    builder *b = &f->b;
    trace_origin of_gain = map_from(b, PART_OF_COLUMN, gain),
                 of_bias = map_from(b, PART_OF_COLUMN, bias),
                 of_unit = map_from(b, PART_CELL, unit);
    if (of_gain.part == PART_NONE)
        map_say(b, made, OP_PLUS, (trace_origin[4]){of_unit, of_bias});
    else
        map_say(b, made, OP_DOT, (trace_origin[4]){of_unit, of_gain, of_bias});
}

static void map_norm(floors *f, const norm *n, const floor_rows *of, floor_rows *made)
{
    builder *b = &f->b;
    const char *eps = build_text(b, "%s.eps", made->name);
    const char *gain = build_text(b, "%s.gain", made->name);
    const char *bias = build_text(b, "%s.bias", made->name);
    const char *unit = build_text(b, "%s.unit", made->name);
    const char *centered = n->is_rms ? of->name : map_centered(f, of, made->name);
    trace_origin cell = n->is_rms ? origin_of(PART_CELL, of) : map_from(b, PART_CELL, centered);
    map_add_number(b, eps, b->step->id, n->eps);
    map_add(b, gain, b->step->id, &n->gain);
    map_add(b, bias, b->step->id, &n->bias);
    if (n->gain.data == NULL && n->bias.data == NULL) {
        say_divided(f, floors_map_rows(f, made), cell, eps);
        return;
    }
    trace_map *of_unit = floors_map_made(f, unit, of, of->values.size[1]);
    say_divided(f, of_unit, cell, eps);
    derivation_fill(b, of_unit);
    say_shifted(f, floors_map_rows(f, made), unit, gain, bias);
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

/* In the step that makes the weights, where somebody asked for their mean. */
static void tell_mean(floors *f, const trace_map *mean)
{
    trace *room = f->b.trace;
    if (f->asked == NULL || !stack_words_name_more(f->asked, &room->place))
        return;
    for (size_t i = 0; i < room->steps; i++) {
        if (room->step[i].id != STEP_SOFTMAX)
            continue;
        f->b.step = &room->step[i];
        build_sentence(&f->b, "%s are these weights' mean over the heads:", mean->name);
        derivation_line(&f->b, mean->name, f->focus.row, 0);
        derivation_matrix(&f->b, mean->name, f->focus.row + 1);
    }
}

void floors_map_mean_weights(floors *f, const stage_way *way)
{
    builder *b = &f->b;
    char full[STAGE_NAME];
    stage_name_in_full(way, "mean_weights", full);
    const tensor *kept = bundle_tensor(f->result, full);
    const trace_map *weights = map_named(b->trace, "weights");
    if (kept == NULL || weights == NULL || b->trace->heads == 1)
        return;
    tensor of_batch = kept->rank == 3 ? tensor_at(kept, f->focus.batch) : tensor_view_of(kept);
    trace_map *mean = map_add(b, "mean_weights", STEP_SOFTMAX, &of_batch);
    mean->rows = weights->rows;
    mean->columns = weights->columns;
    mean->is_share = mean->is_of_queries = true;
    map_say(b, mean, OP_MEAN, (trace_origin[4]){map_from(b, PART_OF_HEADS, "weights")});
    tell_mean(f, mean);
}

static void map_activated(floors *f, const activation *by, const floor_rows *hidden,
                          const floor_rows *gate, floor_rows *made)
{
    trace_map *activated = floors_map_rows(f, made);
    activated->function = by;
    map_say(&f->b, activated, OP_ACTIVATE,
            (trace_origin[4]){origin_of(PART_CELL, hidden),
                              gate == NULL ? (trace_origin){0} : origin_of(PART_CELL, gate)});
    activated->letters = build_text(&f->b, "%s: %s", activated->letters, by->named.help);
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

/* ---- norms ---- */

/* What becomes of a row, in words: with an eps that is not small its variance is not 1 then. */
static void say_norm(floors *f, const norm *n)
{
    bool has_gain = n->gain.data != NULL, has_bias = n->bias.data != NULL;
    if (n->is_rms)
        build_sentence(&f->b,
                       "Each row is divided by the root of mean square + eps, with eps = %g: an "
                       "RMSNorm. Its mean square s becomes s / (s + eps), close to 1 where eps is "
                       "small next to s.",
                       n->eps);
    else
        build_sentence(&f->b,
                       "Each row is moved to mean 0 and divided by the root of variance + eps, "
                       "with eps = %g: a LayerNorm. Its variance v becomes v / (v + eps), close to "
                       "1 where eps is small next to v.",
                       n->eps);
    if (has_gain || has_bias)
        build_sentence(&f->b, "Then each column is %s%s%s.",
                       has_gain ? "multiplied by its gain" : "",
                       has_gain && has_bias ? ", and " : "", has_bias ? "moved by its bias" : "");
}

/* The row's first number, by way of all that no stage holds. */
static void tell_norm(floors *f, const norm *n, const floor_rows *made)
{
    builder *b = &f->b;
    say_norm(f, n);
    show_parameter(f, build_text(b, "%s.gain", made->name), &n->gain);
    show_parameter(f, build_text(b, "%s.bias", made->name), &n->bias);
    for (size_t i = 0; i < b->trace->maps; i++) {
        if (b->trace->map[i].has_origin)
            derivation_show(b, b->trace->map[i].name, f->focus.row);
    }
    floors_show(f, made);
}

bool floors_norm(floors *f, const norm *n, const floor_rows *of, const char *name, floor_rows *made)
{
    if (!floors_begin(f, FLOOR_NORM, name))
        return false;
    floor_rows normed = floors_rows(f, name);
    map_norm(f, n, of, &normed);
    if (floors_tells(f) && !f->b.failed)
        tell_norm(f, n, &normed);
    *made = normed;
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

/* What a feed-forward part makes, one after the other; gate only where it has one. */
typedef struct fed {
    floor_rows hidden, gate, activated, output;
} fed;

static void tell_feed_forward(floors *f, const feed_forward *by, const fed *made)
{
    const char *name = by->by->named.name;
    build_sentence(&f->b,
                   "Each row by itself goes through %zu hidden number%s and comes back %zu "
                   "wide.",
                   by->hidden, build_plural(by->hidden), by->width);
    show_product(f, "w1", &by->w1, "b1", &by->b1, &made->hidden);
    if (by->w3.data != NULL)
        show_product(f, "w3", &by->w3, NULL, NULL, &made->gate);
    build_sentence(&f->b, "%s: %s.", name, by->by->named.help);
    derivation_show(&f->b, "ffn.activated", f->focus.row);
    floors_show(f, &made->activated);
    show_product(f, "w2", &by->w2, "b2", &by->b2, &made->output);
}

bool floors_feed_forward(floors *f, const feed_forward *by, const floor_rows *of, floor_rows *made)
{
    if (!floors_begin(f, FLOOR_FEED_FORWARD, "ffn"))
        return false;
    bool has_gate = by->w3.data != NULL;
    fed all = {.hidden = floors_rows(f, "ffn.hidden"),
               .activated = floors_rows(f, "ffn.activated"),
               .output = floors_rows(f, "ffn.output")};
    if (has_gate)
        all.gate = floors_rows(f, "ffn.gate");
    map_product(f, of, "w1", &by->w1, "b1", &by->b1, &all.hidden);
    if (has_gate)
        map_product(f, of, "w3", &by->w3, NULL, NULL, &all.gate);
    map_activated(f, by->by, &all.hidden, has_gate ? &all.gate : NULL, &all.activated);
    map_product(f, &all.activated, "w2", &by->w2, "b2", &by->b2, &all.output);
    if (floors_tells(f))
        tell_feed_forward(f, by, &all);
    *made = all.output;
    return floors_end(f);
}
