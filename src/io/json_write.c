#include "io/json_write.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/number_write.h"
#include "io/in_order.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

void json_string_use_account(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = mem_take, .free_fn = mem_free});
}

void json_string_write(text *to, const char *string)
{
    cJSON *item = cJSON_CreateStringReference(string);
    char *printed = item == NULL ? NULL : cJSON_PrintUnformatted(item);
    if (printed == NULL) {
        to->failed = true;
    } else {
        utf8_make_valid(printed);
        text_add_string(to, printed);
    }
    cJSON_free(printed);
    cJSON_Delete(item);
}

void json_element_write(text *out, dtype type, double value, int digits)
{
    if (type == DTYPE_BOOL) {
        text_add_string(out, value != 0 ? "true" : "false");
    } else if (!isfinite(value)) {
        text_add_string(out, tensor_is_hole(value) ? "null"
                             : isnan(value)        ? "\"NaN\""
                             : value > 0           ? "\"Infinity\""
                                                   : "\"-Infinity\"");
    } else {
        char *room = text_room(out, NUMBER_FIXED_TEXT);
        if (room != NULL)
            text_added(out, digits >= 0         ? number_write_fixed(value, digits, room)
                            : type == DTYPE_F32 ? number_write_f32((float)value, room)
                                                : number_write_f64(value, room));
    }
}

void json_row_write(text *out, const tensor *row, int digits)
{
    bool is_usual = row->type != DTYPE_BOOL && digits < 0;
    text_add_string(out, "[");
    for (size_t i = 0; i < row->size[0]; i++) {
        if (is_usual)
            i = number_row_write(out, row, i, ", ");
        if (i == row->size[0])
            break;
        if (i > 0)
            text_add_string(out, ", ");
        json_element_write(out, row->type, tensor_get(row, &i), digits);
    }
    text_add_string(out, "]");
}

void json_list_write(text *out, const text_list *list)
{
    text_add_string(out, "[");
    for (size_t i = 0; i < list->count; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        json_string_write(out, list->item[i]);
    }
    text_add_string(out, "]");
}

/* ---- members ---- */

void json_member_key(text *out, const char *name)
{
    char last = out->length == 0 ? '{' : out->data[out->length - 1];
    text_add_string(out, last == '{' || last == '[' ? "\"" : ", \"");
    text_add_string(out, name);
    text_add_string(out, "\": ");
}

void json_member_text(text *out, const char *name, const char *value)
{
    json_member_key(out, name);
    json_string_write(out, value);
}

void json_member_count(text *out, const char *name, size_t value)
{
    json_member_key(out, name);
    text_add_format(out, "%zu", value);
}

/* ---- a result ---- */

enum { INDENT = 2 };

typedef struct json_writer {
    sink *out;
    text *text;
    const write_options *how;
} json_writer;

/* Begins a new line at this depth, or on a single line adds `otherwise`. */
static void add_line(text *to, const write_options *how, size_t depth, const char *otherwise)
{
    if (how->single_line) {
        text_add_string(to, otherwise);
        return;
    }
    text_add_string(to, "\n");
    text_add_repeated(to, " ", INDENT * depth);
}

/* Between the entries of a list or an object, and before the first one. */
static void add_separator(text *to, const write_options *how, bool first, size_t depth)
{
    if (!first)
        text_add_string(to, ",");
    add_line(to, how, depth, first ? "" : " ");
}

typedef struct indented_matrix {
    const write_options *how;
    const tensor *matrix;
    size_t depth; /* of its rows */
} indented_matrix;

static void write_row(const void *context, size_t row, text *to)
{
    const indented_matrix *m = context;
    tensor numbers = tensor_at(m->matrix, row);
    add_separator(to, m->how, row == 0, m->depth);
    json_row_write(to, &numbers, m->how->digits);
}

