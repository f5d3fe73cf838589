#include "io/csv.h"

#include "io/number_write.h"
#include "io/in_order.h"

#include <string.h>

/* What the comment of a block calls a matrix without a name. */
static const char UNNAMED[] = "matrix";

/* What stays the same from row to row. */
typedef struct writer {
    sink *out;
    const write_options *how;
    const char *file_kind; /* "CSV" */
    char delimiter;
    const entry *columns, *rows; /* labels of the next block, or NULL */
    const char *corner;          /* what stands above the row labels */
    const tensor *matrix;        /* that is being written */
} writer;

void csv_number_write(text *out, const tensor *matrix, size_t row, size_t column,
                      const write_options *how)
{
    double value = tensor_get(matrix, (const size_t[]){row, column});
    char *room = text_room(out, NUMBER_FIXED_TEXT);
    if (room == NULL)
        return;
    if (matrix->type == DTYPE_F32 && how->digits < 0)
        text_added(out, number_write_f32((float)value, room));
    else if (tensor_is_hole(value)) /* where spaces separate, nothing between two is refused */
        text_add_string(out, how->delimiter == ' ' ? "\"\"" : "");
    else
        text_added(out, how->digits < 0 ? number_write_f64(value, room)
                                        : number_write_fixed(value, how->digits, room));
}

bool csv_is_formula(const char *cell)
{
    return *cell != '\0' && strchr("=+-@", *cell) != NULL &&
           !label_looks_like_number(cell, strlen(cell), ',');
}

void csv_text_write(text *out, const char *cell, char delimiter, bool quoted,
                    const write_options *how)
{
    text safe = {0};
    bool is_told_apart = how->csv_safe && csv_is_formula(cell);
    if (is_told_apart)
        text_add_format(&safe, "'%s", cell);
    const char *written = is_told_apart ? text_string(&safe) : cell;
    csv_field_write(out, written, strlen(written), delimiter, quoted);
    text_close(&safe, out);
}

/* ---- what can be written ---- */

bool csv_is_labels(const entry *one)
{
    return one->kind == ENTRY_LIST
               ? strcmp(one->name, "columns") == 0 || strcmp(one->name, "rows") == 0
               : one->kind == ENTRY_TEXT && strcmp(one->name, "corner") == 0;
}

bool csv_check_result(const bundle *result, const char *what, err *e)
{
    for (size_t i = 0; i < result->count; i++) {
        const entry *one = &result->entry[i];
        char shape[SHAPE_TEXT];
        if (csv_is_labels(one))
            continue;
        if (one->kind != ENTRY_TENSOR) {
            err_at(e, &one->at, "'%s' can't be written as %s, which holds numbers only", one->name,
                   what);
            return err_remedy(e, "JSON holds everything");
        }
        if (tensor_count(&one->tensor) == 0)
            return err_at(e, &one->at,
                          "'%s' is %s: %s has no way to write a matrix without elements", one->name,
                          tensor_shape_text(&one->tensor, shape), what);
    }
    return true;
}

static bool check_labels(const entry *labels, size_t wanted, const char *name, err *e)
{
    if (labels == NULL || labels->list.count == wanted)
        return true;
    return err_at(e, &labels->at, "the labels of %s are %zu, but '%s' has %zu", labels->name,
                  labels->list.count, name, wanted);
}

static bool is_blank(const char *label)
{
    return label[strspn(label, " \t")] == '\0';
}

/* Labels that the reader takes for numbers gone wrong in spite of their quotes, all of them. */
static bool check_labels_stay(const writer *w, const entry *labels, err *e)
{
    const char *first = NULL;
    for (size_t i = 0; labels != NULL && i < labels->list.count; i++) {
        const char *label = labels->list.item[i];
        csv_field f = {.text = label, .length = strlen(label), .quoted = true};
        if (is_blank(label))
            continue;
        if (label_spoiled_remedy(&f, w->delimiter) == NULL)
            return true;
        first = first == NULL ? label : first;
    }
    if (first == NULL)
        return true;
    err_at(e, &labels->at, "labels of %s such as '%s' would be read back as numbers", labels->name,
           first);
    return err_remedy(e, "TSV holds them; so does CSV with labels of rows and of columns");
}

/* ---- rows ---- */

/* True for a label that would not be taken for one without quotes. */
static bool is_ambiguous(const writer *w, const char *label)
{
    return is_blank(label) || label_looks_like_number(label, strlen(label), w->delimiter);
}

static void write_cells(const writer *w, text *to, const tensor *matrix, size_t row)
{
    bool is_usual = matrix->type != DTYPE_BOOL && w->how->digits < 0;
    tensor numbers = tensor_at(matrix, row);
    for (size_t column = 0; column < matrix->size[1]; column++) {
        if (is_usual)
            column = number_row_write(to, &numbers, column, (char[]){w->delimiter, '\0'});
        if (column == matrix->size[1])
            break;
        if (column > 0)
            text_add(to, &w->delimiter, 1);
        csv_number_write(to, matrix, row, column, w->how);
    }
}

static void write_row(const void *context, size_t row, text *to)
{
    const writer *w = context;
    size_t before = to->length;
    if (w->rows != NULL) {
        const char *label = w->rows->list.item[row];
        csv_text_write(to, label, w->delimiter, is_ambiguous(w, label), w->how);
        text_add(to, &w->delimiter, 1);
    }
    write_cells(w, to, w->matrix, row);
    if (to->length == before)
        text_add_string(to, "\"\""); /* a hole alone: a blank line would be no row */
    text_add_string(to, "\n");
}

