#include "trace/floors.h"

#include "base/mem.h"
#include "model/embed.h"
#include "model/experts.h"
#include "trace/build.h"
#include "trace/derivation.h"
#include "trace/nodes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

trace_room *floors_next(floors *f)
{
    trace_room *room = f->b.failed ? NULL : trace_add_room(f->out, f->e);
    f->b.failed = room == NULL;
    return room == NULL ? &f->spare_room : room;
}

void floors_enter(floors *f, trace_room *room, const char *name, const char *way)
{
    f->b = (builder){.trace = f->out,
                     .with = f->stack->isa->table(f->stack->type),
                     .room = room,
                     .result = f->result,
                     .focus = f->focus,
                     .is_full = f->is_full,
                     .failed = f->b.failed,
                     .e = f->e};
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

const trace_room *floors_room(const floors *f, size_t rooms, const char *way, const char *name)
{
    while (rooms-- > 0) {
        const trace_room *room = f->out->room[rooms];
        if (strcmp(room->place.name, name) == 0 && strcmp(room->place.way_in_step, way) == 0)
            return room;
    }
    return NULL;
}

bool floors_begin(floors *f, step_id step, const char *name)
{
    trace_room *made = floors_next(f);
    builder *b = &f->b;
    floors_enter(f, made, name, f->way.text);
    made->heads = 1;
    made->focus.head = 0;
    bool tells = f->asked == NULL || floors_wish(f, f->way.text, name, step) != STEP_UNWANTED;
    const char *called = build_text(b, "%s%s%s", f->step, f->place, name);
    if (tells)
        build_step(b, step, called);
    else
        build_unshown_step(b, step, called);
    return tells && !b->failed;
}

shared_gains floors_shared(const floors *f)
{
    size_t number, own = f->stack->own_layers;
    if (!stack_stage_layer(f->way.text, &number))
        return (shared_gains){.layers = 1};
    return (shared_gains){.layers = f->stack->layers / own, .nth = number};
}

floor_rows floors_rows(const floors *f, const char *name)
{
    char full[STAGE_NAME];
    stage_name_in_full(&f->way, name, full);
    stack_own_gradient(f->stack, full);
    const tensor *kept = bundle_tensor(f->result, full);
    assert(kept != NULL); /* whoever traces a stack has it keep every stage */
    tensor values = kept->rank == 3 ? tensor_at(kept, f->focus.batch) : tensor_view_of(kept);
    return (floor_rows){.name = name, .values = values};
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
    rows->room = f->b.room;
    rows->map = map_add(&f->b, build_text(&f->b, "%s", rows->name), f->b.step->id, &rows->values);
    rows->map->rows = f->labels;
    rows->map->is_of_queries = true;
    return rows->map;
}

trace_map *floors_made_rows(floors *f, const char *name, size_t columns)
{
    builder *b = &f->b;
    tensor numbers =
        build_numbers_new(b, name, f->stack->type, 2, (size_t[]){f->stack->rows, columns});
    trace_map *made = map_add(b, name, b->step->id, &numbers);
    made->rows = f->labels;
    made->is_of_queries = true;
    return made;
}

/* Of as many rows as these, numbers that no stage holds, in float64. */
static trace_map *map_made(floors *f, const char *name, const floor_rows *like, size_t columns)
{
    trace_map *made = map_add_made(&f->b, name, f->b.step->id, 1, like->values.size[0], columns);
    made->rows = f->labels;
    made->is_of_queries = true;
    return made;
}

void floors_map_copy(floors *f, const floor_rows *of, floor_rows *made)
{
    map_say_origins(&f->b, floors_map_rows(f, made), OP_COPY,
                    (trace_origin[TRACE_OPERANDS]){origin_of(PART_CELL, of)});
}

/* ---- products ---- */

/* What the part has of its own, where there is not too much of it to be looked at. */
static void show_parameter(floors *f, const char *name, const tensor *numbers)
{
    enum { MOST = 4096 };
    if (numbers->data != NULL && tensor_count(numbers) <= MOST)
        build_matrix(&f->b, name, numbers, NUMBERED, NUMBERED, 0);
}

static void show_product(floors *f, const char *w_name, const tensor *w, const char *bias_name,
                         const tensor *bias, const char *made)
{
    show_parameter(f, w_name, w);
    show_parameter(f, bias_name, bias);
    derivation_show(&f->b, made, f->focus.row);
    derivation_matrix(&f->b, made, f->focus.row + 1);
}

/* made[i,1] = of[i]·w[·,1] + bias[1], the first number of the row, where it is told. */
static void make_product(floors *f, bool tells, const floor_rows *of, const char *w_name,
                         const tensor *w, const char *bias_name, const tensor *bias,
                         floor_rows *made)
{
    builder *b = &f->b;
    map_add(b, w_name, b->step->id, w);
    map_add(b, bias_name, b->step->id, bias);
    map_say_origins(b, floors_map_rows(f, made), OP_DOT,
                    (trace_origin[TRACE_OPERANDS]){origin_of(PART_ROW_I, of),
                                                   map_from(b, PART_COLUMN_J, w_name),
                                                   map_from(b, PART_OF_COLUMN, bias_name)});
    if (tells)
        show_product(f, w_name, w, bias_name, bias, made->name);
}

/* ---- what goes in: rows as they are given, or those of words or ids out of a table; and positions
 * that are added to them ---- */

/* The row of all entries that row i of the one in focus is. */
static size_t row_of_all(const floors *f, size_t i)
{
    return f->focus.batch * f->stack->rows + i;
}

/* The id of a row of all entries; false where its word is looked up. */
static bool find_id(const stack *s, size_t i, size_t *id)
{
    const tensor *ids = bundle_tensor(s->document, "ids");
    if (s->ids == NULL && ids == NULL)
        return false;
    *id = s->ids != NULL ? s->ids[i] : (size_t)stack_id_given(ids, i);
    return true;
}

/* The word of row i, of a vocab. */
static const char *find_word(const stack *s, size_t i)
{
    size_t id;
    return find_id(s, i, &id) ? stack_word_of_id(s, id)
                              : bundle_list(s->document, "tokens")->item[i];
}

/* The rows as they are looked up, or given: the name of their map. */
static const char *map_table(floors *f, const floor_rows *embedded)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    const tensor *x = s->ids != NULL ? NULL : bundle_tensor(s->document, "x");
    if (x != NULL) {
        tensor of_batch = x->rank == 3 ? tensor_at(x, f->focus.batch) : tensor_view_of(x);
        map_add(b, "x", FLOOR_EMBEDDED, &of_batch)->rows = f->labels;
        return "x";
    }
    bool has_table = bundle_tensor(s->document, "embedding") != NULL;
    const entry *vocab = bundle_find(s->document, "vocab");
    const tensor *ids = bundle_tensor(s->document, "ids");
    const char *name = has_table ? "embedding" : "vocab";
    trace_map *table = map_made(f, name, embedded, s->table_width);
    size_t id = 0;
    if (f->labels.names == NULL) { /* then there are ids: "id 5" */
        for (size_t i = 0; i < s->rows; i++)
            build_name(b, &b->room->keys,
                       build_text(b, "id %.0f", stack_id_given(ids, row_of_all(f, i))));
        table->rows.names = &b->room->keys;
    }
    const char *table_letters =
        has_table ? "the embedding of row i's id" : "the vocab's row of word i";
    table->letters =
        s->row_scale == 1 ? table_letters : build_text(b, "%g·(%s)", s->row_scale, table_letters);
    table->row_letters = has_table ? "id of i" : "word of i";
    if (b->failed)
        return name;
    tensor to = tensor_at(&table->values, 0);
    for (size_t i = 0; i < to.size[0]; i++) {
        tensor room;
        const tensor *row = find_id(s, row_of_all(f, i), &id)
                                ? stack_row_of_id(s, id, &room)
                                : bundle_tensor(vocab->bundle, find_word(s, i));
        build_name(b, &table->row_names, has_table ? build_text(b, "id %zu", id) : find_word(s, i));
        for (size_t j = 0; j < to.size[1]; j++) {
            double one = tensor_get(row, &j), wide = one * s->row_scale;
            double narrow = (double)((float)one * (float)s->row_scale);
            tensor_set(&to, (size_t[]){i, j}, s->type == DTYPE_F32 ? narrow : wide);
        }
    }
    return name;
}

