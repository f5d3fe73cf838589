#include "io/csv_read.h"

#include "io/csv_cells.h"
#include "io/csv_write.h"
#include "io/slips.h"

#include <stdio.h>
#include <string.h>

/* ---- where the labels are ----
 *
 * Where a matrix in a CSV has labels is found from its first row and the one below it.
 *
 * Labels are not numbers, or stand in quotes. pandas numbers columns and rows that have no names,
 * and writes these numbers without quotes. So a first row of an empty cell, 0, 1, 2, … is its
 * header, if a label or the row number 0 stands below the empty cell. */

typedef struct csv_layout {
    bool has_header,
        has_corner;       /* a corner: the header's first field stands above a column of labels */
    bool has_labels;      /* a first column of labels */
    bool labels_are_sure; /* the header says so, so that they may look like numbers */
    bool header_counts;   /* the header is pandas's, and says nothing */
} csv_layout;

/* ---- a row ---- */

/* What a row's fields look like, counted. */
typedef struct row_look {
    size_t count, numbers, quoted, later_labels,
        later_holes; /* numbers: without quotes; later: after the first field */
    cell_look first;
    bool first_quoted, first_is_zero;
    bool counts;      /* the fields after the first are 0, 1, 2, … */
    bool misread;     /* a field would be numbers if the file were read differently: no label, but
                         an error to come */
    bool has_numbers; /* also quoted or misread numbers */
} row_look;

/* Whether the text is `number` in decimal, and nothing else. */
static bool csv_is_count(const char *bytes, size_t length, size_t number)
{
    char decimal[24];
    int wanted = snprintf(decimal, sizeof decimal, "%zu", number);
    return length == (size_t)wanted && memcmp(bytes, decimal, length) == 0;
}

static bool look_at_row(csv_reader *r, key_kind kind, row_look *out, err *e)
{
    csv_field f;
    *out = (row_look){.counts = true};
    do {
        if (!csv_next_field(r, &f, e))
            return false;
        cell_look look = cell_look_of(&f, kind);
        bool is_misread = look == CELL_LABEL && cell_is_misread(f.text, f.length, r->delimiter);
        if (out->count == 0) {
            out->first = look;
            out->first_quoted = f.quoted;
            out->first_is_zero = f.length == 1 && *f.text == '0';
        } else {
            out->counts = out->counts && csv_is_count(f.text, f.length, out->count - 1);
        }
        out->misread = out->misread || (is_misread && !f.quoted);
        out->has_numbers =
            out->has_numbers || is_misread || look == CELL_NUMBER || look == CELL_QUOTED_NUMBER;
        out->numbers += look == CELL_NUMBER;
        out->quoted += f.quoted;
        out->later_labels += out->count > 0 && look == CELL_LABEL;
        out->later_holes += out->count > 0 && look == CELL_EMPTY;
        out->count++;
    } while (!f.last);
    return true;
}

bool csv_find_row(csv_reader *r, bool of_same)
{
    csv_field comment;
    block_comment ignored;
    csv_line line;
    do
        line = csv_next_line(r, &comment);
    while (line == CSV_BLANK ||
           (line == CSV_COMMENT &&
            !(of_same && block_comment_read(comment.text, comment.length, &ignored))));
    return line == CSV_ROW;
}

/* ---- a matrix ---- */

static bool looks_counted(const row_look *row)
{
    return row->first == CELL_EMPTY && row->count > 1 && row->counts &&
           (row->quoted == 0 || row->quoted == row->count);
}

bool csv_row_counts(const char *row, size_t length, char delimiter)
{
    csv_reader r;
    row_look look;
    err ignored = {0};
    csv_open(&r, "", 1, row, length, delimiter);
    return look_at_row(&r, KEY_EXPECTED, &look, &ignored) && looks_counted(&look);
}

/* A hole alone, or nothing but holes after the first field. */
static bool is_of_holes(const row_look *row)
{
    return row->count == 1 ? row->first == CELL_EMPTY : row->later_holes + 1 == row->count;
}

/* Whether a first row that is all in quotes is a header of those that `below` is in front of: the
 * first number below, past rows of holes, is in none, or there are as many rows below as the
 * block's comment counts (SIZE_MAX: there is no comment). Where spaces separate, holes are in
 * quotes as well, and a label in front of them may be: that a number is below says nothing of such
 * a row. */
