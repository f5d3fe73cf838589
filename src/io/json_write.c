#include "io/json.h"

#include "io/json_row.h"
#include "io/json_string.h"
#include "io/rows_text.h"

#include <string.h>

enum { INDENT = 2 };

typedef struct writer {
    sink *out;
    text *text;
    const write_options *how;
} writer;

/* A new line at this depth; on a single line, what stands between two entries instead. */
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

static void new_line(writer *w, size_t depth, const char *otherwise)
{
    add_line(w->text, w->how, depth, otherwise);
}

static void separate(writer *w, bool first, size_t depth)
{
    add_separator(w->text, w->how, first, depth);
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

static bool write_matrix(writer *w, const tensor *t, size_t depth, err *e)
{
    const indented_matrix all = {w->how, t, depth};
    const rows_text rows = {t, write_row, &all};
    return rows_text_write(&rows, w->how, w->out, e);
}

static bool write_tensor(writer *w, const tensor *t, size_t depth, err *e);

static bool write_parts(writer *w, const tensor *t, size_t depth, err *e)
{
    for (size_t i = 0; i < t->size[0]; i++) {
        tensor part = tensor_at(t, i);
        separate(w, i == 0, depth);
        if (!write_tensor(w, &part, depth, e))
            return false;
    }
    return true;
}

/* A row stands on one line, and each entry of anything deeper begins a line of its own. */
static bool write_tensor(writer *w, const tensor *t, size_t depth, err *e)
{
    if (t->rank == 0)
        json_element_write(w->text, t->type, tensor_get(t, NULL), w->how->digits);
    if (t->rank == 1)
        json_row_write(w->text, t, w->how->digits);
    if (t->rank < 2)
        return sink_spill(w->out, e);
    text_add_string(w->text, "[");
    if (!(t->rank == 2 ? write_matrix(w, t, depth + 1, e) : write_parts(w, t, depth + 1, e)))
        return false;
    new_line(w, depth, "");
    text_add_string(w->text, "]");
    return true;
}

static void write_list(writer *w, const text_list *list)
{
    text_add_string(w->text, "[");
    for (size_t i = 0; i < list->count; i++) {
        text_add_string(w->text, i == 0 ? "" : ", ");
        json_string_write(w->text, list->item[i]);
    }
    text_add_string(w->text, "]");
}

static bool is_scalar(const entry *one)
{
    return one->kind == ENTRY_TEXT || (one->kind == ENTRY_TENSOR && one->tensor.rank == 0);
}

/* Tolerances and records: short enough for one line. */
static bool is_flat(const bundle *b)
{
    size_t i = 0;
    while (i < b->count && is_scalar(&b->entry[i]))
        i++;
    return i == b->count;
}

static bool write_bundle(writer *w, const bundle *b, bool is_list, size_t depth, err *e);

static bool write_value(writer *w, const entry *one, size_t depth, err *e)
{
    switch (one->kind) {
    case ENTRY_TENSOR:
        return write_tensor(w, &one->tensor, depth, e);
    case ENTRY_BUNDLE:
        return write_bundle(w, one->bundle, one->is_list, depth, e);
    case ENTRY_LIST:
        write_list(w, &one->list);
        return true;
    case ENTRY_JSON:
        text_add_string(w->text, one->text);
        return sink_spill(w->out, e);
    default:
        json_string_write(w->text, one->text);
        return true;
    }
}

static void write_key(writer *w, const char *name)
{
    json_string_write(w->text, name);
    text_add_string(w->text, ": ");
}

static bool write_bundle(writer *w, const bundle *b, bool is_list, size_t depth, err *e)
{
    bool flat = is_flat(b);
    text_add_string(w->text, is_list ? "[" : "{");
    for (size_t i = 0; i < b->count; i++) {
        if (flat)
            text_add_string(w->text, i == 0 ? "" : ", ");
        else
            separate(w, i == 0, depth + 1);
        if (!is_list)
            write_key(w, b->entry[i].name);
        if (!write_value(w, &b->entry[i], depth + 1, e))
            return false;
    }
    if (!flat)
        new_line(w, depth, "");
    text_add_string(w->text, is_list ? "]" : "}");
    return sink_spill(w->out, e);
}

/* The document's name comes first, and once; then what made the result, under a key that readers
 * skip. */
static bool write_head(writer *w)
{
    bool is_first = w->how->name == NULL;
    if (!is_first) {
        separate(w, true, 1);
        write_key(w, "name");
        json_string_write(w->text, w->how->name);
    }
    if (w->how->header == NULL)
        return is_first;
    separate(w, is_first, 1);
    write_key(w, "_header");
    write_list(w, w->how->header);
    return false;
}

static bool write_document(writer *w, const bundle *result, err *e)
{
    text_add_string(w->text, "{");
    bool is_first = write_head(w);
    for (size_t i = 0; i < result->count; i++) {
        const entry *one = &result->entry[i];
        if (w->how->name != NULL && strcmp(one->name, "name") == 0)
            continue;
        separate(w, is_first, 1);
        is_first = false;
        write_key(w, one->name);
        if (!write_value(w, one, 1, e))
            return false;
    }
    if (!is_first)
        new_line(w, 0, "");
    text_add_string(w->text, "}");
    return true;
}

/* What was read as a bare list has no name, and is written as one. */
static bool is_bare(const bundle *result)
{
    const entry *only = result->entry;
    return result->count == 1 && only->name[0] == '\0' &&
           (only->kind == ENTRY_JSON || (only->kind == ENTRY_TENSOR && only->tensor.rank > 0));
}

bool json_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    writer w = {.out = out, .text = sink_text(out), .how = how};
    bool bare = how->name == NULL && how->header == NULL && is_bare(result);
    if (!(bare ? write_value(&w, &result->entry[0], 0, e) : write_document(&w, result, e)))
        return false;
    text_add_string(w.text, "\n");
    return sink_spill(out, e);
}