/* What the product makes of them, where it stands here. */
static const char *map_product(floors *f, const char *name)
{
    const embed_product *p = &f->stack->product;
    if (!p->is_of_looked_up || f->b.failed)
        return name;
    floor_rows made = floors_rows(f, "embed.output"), of = {.name = name, .room = f->b.room};
    of.map = f->b.room->map[map_named(f->b.room, name)->number];
    make_product(f, false, &of, "embed.w", &p->w, "embed.b", &p->b, &made);
    return "embed.output";
}

/* The rows with their segments, where there are any: the name of their map. Sums have the stack's
 * type. */
static const char *map_segments(floors *f, const char *name, const floor_rows *embedded)
{
    builder *b = &f->b;
    const stack *s = f->stack;
    const tensor *segments = bundle_tensor(s->document, "segment_embedding");
    if (segments == NULL)
        return name;
    const trace_map *table = map_named(b->room, name);
    size_t width = embedded->values.size[1];
    trace_map *picked = map_made(f, "segment_embedding", embedded, width);
    trace_map *sum = floors_made_rows(f, "segmented", width);
    if (b->failed)
        return name;
    picked->letters = "the row of row i's segment";
    picked->row_letters = "segment of i";
    for (size_t i = 0; i < s->rows; i++)
        build_name(b, &picked->row_names,
                   build_text(b, "segment %zu", stack_segment_of_row(s, row_of_all(f, i))));
    map_say(b, sum, OP_PLUS,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, name}, {PART_CELL, picked->name}});
    tensor of_table = tensor_at(&table->values, 0), to = tensor_at(&picked->values, 0),
           into = tensor_at(&sum->values, 0);
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        const size_t of_segment[] = {stack_segment_of_row(s, row_of_all(f, at[0])), at[1]};
        double added = tensor_get(segments, of_segment);
        tensor_set(&to, at, added);
        tensor_set(&into, at, tensor_get(&of_table, at) + added);
    } while (tensor_next(&to, at));
    return sum->name;
}

