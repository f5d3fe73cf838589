#include "io/csv.h"

#include "base/mem.h"
#include "io/blocks.h"
#include "io/cells.h"
#include "io/csv_layout.h"
#include "io/encoding.h"
#include "io/slips.h"

#include <stdint.h>
#include <string.h>

/* Labels of a block's header, or of its rows; all zeros before the first one. */
typedef struct suspects {
    csv_field first;    /* that is a number gone wrong; without text where there is none */
    const char *remedy; /* what to do about it */
    bool has_words;     /* one is no such number */
} suspects;

/* ---- what may be meant as something else ---- */

static void suspects_add(suspects *s, const csv_reader *r, const csv_field *label)
{
    const char *remedy = label_spoiled_remedy(label, r->delimiter);
    if (remedy == NULL) {
        s->has_words = s->has_words || cell_look_of(label, KEY_MATRIX) != CELL_EMPTY;
    } else if (s->first.text == NULL) {
        s->first = *label;
        s->remedy = remedy;
    }
}

/* Numbers gone wrong must not be lost as labels; where others stand among them, labels they are.
 * `where` is "header" or "column". */
static bool suspects_check(const suspects *s, const csv_reader *r, const char *where, err *e)
{
    if (s->first.text == NULL || s->has_words)
        return true;
    place at = csv_field_place(r, &s->first);
    err_at(e, &at, "'%.*s' stands in a %s of labels that all look like numbers",
           s->first.length > 40 ? 40 : (int)s->first.length, s->first.text, where);
    return err_remedy(e, "%s; %s", s->remedy,
                      s->first.quoted ? "labels like this need a header that begins with \"\""
                                      : "quote labels like this");
}

/* "sep=;", which spreadsheets put above a table, is refused. */
static bool csv_check_no_separator_line(const csv_reader *r, err *e)
{
    static const char begin[] = "sep=";
    size_t length = sizeof begin - 1;
    err ignored = {0};
    if ((size_t)(r->end - r->next) <= length || memcmp(r->next, begin, length) != 0)
        return true;
    const char *at = r->next + length, *behind = at + 1;
    if (!csv_delimiter_check(*at, &ignored))
        return true;
    if (behind < r->end && *behind != '\n' && *behind != '\r')
        return true;
    place here = csv_place(r);
    err_at(e, &here, "the line 'sep=%c' is for spreadsheets, and no row", *at);
    if (*at == r->delimiter)
        return err_remedy(e, "take it out");
    if (*at == '\t')
        return err_remedy(e, "take it out, and say it by --delimiter tab");
    return err_remedy(e, "take it out, and say it by --delimiter '%c'", *at);
}

/* "#N/A,1" is a row that would be lost as a comment. */
static bool csv_check_no_spreadsheet_error(const csv_reader *r, const csv_field *comment, err *e)
{
    const char *mark = comment->text - 1, *end = comment->text + comment->length;
    const char *delimiter = memchr(mark, r->delimiter, (size_t)(end - mark));
    end = delimiter == NULL ? end : delimiter;
    if (slip_find(SLIP_MISSING, mark, mark, end) == NULL)
        return true;
    place at = csv_field_place(r, comment);
    err_at(e, &at, "the row begins with a spreadsheet's error, '%.*s', and # begins a comment",
           (int)(end - mark), mark);
    return err_remedy(e, "write a number for it, or nan; in a comment, a space behind the #");
}

/* ---- labels ---- */

/* The labels of the first block, on their way into the bundle. */
typedef struct csv_labels {
    text_list columns, rows;
    text corner;      /* the cell above a column of labels */
    bool are_counted; /* under a header that counts: what counts on is no label */
} csv_labels;

static bool only_counts(const text_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!csv_is_count(list->item[i], strlen(list->item[i]), i))
            return false;
    }
    return true;
}

static bool add_list(const csv_labels *l, text_list *list, const char *name, const char *file,
                     bundle *out, err *e)
{
    bool is_said = list->count > 0 && !(l->are_counted && only_counts(list));
    if (!is_said || bundle_find(out, name) != NULL)
        return true;
    entry *added = bundle_add(out, name, strlen(name), (place){.file = file}, e);
    if (added == NULL)
        return false;
    added->kind = ENTRY_LIST;
    added->list = *list;
    *list = (text_list){0};
    return true;
}

static bool add_corner(const csv_labels *l, const char *file, bundle *out, err *e)
{
    if (l->corner.length == 0 || bundle_find(out, "corner") != NULL)
        return true;
    return bundle_add_text(out, "corner", l->corner.data, l->corner.length, (place){.file = file},
                           e);
}

