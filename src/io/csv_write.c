#include "io/csv_write.h"

#include "base/mem.h"
#include "io/csv_cells.h"
#include "io/csv_read.h"
#include "io/in_order.h"
#include "io/number_write.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces in order ---- */

const char *const GRID_AXIS_NAMES[GRID_AXES] = {"batch", "head", "row", "col", "item"};

static int compare_index(const size_t a[GRID_AXES], const size_t b[GRID_AXES])
{
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (a[axis] != b[axis])
            return a[axis] < b[axis] ? -1 : 1;
    }
    return 0;
}

static int compare_pieces(const void *a, const void *b)
{
    const grid_piece *first = a, *second = b;
    int by_index = compare_index(first->index, second->index);
    return by_index != 0 ? by_index
                         : (first->order > second->order) - (first->order < second->order);
}

/* " batch=0 head=1": the indices on those axes that are there. */
enum { INDEX_TEXT = 160 };
static const char *index_text(const bool has[GRID_AXES], const size_t index[GRID_AXES],
                              char out[INDEX_TEXT])
{
    size_t length = 0;
    out[0] = '\0';
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (has[axis])
            length += (size_t)snprintf(out + length, INDEX_TEXT - length, " %s=%zu",
                                       GRID_AXIS_NAMES[axis], index[axis]);
    }
    return out;
}

bool grid_add(grid *g, const size_t index[GRID_AXES], size_t line, err *e)
{
    grid_piece *larger = mem_grow(g->piece, g->count, &g->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    g->piece = larger;
    grid_piece *added = &g->piece[g->count];
    *added = (grid_piece){.order = g->count++, .line = line};
    memcpy(added->index, index, sizeof added->index);
    return true;
}

bool grid_finish(grid *g, const char *file, const char *name, size_t size[GRID_AXES], int *rank,
                 err *e)
{
    size_t all[GRID_AXES] = {0}; /* 1 on axes that are not there */
    assert(g->count > 0);
    g->was_in_order = true;
    for (size_t i = 0; i < g->count; i++) {
        const grid_piece *piece = &g->piece[i];
        g->was_in_order = g->was_in_order && (i == 0 || compare_pieces(piece - 1, piece) < 0);
        for (int axis = 0; axis < GRID_AXES; axis++)
            all[axis] = piece->index[axis] >= all[axis] ? piece->index[axis] + 1 : all[axis];
    }
    if (!g->was_in_order)
        qsort(g->piece, g->count, sizeof g->piece[0], compare_pieces);
    *rank = 0;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (g->has[axis])
            size[(*rank)++] = all[axis];
    }
    size_t wanted[GRID_AXES] = {0}, at = 0;
    bool more = true;
    for (; more && at < g->count && compare_index(g->piece[at].index, wanted) == 0; at++) {
        more = false;
        for (int axis = GRID_AXES - 1; axis >= 0 && !more; axis--) {
            more = ++wanted[axis] < all[axis];
            wanted[axis] = more ? wanted[axis] : 0;
        }
    }
    if (at == g->count && !more)
        return true;
    /* The piece found is not the one wanted: that one is missing, or the one before came twice. */
    char here[INDEX_TEXT], missing[INDEX_TEXT];
    const grid_piece *found = &g->piece[at < g->count ? at : g->count - 1];
    place where = {.file = file, .line = found->line, .column = 1};
    index_text(g->has, found->index, here);
    if (at > 0 && at < g->count && compare_index(found[-1].index, found->index) == 0)
        return err_at(e, &where, "%s%s is here a second time, first in line %zu", name, here,
                      found[-1].line);
    return err_at(e, &where, "%s%s is here, but%s is missing", name, here,
                  index_text(g->has, wanted, missing));
}

const char *grid_letters(const grid *g)
{
    static const char *const letters[2][2][2] = {{{"qk", "qkd"}, {"hqk", "hqkd"}},
                                                 {{"bqk", "bqkd"}, {"bhqk", "bhqkd"}}};
    bool has_row = g->has[g->has[GRID_COL] ? GRID_ITEM : GRID_ROW];
    return letters[g->has[GRID_BATCH]][g->has[GRID_HEAD]][has_row];
}

/* ---- matrices of a tensor ---- */

enum { BLOCK_AXES = GRID_ROW + 1 }; /* batch, head and row can stand in front of a block */

static void find_matrix(const entry *of, block *b)
{
    tensor t = tensor_view_of(&of->tensor);
    for (int axis = 0; axis < BLOCK_AXES; axis++) {
        if (b->has[axis])
            t = tensor_at(&t, b->index[axis]);
    }
    if (t.rank < 2) {
        t.size[1] = t.rank == 0 ? 1 : t.size[0];
        t.stride[1] = t.rank == 0 ? 1 : t.stride[0];
        t.size[0] = 1;
        t.stride[0] = (ptrdiff_t)t.size[1];
        t.rank = 2;
    }
    b->matrix = t;
}