void floors_embedded(floors *f, floor_rows *made)
{
    const stack *s = f->stack;
    builder *b = &f->b;
    size_t first = s->first_position + s->before, row = f->focus.row;
    const tensor *table = bundle_tensor(s->document, "position_embedding");
    bool has_segments = bundle_tensor(s->document, "segment_embedding") != NULL,
         has_positions = s->adds_sinusoids || table != NULL;
    bool tells = floors_begin(f, FLOOR_EMBEDDED, "embedded");
    *made = floors_rows(f, "embedded");
    /* The rows, with the learned rows of their positions or with waves, where they have any. */
    const char *found = map_product(f, map_table(f, made));
    trace_origin cell = map_from(b, PART_CELL, map_segments(f, found, made)), learned = {0};
    if (table != NULL) {
        tensor of_rows = tensor_range(table, 0, first, s->rows);
        trace_map *map = map_add(b, "position_embedding", FLOOR_EMBEDDED, &of_rows);
        map->rows = f->labels;
        map->letters = build_text(b, "the row of position %.0f + i, from 0", (double)first - 1);
        map->row_letters = "position of i";
        for (size_t i = 0; i < s->rows; i++)
            build_name(b, &map->row_names, build_text(b, "position %zu", first + i));
        learned = map_from(b, PART_CELL, map->name);
    }
    trace_map *rows = floors_map_rows(f, made);
    if (s->adds_sinusoids)
        map_say_waves(b, rows, cell, learned, (double)first);
    else
        map_say_origins(b, rows, learned.map == NULL ? OP_COPY : OP_PLUS,
                        (trace_origin[TRACE_OPERANDS]){cell, learned});
    if (!tells || b->failed)
        return;
    /* Where rows come from: words or ids, segments, positions. */
    build_sentence(b, "%zu row%s of %zu numbers go%s through %zu layer%s.", s->rows,
                   build_plural(s->rows), s->table_width, s->rows == 1 ? "es" : "", s->layers,
                   build_plural(s->layers));
    if (s->layers > s->own_layers)
        build_sentence(b, "These are %s %zu times, with the same weights.",
                       s->own_layers == 1 ? "one layer, which comes"
                                          : build_text(b, "%zu layers, which come", s->own_layers),
                       s->layers / s->own_layers);
    build_entry(b, s->batches);
    const trace_map *given = b->room->map[0]; /* out of a table: each row with that it takes */
    bool is_changed = has_segments || has_positions || s->product.is_of_looked_up;
    if (is_changed && given->row_letters == NULL)
        derivation_matrix(b, given->name, row + 1);
    if (s->product.is_of_looked_up) {
        build_sentence(b,
                       "A product brings each of them from %zu to %zu numbers, as many as the "
                       "layers take.",
                       s->table_width, s->width);
        show_product(f, "embed.w", &s->product.w, "embed.b", &s->product.b, "embed.output");
    }
    if (has_segments) {
        build_sentence(
            b,
            "Each row is told which text it is of: it is given the row of its segment. Row "
            "%zu is of segment %zu, counted from 0.",
            row + 1, stack_segment_of_row(s, row_of_all(f, row)));
        derivation_show(b, "segmented", row);
    }
    if (has_positions) {
        build_sentence(b,
                       "Attention by itself knows no order of its rows, so each is told where it "
                       "stands: row %zu stands at position %zu, counted from 0.",
                       row + 1, first + row);
        (s->adds_sinusoids ? waves_show : derivation_show)(b, "embedded", row);
    }
    if (!is_changed && given->row_letters != NULL)
        derivation_row_formula(b, "embedded", 'i');
    derivation_matrix(b, made->name, f->focus.row + 1);
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
        trace_map *mean = map_made(f, mean_name, of, 1);
        trace_map *centered = map_made(f, centered_name, of, width);
        mean->is_column = true;
        map_say_origins(b, mean, OP_MEAN,
                        (trace_origin[TRACE_OPERANDS]){origin_of(PART_ROW_I, of)});
        derivation_fill(b, mean);
        map_say_origins(b, centered, OP_MINUS,
                        (trace_origin[TRACE_OPERANDS]){cell, map_from(b, PART_OF_ROW, mean_name)});
        derivation_fill(b, centered);
        cell = map_from(b, PART_CELL, centered_name);
    }
    map_add_number(b, eps, step, n->eps);
    map_add(b, gain, step, &n->gain);
    map_add(b, bias, step, &n->bias);
    bool is_changed = n->gain.data != NULL || n->bias.data != NULL;
    trace_map *divided = is_changed ? map_made(f, unit, of, width) : floors_map_rows(f, made);
    trace_origin row = cell;
    row.part = PART_ROW_I;
    map_say_origins(b, divided, OP_NORMALIZE,
                    (trace_origin[TRACE_OPERANDS]){cell, row, map_from(b, PART_NUMBER, eps)});
    if (!is_changed)
        return;
    derivation_fill(b, divided);
    trace_map *rows = floors_map_rows(f, made);
    if (n->gain.data == NULL)
        map_say(b, rows, OP_PLUS,
                (map_operand[TRACE_OPERANDS]){{PART_CELL, unit}, {PART_OF_COLUMN, bias}});
    else
        map_say(b, rows, OP_DOT,
                (map_operand[TRACE_OPERANDS]){
                    {PART_CELL, unit}, {PART_OF_COLUMN, gain}, {PART_OF_COLUMN, bias}});
}