static bool quoted_is_header(const row_look *first, csv_reader below, key_kind kind, size_t rows,
                             bool *is_header, err *e)
{
    bool are_holes = rows != SIZE_MAX && first->first_quoted && is_of_holes(first), more = true;
    *is_header = false;
    for (size_t found = 1; more && csv_find_row(&below, true); found++) {
        row_look row;
        if (!look_at_row(&below, kind, &row, e))
            return false;
        *is_header = found >= rows || (!are_holes && row.numbers > 0);
        more = !*is_header && (are_holes || is_of_holes(&row));
    }
    return true;
}

/* Looks at the rows that follow, without moving the reader. `rows` and `columns` are those of the
 * block's comment, or SIZE_MAX. */
static bool csv_layout_find(const csv_reader *r, key_kind kind, size_t rows, size_t columns,
                            csv_layout *out, err *e)
{
    csv_reader ahead = *r;
    row_look first, second = {0};
    if (!look_at_row(&ahead, kind, &first, e))
        return false;
    /* A row of labels is a header, and so are quoted numbers above a row without quotes. But a
     * single hole is written as "". */
    bool is_alone = first.count == 1, is_empty = first.first == CELL_EMPTY;
    bool all_quoted =
        !(is_alone && is_empty) && first.quoted + (is_empty && !first.first_quoted) == first.count;
    *out = (csv_layout){.has_header =
                            first.later_labels > 0 || (is_alone && first.first == CELL_LABEL)};
    if (!out->has_header && all_quoted &&
        !quoted_is_header(&first, ahead, kind, rows, &out->has_header, e))
        return false;
    out->has_header = out->has_header && first.numbers == 0 && !first.misread;
    if (csv_find_row(&ahead, true) && !look_at_row(&ahead, kind, &second, e))
        return false;
    if (!out->has_header && looks_counted(&first) && first.count != columns &&
        first.count == second.count && (second.first == CELL_LABEL || second.first_is_zero))
        out->has_header = out->header_counts = true;
    const row_look *row = out->has_header ? &second : &first;
    if (row->first == CELL_EMPTY && row->count == columns)
        return true; /* a hole, not a label: the row has all its numbers */
    /* The first field is a label if it alone has quotes, even if only holes follow, or if there is
     * one field more than the comment says. */
    bool is_marked = row->first_quoted && (row->numbers > 0 || row->quoted == 1 ||
                                           (is_of_holes(row) && row->count - 1 == columns));
    bool looks_so = row->count > 1 && !row->misread && (row->first == CELL_LABEL || is_marked);
    bool is_short = out->has_header && first.count + 1 == row->count && looks_so;
    bool has_empty_corner = out->has_header && is_empty;
    out->has_labels = looks_so || has_empty_corner;
    out->labels_are_sure = is_short || has_empty_corner;
    out->has_corner = out->has_header && out->has_labels && !is_short;
    return true;
}

/* ---- a file ----
 *
 * The delimiter is known from the first row that it splits into pieces with a number among them.
 * Other rows may have one field (a matrix of one column), or labels with any characters in them. If
 * there are only such rows, the name's ending decides, and without a name their look. */

/* Bytes that are looked at: 29,000 rows of a single column of 8-digit numbers, which takes a
 * millisecond or two. */
enum { LOOKED_AT = 1 << 18 };

/* What the rows look like with one delimiter. */
typedef struct rows_look {
    size_t line; /* of the first row that it splits into pieces with a number among them, or MAX */
    bool splits_first;  /* it splits the first row */
    bool finds_numbers; /* a row is one number, or what is misread as one */
} rows_look;

static rows_look look_at(const char *bytes, size_t length, char delimiter)
{
    rows_look look = {.line = SIZE_MAX};
    csv_reader r;
    row_look row;
    err ignored = {0};
    bool is_first = true, can_split = length > 0 && memchr(bytes, delimiter, length) != NULL;
    csv_open(&r, "", 1, bytes, length, delimiter);
    while (look.line == SIZE_MAX && (can_split || !look.finds_numbers) && csv_find_row(&r, false)) {
        size_t line = r.line;
        /* In JSON over several lines, rows below the first one may look like a table's. */
        bool may_be_json = json_probe(r.next, (size_t)(r.end - r.next));
        if ((may_be_json && !is_first) || !look_at_row(&r, KEY_MASK, &row, &ignored))
            break;
        if (row.count > 1 && row.has_numbers)
            look.line = line;
        look.splits_first = look.splits_first || (is_first && row.count > 1);
        look.finds_numbers = look.finds_numbers || (row.count == 1 && row.has_numbers);
        if (may_be_json)
            break;
        is_first = false;
    }
    return look;
}