block block_first(const entry *of)
{
    block b = {0};
    /* How many of the first axes are batch and head, as the axes' letters or the rank say. */
    const char *letters = of->axes;
    if (letters == NULL)
        letters = of->tensor.rank >= 4 ? "bh" : of->tensor.rank == 3 ? "h" : "";
    int left = of->tensor.rank - 2;
    for (int axis = GRID_BATCH; axis <= GRID_HEAD; axis++) {
        b.has[axis] = left > 0 && *letters == "bh"[axis];
        letters += b.has[axis];
        left -= b.has[axis];
    }
    b.has[GRID_ROW] = left > 0;
    assert(left <= 1);
    find_matrix(of, &b);
    return b;
}

bool block_next(const entry *of, block *b)
{
    int place_in_rank = b->has[GRID_BATCH] + b->has[GRID_HEAD] + b->has[GRID_ROW];
    for (int axis = BLOCK_AXES - 1; axis >= 0; axis--) {
        if (!b->has[axis])
            continue;
        if (++b->index[axis] < of->tensor.size[--place_in_rank]) {
            find_matrix(of, b);
            return true;
        }
        b->index[axis] = 0;
    }
    return false;
}

/* Reads digits. A size that overflows is remembered, for an error. */
static const char *read_size(const char *p, const char *end, size_t *size, block_comment *out)
{
    const char *first = p;
    bool fits = true;
    for (*size = 0; p < end && *p >= '0' && *p <= '9'; p++) {
        size_t digit = (size_t)(*p - '0'), largest = SIZE_MAX / 2;
        fits = fits && *size <= (largest - digit) / 10;
        *size = fits ? *size * 10 + digit : largest;
    }
    if (!fits && out->too_large == NULL) {
        out->too_large = first;
        out->too_large_length = (size_t)(p - first);
    }
    return p == first ? NULL : p;
}

static const char *read_word(const char *p, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - p) >= length && memcmp(p, word, length) == 0 ? p + length : NULL;
}

bool block_comment_read(const char *line, size_t length, block_comment *out)
{
    const char *end = line + length, *p = read_word(line, end, " ");
    *out = (block_comment){.name = p};
    if (p == NULL)
        return false;
    while (p < end && (unsigned char)*p > ' ')
        p++;
    out->name_length = (size_t)(p - out->name);
    if (out->name_length == 0 || (p = read_word(p, end, " ")) == NULL)
        return false;
    for (int axis = 0; axis < BLOCK_AXES; axis++) { /* "head=1 ", where it is there */
        const char *after = read_word(p, end, GRID_AXIS_NAMES[axis]);
        if (after == NULL || (after = read_word(after, end, "=")) == NULL)
            continue;
        out->has[axis] = true;
        after = read_size(after, end, &out->index[axis], out);
        if (after == NULL || (p = read_word(after, end, " ")) == NULL)
            return false;
    }
    if ((p = read_size(p, end, &out->rows, out)) == NULL || (p = read_word(p, end, "x")) == NULL)
        return false;
    return read_size(p, end, &out->columns, out) == end;
}

/* ---- what is written ---- */

/* What the comment of a block calls a matrix without a name. */
static const char UNNAMED[] = "matrix";

/* What stays the same from row to row. */
typedef struct csv_writer {
    sink *out;
    const write_options *how;
    const char *file_kind; /* "CSV" */
    char delimiter;
    const entry *columns, *rows; /* labels of the next block, or NULL */
    const char *corner;          /* what stands above the row labels */
    const tensor *matrix;        /* that is being written */
} csv_writer;