void floors_norm(floors *f, const norm *n, const char *name, floor_rows *rows)
{
    builder *b = &f->b;
    bool has_gain = n->gain.data != NULL, has_bias = n->bias.data != NULL;
    bool tells = floors_begin(f, FLOOR_NORM, name);
    floor_rows normed = floors_rows(f, name);
    map_norm(f, n, rows, &normed);
    *rows = normed;
    if (!tells)
        return;
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
    for (size_t i = 0; i < b->room->maps; i++) {
        if (b->room->map[i]->has_origin)
            derivation_show(b, b->room->map[i]->name, f->focus.row);
    }
    derivation_matrix(b, rows->name, f->focus.row + 1);
}

/* ---- sums ---- */

const char *floors_factor(floors *f, const char *of, double factor)
{
    bool is_narrow = f->stack->type == DTYPE_F32; /* then it is rounded before it is used */
    const char *name = build_text(&f->b, "%s.residual_scale", of);
    map_add_number(&f->b, name, f->b.step->id, is_narrow ? (double)(float)factor : factor);
    return name;
}

void floors_sum(floors *f, const floor_rows *added, double scale, const char *name,
                floor_rows *rows)
{
    builder *b = &f->b;
    bool tells = floors_begin(f, FLOOR_RESIDUAL, name);
    floor_rows sum = floors_rows(f, name);
    trace_origin made = origin_of(PART_CELL, rows);
    if (scale != 1) {
        const char *factor = floors_factor(f, name, scale);
        trace_map *scaled =
            floors_made_rows(f, build_text(b, "%s.scaled", name), rows->values.size[1]);
        map_say_origins(b, scaled, OP_TIMES,
                        (trace_origin[TRACE_OPERANDS]){made, map_from(b, PART_NUMBER, factor)});
        derivation_fill(b, scaled);
        made = map_from(b, PART_CELL, scaled->name);
    }
    map_say_origins(b, floors_map_rows(f, &sum), OP_PLUS,
                    (trace_origin[TRACE_OPERANDS]){origin_of(PART_CELL, added), made});
    *rows = sum;
    if (!tells)
        return;
    if (scale != 1) {
        build_sentence(b, "The part's result is multiplied by residual_scale.");
        derivation_show(b, build_text(b, "%s.scaled", name), f->focus.row);
    }
    build_sentence(b,
                   "The part's result is added to %s%s, so that it changes the rows and does not "
                   "replace them: the residual.",
                   strcmp(added->name, "x") == 0 ? "the layer's " : "", added->name);
    derivation_show(b, name, f->focus.row);
    derivation_matrix(b, rows->name, f->focus.row + 1);
}

