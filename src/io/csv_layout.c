#include "io/csv_layout.h"

#include "io/blocks.h"

#include <stdio.h>
#include <string.h>

/* What a row's fields look like, counted. */
typedef struct row_look {
    size_t count, numbers, quoted,
        later_labels; /* numbers: unquoted ones; later: behind the first field */
    cell_look first;
    bool first_quoted, first_is_zero;
    bool counts;  /* the fields behind the first are 0, 1, 2, … */
    bool misread; /* a field would be numbers if the file were read differently: no label, but an
                     error to come */
} row_look;

bool csv_is_count(const char *bytes, size_t length, size_t number)
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
        if (out->count == 0) {
            out->first = look;
            out->first_quoted = f.quoted;
            out->first_is_zero = csv_is_count(f.text, f.length, 0);
        } else {
            out->counts = out->counts && csv_is_count(f.text, f.length, out->count - 1);
        }
        if (look == CELL_LABEL && !f.quoted && cell_is_misread(f.text, f.length, r->delimiter))
            out->misread = true;
        out->numbers += look == CELL_NUMBER;
        out->quoted += f.quoted;
        out->later_labels += out->count > 0 && look == CELL_LABEL;
        out->count++;
    } while (!f.last);
    return true;
}

/* A row of quoted numbers is a header when the row below it is not quoted. */
static bool is_header(const row_look *row, const row_look *below)
{
    if (row->numbers > 0 || row->misread)
        return false;
    if (row->later_labels > 0 || (row->count == 1 && row->first == CELL_LABEL))
        return true;
    if (row->count == 1 && row->first == CELL_EMPTY)
        return false; /* a hole alone is written as "" */
    bool all_quoted = row->quoted + (row->first == CELL_EMPTY && !row->first_quoted) == row->count;
    return all_quoted && row->quoted > 0 && below->numbers > 0;
}

static bool looks_counted(const row_look *row)
{
    return row->first == CELL_EMPTY && row->count > 1 && row->counts &&
           (row->quoted == 0 || row->quoted == row->count);
}

static bool is_counted_header(const row_look *row, const row_look *below, size_t columns)
{
    return looks_counted(row) && row->count != columns && row->count == below->count &&
           (below->first == CELL_LABEL || below->first_is_zero);
}

bool csv_row_counts(const char *row, size_t length, char delimiter)
{
    csv_reader r;
    row_look look;
    err ignored = {0};
    csv_open(&r, "", 1, row, length, delimiter);
    return look_at_row(&r, KEY_EXPECTED, &look, &ignored) && looks_counted(&look);
}

static void find_labels(const row_look *header, const row_look *row, size_t columns,
                        csv_layout *out)
{
    if (row->first == CELL_EMPTY && row->count == columns)
        return; /* a hole, and no label: the row is full */
    bool looks_so = row->count > 1 && !row->misread &&
                    (row->first == CELL_LABEL || (row->first_quoted && row->numbers > 0));
    bool is_short = out->has_header && header->count + 1 == row->count && looks_so;
    bool has_empty_corner = out->has_header && header->first == CELL_EMPTY && header->count > 1;
    out->has_labels = looks_so || has_empty_corner;
    out->labels_are_sure = is_short || has_empty_corner;
    out->has_corner = out->has_header && out->has_labels && !is_short;
}

/* Goes to the next row of the same matrix, where there is one. */
static bool find_row(csv_reader *r)
{
    csv_field comment;
    block_comment ignored;
    csv_line line = csv_next_line(r, &comment);
    while (line == CSV_BLANK ||
           (line == CSV_COMMENT && !block_comment_read(comment.text, comment.length, &ignored)))
        line = csv_next_line(r, &comment);
    return line == CSV_ROW;
}

bool csv_layout_find(const csv_reader *r, key_kind kind, size_t columns, csv_layout *out, err *e)
{
    csv_reader ahead = *r;
    row_look first, second = {0};
    if (!look_at_row(&ahead, kind, &first, e))
        return false;
    if (find_row(&ahead) && !look_at_row(&ahead, kind, &second, e))
        return false;
    *out = (csv_layout){.has_header = is_header(&first, &second)};
    if (!out->has_header && is_counted_header(&first, &second, columns))
        out->has_header = out->header_counts = true;
    find_labels(&first, out->has_header ? &second : &first, columns, out);
    return true;
}
