#include "io/json_write.h"
#include "model/activation.h"
#include "render/brackets.h"
#include "render/display.h"
#include "render/html_parts.h"
#include "render/label_text.h"
#include "trace/nodes.h"

#include <string.h>

/* Labels in the panel and the token view have more room than those above a column; so many numbers
 * of one map are in the page, and so many in words that a person can read there. */
enum { LABEL_COLUMNS = 28, MOST_NUMBERS = 131072, MOST_IN_WORDS = 1024 };

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
    text_close(&label, out);
}

static void add_origin(text *out, const char *name, const trace_origin *from)
{
    if (from->part != PART_NONE)
        text_add_format(out, ",\"%s\":{\"part\":\"%s\",\"map\":%zu}", name,
                        map_part_name(from->part), map_index(from->room, from->map));
}

/* The rows of one head. */
typedef struct head_rows {
    const html_page *page;
    tensor matrix;
    asked_numbers numbers;
    bool is_made;  /* to be filled in: the script compares with them, and nobody reads them */
    bool is_exact; /* with all their digits */
    bool is_packed;
} head_rows;

static head_rows rows_of_head(const html_page *p, const trace_map *map, size_t head)
{
    bool is_made = asked_tells(p->asked, map);
    return (head_rows){.page = p,
                       .matrix = tensor_at(&map->values, head),
                       .numbers = asked_of_map(p->asked, map, head),
                       .is_made = is_made,
                       .is_packed = is_made || tensor_count(&map->values) > MOST_IN_WORDS};
}

static void add_exact(text *out, double value)
{
    char number[NUMBER_TEXT];
    text_add(out, number, number_write_f64(value, number));
}

/* One byte between two. */
static void add_in_words(const head_rows *of, size_t i, text *out)
{
    for (size_t j = 0; j < of->matrix.size[1]; j++) {
        text_add_string(out, j > 0 ? " " : "");
        if (!of->is_made && asked_hides(&of->numbers, i, j))
            text_add_string(out, ASKED_SIGN);
        else if (of->is_exact)
            add_exact(out, matrix_at(&of->matrix, i, j));
        else
            number_text_add(out, matrix_at(&of->matrix, i, j), of->page->how->digits);
    }
}

/* Each letter of the words as far from the end of ASCII as it is from its begin (numbers.js,
 * mirror): no letter of a number becomes one that ends a string or a script. */
static void add_mirrored(const head_rows *of, size_t i)
{
    enum { FIRST = '!', LAST = '~' };
    text words = {0};
    add_in_words(of, i, &words);
    text_add_string(of->page->out, "@");
    for (const char *at = text_string(&words); *at != '\0'; at++) {
        char mirrored = (char)(*at == ' ' ? ' ' : FIRST + LAST - *at);
        text_add(of->page->out, &mirrored, 1);
    }
    text_close(&words, of->page->out);
}

/* A row of numbers is one text, of the same digits as in the tables. */
static void add_cells_of_row(const head_rows *of, size_t i)
{
    text *out = of->page->out;
    bool hides = !of->is_made && asked_hides_any(&of->numbers, i, of->matrix.size[1]);
    text_add_string(out, "\n\"");
    if (!of->is_packed || of->is_exact || hides ||
        !html_pack_row(out, &of->matrix, i, of->page->how->digits)) {
        if (of->is_made)
            add_mirrored(of, i);
        else
            add_in_words(of, i, out);
    }
    text_add_string(out, "\"");
}

static void add_all_cells(const html_page *p, const trace_map *map, bool is_exact)
{
    for (size_t h = 0; h < map->values.size[0]; h++) {
        head_rows of = rows_of_head(p, map, h);
        of.is_exact = is_exact;
        for (size_t i = 0; i < of.matrix.size[0]; i++) {
            text_add_string(p->out, h + i > 0 ? "," : "");
            add_cells_of_row(&of, i);
        }
    }
}

size_t html_focus_head(const html_page *p, const trace_map *map)
{
    size_t heads = map->values.size[0], all = p->trace->heads;
    return heads == 0 ? 0 : p->trace->focus.head * heads / all;
}