/* ---- feed-forward parts ---- */

/* made = activation(hidden), times the gate where that has a map. */
static void make_activated(floors *f, bool tells, const activation *by, const floor_rows *hidden,
                           const floor_rows *gate, floor_rows *made)
{
    builder *b = &f->b;
    const named *function = &by->named;
    trace_map *map = floors_map_rows(f, made);
    map->function = by;
    map_say_origins(
        b, map, OP_ACTIVATE,
        (trace_origin[TRACE_OPERANDS]){origin_of(PART_CELL, hidden), origin_of(PART_CELL, gate)});
    map->letters = build_text(b, "%s: %s", map->letters, function->help);
    if (!tells)
        return;
    build_sentence(b, "%s: %s.", function->name, function->help);
    derivation_show(b, made->name, f->focus.row);
    derivation_matrix(b, made->name, f->focus.row + 1);
}

void floors_feed_forward(floors *f, const feed_forward *by, floor_rows *rows)
{
    builder *b = &f->b;
    bool tells = floors_begin(f, FLOOR_FEED_FORWARD, "ffn");
    floor_rows hidden = floors_rows(f, "ffn.hidden"), activated = floors_rows(f, "ffn.activated"),
               output = floors_rows(f, "ffn.output"), gate = {0};
    if (tells)
        build_sentence(b,
                       "Each row by itself goes through %zu hidden number%s and comes back %zu "
                       "wide.",
                       by->hidden, build_plural(by->hidden), by->width);
    make_product(f, tells, rows, "w1", &by->w1, "b1", &by->b1, &hidden);
    if (by->w3.data != NULL) {
        gate = floors_rows(f, "ffn.gate");
        make_product(f, tells, rows, "w3", &by->w3, "b3", &by->b3, &gate);
    }
    make_activated(f, tells, by->by, &hidden, &gate, &activated);
    make_product(f, tells, &activated, "w2", &by->w2, "b2", &by->b2, &output);
    *rows = output;
}

floor_weights floors_weights(const feed_forward *by)
{
    return (floor_weights){{{"w1", &by->w1},
                            {"b1", &by->b1},
                            {"w3", &by->w3},
                            {"b3", &by->b3},
                            {"w2", &by->w2},
                            {"b2", &by->b2}}};
}

/* Adds the matrices of a feed-forward part by their names in the document: "experts.0.w1". */
static void map_weights(floors *f, const char *of, const feed_forward *by)
{
    builder *b = &f->b;
    const floor_weights all = floors_weights(by);
    for (size_t i = 0; i < FLOOR_WEIGHTS; i++)
        map_add(b, build_text(b, "%s.%s", of, all.one[i].key), b->step->id, all.one[i].numbers);
}

trace_map *floors_ruled(floors *f, floor_rows *made, const char *letters, trace_origin of)
{
    trace_map *map = floors_map_rows(f, made);
    map->letters = letters;
    map->follows = of;
    return map;
}

trace_map *floors_chosen(floors *f, const char *name, size_t top, const floor_rows *of)
{
    builder *b = &f->b;
    const tensor *chosen = &map_there(b, "ffn.chosen")->values;
    trace_map *some = floors_made_rows(f, name, top);
    some->slices = top;
    some->follows = map_from(b, PART_ROW_I, of->name);
    for (size_t i = 0; i < of->values.size[0] && !b->failed; i++) {
        for (size_t k = 0, nth = 0; k < of->values.size[1]; k++) {
            if (tensor_get(chosen, (size_t[]){0, i, k}) != 0)
                tensor_set(&some->values, (size_t[]){0, i, nth++},
                           tensor_get(&of->values, (size_t[]){i, k}));
        }
    }
    return some;
}

