/* A trace as JSON: the same steps and items as any other page of it, as data that others can draw.
 * The manual's TRACES AS DATA documents the shape. */
#include "render/number_text.h"
#include "render/renderer.h"

#include "io/json_write.h"
#include "model/parts.h"

static const char *const KINDS[] = {
    [TRACE_SENTENCE] = "sentence",   [TRACE_FORMULA] = "formula", [TRACE_LINE] = "line",
    [TRACE_ROW_PRODUCT] = "product", [TRACE_STACK] = "stack",     [TRACE_MATRIX] = "matrix",
    [TRACE_TABLE] = "table",
};

/* A matrix may be larger than all else, so it is spilled row by row; a failure is remembered. */
typedef struct json_trace {
    sink *to;
    text *out;           /* of it */
    const char *between; /* two members of an object */
    int digits;
    bool failed;
    err *e;
} json_trace;

static void spill(json_trace *w)
{
    w->failed = w->failed || !sink_spill(w->to, w->e);
}

/* ---- members of an object: each begins with the comma after the one before ---- */

static void add_text(json_trace *w, const char *name, const char *value)
{
    if (value == NULL)
        return;
    text_add_format(w->out, "%s\"%s\": ", w->between, name);
    json_string_write(w->out, value);
}

/* A matrix has a line for each row. */
static void add_numbers(json_trace *w, const tensor *of)
{
    if (of->rank == 0)
        json_element_write(w->out, of->type, tensor_get(of, NULL), w->digits);
    if (of->rank == 1)
        json_row_write(w->out, of, w->digits);
    text_add_string(w->out, of->rank > 1 ? "[" : "");
    for (size_t i = 0; of->rank > 1 && i < of->size[0] && !w->failed; i++) {
        tensor part = tensor_at(of, i);
        text_add_string(w->out, i > 0 ? "," : "");
        text_add_string(w->out, of->rank == 2 ? "\n          " : i > 0 ? " " : "");
        add_numbers(w, &part);
        spill(w);
    }
    text_add_string(w->out, of->rank > 1 ? "]" : "");
}

static void add_tensor(json_trace *w, const char *name, const tensor *value)
{
    if (value->data == NULL)
        return;
    json_member_key(w->out, name);
    add_numbers(w, value);
}

static void add_labels(json_trace *w, const char *name, const trace_labels *labels, size_t count)
{
    char room[LABEL_ROOM];
    text_add_format(w->out, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        text_add_string(w->out, i > 0 ? ", " : "");
        json_string_write(w->out, label_whole(labels, i, room));
    }
    text_add_string(w->out, "]");
}

static void add_function(json_trace *w, const trace_map *map)
{
    if (map != NULL && map->function != NULL)
        add_text(w, "function", map->function->named.name);
}

/* ---- items ---- */

/* Of each member a kind has what it has of an item; text of sentences and formulas is not a name.
 * */
static void add_item(json_trace *w, const trace_item *item)
{
    bool is_text = item->kind == TRACE_SENTENCE || item->kind == TRACE_FORMULA;
    bool is_matrix = item->kind == TRACE_MATRIX;
    int rank = item->a.rank;
    text_add_format(w->out, "        {\"kind\": \"%s\"", KINDS[item->kind]);
    if (item->head > 0 && !is_text)
        text_add_format(w->out, ", \"head\": %zu", item->head - 1);
    add_text(w, "left", item->left);
    add_text(w, "letters", item->letters);
    add_text(w, is_text ? "text" : "name", item->text);
    if (item->kind == TRACE_STACK || (is_matrix && rank == 2))
        add_labels(w, "rows", &item->rows, item->a.size[0]);
    if (is_matrix && rank > 0)
        add_labels(w, "columns", &item->columns, item->a.size[rank - 1]);
    if (is_matrix && item->focus > 0)
        text_add_format(w->out, ", \"focus\": %zu", item->focus - 1);
    if (item->kind == TRACE_LINE) {
        if (item->map != NULL)
            text_add_format(w->out, ", \"of\": \"%s%s\", \"cell\": [%zu, %zu, %zu]",
                            item->room->place.way, item->map->name, item->cell[0], item->cell[1],
                            item->cell[2]);
        add_text(w, "operation", operation_of(item->op)->named.name);
        add_function(w, item->map);
    }
    const tensor *const operand[] = {&item->a, &item->b, &item->c, &item->d, &item->e};
    for (size_t i = 0; i < TRACE_OPERANDS; i++)
        add_tensor(w, (const char[]){(char)('a' + i), '\0'}, operand[i]);
    if (item->column > 0)
        text_add_format(w->out, ", \"j\": %zu", item->column);
    add_tensor(w, "inner", &item->inner);
    add_tensor(w, "result", &item->result);
    if (item->kind == TRACE_TABLE) {
        text_add_string(w->out, ", \"cells\": [");
        for (size_t i = 0; i < item->cells.count; i++) {
            bool is_first = i % item->columns_count == 0;
            text_add_string(w->out, !is_first ? ", "
                                    : i == 0  ? "\n          ["
                                              : "],\n          [");
            json_string_write(w->out, item->cells.item[i]);
        }
        text_add_string(w->out, "]]");
    }
    text_add_string(w->out, "}");
}

/* ---- nodes: every matrix of the run, and how its cells are made ---- */