/* Whether `own` may be the delimiter: the one that splits numbers first is. If neither does, each
 * may be that splits the first row or leaves numbers whole. */
static bool may_be(const rows_look *own, const rows_look *other)
{
    if (own->line != SIZE_MAX || other->line != SIZE_MAX)
        return own->line <= other->line;
    return own->splits_first || own->finds_numbers;
}

/* Whether the bytes may be CSV or TSV, and which of them if both fit. */
typedef struct table_look {
    bool csv_fits, tsv_fits, is_csv;
} table_look;

static table_look look_at_both(const char *bytes, size_t length)
{
    size_t most = length > LOOKED_AT ? LOOKED_AT : length;
    if (tidy_probe(bytes, length))
        return (table_look){.is_csv = false};
    rows_look commas = look_at(bytes, most, ','), tabs = look_at(bytes, most, '\t');
    table_look look = {.csv_fits = may_be(&commas, &tabs), .tsv_fits = may_be(&tabs, &commas)};
    /* Without a name, a first row that only tabs split is a header of TSV. */
    look.is_csv =
        look.csv_fits && (commas.line != SIZE_MAX || commas.splits_first || !tabs.splits_first);
    return look;
}

bool csv_probe(const char *bytes, size_t length)
{
    return look_at_both(bytes, length).is_csv;
}

bool tsv_probe(const char *bytes, size_t length)
{
    table_look look = look_at_both(bytes, length);
    return look.tsv_fits && !look.is_csv;
}

bool csv_may_be(const char *bytes, size_t length)
{
    return look_at_both(bytes, length).csv_fits;
}

bool tsv_may_be(const char *bytes, size_t length)
{
    return look_at_both(bytes, length).tsv_fits;
}

/* ---- reading ---- */

/* Labels of a block's header, or of its rows; all zeros before the first one. */
typedef struct suspects {
    csv_field first;    /* the first that is a malformed number; without text if none is */
    const char *remedy; /* what to do about it */
    bool has_words;     /* one is not a malformed number */
} suspects;

/* A file half read. */
typedef struct csv_job {
    csv_reader reader;
    csv_matrices all;
    /* The labels of the first block, on their way into the bundle. */
    text_list columns, rows;
    text corner;      /* the cell above a column of labels */
    bool are_counted; /* under a header of counts: row numbers are not labels */
    text label;

    /* The block that is being read; `now` is SIZE_MAX before the first one. */
    size_t now, block_line, rows_read;
    size_t header_fields; /* 0 where there is no header */
    size_t gap_line;      /* of a blank line after the rows so far; 0 where there is none */
    bool has_comment, is_first;
    csv_layout layout;
    suspects suspects;
    csv_field first_label; /* of the block's rows */
} csv_job;

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static const char *name_now(const csv_job *j)
{
    return j->all.out->entry[j->now].name;
}

static csv_matrix *matrix_now(const csv_job *j)
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

/* Malformed numbers must not be lost as labels. They are labels if other words stand among them.
 * `where` is "header" or "column". */
static bool suspects_check(const suspects *s, const char *where, err *e)
{
    if (s->first.text == NULL || s->has_words)
        return true;
    err_at(e, &s->first.at, "'%.*s' stands in a %s of labels that all look like numbers",
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
    err_at(e, &here, "the line 'sep=%c' is for spreadsheets, and is not a row", *at);
    if (*at == r->delimiter)
        return err_remedy(e, "take it out");
    return *at == '\t' ? err_remedy(e, "take it out, and say it by --delimiter tab")
                       : err_remedy(e, "take it out, and say it by --delimiter '%c'", *at);
}

/* ---- blocks ---- */

/* Checks that the block so far, if there is one, has all its rows. */
static bool check_whole(const csv_job *j, err *e)
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
    return j->layout.labels_are_sure || suspects_check(&j->suspects, "column", e);
}