static void make_router_scores(floors *f, bool tells, const expert_mix *by)
{
    builder *b = &f->b;
    floor_rows scores = floors_rows(f, "ffn.scores");
    trace_map *map = floors_map_rows(f, &scores);
    if (by->by->kind == ROUTED_BY_SOFTMAX)
        map_say(
            b, map, OP_SOFTMAX,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, "ffn.router"}, {PART_ROW_I, "ffn.router"}});
    else
        map_say(b, map, OP_SIGMOID, (map_operand[TRACE_OPERANDS]){{PART_CELL, "ffn.router"}});
    if (!tells)
        return;
    derivation_show(b, scores.name, f->focus.row);
    derivation_matrix(b, scores.name, f->focus.row + 1);
}

static void make_choice(floors *f, bool tells, const expert_mix *by, const char *scores)
{
    builder *b = &f->b;
    floor_rows choice = floors_rows(f, "ffn.choice");
    map_add(b, "choice_bias", b->step->id, &by->choice_bias);
    if (by->groups > 0) {
        map_add_number(b, "groups", b->step->id, (double)by->groups);
        map_add_number(b, "top_groups", b->step->id, (double)by->top_groups);
        map_add_number(b, "top_of_group", b->step->id, (double)by->top_of_group);
    }
    floors_ruled(f, &choice, build_text(b, "the best experts by %s[i], from 0", scores),
                 map_from(b, PART_ROW_I, scores));
    trace_map *chosen = map_made(f, "ffn.chosen", &choice, by->count);
    chosen->letters = "1 where row i has chosen expert j, else 0";
    chosen->follows = map_from(b, PART_CELL, scores);
    for (size_t i = 0; i < choice.values.size[0] && !b->failed; i++) {
        for (size_t k = 0; k < by->count; k++)
            tensor_set(&chosen->values, (size_t[]){0, i, k}, 0);
        for (size_t k = 0; k < by->top; k++) {
            double best = tensor_get(&choice.values, (size_t[]){i, k});
            tensor_set(&chosen->values, (size_t[]){0, i, (size_t)best}, 1);
        }
    }
    if (!tells)
        return;
    show_parameter(f, "choice_bias", &by->choice_bias);
    build_sentence(b, "The experts that are chosen, counted from 0, the best first; of equal "
                      "ones the first. In ffn.chosen they have 1, all others 0.");
    if (by->groups > 0)
        build_sentence(b,
                       "They come from the best %zu of %zu groups: a group counts as its %s, and "
                       "an expert of another group as 0.",
                       by->top_groups, by->groups,
                       by->top_of_group == 1
                           ? "greatest score"
                           : build_text(b, "%zu greatest scores together", by->top_of_group));
    derivation_matrix(b, choice.name, f->focus.row + 1);
}

/* The softmax of the logits that a row has chosen, as the router finds it, in float64. */
static trace_origin make_shares(floors *f, const expert_mix *by, const floor_rows *logits)
{
    builder *b = &f->b;
    trace_map *shares = map_made(f, "ffn.shares", logits, by->count);
    map_say(b, shares, OP_SOFTMAX_OF,
            (map_operand[TRACE_OPERANDS]){{PART_CELL, "ffn.chosen"},
                                          {PART_CELL, "ffn.router"},
                                          {PART_ROW_I, "ffn.chosen"},
                                          {PART_ROW_I, "ffn.router"}});
    const trace_map *chosen = map_there(b, "ffn.chosen");
    b->failed =
        b->failed || !expert_mix_shares(by, f->stack->isa->table(DTYPE_F64), &logits->values,
                                        &chosen->values, &shares->values, f->e);
    return map_from(b, PART_CELL, shares->name);
}

/* Each row's weights of all experts, and of those that it has chosen, in the order of their
 * numbers. */