html_kept html_kept_of(const html_page *p, const trace_map *map)
{
    const size_t *size = map->values.size;
    bool is_narrow = size[2] / map->slices <= HTML_MOST;
    if (map->is_beyond_page)
        return KEPT_NOTHING;
    if (p->how->is_full || (is_narrow && tensor_count(&map->values) <= MOST_NUMBERS))
        return KEPT_ALL;
    return map->is_of_queries && size[2] <= MOST_NUMBERS ? KEPT_FOCUS : KEPT_NOTHING;
}

bool html_has_table(const html_page *p, const trace_map *map)
{
    map_place at;
    for (size_t i = 0; i < p->trace->steps; i++) {
        const trace_step *step = &p->trace->step[i];
        for (size_t j = 0; j < step->count; j++) {
            if (step->item[j].kind == TRACE_MATRIX &&
                map_of(p->trace, &step->item[j].a, &at) == map)
                return true;
        }
    }
    return false;
}

/* Nor are there labels of what is not kept: a vocabulary has many. */
static void add_left_out(const html_page *p, const trace_map *map)
{
    const size_t *size = map->values.size;
    text_add_string(p->out, ",\"rows\":[],\"columns\":[]");
    if (map->is_beyond_page)
        text_add_string(p->out, ",\"beyond\":true");
    if (!html_has_table(p, map))
        text_add_format(p->out, ",\"unseen\":[%zu,%zu]", size[1], size[2]);
}

static void add_kept(const html_page *p, const trace_map *map, html_kept kept, bool is_exact)
{
    text_add_format(p->out, ",\"%s\":[", is_exact ? "exact" : "cells");
    if (kept == KEPT_FOCUS) {
        head_rows of = rows_of_head(p, map, html_focus_head(p, map));
        of.is_exact = is_exact;
        of.is_packed = of.is_made;
        add_cells_of_row(&of, p->trace->focus.row);
    } else
        add_all_cells(p, map, is_exact);
    text_add_string(p->out, "]");
}

static void add_cells(const html_page *p, const trace_map *map)
{
    html_kept kept = html_kept_of(p, map);
    if (kept == KEPT_NOTHING) {
        add_left_out(p, map);
        return;
    }
    add_labels(p->out, "rows", &map->rows, map->values.size[1]);
    add_labels(p->out, "columns", &map->columns, map->values.size[2]);
    if (kept == KEPT_FOCUS)
        text_add_format(p->out, ",\"only\":{\"row\":%zu}", p->trace->focus.row);
    add_kept(p, map, kept, false);
    if (asked_tells(p->asked, map))
        add_kept(p, map, kept, true);
}

/* What becomes of rows and columns at the end, and of pairs of columns. */
static void add_exceptions(const html_page *p, const trace_map *map)
{
    if (map->appended > 0)
        text_add_format(p->out, ",\"appended\":%zu", map->appended);
    add_origin(p->out, "learned", &map->learned);
    add_origin(p->out, "length", &map->length);
    if (map->untouched > 0)
        text_add_format(p->out, ",\"untouched\":%zu", map->untouched);
    if (map->paired > 0)
        text_add_format(p->out, ",\"paired\":%zu,\"interleaved\":%s", map->paired,
                        map->is_interleaved ? "true" : "false");
}

/* Numbers that were made for the trace only have no place in a file of answers, nor has what a
 * layer calls its x: it is a stage by another name. */
static bool is_stage(const trace *room, const trace_map *map)
{
    size_t i = 0;
    if (map->step == FLOOR_LAYER)
        return false;
    while (i < room->statistics.count && room->statistics.entry[i].tensor.data != map->values.data)
        i++;
    return i == room->statistics.count;
}

/* Which key of the document it is, of an attention. */
static void add_key(text *out, const trace_map *map)
{
    input which = INPUT_X;
    while (which < INPUT_COUNT && strcmp(input_label(which), map->name) != 0)
        which++;
    if (which < INPUT_COUNT && !map->has_origin)
        text_add_format(out, ",\"key\":\"%s\"", input_key(which));
}

static void add_alive(const html_page *p, const trace_map *map)
{
    if (map->is_made)
        text_add_string(p->out, ",\"made\":true");
    if (map->values.type == DTYPE_F64)
        text_add_string(p->out, ",\"wide\":true");
    add_key(p->out, map);
    html_add_bits(p, map);
}