/* Adds the lists "columns" and "rows", and where it is asked for the text "corner": those that say
 * something, and whose name is no matrix's. */
static bool csv_labels_keep(csv_labels *l, bool keeps_corner, const char *file, bundle *out, err *e)
{
    return add_list(l, &l->columns, "columns", file, out, e) &&
           add_list(l, &l->rows, "rows", file, out, e) &&
           (!keeps_corner || add_corner(l, file, out, e));
}

static void csv_labels_free(csv_labels *l)
{
    text_list_free(&l->columns);
    text_list_free(&l->rows);
    text_free(&l->corner);
}

/* ---- a file half read ---- */

/* One name's numbers: its blocks one after the other, as they came, all of one size. */
typedef struct matrix {
    cells cells;
    size_t rows, columns; /* of each block */
    grid grid;
} matrix;

/* A file half read. matrix[i] becomes the tensor of out->entry[i]. */
typedef struct job {
    csv_reader reader;
    const read_options *how;
    bundle *out;
    matrix *matrix;
    size_t count, capacity;
    csv_labels labels;
    text label;

    /* The block that is being read; `now` is SIZE_MAX in front of the first one. */
    size_t now, block_line, rows_read;
    size_t header_fields; /* 0 where there is no header */
    size_t gap_line;      /* of a blank line behind the rows so far; 0 where there is none */
    bool has_comment, is_first;
    csv_layout layout;
    suspects suspects;
    csv_field first_label; /* of the block's rows */
} job;

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static const char *name_now(const job *j)
{
    return j->out->entry[j->now].name;
}

/* ---- blocks ---- */