static void make_routing(floors *f, bool tells, const expert_mix *by, const floor_rows *logits)
{
    builder *b = &f->b;
    floor_rows weights = floors_rows(f, "ffn.routing");
    bool has_shares = by->by->kind == ROUTED_BY_LOGITS;
    trace_origin of[TRACE_OPERANDS] = {has_shares ? make_shares(f, by, logits)
                                                  : map_from(b, PART_CELL, "ffn.scores")};
    if (!has_shares)
        of[1] = map_from(b, PART_CELL, "ffn.chosen");
    if (by->renormalizes) {
        trace_map *sum = map_made(f, "ffn.chosen_sum", &weights, 1);
        sum->is_column = true;
        map_say(
            b, sum, OP_DOT,
            (map_operand[TRACE_OPERANDS]){{PART_ROW_I, "ffn.scores"}, {PART_ROW_I, "ffn.chosen"}});
        derivation_fill(b, sum);
        of[2] = map_from(b, PART_OF_ROW, sum->name);
    }
    if (by->scale != 1) {
        map_add_number(b, "routing_scale", b->step->id, by->scale);
        of[3] = map_from(b, PART_NUMBER, "routing_scale");
    }
    map_say_origins(b, floors_map_rows(f, &weights),
                    has_shares && by->scale == 1 ? OP_COPY : OP_ROUTE, of);
    floors_chosen(f, "ffn.chosen_routing", by->top, &weights)->letters =
        "what row i's chosen experts count, in the order of their numbers";
    if (!tells || b->failed)
        return;
    if (by->renormalizes)
        build_sentence(b, "The scores of those that are chosen are divided by their sum.");
    if (by->renormalizes)
        derivation_show(b, "ffn.chosen_sum", f->focus.row);
    if (has_shares)
        derivation_show(b, "ffn.shares", f->focus.row);
    derivation_show(b, weights.name, f->focus.row);
    derivation_matrix(b, weights.name, f->focus.row + 1);
}

/* What the shared expert's sigmoid is of. */
static void make_shared_gate(floors *f, const floor_rows *rows)
{
    builder *b = &f->b;
    trace_map *gate = floors_made_rows(f, "ffn.shared_gate", 1);
    gate->is_column = true;
    map_say_origins(b, gate, OP_DOT,
                    (trace_origin[TRACE_OPERANDS]){origin_of(PART_ROW_I, rows),
                                                   map_from(b, PART_COLUMN_J, "shared_gate")});
    derivation_fill(b, gate);
}

void floors_experts(floors *f, const expert_mix *by, floor_rows *rows)
{
    builder *b = &f->b;
    bool tells = floors_begin(f, FLOOR_FEED_FORWARD, "ffn");
    floor_rows logits = floors_rows(f, "ffn.router"), made = floors_rows(f, "ffn.experts"),
               output = floors_rows(f, "ffn.output"), shared = {0};
    const trace_origin x = origin_of(PART_CELL, rows);
    bool has_scores = by->by->kind != ROUTED_BY_LOGITS;
    if (tells)
        build_sentence(b,
                       "Each row goes through %zu of %zu experts. The router gives each a logit, "
                       "and their weights are by routing %s: %s.",
                       by->top, by->count, by->by->named.name, by->by->named.help);
    make_product(f, tells, rows, "router", &by->router, "router_bias", &by->router_bias, &logits);
    if (has_scores)
        make_router_scores(f, tells, by);
    make_choice(f, tells, by, has_scores ? "ffn.scores" : logits.name);
    make_routing(f, tells, by, &logits);
    for (size_t i = 0; i < by->count; i++)
        map_weights(f, build_text(b, "experts.%zu", i), &by->expert[i]);
    if (by->has_shared)
        map_weights(f, "shared", &by->shared);
    map_add(b, "shared_gate", b->step->id, &by->shared_gate);
    trace_map *map =
        floors_ruled(f, &made, "what row i's chosen experts make of it, side by side", x);
    map->slices = by->top;
    map->function = by->expert[0].by;
    if (by->has_shared) {
        shared = floors_rows(f, "ffn.shared");
        if (by->shared_gate.data != NULL)
            make_shared_gate(f, rows);
        floors_ruled(f, &shared, "what the shared expert makes of row i", x)->function =
            by->shared.by;
    }
    map_say_origins(b, floors_map_rows(f, &output), OP_MIX,
                    (trace_origin[TRACE_OPERANDS]){map_from(b, PART_ROW_I, "ffn.chosen_routing"),
                                                   map_from(b, PART_OF_HEADS, made.name),
                                                   origin_of(PART_CELL, &shared)});
    *rows = output;
    if (!tells)
        return;
    build_sentence(b,
                   "What the chosen experts make of each row, side by side in the order of "
                   "their numbers%s.",
                   by->has_shared ? ", and what the shared one makes" : "");
    derivation_matrix(b, made.name, f->focus.row + 1);
    if (by->shared_gate.data != NULL) {
        build_sentence(b, "That is multiplied by the sigmoid of its gate.");
        derivation_show(b, "ffn.shared_gate", f->focus.row);
    }
    derivation_matrix(b, "ffn.shared", f->focus.row + 1);
    derivation_show(b, output.name, f->focus.row);
    derivation_matrix(b, output.name, f->focus.row + 1);
}

