#include "io/csv_layout.h"

#include "io/blocks.h"
#include "io/cells.h"
#include "io/csv.h"
#include "io/json.h"
#include "io/tidy.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- a row ---- */

/* What a row's fields look like, counted. */
typedef struct row_look {
    size_t count, numbers, quoted,
        later_labels; /* numbers: unquoted ones; later: after the first field */
    cell_look first;
    bool first_quoted, first_is_zero;
    bool counts;      /* the fields after the first are 0, 1, 2, … */
    bool misread;     /* a field would be numbers if the file were read differently: no label, but
                         an error to come */
    bool has_numbers; /* quoted or misread ones too */
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
        out->count++;
    } while (!f.last);
    return true;
}

/* Goes past blank lines and comments to the next row, where there is one; of the same matrix, past
 * no comment that begins a block. */
static bool find_row(csv_reader *r, bool of_same)
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

bool csv_row_counts(const char *row, size_t length, char delimiter)
{
    csv_reader r;
    row_look look;
    err ignored = {0};
    csv_open(&r, "", 1, row, length, delimiter);
    return look_at_row(&r, KEY_EXPECTED, &look, &ignored) && looks_counted(&look);
}

bool csv_layout_find(const csv_reader *r, key_kind kind, size_t columns, csv_layout *out, err *e)
{
    csv_reader ahead = *r;
    row_look first, second = {0};
    if (!look_at_row(&ahead, kind, &first, e))
        return false;
    if (find_row(&ahead, true) && !look_at_row(&ahead, kind, &second, e))
        return false;
    *out = (csv_layout){.has_header = is_header(&first, &second)};
    if (!out->has_header && looks_counted(&first) && first.count != columns &&
        first.count == second.count && (second.first == CELL_LABEL || second.first_is_zero))
        out->has_header = out->header_counts = true;
    const row_look *row = out->has_header ? &second : &first;
    if (row->first == CELL_EMPTY && row->count == columns)
        return true; /* a hole, and no label: the row is full */
    bool looks_so = row->count > 1 && !row->misread &&
                    (row->first == CELL_LABEL || (row->first_quoted && row->numbers > 0));
    bool is_short = out->has_header && first.count + 1 == row->count && looks_so;
    bool has_empty_corner = out->has_header && first.first == CELL_EMPTY && first.count > 1;
    out->has_labels = looks_so || has_empty_corner;
    out->labels_are_sure = is_short || has_empty_corner;
    out->has_corner = out->has_header && out->has_labels && !is_short;
    return true;
}

/* ---- a file ----
 *
 * A row decides once a delimiter splits it and a number is among the pieces. Rows above it may be
 * of one field (a matrix of one column), and a header's labels may hold any character: these leave
 * it to the name's ending, and without a name to what they look like. */

/* Bytes: a column alone, of numbers of 8 digits, has 29,000 rows in them, and looking at all of
 * them takes a millisecond or two. */
enum { LOOKED_AT = 1 << 18 };

/* What the rows say for one delimiter. */
typedef struct rows_look {
    size_t line;        /* of the first row that it splits with a number among the pieces, or MAX */
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
    while (look.line == SIZE_MAX && (can_split || !look.finds_numbers) && find_row(&r, false)) {
        size_t line = r.line;
        /* JSON over several lines has rows that look like a table's below its first one. */
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

/* Of two delimiters the one that splits numbers first is meant; where none does, `own` may be. */
static bool may_be(const rows_look *own, const rows_look *other)
{
    if (own->line != SIZE_MAX || other->line != SIZE_MAX)
        return own->line <= other->line;
    return own->splits_first || own->finds_numbers;
}

/* What the bytes may be, and whether they are CSV where both fit. */
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
