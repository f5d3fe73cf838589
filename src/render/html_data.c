#include "io/json_string.h"
#include "render/brackets.h"
#include "render/display.h"
#include "render/html_parts.h"
#include "render/label_text.h"

#include <string.h>

/* Labels in the panel and the token view have more room than those above a column; so many numbers
 * of one map are in the page. */
enum { LABEL_COLUMNS = 28, MOST_NUMBERS = 65536, USUAL_DIGITS = 4 };

static const char *const OPERATIONS[] = {
    [OP_DOT] = "dot",   [OP_TIMES] = "times",   [OP_CAP] = "cap",
    [OP_PLUS] = "plus", [OP_EXP] = "exp",       [OP_SUM] = "sum",
    [OP_MAX] = "max",   [OP_DIVIDE] = "divide", [OP_ROUND] = "round",
};

static const char *const PARTS[] = {
    [PART_ROW_I] = "row-i",   [PART_ROW_J] = "row-j",   [PART_COLUMN_J] = "column-j",
    [PART_CELL] = "cell",     [PART_OF_ROW] = "of-row", [PART_OF_COLUMN] = "of-column",
    [PART_NUMBER] = "number",
};

static void add_labels(text *out, const char *name, const trace_labels *labels, size_t count)
{
    char room[LABEL_ROOM];
    text label = {0};
    text_add_format(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        text_clear(&label);
        display_add_cut(&label, label_whole(labels, i, room), LABEL_COLUMNS);
        text_add_string(out, i > 0 ? "," : "");
        json_string_write(out, text_string(&label));
    }
    text_add_string(out, "]");
    out->failed = out->failed || label.failed;
    text_free(&label);
}

static void add_origin(text *out, const char *name, const trace_origin *from)
{
    if (from->part != PART_NONE)
        text_add_format(out, ",\"%s\":{\"part\":\"%s\",\"map\":%zu}", name, PARTS[from->part],
                        from->map);
}

/* A row of numbers is one text: the same digits as in the tables, and one byte between two. */
static void add_cells(const html_page *p, const tensor *values)
{
    text_add_string(p->out, ",\"cells\":[");
    for (size_t h = 0; h < values->size[0]; h++) {
        tensor head = tensor_at(values, h);
        for (size_t i = 0; i < head.size[0]; i++) {
            text_add_string(p->out, h + i > 0 ? ",\n\"" : "\n\"");
            for (size_t j = 0; j < head.size[1]; j++) {
                text_add_string(p->out, j > 0 ? " " : "");
                number_text_add(p->out, matrix_at(&head, i, j), p->how->digits);
            }
            text_add_string(p->out, "\"");
        }
    }
    text_add_string(p->out, "]");
}

static bool has_cells(const html_page *p, const tensor *values)
{
    bool is_small = values->size[1] <= HTML_MOST && values->size[2] <= HTML_MOST &&
                    tensor_count(values) <= MOST_NUMBERS;
    return is_small || p->how->is_full;
}

static void add_map(const html_page *p, const trace_map *map)
{
    const size_t *size = map->values.size;
    bool is_blank = p->how->blank != NULL && p->how->blank[map->step] && map->has_origin;
    text_add_format(p->out, "{\"name\":\"%s\",\"step\":\"%s\",\"heads\":%zu,\"slices\":%zu",
                    map->name, named_row(&STEPS, map->step)->name, size[0], map->slices);
    if (map->is_share)
        text_add_string(p->out, ",\"share\":true");
    if (is_blank)
        text_add_string(p->out, ",\"blank\":true");
    if (map->letters != NULL) {
        text_add_string(p->out, ",\"letters\":");
        json_string_write(p->out, map->letters);
    }
    if (map->has_origin) {
        text_add_format(p->out, ",\"operation\":\"%s\"", OPERATIONS[map->op]);
        add_origin(p->out, "a", &map->a);
        add_origin(p->out, "b", &map->b);
        add_origin(p->out, "c", &map->c);
    }
    add_labels(p->out, "rows", &map->rows, size[1]);
    add_labels(p->out, "columns", &map->columns, size[2]);
    if (has_cells(p, &map->values))
        add_cells(p, &map->values);
    text_add_string(p->out, "}");
}

/* In a script's text only < could end it; strings may spell it otherwise. */
static void add_without_marks(text *out, const text *json)
{
    for (const char *at = text_string(json); *at != '\0';) {
        size_t length = strcspn(at, "<");
        text_add(out, at, length);
        at += length;
        if (*at == '<') {
            text_add_string(out, "\\u003c");
            at++;
        }
    }
}

void html_add_data(const html_page *p)
{
    text json = {0};
    html_page into = {.out = &json, .trace = p->trace, .how = p->how};
    text_add_format(&json, "{\"digits\":%d,\"maps\":[\n",
                    p->how->digits < 0 ? USUAL_DIGITS : p->how->digits);
    for (size_t i = 0; i < p->trace->maps; i++) {
        text_add_string(&json, i > 0 ? ",\n" : "");
        add_map(&into, &p->trace->map[i]);
    }
    text_add_string(&json, "]}");
    text_add_string(p->out, "<script type=\"application/json\" id=data>");
    add_without_marks(p->out, &json);
    text_add_string(p->out, "</script>\n");
    p->out->failed = p->out->failed || json.failed;
    text_free(&json);
}