void floors_embed(floors *f, floor_rows *rows)
{
    const embed_product *p = &f->stack->product;
    bool tells = floors_begin(f, FLOOR_EMBED, EMBED);
    floor_rows made = floors_rows(f, "embed.output");
    if (tells)
        build_sentence(&f->b,
                       "A product brings each row from %zu to %zu numbers, as many as the layers "
                       "take.",
                       p->w.size[0], p->w.size[1]);
    make_product(f, tells, rows, "embed.w", &p->w, "embed.b", &p->b, &made);
    *rows = made;
}

void floors_head(floors *f, const logits_head *by, floor_rows *rows)
{
    bool tells = floors_begin(f, FLOOR_HEAD, HEAD);
    floor_rows hidden = floors_rows(f, "head.hidden"), none = {0};
    if (tells)
        build_sentence(&f->b, "Before the unembedding each row of the output goes through a head.");
    make_product(f, tells, rows, "head.w", &by->w, "head.b", &by->b, &hidden);
    *rows = hidden;
    if (by->by == NULL)
        return;
    floor_rows activated = floors_rows(f, "head.activated");
    make_activated(f, tells, by->by, &hidden, &none, &activated);
    *rows = activated;
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
    const trace_room *room = NULL;
    const trace_map *mean = NULL;
    size_t layers = 0;
    for (size_t i = f->first_room; i < f->out->rooms; i++) {
        if (strcmp(f->out->room[i]->place.name, "attention") != 0 || layers++ != number)
            continue;
        room = f->out->room[i];
        mean = map_named(room, "mean_weights");
        if (mean == NULL)
            mean = map_named(room, "weights");
    }
    trace_map *half = add_square(f, name);
    if (mean == NULL)
        return name;
    const char *called = build_text(b, "layer %zu's %s", number + 1, mean->name);
    map_say_origins(b, half, OP_MEAN,
                    (trace_origin[TRACE_OPERANDS]){{PART_CELL, room, mean, called},
                                                   map_from(b, PART_CELL, "I")});
    derivation_fill(b, half);
    return name;
}

void floors_rollout(floors *f)
{
    builder *b = &f->b;
    size_t layers = f->stack->layers, n = f->stack->rows;
    bool has_products = layers <= MOST_LAYERS && n <= MOST_ROWS;
    bool tells = floors_begin(f, FLOOR_ROLLOUT, "rollout");
    floor_rows rollout = floors_rows(f, "rollout");
    trace_map *map = floors_map_rows(f, &rollout);
    label_square(f, map);
    map->letters = "the product of all layers, the last one first";
    if (has_products) {
        /* Each layer's half, and the products of them: the last one is the rollout itself. */
        trace_map *identity = add_square(f, "I");
        identity->letters = "1 where i = j, else 0: what the residual hands on";
        for (size_t i = 0; i < n && !b->failed; i++) {
            for (size_t j = 0; j < n; j++)
                tensor_set(&identity->values, (size_t[]){0, i, j}, i == j);
        }
        const char *product = map_layer(f, 0);
        for (size_t i = 1; i < layers; i++) {
            const char *half = map_layer(f, i), *name = build_text(b, "rollout%zu", i + 1);
            trace_map *made = i + 1 == layers ? map : add_square(f, name);
            map_say(b, made, OP_DOT,
                    (map_operand[TRACE_OPERANDS]){{PART_ROW_I, half}, {PART_COLUMN_J, product}});
            if (made != map)
                derivation_fill(b, made);
            product = name;
        }
        if (layers == 1)
            map_say(b, map, OP_COPY, (map_operand[TRACE_OPERANDS]){{PART_CELL, "A1"}});
    }
    if (!tells)
        return;
    build_sentence(b, "How much of each row after the layers comes from each row before them, "
                      "where a layer is half its attention and half its residual. "
                      "mean_weights are the mean of a layer's weights over its heads; I is 1 "
                      "where a row meets itself, else 0.");
    build_formula(b, "rollout = %sA1, Al = (mean_weights of layer l + I) / 2",
                  layers == 1   ? ""
                  : layers == 2 ? "A2·"
                                : build_text(b, "A%zu·…·", layers));
    for (size_t i = 0; has_products && i < b->room->maps; i++) {
        const trace_map *made = b->room->map[i];
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
    derivation_matrix(b, rollout.name, f->focus.row + 1);
}