static bool write_matrix(writer *w, const tensor *matrix, err *e)
{
    const rows_text rows = {matrix, write_row, w};
    text *to = sink_text(w->out);
    w->matrix = matrix;
    if (w->columns != NULL) {
        /* A header with ambiguous labels is told from a row by quotes around all of them. */
        const text_list *labels = &w->columns->list;
        const char *corner = w->rows == NULL ? "" : w->corner;
        bool quoted = *corner != '\0' && is_ambiguous(w, corner);
        for (size_t i = 0; i < labels->count; i++)
            quoted = quoted || is_ambiguous(w, labels->item[i]);
        csv_text_write(to, corner, w->delimiter, quoted && *corner != '\0', w->how);
        for (size_t i = 0; i < labels->count; i++) {
            if (i > 0 || w->rows != NULL)
                text_add(to, &w->delimiter, 1);
            csv_text_write(to, labels->item[i], w->delimiter, quoted, w->how);
        }
        text_add_string(to, "\n");
    }
    bool done = rows_text_write(&rows, w->how, w->out, e);
    w->columns = w->rows = NULL;
    return done;
}

/* ---- the whole ---- */

static const entry *labels_of(const bundle *result, const char *name)
{
    const entry *found = bundle_find(result, name);
    return found != NULL && csv_is_labels(found) && found->list.count > 0 ? found : NULL;
}

/* All that can be wrong, before the first byte is written. */
static bool check(const writer *w, const bundle *result, const entry *first, err *e)
{
    if (!csv_delimiter_check(w->delimiter, e) || !csv_check_result(result, w->file_kind, e))
        return false;
    if (first == NULL)
        return err_set(e, "there is no matrix to write as %s", w->file_kind);
    /* A name ends at the first space of a block's comment, and so at whatever looks like one. */
    for (size_t i = 0; i < result->count; i++) {
        const entry *one = &result->entry[i];
        const char *p = one->name;
        while ((unsigned char)*p > ' ')
            p++;
        if (*p != '\0')
            return err_at(e, &one->at, "'%s' can't be the name of a matrix in a %s: it has a %s",
                          one->name, w->file_kind,
                          *p == ' '    ? "space"
                          : *p == '\t' ? "tab"
                                       : "control character");
    }
    block b = block_first(first);
    if (!write_check_unnamed(result, UNNAMED, e) ||
        !check_labels(w->columns, b.matrix.size[1], first->name, e) ||
        !check_labels(w->rows, b.matrix.size[0], first->name, e))
        return false;
    bool is_first_blank = w->columns != NULL && is_blank(w->columns->list.item[0]);
    if (is_first_blank && w->rows == NULL) /* as a corner above row labels */
        return err_at(e, &w->columns->at,
                      "the first column's label is empty, which reads as a column of labels");
    /* A header that begins with nothing makes labels of whatever there is. */
    bool are_sure = w->rows != NULL && w->columns != NULL && is_blank(w->corner);
    return are_sure || (check_labels_stay(w, w->columns, e) && check_labels_stay(w, w->rows, e));
}

/* One matrix without a name, of which nothing needs to be said. */
static bool is_plain(const writer *w, const entry *one)
{
    bool is_named = w->how->names_alone && one->name[0] != '\0';
    if (one->tensor.rank > 2 || is_named)
        return false;
    tensor matrix = block_first(one).matrix;
    if (w->rows != NULL || w->columns != NULL || matrix.size[1] == 1)
        return true;
    /* A hole in front of all would be taken for a label or for what a header begins with, if no
     * comment said how many columns there are. */
    text row = {0};
    write_cells(w, &row, &matrix, 0);
    bool is_misread =
        *text_string(&row) == '"' || csv_row_counts(text_string(&row), row.length, w->delimiter);
    text_free(&row);
    return !is_misread;
}

void csv_write_header(text *to, const text_list *header)
{
    for (size_t i = 0; header != NULL && i < header->count; i++)
        text_add_format(to, "# %s\n", header->item[i]);
}

static bool write_delimited(const bundle *result, const write_options *how, sink *out,
                            char delimiter, const char *file_kind, err *e)
{
    const entry *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++) {
        if (result->entry[i].kind == ENTRY_TENSOR && count++ == 0)
            first = &result->entry[i];
    }
    writer w = {.out = out,
                .how = how,
                .file_kind = file_kind,
                .delimiter = how->delimiter != 0 ? how->delimiter : delimiter,
                .columns = labels_of(result, "columns"),
                .rows = labels_of(result, "rows"),
                .corner = bundle_text(result, "corner")};
    if (w.corner == NULL)
        w.corner = "";
    if (!check(&w, result, first, e))
        return false;
    bool done = true, is_alone = count == 1 && is_plain(&w, first);
    csv_write_header(sink_text(out), how->header);
    for (const entry *one = first; done && one < result->entry + result->count; one++) {
        if (one->kind != ENTRY_TENSOR)
            continue;
        block b = block_first(one);
        for (bool more = true, is_first = one == first; done && more; is_first = false) {
            if (!is_first)
                text_add_string(sink_text(out), "\n");
            if (!is_alone)
                block_comment_write(sink_text(out), write_name(one, UNNAMED), &b);
            done = write_matrix(&w, &b.matrix, e);
            more = block_next(one, &b);
        }
    }
    return done && text_ok(sink_text(out), e);
}

bool csv_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    return write_delimited(result, how, out, ',', "CSV", e);
}

bool tsv_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    return write_delimited(result, how, out, '\t', "TSV", e);
}
