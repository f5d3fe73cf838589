#include "io/csv.h"

#include "base/mem.h"
#include "io/blocks.h"
#include "io/cells.h"
#include "io/csv_layout.h"
#include "io/slips.h"

#include <stdint.h>
#include <string.h>

/* Labels of a block's header, or of its rows; all zeros before the first one. */
typedef struct suspects {
    csv_field first;    /* that is a number gone wrong; without text where there is none */
    const char *remedy; /* what to do about it */
    bool has_words;     /* one is no such number */
} suspects;

/* A file half read. */
typedef struct job {
    csv_reader reader;
    csv_matrices all;
    /* The labels of the first block, on their way into the bundle. */
    text_list columns, rows;
    text corner;      /* the cell above a column of labels */
    bool are_counted; /* under a header that counts: what counts on is not a label */
    text label;

    /* The block that is being read; `now` is SIZE_MAX in front of the first one. */
    size_t now, block_line, rows_read;
    size_t header_fields; /* 0 where there is no header */
    size_t gap_line;      /* of a blank line after the rows so far; 0 where there is none */
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
    return j->all.out->entry[j->now].name;
}

static csv_matrix *matrix_now(const job *j)
{
    return &j->all.one[j->now];
}

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

static bool check_no_separator_line(const csv_reader *r, err *e)
{
    const char *at = r->next + SEPARATOR_LINE - 1, *end = at + 1;
    err ignored = {0};
    if (r->end - r->next < SEPARATOR_LINE || (end < r->end && *end != '\n' && *end != '\r') ||
        !csv_is_separator_line(r->next, SEPARATOR_LINE) || !csv_delimiter_check(*at, &ignored))
        return true;
    place here = csv_place(r);
    err_at(e, &here, "the line 'sep=%c' is for spreadsheets, and no row", *at);
    if (*at == r->delimiter)
        return err_remedy(e, "take it out");
    if (*at == '\t')
        return err_remedy(e, "take it out, and say it by --delimiter tab");
    return err_remedy(e, "take it out, and say it by --delimiter '%c'", *at);
}

/* ---- blocks ---- */

/* The block so far has all its rows, or there is none. */
static bool check_whole(const job *j, err *e)
{
    if (j->now == SIZE_MAX)
        return true;
    place at = {.file = j->reader.file, .line = j->block_line, .column = 1};
    size_t rows = matrix_now(j)->rows;
    if (j->has_comment && j->rows_read < rows)
        return err_at(e, &at, "%s has %zu row%s, its comment says %zu", name_now(j), j->rows_read,
                      plural(j->rows_read), rows);
    if (j->rows_read == 0)
        return err_at(e, &at, "no row of numbers stands below this line");
    return j->layout.labels_are_sure || suspects_check(&j->suspects, &j->reader, "column", e);
}

static bool begin_block(job *j, const block_comment *c, const place *at, err *e)
{
    if (!check_whole(j, e))
        return false;
    j->is_first = j->now == SIZE_MAX;
    j->now = csv_matrices_find(&j->all, c->name, c->name_length, at, e);
    if (j->now == SIZE_MAX)
        return false;
    /* Further blocks of one name are as large as the first, and have the same axes. */
    csv_matrix *m = matrix_now(j);
    bool is_further = m->grid.count > 0;
    if (is_further && memcmp(m->grid.has, c->has, sizeof c->has) != 0)
        return err_at(e, at, "%s has other axes (batch, head) here than in line %zu", name_now(j),
                      m->grid.piece[0].line);
    if (is_further && (m->rows != c->rows || m->columns != c->columns))
        return err_at(e, at, "%s is %zux%zu here, %zux%zu in line %zu", name_now(j), c->rows,
                      c->columns, m->rows, m->columns, m->grid.piece[0].line);
    m->rows = c->rows;
    m->columns = c->columns;
    memcpy(m->grid.has, c->has, sizeof c->has);
    j->block_line = at->line;
    j->rows_read = j->header_fields = j->gap_line = 0;
    j->suspects = (suspects){.has_words = false};
    j->has_comment = c->name_length > 0;
    return grid_add(&m->grid, c->index, at->line, e);
}

static bool read_comment(job *j, const csv_field *comment, err *e)
{
    block_comment c;
    const csv_reader *r = &j->reader;
    place at = csv_field_place(r, comment);
    /* "#N/A,1" is a row that would be lost as a comment. */
    const char *mark = comment->text - 1, *end = comment->text + comment->length;
    const char *delimiter = memchr(mark, r->delimiter, (size_t)(end - mark));
    end = delimiter == NULL ? end : delimiter;
    if (slip_find(SLIP_MISSING, mark, mark, end) != NULL) {
        err_at(e, &at, "the row begins with a spreadsheet's error, '%.*s', and # begins a comment",
               (int)(end - mark), mark);
        return err_remedy(e, "write a number for it, or nan; in a comment, a space after the #");
    }
    if (!block_comment_read(comment->text, comment->length, &c))
        return j->now != SIZE_MAX ||
               read_header_line(j->all.how, comment->text, comment->length, e);
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
    return csv_field_text(r, &name, &j->label, e) && begin_block(j, &c, &at, e);
}