/* Opens a matrix under a name that is new; SIZE_MAX with the error set on failure. */
static size_t matrix_add(job *j, const block_comment *c, const place *at, err *e)
{
    key_kind kind;
    if (!cells_find_kind(j->how, c->name, c->name_length, at, &kind, e))
        return SIZE_MAX;
    matrix *larger = mem_grow(j->matrix, j->count, &j->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return SIZE_MAX;
    j->matrix = larger;
    if (bundle_add(j->out, c->name, c->name_length, *at, e) == NULL)
        return SIZE_MAX;
    matrix *added = &j->matrix[j->count];
    *added = (matrix){.cells = cells_new(kind, j->how)};
    added->rows = c->rows;
    added->columns = c->columns;
    memcpy(added->grid.has, c->has, sizeof c->has);
    return j->count++;
}

/* Further blocks of one name are as large as the first, and have the same axes. */
static bool check_same(const job *j, const matrix *m, const block_comment *c, const place *at,
                       err *e)
{
    size_t first_line = m->grid.piece[0].line;
    if (memcmp(m->grid.has, c->has, sizeof c->has) != 0)
        return err_at(e, at, "%s has other axes (batch, head) here than in line %zu", name_now(j),
                      first_line);
    if (m->rows != c->rows || m->columns != c->columns)
        return err_at(e, at, "%s is %zux%zu here, %zux%zu in line %zu", name_now(j), c->rows,
                      c->columns, m->rows, m->columns, first_line);
    return true;
}

/* The block so far has all its rows, or there is none. */
static bool check_whole(const job *j, err *e)
{
    if (j->now == SIZE_MAX)
        return true;
    place at = {.file = j->reader.file, .line = j->block_line, .column = 1};
    const matrix *m = &j->matrix[j->now];
    if (j->has_comment && j->rows_read < m->rows)
        return err_at(e, &at, "%s has %zu row%s, its comment says %zu", name_now(j), j->rows_read,
                      plural(j->rows_read), m->rows);
    if (j->rows_read == 0)
        return err_at(e, &at, "no row of numbers stands below this line");
    return j->layout.labels_are_sure || suspects_check(&j->suspects, &j->reader, "column", e);
}

static bool begin_block(job *j, const block_comment *c, const place *at, err *e)
{
    if (!check_whole(j, e))
        return false;
    bool is_first = j->now == SIZE_MAX;
    const entry *there = bundle_find_bytes(j->out, c->name, c->name_length);
    j->now = there == NULL ? matrix_add(j, c, at, e) : (size_t)(there - j->out->entry);
    if (j->now == SIZE_MAX)
        return false;
    matrix *m = &j->matrix[j->now];
    if (there != NULL && !check_same(j, m, c, at, e))
        return false;
    j->block_line = at->line;
    j->rows_read = j->header_fields = j->gap_line = 0;
    j->suspects = (suspects){.has_words = false};
    j->has_comment = c->name_length > 0;
    j->is_first = is_first;
    return grid_add(&m->grid, c->index, at->line, e);
}

static bool read_comment(job *j, const csv_field *comment, err *e)
{
    block_comment c;
    if (!csv_check_no_spreadsheet_error(&j->reader, comment, e))
        return false;
    if (!block_comment_read(comment->text, comment->length, &c))
        return j->now != SIZE_MAX || read_header_line(j->how, comment->text, comment->length, e);
    place at = csv_field_place(&j->reader, comment);
    if (c.too_large != NULL) {
        at.column += 1 + (size_t)(c.too_large - comment->text);
        return err_at(e, &at, "%.*s is larger than any size",
                      c.too_large_length > 40 ? 40 : (int)c.too_large_length, c.too_large);
    }
    if (j->now != SIZE_MAX && !j->has_comment) {
        err_at(e, &at, "a block begins here, but rows without a name stand above it");
        return err_remedy(e, "give them a comment like this one: # NAME %zux%zu", c.rows,
                          c.columns);
    }
    csv_field name = {.text = c.name, .length = c.name_length, .line = at.line, .column = 3};
    text_clear(&j->label);
    return csv_field_text(&j->reader, &name, &j->label, e) && begin_block(j, &c, &at, e);
}

/* ---- rows ---- */

/* Unquoted spaces around a label are no part of it. */
static bool read_label(const job *j, csv_field f, text *to, err *e)
{
    while (!f.quoted && f.length > 0 && *f.text == ' ') {
        f.text++;
        f.length--;
    }
    while (!f.quoted && f.length > 0 && f.text[f.length - 1] == ' ')
        f.length--;
    text_clear(to);
    return csv_field_text(&j->reader, &f, to, e);
}

/* A bundle has a place for the labels of one matrix, the first. */
static bool check_labels_fit(const job *j, const csv_field *f, err *e)
{
    if (j->is_first || !j->how->keeps_all)
        return true;
    place at = csv_field_place(&j->reader, f);
    err_at(e, &at, "%s has labels, and only those of the first matrix are kept", name_now(j));
    return err_remedy(e, "%s:%s takes it alone, without them", j->reader.file, name_now(j));
}

static bool add_label(job *j, const csv_field *f, text_list *list, err *e)
{
    if (!read_label(j, *f, &j->label, e) || !check_labels_fit(j, f, e))
        return false;
    return !j->is_first || text_list_add(list, text_string(&j->label), j->label.length, e);
}

static bool read_header(job *j, err *e)
{
    csv_field f;
    do {
        if (!csv_next_field(&j->reader, &f, e))
            return false;
        bool is_corner = j->layout.has_corner && j->header_fields == 0;
        if (is_corner ? j->is_first && !read_label(j, f, &j->labels.corner, e)
                      : !add_label(j, &f, &j->labels.columns, e))
            return false;
        if (!is_corner)
            suspects_add(&j->suspects, &j->reader, &f);
        j->header_fields++;
    } while (!f.last);
    bool done = j->layout.labels_are_sure || suspects_check(&j->suspects, &j->reader, "header", e);
    j->suspects = (suspects){.has_words = false};
    return done;
}

/* A number stands where the rows above have labels: one of the two is a mistake. */
static bool refuse_number(const job *j, const csv_field *f, err *e)
{
    const csv_field *label = &j->first_label;
    const char *remedy = label_spoiled_remedy(label, j->reader.delimiter);
    int length = label->length > 40 ? 40 : (int)label->length;
    place at = csv_field_place(&j->reader, f);
    err_at(e, &at, "row %zu begins with the number %.*s, row 1 with the label '%.*s'",
           j->rows_read + 1, (int)f->length, f->text, length, label->text);
    if (remedy != NULL)
        return err_remedy(e, "%s", remedy);
    return err_remedy(e, "quote a label that is a number, or write a number for '%.*s'", length,
                      label->text);
}

static bool read_row_label(job *j, csv_field *f, err *e)
{
    if (!csv_next_field(&j->reader, f, e))
        return false;
    if (j->rows_read == 0)
        j->first_label = *f;
    if (j->layout.labels_are_sure || cell_look_of(f, KEY_MATRIX) != CELL_NUMBER) {
        suspects_add(&j->suspects, &j->reader, f);
        return add_label(j, f, &j->labels.rows, e);
    }
    return refuse_number(j, f, e);
}

/* Labels of columns in the header, or SIZE_MAX where there is none. */
static size_t header_labels(const job *j)
{
    size_t corner = j->layout.has_corner ? 1 : 0;
    return j->header_fields > 0 ? j->header_fields - corner : SIZE_MAX;
}

/* Numbers that a row has to have, or SIZE_MAX in front of the first row. */
static size_t columns_wanted(const job *j)
{
    bool is_known = j->has_comment || j->rows_read > 0;
    return is_known ? j->matrix[j->now].columns : header_labels(j);
}

static bool refuse_header(const job *j, size_t count, const place *at, err *e)
{
    size_t labels = header_labels(j);
    return err_at(e, at, "row 1 has %zu number%s, the header %zu label%s", count, plural(count),
                  labels, plural(labels));
}

static bool refuse_count(const job *j, size_t count, const place *at, err *e)
{
    size_t wanted = columns_wanted(j), row = j->rows_read + 1;
    if (j->has_comment)
        return err_at(e, at, "row %zu of %s has %zu number%s, its comment in line %zu says %zu",
                      row, name_now(j), count, plural(count), j->block_line, wanted);
    if (j->rows_read == 0)
        return refuse_header(j, count, at, e);
    return err_at(e, at, "row %zu has %zu number%s, row 1 has %zu", row, count, plural(count),
                  wanted);
}

/* The field `f` is one too many: counts the rest of the row. */
static bool refuse_long(job *j, csv_field f, size_t count, err *e)
{
    place at = csv_field_place(&j->reader, &f);
    for (count++; !f.last; count++) {
        if (!csv_next_field(&j->reader, &f, e))
            return false;
    }
    refuse_count(j, count, &at, e);
    return cells_remedy(&j->reader, &f, e);
}

static bool refuse_short(const job *j, const csv_field *last, size_t count, err *e)
{
    place at = csv_field_place(&j->reader, last);
    at.column += last->length + (last->quoted ? 2 : 0);
    refuse_count(j, count, &at, e);
    return cells_remedy(&j->reader, last, e);
}

static bool read_number(job *j, matrix *m, const csv_field *f, err *e)
{
    if (cells_add(&m->cells, &j->reader, f, e))
        return true;
    cell_look look = cell_look_of(f, m->cells.kind);
    bool is_corner = look == CELL_EMPTY && f->column == 1;
    bool is_label = look == CELL_LABEL && !cell_is_missing(f);
    if (j->rows_read == 0 && j->header_fields == 0 && (is_label || is_corner))
        err_remedy(e, "if this is a header, quote the labels in it that are numbers");
    bool ends_in_delimiter = f->last && look == CELL_EMPTY && !f->quoted && f->column > 1;
    if (ends_in_delimiter && m->cells.kind != KEY_MASK)
        err_remedy(e, "where the row ends before it, take the last delimiter out; else write nan, "
                      "which --allow-nonfinite lets through");
    cells_remedy_missing(&m->cells, f, e);
    return false;
}

/* Makes room for the rest of the rows, of which the first has `count` numbers in `bytes`; or, where
 * a comment says how many there are, for no more than those. */
static bool expect_rows(job *j, size_t count, size_t bytes, err *e)
{
    matrix *m = &j->matrix[j->now];
    size_t rows = (size_t)(j->reader.end - j->reader.next) / bytes;
    if (j->has_comment && rows > m->rows)
        rows = m->rows;
    return cells_reserve(&m->cells, rows * count, e);
}

static void count_rows(job *j, size_t rows, size_t columns)
{
    matrix *m = &j->matrix[j->now];
    j->rows_read += rows;
    if (!j->has_comment) {
        m->columns = columns;
        m->rows = j->rows_read;
    }
}

/* Rows below the first one, as far as they are numbers alone. */
static bool read_ahead(job *j, err *e)
{
    matrix *m = &j->matrix[j->now];
    size_t rows, most = j->has_comment ? m->rows - 1 : SIZE_MAX;
    if (!cells_read_ahead(&m->cells, &j->reader, m->columns, most, j->how->threads, &rows, e))
        return false;
    count_rows(j, rows, m->columns);
    return true;
}

static bool read_row(job *j, err *e)
{
    matrix *m = &j->matrix[j->now];
    csv_field f = {0};
    size_t count = 0, wanted = columns_wanted(j);
    const char *start = j->reader.next;
    if (j->layout.has_labels && !read_row_label(j, &f, e))
        return false;
    while (!f.last) {
        size_t added = cells_add_usual(&m->cells, &j->reader, wanted - count, &f);
        count += added;
        if (added > 0)
            continue;
        if (!csv_next_field(&j->reader, &f, e))
            return false;
        if (count++ == wanted)
            return refuse_long(j, f, wanted, e);
        if (!read_number(j, m, &f, e))
            return false;
    }
    if (count == 0 || (wanted != SIZE_MAX && count < wanted))
        return refuse_short(j, &f, count, e);
    if (j->rows_read == 0 && j->header_fields > 0 && count != header_labels(j)) {
        place at = csv_field_place(&j->reader, &f); /* what the comment says is another number */
        return refuse_header(j, count, &at, e);
    }
    if (j->rows_read == 0 && !expect_rows(j, count, (size_t)(j->reader.next - start), e))
        return false;
    count_rows(j, 1, count);
    return j->rows_read > 1 || j->layout.has_labels || read_ahead(j, e);
}

/* A row may be one too many for its block, or stand below a blank line. */
static bool check_row_fits(const job *j, err *e)
{
    place at = csv_place(&j->reader);
    const matrix *m = &j->matrix[j->now];
    if (j->has_comment && j->rows_read == m->rows)
        return err_at(e, &at, "%s has more rows than the %zu that its comment in line %zu says",
                      name_now(j), m->rows, j->block_line);
    if (j->gap_line == 0)
        return true;
    err_at(e, &at, "a row stands here below a blank line (%zu), which ends a matrix", j->gap_line);
    return err_remedy(e, "begin each of several matrices with a comment such as # wq 4x3");
}

static bool read_line_of_numbers(job *j, err *e)
{
    if (j->now == SIZE_MAX && !csv_check_no_separator_line(&j->reader, e))
        return false;
    if (j->now == SIZE_MAX) {
        place at = csv_place(&j->reader);
        block_comment unnamed = {.name = ""};
        if (!begin_block(j, &unnamed, &at, e))
            return false;
    }
    if (!check_row_fits(j, e))
        return false;
    if (j->rows_read > 0 || j->header_fields > 0)
        return read_row(j, e);
    const matrix *m = &j->matrix[j->now];
    size_t columns = j->has_comment ? m->columns : SIZE_MAX;
    if (!csv_layout_find(&j->reader, m->cells.kind, columns, &j->layout, e))
        return false;
    if (j->is_first)
        j->labels.are_counted = j->layout.header_counts;
    return j->layout.has_header ? read_header(j, e) : read_row(j, e);
}

/* ---- the whole ---- */

static bool read_lines(job *j, err *e)
{
    csv_field comment;
    for (;;) {
        switch (csv_next_line(&j->reader, &comment)) {
        case CSV_ROW:
            if (!read_line_of_numbers(j, e))
                return false;
            break;
        case CSV_COMMENT:
            if (!read_comment(j, &comment, e))
                return false;
            break;
        case CSV_BLANK:
            if (j->rows_read > 0 && j->gap_line == 0)
                j->gap_line = j->reader.line - 1;
            break;
        case CSV_END:
            return check_whole(j, e);
        }
    }
}

static bool finish_matrix(const job *j, size_t index, err *e)
{
    matrix *m = &j->matrix[index];
    entry *to = &j->out->entry[index];
    size_t size[GRID_AXES + 2];
    int rank;
    if (!grid_finish(&m->grid, j->reader.file, to->name, size, &rank, e))
        return false;
    size[rank++] = m->rows;
    size[rank++] = m->columns;
    to->kind = ENTRY_TENSOR;
    to->axes = grid_letters(m->grid.has);
    return cells_take_in_order(&m->cells, &m->grid, rank, size, &to->tensor, e);
}

static bool finish(job *j, err *e)
{
    if (j->count == 0)
        return err_at(e, &(place){.file = j->reader.file}, "no matrix is in it");
    for (size_t i = 0; i < j->count; i++) {
        if (!finish_matrix(j, i, e))
            return false;
    }
    return csv_labels_keep(&j->labels, j->how->keeps_all, j->reader.file, j->out, e);
}

static void job_free(job *j)
{
    for (size_t i = 0; i < j->count; i++) {
        cells_free(&j->matrix[i].cells);
        grid_free(&j->matrix[i].grid);
    }
    mem_free(j->matrix);
    csv_labels_free(&j->labels);
    text_free(&j->label);
}

static bool read_delimited(const char *bytes, size_t length, const read_options *how,
                           char delimiter, bundle *out, err *e)
{
    job j = {.how = how, .out = out, .now = SIZE_MAX};
    if (how->delimiter != 0)
        delimiter = how->delimiter;
    csv_open(&j.reader, how->file, how->first_line, bytes, length, delimiter);
    bool done = encoding_check(bytes, length, csv_place(&j.reader), e) &&
                csv_delimiter_check(delimiter, e) && read_lines(&j, e) && finish(&j, e);
    job_free(&j);
    if (!done)
        bundle_free(out);
    return done;
}

bool csv_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    return read_delimited(bytes, length, how, ',', out, e);
}

bool tsv_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    return read_delimited(bytes, length, how, '\t', out, e);
}