void json_add_address(text *out, const trace_room *room, const trace_map *made,
                      const trace_origin *from)
{
    trace_address at = trace_address_of(room, made, from);
    size_t rows = made->values.size[1], columns = made->values.size[2] / made->slices;
    const struct {
        const char *name;
        size_t number, usual;
    } strides[] = {
        {"query", at.query, 0}, {"head", at.head, 0},     {"group", at.group, 1},
        {"row", at.row, 0},     {"column", at.column, 0}, {"count", at.count, 1},
        {"apart", at.step, 1},
    };
    text_add_format(out, "\"at\": {\"base\": %td", at.base);
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        if (strides[i].number != strides[i].usual)
            text_add_format(out, ", \"%s\": %zu", strides[i].name, strides[i].number);
    }
    if (at.pair != AXIS_J)
        text_add_format(out, ", \"pair\": \"%s\"", at.pair == AXIS_PAIR ? "number" : "partner");
    if (at.first_row > 0 || at.end_row < rows)
        text_add_format(out, ", \"rows\": [%zu, %zu]", at.first_row,
                        at.end_row < rows ? at.end_row : rows);
    if (at.first_column > 0)
        text_add_format(out, ", \"from_column\": %zu", at.first_column);
    if (at.end_column < columns)
        text_add_format(out, ", \"columns\": %zu", at.end_column);
    text_add_string(out, "}");
}

static void add_origin(json_trace *w, const char *name, const trace_room *room,
                       const trace_map *made, const trace_origin *from)
{
    if (from->map == NULL)
        return;
    text_add_format(w->out, ", \"%s\": {\"part\": \"%s\", \"of\": \"%s%s\", ", name,
                    part_name_in_traces(from->part), from->room->place.way, from->map->name);
    json_add_address(w->out, room, made, from);
    text_add_string(w->out, "}");
}

static void add_node(json_trace *w, const trace_room *room, const trace_map *map)
{
    const size_t *size = map->values.size;
    text_add_format(w->out, "    {\"name\": \"%s%s\", \"shape\": [%zu, %zu, %zu]", room->place.way,
                    map->name, size[0], size[1], size[2]);
    add_text(w, "letters", map->letters);
    if (map->has_origin)
        add_text(w, "operation", operation_of(map->op)->named.name);
    add_function(w, map);
    for (size_t i = 0; i < TRACE_OPERANDS; i++)
        add_origin(w, (const char[]){(char)('a' + i), '\0'}, room, map, &map->operand[i]);
    if (map->slices > 1)
        text_add_format(w->out, ", \"slices\": %zu", map->slices);
    if (map->appended > 0)
        text_add_format(w->out, ", \"appended\": %zu", map->appended);
    add_origin(w, "learned", room, map, &map->learned);
    if (map->untouched > 0)
        text_add_format(w->out, ", \"untouched\": %zu", map->untouched);
    if (map->unpaired > 0)
        text_add_format(w->out, ", \"unpaired\": %zu", map->unpaired);
    if (map->paired > 0)
        text_add_format(w->out, ", \"paired\": %zu, \"interleaved\": %s", map->paired,
                        map->is_interleaved ? "true" : "false");
    if (map->is_of_focus)
        text_add_format(w->out, ", \"focus\": {\"head\": %zu, \"heads\": %zu, \"row\": %zu}",
                        room->focus.head, room->heads, map->query);
    if (!map->is_beyond_page)
        add_tensor(w, "values", &map->values);
    text_add_string(w->out, "}");
}

/* ---- the document ---- */

bool json_render(const trace *t, const render_options *how, sink *to, err *e)
{
    text *out = sink_text(to);
    json_trace w = {.to = to, .out = out, .between = ",\n  ", .digits = how->digits, .e = e};
    text_add_format(out, "{\n  \"selfattn_trace\": %d", JSON_TRACE_VERSION);
    add_text(&w, "name", t->name);
    add_text(&w, "title", t->title);
    add_text(&w, "notes", t->notes);
    if (t->batch > 0)
        text_add_format(out, ",\n  \"batch\": %zu", t->batch - 1);
    text_add_string(out, ",\n  \"steps\": [\n");
    w.between = ", ";
    for (size_t i = 0; i < t->steps && !w.failed; i++) {
        text_add_string(out, i > 0 ? ",\n" : "");
        const trace_step *step = t->step[i];
        text_add_format(out, "    {\n      \"step\": \"%s\",\n      \"about\": ", step->name);
        json_string_write(out, step_of(step->id)->named.help);
        text_add_string(out, ",\n      \"items\": [");
        for (size_t j = 0; j < step->count && !w.failed; j++) {
            text_add_string(out, j > 0 ? ",\n" : "\n");
            add_item(&w, &step->item[j]);
            spill(&w);
        }
        text_add_string(out, "\n      ]\n    }");
    }
    text_add_string(out, "\n  ],\n  \"nodes\": [");
    for (size_t i = 0; i < t->rooms; i++) {
        const trace_room *room = t->room[i];
        for (size_t j = 0; j < room->maps && !w.failed; j++) {
            text_add_string(out, room->first_map + j == 0 ? "\n" : ",\n");
            add_node(&w, room, room->map[j]);
        }
    }
    text_add_string(out, "\n  ]\n}\n");
    spill(&w);
    return !w.failed;
}