/* Each row is on one line; entries of further axes begin new lines. */
static bool write_tensor(json_writer *w, const tensor *t, size_t depth, err *e)
{
    if (t->rank == 0)
        json_element_write(w->text, t->type, tensor_get(t, NULL), w->how->digits);
    if (t->rank == 1)
        json_row_write(w->text, t, w->how->digits);
    if (t->rank < 2)
        return sink_spill(w->out, e);
    bool done = true;
    text_add_string(w->text, "[");
    if (t->rank == 2) {
        const indented_matrix all = {w->how, t, depth + 1};
        const rows_text rows = {t, write_row, &all};
        done = rows_text_write(&rows, w->how, w->out, e);
    }
    for (size_t i = 0; t->rank > 2 && done && i < t->size[0]; i++) {
        tensor part = tensor_at(t, i);
        add_separator(w->text, w->how, i == 0, depth + 1);
        done = write_tensor(w, &part, depth + 1, e);
    }
    if (!done)
        return false;
    add_line(w->text, w->how, depth, "");
    text_add_string(w->text, "]");
    return true;
}

static bool write_bundle(json_writer *w, const bundle *b, bool is_list, size_t depth, err *e);

static bool write_value(json_writer *w, const entry *one, size_t depth, err *e)
{
    switch (one->kind) {
    case ENTRY_TENSOR:
        return write_tensor(w, &one->tensor, depth, e);
    case ENTRY_BUNDLE:
        return write_bundle(w, one->bundle, one->is_list, depth, e);
    case ENTRY_LIST:
        json_list_write(w->text, &one->list);
        return true;
    case ENTRY_JSON:
        text_add_string(w->text, one->text);
        return sink_spill(w->out, e);
    default:
        json_string_write(w->text, one->text);
        return true;
    }
}

/* Begins an entry; without a name it is a list's. */
static void begin_entry(json_writer *w, const char *name, bool flat, size_t depth, bool *is_first)
{
    if (flat)
        text_add_string(w->text, *is_first ? "" : ", ");
    else
        add_separator(w->text, w->how, *is_first, depth);
    *is_first = false;
    if (name == NULL)
        return;
    json_string_write(w->text, name);
    text_add_string(w->text, ": ");
}

/* A bundle of depth 0 is the document. */
static bool write_bundle(json_writer *w, const bundle *b, bool is_list, size_t depth, err *e)
{
    /* Tolerances and records are short enough for one line. */
    bool flat = depth > 0, is_first = true;
    for (size_t i = 0; i < b->count; i++)
        flat = flat && (b->entry[i].kind == ENTRY_TEXT ||
                        (b->entry[i].kind == ENTRY_TENSOR && b->entry[i].tensor.rank == 0));
    text_add_string(w->text, is_list ? "[" : "{");
    /* The document's name comes first, and once; then what made the result, under a key that
     * readers skip. */
    const char *own = depth == 0 ? w->how->name : NULL;
    if (own != NULL) {
        begin_entry(w, "name", flat, 1, &is_first);
        json_string_write(w->text, own);
    }
    if (depth == 0 && w->how->header != NULL) {
        begin_entry(w, "_header", flat, 1, &is_first);
        json_list_write(w->text, w->how->header);
    }
    for (const entry *one = b->entry; one < b->entry + b->count; one++) {
        if (own != NULL && strcmp(one->name, "name") == 0)
            continue;
        begin_entry(w, is_list ? NULL : one->name, flat, depth + 1, &is_first);
        if (!write_value(w, one, depth + 1, e))
            return false;
    }
    if (!flat && !is_first)
        add_line(w->text, w->how, depth, "");
    text_add_string(w->text, is_list ? "]" : "}");
    return sink_spill(w->out, e);
}

bool json_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    json_writer w = {.out = out, .text = sink_text(out), .how = how};
    /* A matrix that was read as a bare list has no name, and is written as a bare list. */
    const entry *only = result->entry;
    bool bare = how->name == NULL && how->header == NULL && result->count == 1 &&
                only->name[0] == '\0' &&
                (only->kind == ENTRY_JSON || (only->kind == ENTRY_TENSOR && only->tensor.rank > 0));
    if (!(bare ? write_value(&w, only, 0, e) : write_bundle(&w, result, false, 0, e)))
        return false;
    text_add_string(w.text, "\n");
    return sink_spill(out, e);
}