static void add_map(const html_page *p, const trace_map *map, size_t room)
{
    const size_t *size = map->values.size;
    bool is_blank = asked_makes(p->asked, map);
    text_add_format(p->out, "{\"name\":\"%s\",\"room\":%zu,\"step\":\"", map->name, room);
    html_add_step_id(p, map->step);
    text_add_format(p->out, "\",\"heads\":%zu,\"head\":%zu,\"slices\":%zu", size[0],
                    html_focus_head(p, map), map->slices);
    if (map->is_share)
        text_add_string(p->out, ",\"share\":true");
    if (map->is_of_focus)
        text_add_format(p->out, ",\"focus\":{\"head\":%zu,\"heads\":%zu,\"row\":%zu}",
                        p->trace->focus.head, p->trace->heads, map->query);
    if (is_blank)
        text_add_format(p->out, ",\"blank\":true,\"stage\":%s",
                        is_stage(p->trace, map) ? "true" : "false");
    if (map->letters != NULL) {
        text_add_string(p->out, ",\"letters\":");
        json_string_write(p->out, map->letters);
    }
    if (map->has_origin) {
        text_add_format(p->out, ",\"operation\":\"%s\"", operation_of(map->op)->named.name);
        if (map->function != NULL)
            text_add_format(p->out, ",\"function\":\"%s\"", map->function->named.name);
        for (size_t i = 0; i < TRACE_OPERANDS; i++)
            add_origin(p->out, (const char[]){(char)('a' + i), '\0'}, &map->operand[i]);
    }
    add_exceptions(p, map);
    add_cells(p, map);
    if (p->is_alive)
        add_alive(p, map);
    text_add_string(p->out, "}");
}

/* In a script's text only < could end it; strings may spell it otherwise. */
static void add_without_marks(text *out, const text *json)
{
    const char *at = text_string(json);
    for (const char *mark; (mark = strchr(at, '<')) != NULL; at = mark + 1) {
        text_add(out, at, (size_t)(mark - at));
        text_add_string(out, "\\u003c");
    }
    text_add_string(out, at);
}

/* Where the rooms are: what is before the names of their maps, and what a person calls them. */
static void add_rooms(const html_page *p)
{
    for (size_t i = 0; i < trace_rooms(p->whole); i++) {
        const trace_place *at = &trace_room(p->whole, i)->place;
        text_add_format(p->out, "%s{\"way\":\"%s\",\"floor\":\"%s\",\"name\":\"%s\"",
                        i > 0 ? "," : "", at->way, at->floor, at->name);
        if (p->is_alive)
            html_add_run(p->out, trace_room(p->whole, i));
        text_add_string(p->out, "}");
    }
}

/* How the operations and activations of this page are spelled: what the script prints cells by. */
static void add_spellings(text *out, const trace *whole)
{
    bool is_made_by[OPERATION_COUNT] = {false};
    text_add_string(out, ",\n\"operations\":{");
    for (size_t i = 0; i < trace_rooms(whole); i++) {
        const trace *room = trace_room(whole, i);
        for (size_t j = 0; j < room->maps; j++)
            is_made_by[room->map[j].op] = true;
    }
    bool is_first = true;
    for (size_t i = 0; i < OPERATIONS.count; i++) {
        const operation_row *row = operation_of((operation)i);
        if (!is_made_by[i])
            continue;
        text_add_format(out, "%s\"%s\":", is_first ? "" : ",", row->named.name);
        json_string_write(out, row->spelled);
        is_first = false;
    }
    text_add_string(out, "},\n\"functions\":{");
    for (size_t i = 0; i < ACTIVATIONS.count; i++) {
        const activation *row = (const activation *)named_row(&ACTIVATIONS, i);
        text_add_format(out, "%s\"%s\":", i > 0 ? "," : "", row->named.name);
        json_string_write(out, row->spelled);
    }
    text_add_string(out, "}");
}

static void add_maps(html_page *p)
{
    for (size_t i = 0; i < trace_rooms(p->whole); i++) {
        html_enter(p, i);
        for (size_t j = 0; j < p->trace->maps; j++) {
            text_add_string(p->out, p->trace->first_map + j > 0 ? ",\n" : "");
            add_map(p, &p->trace->map[j], i);
        }
    }
}

