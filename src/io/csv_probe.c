/* Whether bytes look like CSV or TSV (declared in io/csv_read.h).
 *
 * A row decides once a delimiter splits it and a number is among the pieces. Rows above it may be
 * of one field (a matrix of one column), and a header's labels may hold any character: these leave
 * it to the name's ending, and without a name to what they look like. */
#include "io/cells.h"
#include "io/csv_read.h"
#include "io/json.h"
#include "io/tidy_header.h"

#include <stdint.h>
#include <string.h>

/* Bytes: a column alone, of numbers of 8 digits, has 29,000 rows in them, and looking at all of
 * them takes a millisecond or two. */
enum { LOOKED_AT = 1 << 18 };

/* What the rows say for one delimiter. */
typedef struct rows_look {
    size_t line;        /* of the first row that it splits with a number among the pieces, or MAX */
    bool splits_first;  /* it splits the first row */
    bool finds_numbers; /* a row is one number, or what is misread as one */
} rows_look;

/* Goes past comments and blank lines to the next row. */
static bool find_row(csv_reader *r)
{
    csv_field comment;
    csv_line line;
    do
        line = csv_next_line(r, &comment);
    while (line == CSV_COMMENT || line == CSV_BLANK);
    return line == CSV_ROW;
}

/* A number, or would be several with another delimiter: then reading it ends in a message that says
 * which. */
static bool holds_numbers(const csv_field *f, char delimiter)
{
    cell_look look = cell_look_of(f, KEY_MASK);
    return look == CELL_NUMBER || look == CELL_QUOTED_NUMBER ||
           (look == CELL_LABEL && cell_is_misread(f->text, f->length, delimiter));
}

/* Reads a row into the number of its fields and whether numbers are among them. */
static bool look_at_row(csv_reader *r, size_t *fields, bool *has_numbers)
{
    csv_field f = {0};
    err ignored = {0};
    *has_numbers = false;
    for (*fields = 0; !f.last; ++*fields) {
        if (!csv_next_field(r, &f, &ignored))
            return false;
        *has_numbers = *has_numbers || holds_numbers(&f, r->delimiter);
    }
    return true;
}

static rows_look look_at(const char *bytes, size_t length, char delimiter)
{
    rows_look look = {.line = SIZE_MAX};
    csv_reader r;
    size_t fields;
    bool has_numbers, is_first = true;
    bool can_split = length > 0 && memchr(bytes, delimiter, length) != NULL;
    csv_open(&r, "", 1, bytes, length, delimiter);
    while (look.line == SIZE_MAX && (can_split || !look.finds_numbers) && find_row(&r)) {
        size_t line = r.line;
        /* JSON over several lines has rows that look like a table's below its first one. */
        bool may_be_json = json_probe(r.next, (size_t)(r.end - r.next));
        if ((may_be_json && !is_first) || !look_at_row(&r, &fields, &has_numbers))
            break;
        if (fields > 1 && has_numbers)
            look.line = line;
        look.splits_first = look.splits_first || (is_first && fields > 1);
        look.finds_numbers = look.finds_numbers || (fields == 1 && has_numbers);
        if (may_be_json)
            break;
        is_first = false;
    }
    return look;
}

typedef struct looks {
    rows_look commas, tabs;
} looks;

static looks look_at_both(const char *bytes, size_t length)
{
    if (length > LOOKED_AT)
        length = LOOKED_AT;
    return (looks){look_at(bytes, length, ','), look_at(bytes, length, '\t')};
}

/* Of two delimiters the one that splits numbers first is meant; where none does, `own` may be. */
static bool may_be(const rows_look *own, const rows_look *other)
{
    if (own->line != SIZE_MAX || other->line != SIZE_MAX)
        return own->line <= other->line;
    return own->splits_first || own->finds_numbers;
}

/* Without a name, a first row that only tabs split is a header of TSV. */
static bool is_csv(const looks *l)
{
    bool is_decided = l->commas.line != SIZE_MAX;
    return may_be(&l->commas, &l->tabs) &&
           (is_decided || l->commas.splits_first || !l->tabs.splits_first);
}

static bool is_tidy(const char *bytes, size_t length)
{
    return tidy_header_delimiter(bytes, length) != 0;
}

bool csv_probe(const char *bytes, size_t length)
{
    looks l = look_at_both(bytes, length);
    return !is_tidy(bytes, length) && is_csv(&l);
}

bool tsv_probe(const char *bytes, size_t length)
{
    looks l = look_at_both(bytes, length);
    return !is_tidy(bytes, length) && may_be(&l.tabs, &l.commas) && !is_csv(&l);
}

bool csv_may_be(const char *bytes, size_t length)
{
    looks l = look_at_both(bytes, length);
    return !is_tidy(bytes, length) && may_be(&l.commas, &l.tabs);
}

bool tsv_may_be(const char *bytes, size_t length)
{
    looks l = look_at_both(bytes, length);
    return !is_tidy(bytes, length) && may_be(&l.tabs, &l.commas);
}