static bool begin_block(csv_job *j, const block_comment *c, const place *at, err *e)
{
    if (!check_whole(j, e))
        return false;
    j->is_first = j->now == SIZE_MAX;
    if (!csv_matrices_find(&j->all, c->name, c->name_length, at, &j->now, e))
        return false;
    /* Later blocks of a name must have the first one's size and axes. */
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

static bool read_comment(csv_job *j, const csv_field *comment, err *e)
{
    block_comment c;
    place at = comment->at;
    /* The row "#N/A,1" would be lost as a comment. */
    const char *mark = comment->text - 1, *end = comment->text + comment->length;
    const char *delimiter = memchr(mark, j->reader.delimiter, (size_t)(end - mark));
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
    csv_field name = {.text = c.name, .length = c.name_length, .at = comment->at};
    text_clear(&j->label);
    name.at.column = 3;
    return csv_field_text(&name, &j->label, e) && begin_block(j, &c, &at, e);
}

/* ---- labels ---- */

/* Unquoted spaces around a label are not part of it. */
static bool read_label(csv_field f, text *to, err *e)
{
    while (!f.quoted && f.length > 0 && *f.text == ' ') {
        f.text++;
        f.length--;
    }
    while (!f.quoted && f.length > 0 && f.text[f.length - 1] == ' ')
        f.length--;
    text_clear(to);
    return csv_field_text(&f, to, e);
}

/* A bundle has a place for the labels of one matrix, the first. */
static bool add_label(csv_job *j, const csv_field *f, text_list *list, err *e)
{
    if (!read_label(*f, &j->label, e))
        return false;
    if (j->is_first)
        return text_list_add(list, text_string(&j->label), j->label.length, e);
    if (!j->all.how->keeps_all)
        return true;
    err_at(e, &f->at, "%s has labels, and only those of the first matrix are kept", name_now(j));
    return err_remedy(e, "%s:%s takes it alone, without them", j->reader.file, name_now(j));
}

static bool read_header(csv_job *j, err *e)
{
    csv_field f;
    do {
        bool is_corner = j->layout.has_corner && j->header_fields == 0;
        if (!csv_next_field(&j->reader, &f, e) ||
            (is_corner ? j->is_first && !read_label(f, &j->corner, e)
                       : !add_label(j, &f, &j->columns, e)))
            return false;
        if (!is_corner)
            suspects_add(&j->suspects, &j->reader, &f);
        j->header_fields++;
    } while (!f.last);
    bool done = j->layout.labels_are_sure || suspects_check(&j->suspects, "header", e);
    j->suspects = (suspects){.has_words = false};
    return done;
}

static bool read_row_label(csv_job *j, csv_field *f, err *e)
{
    if (!csv_next_field(&j->reader, f, e))
        return false;
    if (j->rows_read == 0)
        j->first_label = *f;
    if (j->layout.labels_are_sure || cell_look_of(f, KEY_MATRIX) != CELL_NUMBER) {
        suspects_add(&j->suspects, &j->reader, f);
        return add_label(j, f, &j->rows, e);
    }
    /* The rows above have labels, so one of the two is a mistake. */
    const csv_field *label = &j->first_label;
    const char *remedy = label_spoiled_remedy(label, j->reader.delimiter);
    int length = label->length > 40 ? 40 : (int)label->length;
    err_at(e, &f->at, "row %zu begins with the number %.*s, row 1 with the label '%.*s'",
           j->rows_read + 1, (int)f->length, f->text, length, label->text);
    if (remedy != NULL)
        return err_remedy(e, "%s", remedy);
    return err_remedy(e, "quote a label that is a number, or write a number for '%.*s'", length,
                      label->text);
}

/* Adds the list if it is not empty and no matrix has its name. */
static bool keep_list(const csv_job *j, text_list *list, const char *name, err *e)
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
static size_t header_labels(const csv_job *j)
{
    return j->header_fields > 0 ? j->header_fields - j->layout.has_corner : SIZE_MAX;
}

static bool refuse_header(const csv_job *j, size_t count, const place *at, err *e)
{
    size_t labels = header_labels(j);
    return err_at(e, at, "row 1 has %zu number%s, the header %zu label%s", count, plural(count),
                  labels, plural(labels));
}

/* Refuses a row that does not have `wanted` numbers; `f` is one of its fields. */
static bool refuse_count(const csv_job *j, const csv_field *f, size_t count, size_t wanted,
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

static bool read_row(csv_job *j, err *e)
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
        if (count++ == wanted) { /* one too many: the rest of the row is only counted */
            place at = f.at;
            while (!f.last && csv_next_field(&j->reader, &f, e))
                count++;
            return f.last && refuse_count(j, &f, count, wanted, &at, e);
        }
        if (cells_add(&m->cells, &j->reader, &f, e))
            continue;
        cell_look look = cell_look_of(&f, m->cells.kind);
        csv_slice s = csv_trimmed(f.text, f.text + f.length);
        bool is_hole = slip_find(SLIP_MISSING, s.from, s.from, s.end) != NULL; /* NA, say */
        bool is_of_header = look == CELL_LABEL ? !is_hole : look == CELL_EMPTY && f.at.column == 1;
        if (is_first && j->header_fields == 0 && is_of_header)
            err_remedy(e, "if this is a header, quote the labels in it that are numbers");
        if (f.last && look == CELL_EMPTY && !f.quoted && f.at.column > 1 &&
            m->cells.kind != KEY_MASK)
            err_remedy(e, "where the row ends before it, take the last delimiter out; else write "
                          "nan, which --allow-nonfinite lets through");
        return cells_remedy_missing(&m->cells, &f, e);
    }
    place at = f.at;
    if (count == 0 || (wanted != SIZE_MAX && count < wanted)) {
        at.column += f.length + (f.quoted ? 2 : 0);
        return refuse_count(j, &f, count, wanted, &at, e);
    }
    if (is_first && j->header_fields > 0 && count != header_labels(j))
        return refuse_header(j, count, &at, e); /* the comment says another number */
    size_t rows = 0, most = j->has_comment ? m->rows : SIZE_MAX;
    if (is_first) {
        /* Makes room for the rest, which is likely to have as many numbers per byte, but for no
         * more than the comment says. Then reads rows that are nothing but numbers. */
        size_t likely = (size_t)(j->reader.end - j->reader.next) / (size_t)(j->reader.next - start);
        if (!cells_reserve(&m->cells, (likely > most ? most : likely) * count, e) ||
            (!j->layout.has_labels && !cells_read_ahead(&m->cells, &j->reader, count, most - 1,
                                                        j->all.how->threads, &rows, e)))
            return false;
    }
    j->rows_read += 1 + rows;
    if (!j->has_comment) {
        m->columns = count;
        m->rows = j->rows_read;
    }
    return true;
}