/* ---- labels ---- */

/* Unquoted spaces around a label are not part of it. */
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
static bool add_label(job *j, const csv_field *f, text_list *list, err *e)
{
    if (!read_label(j, *f, &j->label, e))
        return false;
    if (j->is_first)
        return text_list_add(list, text_string(&j->label), j->label.length, e);
    if (!j->all.how->keeps_all)
        return true;
    place at = csv_field_place(&j->reader, f);
    err_at(e, &at, "%s has labels, and only those of the first matrix are kept", name_now(j));
    return err_remedy(e, "%s:%s takes it alone, without them", j->reader.file, name_now(j));
}

static bool read_header(job *j, err *e)
{
    csv_field f;
    do {
        bool is_corner = j->layout.has_corner && j->header_fields == 0;
        if (!csv_next_field(&j->reader, &f, e) ||
            (is_corner ? j->is_first && !read_label(j, f, &j->corner, e)
                       : !add_label(j, &f, &j->columns, e)))
            return false;
        if (!is_corner)
            suspects_add(&j->suspects, &j->reader, &f);
        j->header_fields++;
    } while (!f.last);
    bool done = j->layout.labels_are_sure || suspects_check(&j->suspects, &j->reader, "header", e);
    j->suspects = (suspects){.has_words = false};
    return done;
}

static bool read_row_label(job *j, csv_field *f, err *e)
{
    if (!csv_next_field(&j->reader, f, e))
        return false;
    if (j->rows_read == 0)
        j->first_label = *f;
    if (j->layout.labels_are_sure || cell_look_of(f, KEY_MATRIX) != CELL_NUMBER) {
        suspects_add(&j->suspects, &j->reader, f);
        return add_label(j, f, &j->rows, e);
    }
    /* Where the rows above have labels one of the two is a mistake. */
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

/* Adds what says something, and whose name is no matrix's. */
static bool keep_list(const job *j, text_list *list, const char *name, err *e)
{
    bool only_counts = j->are_counted;
    for (size_t i = 0; only_counts && i < list->count; i++)
        only_counts = csv_is_count(list->item[i], strlen(list->item[i]), i);
    if (list->count == 0 || only_counts || bundle_find(j->all.out, name) != NULL)
        return true;
    entry *added = bundle_add(j->all.out, name, strlen(name), (place){.file = j->reader.file}, e);
    if (added == NULL)
        return false;
    added->kind = ENTRY_LIST;
    added->list = *list;
    *list = (text_list){0};
    return true;
}

/* ---- rows ---- */

/* Labels of columns in the header, or SIZE_MAX where there is none. */
static size_t header_labels(const job *j)
{
    size_t corner = j->layout.has_corner ? 1 : 0;
    return j->header_fields > 0 ? j->header_fields - corner : SIZE_MAX;
}

static bool refuse_header(const job *j, size_t count, const place *at, err *e)
{
    size_t labels = header_labels(j);
    return err_at(e, at, "row 1 has %zu number%s, the header %zu label%s", count, plural(count),
                  labels, plural(labels));
}

/* A row has another count of numbers than is wanted; `f` is one of its fields. */
static bool refuse_count(const job *j, const csv_field *f, size_t count, size_t wanted,
                         const place *at, err *e)
{
    size_t row = j->rows_read + 1;
    if (j->has_comment)
        err_at(e, at, "row %zu of %s has %zu number%s, its comment in line %zu says %zu", row,
               name_now(j), count, plural(count), j->block_line, wanted);
    else if (j->rows_read == 0)
        refuse_header(j, count, at, e);
    else
        err_at(e, at, "row %zu has %zu number%s, row 1 has %zu", row, count, plural(count), wanted);
    return cells_remedy(&j->reader, f, e);
}

static bool read_number(job *j, const csv_field *f, err *e)
{
    cells *to = &matrix_now(j)->cells;
    if (cells_add(to, &j->reader, f, e))
        return true;
    cell_look look = cell_look_of(f, to->kind);
    bool is_corner = look == CELL_EMPTY && f->column == 1;
    bool is_label = look == CELL_LABEL && !cell_is_missing(f);
    if (j->rows_read == 0 && j->header_fields == 0 && (is_label || is_corner))
        err_remedy(e, "if this is a header, quote the labels in it that are numbers");
    bool ends_in_delimiter = f->last && look == CELL_EMPTY && !f->quoted && f->column > 1;
    if (ends_in_delimiter && to->kind != KEY_MASK)
        err_remedy(e, "where the row ends before it, take the last delimiter out; else write nan, "
                      "which --allow-nonfinite lets through");
    return cells_remedy_missing(to, f, e);
}

static void count_rows(job *j, size_t rows, size_t columns)
{
    csv_matrix *m = matrix_now(j);
    j->rows_read += rows;
    if (!j->has_comment) {
        m->columns = columns;
        m->rows = j->rows_read;
    }
}

/* Below the first row: makes room for the rest, which is likely to have as many numbers in as many
 * bytes, or for no more than the comment says; and reads what is numbers alone. */
static bool read_ahead(job *j, size_t count, size_t bytes, err *e)
{
    cells *to = &matrix_now(j)->cells;
    size_t most = j->has_comment ? matrix_now(j)->rows : SIZE_MAX;
    size_t rows = (size_t)(j->reader.end - j->reader.next) / bytes;
    if (!cells_reserve(to, (rows > most ? most : rows) * count, e))
        return false;
    count_rows(j, 1, count);
    if (j->layout.has_labels)
        return true;
    if (!cells_read_ahead(to, &j->reader, count, most - 1, j->all.how->threads, &rows, e))
        return false;
    count_rows(j, rows, count);
    return true;
}

static bool read_row(job *j, err *e)
{
    csv_matrix *m = matrix_now(j);
    csv_field f = {0};
    bool is_first = j->rows_read == 0;
    size_t count = 0, wanted = j->has_comment || !is_first ? m->columns : header_labels(j);
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
        if (count++ == wanted) { /* it is one too many, and the rest of the row is counted */
            place at = csv_field_place(&j->reader, &f);
            for (; !f.last; count++) {
                if (!csv_next_field(&j->reader, &f, e))
                    return false;
            }
            return refuse_count(j, &f, count, wanted, &at, e);
        }
        if (!read_number(j, &f, e))
            return false;
    }
    place at = csv_field_place(&j->reader, &f);
    if (count == 0 || (wanted != SIZE_MAX && count < wanted)) {
        at.column += f.length + (f.quoted ? 2 : 0);
        return refuse_count(j, &f, count, wanted, &at, e);
    }
    if (is_first && j->header_fields > 0 && count != header_labels(j))
        return refuse_header(j, count, &at, e); /* what the comment says is another number */
    if (is_first)
        return read_ahead(j, count, (size_t)(j->reader.next - start), e);
    count_rows(j, 1, count);
    return true;
}