/* ---- the other entries of a batch ---- */

bool html_takes_entries(const trace *t)
{
    if (t->batches < 2 || t->batches > MOST_ENTRIES)
        return false;
    for (size_t i = 0; i < trace_rooms(t); i++) {
        const trace *room = trace_room(t, i);
        for (size_t j = 0; j < room->maps; j++) {
            if (tensor_count(&room->map[j].values) > MOST_NUMBERS / t->batches)
                return false;
        }
    }
    return true;
}

static bool is_equal(const tensor *a, const tensor *b)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        if (tensor_get(a, at) != tensor_get(b, at))
            return false;
    } while (tensor_next(a, at));
    return true;
}

/* What no operation makes, and is not the very one that the entry shown has. Numbers that a trace
 * made for itself are in another place in any case. */
static bool is_of_entry(const trace_map *map, const trace_map *shown)
{
    bool is_own = map->is_made || map->is_number;
    return !map->has_origin && map->values.data != shown->values.data &&
           !(is_own && is_equal(&map->values, &shown->values));
}

static void add_entry_maps(html_page *p, const trace *shown)
{
    bool is_first = true;
    for (size_t j = 0; j < p->trace->maps; j++) {
        const trace_map *map = &p->trace->map[j];
        if (!is_of_entry(map, &shown->map[j]))
            continue;
        text_add_format(p->out, "%s\"%zu\":{\"cells\":[", is_first ? "" : ",\n",
                        map_index(p->trace, map));
        if (html_is_all_shown(p, map))
            add_all_cells(p, map, false);
        text_add_string(p->out, "]");
        html_add_bits(p, map);
        text_add_string(p->out, "}");
        is_first = false;
    }
}

/* Rooms, each what its queries see there, and by their numbers the maps that differ. The numbers
 * that follow from them are for the script to compute. */
static void add_entry(const html_page *p, const trace *of)
{
    html_page into = *p;
    text_add_string(p->out, "{\"rooms\":[");
    for (size_t i = 0; i < trace_rooms(of); i++) {
        into.trace = trace_room(of, i);
        text_add_string(p->out, i > 0 ? ",{" : "{");
        html_add_sight(p->out, into.trace);
        text_add_string(p->out, ",\"maps\":{");
        add_entry_maps(&into, trace_room(p->whole, i));
        text_add_string(p->out, "}}");
    }
    text_add_string(p->out, "]}");
}

static void add_entries(const html_page *p)
{
    text_add_string(p->out, ",\n\"entries\":[");
    for (const trace *at = p->whole->next_entry; at != NULL; at = at->next_entry) {
        text_add_string(p->out, at == p->whole->next_entry ? "" : ",\n");
        if (at->batch == p->whole->batch)
            text_add_string(p->out, "null");
        else
            add_entry(p, at);
    }
    text_add_string(p->out, "]");
}

void html_add_data(const html_page *p)
{
    text json = {0};
    html_page into = *p;
    into.out = &json;
    text_add_string(&json, "{\"words\":");
    html_add_english(&json);
    text_add_string(&json, ",\n\"document\":");
    json_string_write(&json, p->whole->name == NULL ? "attention" : p->whole->name);
    if (p->whole->command != NULL)
        text_add_format(&json, ",\n\"command\":\"%s\"", p->whole->command);
    if (p->whole->batch > 0)
        text_add_format(&json, ",\n\"batch\":%zu", p->whole->batch);
    add_spellings(&json, p->whole);
    if (p->is_alive)
        html_add_source(&into);
    text_add_format(&json, ",\n\"digits\":%d,\"trims\":%s,\"rooms\":[",
                    p->how->digits < 0 ? NUMBER_TEXT_DECIMALS : p->how->digits,
                    p->how->digits < 0 ? "true" : "false");
    add_rooms(&into);
    text_add_string(&json, "],\"maps\":[\n");
    add_maps(&into);
    text_add_string(&json, "]");
    if (p->is_alive && p->whole->next_entry != NULL)
        add_entries(&into);
    text_add_string(&json, "}");
    text_add_string(p->out, "<script type=\"application/json\" id=data>");
    add_without_marks(p->out, &json);
    text_add_string(p->out, "</script>\n");
    text_close(&json, p->out);
}