void csv_number_write(text *out, const tensor *matrix, size_t row, size_t column,
                      const write_options *how)
{
    double value = tensor_get(matrix, (const size_t[]){row, column});
    char *room = text_room(out, NUMBER_FIXED_TEXT);
    if (room == NULL)
        return;
    if (matrix->type == DTYPE_F32 && how->digits < 0)
        text_added(out, number_write_f32((float)value, room));
    else if (tensor_is_hole(value)) /* between spaces, an empty cell would be refused */
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

static const entry *labels_of(const bundle *result, const char *name)
{
    const text_list *labels = bundle_list(result, name);
    return labels != NULL && labels->count > 0 ? bundle_find(result, name) : NULL;
}

bool csv_is_labels(const bundle *in, const entry *one)
{
    const entry *columns = labels_of(in, "columns"), *rows = labels_of(in, "rows");
    bool has_corner = columns != NULL && rows != NULL;
    return one == columns || one == rows ||
           (has_corner && one->kind == ENTRY_TEXT && strcmp(one->name, "corner") == 0);
}

bool csv_check_result(const bundle *result, const char *what, err *e)
{
    for (size_t i = 0; i < result->count; i++) {
        const entry *one = &result->entry[i];
        char shape[SHAPE_TEXT];
        if (csv_is_labels(result, one))
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

/* Refuses labels of which the reader would take every one for a malformed number, in spite of
 * quotes. */
static bool check_labels_stay(const csv_writer *w, const entry *labels, err *e)
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

/* Whether a label needs quotes to be read as a label. */
static bool is_ambiguous(const csv_writer *w, const char *label)
{
    return is_blank(label) || label_looks_like_number(label, strlen(label), w->delimiter);
}

static void write_cells(const csv_writer *w, text *to, const tensor *matrix, size_t row)
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
    const csv_writer *w = context;
    size_t before = to->length;
    if (w->rows != NULL) {
        const char *label = w->rows->list.item[row];
        csv_text_write(to, label, w->delimiter, is_ambiguous(w, label), w->how);
        text_add(to, &w->delimiter, 1);
    }
    write_cells(w, to, w->matrix, row);
    if (to->length == before)
        text_add_string(to, "\"\""); /* a single hole: a blank line would not be read as a row */
    if (w->how->errors != NULL) {
        text_add(to, &w->delimiter, 1);
        if (w->how->errors->item[row][0] != '\0')
            csv_text_write(to, w->how->errors->item[row], w->delimiter, false, w->how);
    }
    text_add_string(to, "\n");
}

static bool write_matrix(csv_writer *w, const tensor *matrix, err *e)
{
    const rows_text rows = {matrix, write_row, w};
    text *to = sink_text(w->out);
    w->matrix = matrix;
    if (w->columns != NULL) {
        /* If a label is ambiguous, all have quotes, which tell the header from a row. */
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
        if (w->how->errors != NULL)
            text_add_format(to, "%cerror", w->delimiter);
        text_add_string(to, "\n");
    }
    bool done = rows_text_write(&rows, w->how, w->out, e);
    w->columns = w->rows = NULL;
    return done;
}

/* ---- the whole ---- */

/* Checks all that can be wrong before the first byte is written. */
static bool check(const csv_writer *w, const bundle *result, const entry *first, err *e)
{
    if (!csv_delimiter_check(w->delimiter, e) || !csv_check_result(result, w->file_kind, e))
        return false;
    if (first == NULL)
        return err_set(e, "there is no matrix to write as %s", w->file_kind);
    /* In a block's comment a name ends at the first space, or at anything that looks like a
     * space. */
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
    /* It would be read as the corner above row labels. */
    if (w->columns != NULL && w->rows == NULL && is_blank(w->columns->list.item[0]))
        return err_at(e, &w->columns->at,
                      "the first column's label is empty, which reads as a column of labels");
    /* If a header begins with an empty cell, the first column is read as labels, also if it has
     * numbers. */
    bool are_sure = w->rows != NULL && w->columns != NULL && is_blank(w->corner);
    return are_sure || (check_labels_stay(w, w->columns, e) && check_labels_stay(w, w->rows, e));
}

/* Whether one matrix without a name needs no comment. */
static bool is_plain(const csv_writer *w, const entry *one)
{
    if (one->tensor.rank > 2 || (w->how->names_alone && one->name[0] != '\0'))
        return false;
    tensor matrix = block_first(one).matrix;
    bool has_labels = w->rows != NULL || w->columns != NULL;
    if (matrix.size[1] == 1 && !has_labels)
        return true;
    /* A hole in the first cell would be read as a label or as a header's corner, if no comment gave
     * the numbers of rows and columns. */
    text row = {0};
    write_cells(w, &row, &matrix, 0);
    bool is_misread = *text_string(&row) == '"' ||
                      (!has_labels && csv_row_counts(text_string(&row), row.length, w->delimiter));
    text_close(&row, sink_text(w->out));
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
    const char *corner = bundle_text(result, "corner");
    csv_writer w = {.out = out,
                    .how = how,
                    .file_kind = file_kind,
                    .delimiter = how->delimiter != 0 ? how->delimiter : delimiter,
                    .columns = labels_of(result, "columns"),
                    .rows = labels_of(result, "rows"),
                    .corner = corner == NULL ? "" : corner};
    if (!check(&w, result, first, e))
        return false;
    char index[INDEX_TEXT];
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
                text_add_format(sink_text(out), "# %s%s %zux%zu\n", write_name(one, UNNAMED),
                                index_text(b.has, b.index, index), b.matrix.size[0],
                                b.matrix.size[1]);
            done = write_matrix(&w, &b.matrix, e);
            more = block_next(one, &b);
        }
    }
    return done;
}

bool csv_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    return write_delimited(result, how, out, ',', "CSV", e);
}

bool tsv_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    return write_delimited(result, how, out, '\t', "TSV", e);
}