static bool read_line_of_numbers(job *j, err *e)
{
    place at = csv_place(&j->reader);
    block_comment unnamed = {.name = ""};
    if (j->now == SIZE_MAX &&
        (!check_no_separator_line(&j->reader, e) || !begin_block(j, &unnamed, &at, e)))
        return false;
    /* A row may be one too many for its block, or stand below a blank line. */
    const csv_matrix *m = matrix_now(j);
    if (j->has_comment && j->rows_read == m->rows)
        return err_at(e, &at, "%s has more rows than the %zu that its comment in line %zu says",
                      name_now(j), m->rows, j->block_line);
    if (j->gap_line > 0) {
        err_at(e, &at, "a row stands here below a blank line (%zu), which ends a matrix",
               j->gap_line);
        return err_remedy(e, "begin each of several matrices with a comment such as # wq 4x3");
    }
    if (j->rows_read > 0 || j->header_fields > 0)
        return read_row(j, e);
    size_t columns = j->has_comment ? m->columns : SIZE_MAX;
    if (!csv_layout_find(&j->reader, m->cells.kind, columns, &j->layout, e))
        return false;
    if (j->is_first)
        j->are_counted = j->layout.header_counts;
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

static bool finish(job *j, err *e)
{
    place file = {.file = j->reader.file};
    if (j->all.count == 0)
        return err_at(e, &file, "no matrix is in it");
    if (!csv_matrices_finish(&j->all, e) || !keep_list(j, &j->columns, "columns", e) ||
        !keep_list(j, &j->rows, "rows", e))
        return false;
    bool is_kept =
        j->all.how->keeps_all && j->corner.length > 0 && bundle_find(j->all.out, "corner") == NULL;
    return !is_kept ||
           bundle_add_text(j->all.out, "corner", j->corner.data, j->corner.length, file, e);
}

static bool read_delimited(const char *bytes, size_t length, const read_options *how,
                           char delimiter, bundle *out, err *e)
{
    job j = {.all = {.how = how, .out = out}, .now = SIZE_MAX};
    if (how->delimiter != 0)
        delimiter = how->delimiter;
    csv_open(&j.reader, how->file, how->first_line, bytes, length, delimiter);
    bool done = encoding_check(bytes, length, csv_place(&j.reader), e) &&
                csv_delimiter_check(delimiter, e) && read_lines(&j, e) && finish(&j, e);
    csv_matrices_free(&j.all);
    text_list_free(&j.columns);
    text_list_free(&j.rows);
    text_free(&j.corner);
    text_free(&j.label);
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