static bool read_line_of_numbers(csv_job *j, err *e)
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
    size_t rows = j->has_comment ? m->rows : SIZE_MAX,
           columns = j->has_comment ? m->columns : SIZE_MAX;
    if (!csv_layout_find(&j->reader, m->cells.kind, rows, columns, &j->layout, e))
        return false;
    if (j->is_first)
        j->are_counted = j->layout.header_counts;
    return j->layout.has_header ? read_header(j, e) : read_row(j, e);
}

/* ---- the whole ---- */

static bool read_all(csv_job *j, err *e)
{
    place file = {.file = j->reader.file};
    csv_field comment;
    for (csv_line line; (line = csv_next_line(&j->reader, &comment)) != CSV_END;) {
        if ((line == CSV_ROW && !read_line_of_numbers(j, e)) ||
            (line == CSV_COMMENT && !read_comment(j, &comment, e)))
            return false;
        if (line == CSV_BLANK && j->rows_read > 0 && j->gap_line == 0)
            j->gap_line = j->reader.line - 1;
    }
    if (!check_whole(j, e))
        return false;
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

bool csv_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    csv_job j = {.all = {.how = how, .out = out}, .now = SIZE_MAX};
    char delimiter = how->delimiter == 0 ? ',' : how->delimiter;
    csv_open(&j.reader, how->file, how->first_line, bytes, length, delimiter);
    bool done = encoding_check(bytes, length, csv_place(&j.reader), e) &&
                csv_delimiter_check(delimiter, e) && read_all(&j, e);
    csv_matrices_free(&j.all);
    text_list_free(&j.columns);
    text_list_free(&j.rows);
    text_free(&j.corner);
    text_free(&j.label);
    return read_end(out, done);
}

bool tsv_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    read_options tabs = *how;
    tabs.delimiter = how->delimiter == 0 ? '\t' : how->delimiter;
    return csv_read(bytes, length, &tabs, out, e);
}
