#include "io/tidy_header.h"

#include <string.h>

static const char *const COLUMNS[] = {"stage", "batch", "head", "row", "col", "item", "value"};
static size_t find_column(const csv_field *f)
{
    size_t column = 0;
    while (column < TIDY_COLUMNS && (f->length != strlen(COLUMNS[column]) ||
                                     memcmp(f->text, COLUMNS[column], f->length) != 0))
        column++;
    return column;
}

static bool add_column(const csv_reader *r, const csv_field *f, tidy_header *h, err *e)
{
    place at = csv_field_place(r, f);
    int length = f->length > 40 ? 40 : (int)f->length;
    size_t column = find_column(f);
    if (column == TIDY_COLUMNS && (f->length > 0 || h->count > 0))
        return err_at(e, &at, "'%.*s' is no column of a tidy table", length, f->text);
    if (h->has[column])
        return err_at(e, &at, "the column %s is here a second time", COLUMNS[column]);
    h->has[column] = true;
    h->column[h->count++] = column;
    return true;
}

static bool check_columns(const tidy_header *h, const place *at, err *e)
{
    for (size_t column = 0; column < TIDY_COLUMNS; column++) {
        bool may_lack = column == TIDY_STAGE || column == TIDY_FIRST_INDEX + GRID_BATCH ||
                        column == TIDY_FIRST_INDEX + GRID_HEAD ||
                        column == TIDY_FIRST_INDEX + GRID_ITEM;
        if (!h->has[column] && !may_lack)
            return err_at(e, at, "the header has no column %s", COLUMNS[column]);
    }
    return true;
}

bool tidy_header_read(csv_reader *r, tidy_header *h, err *e)
{
    csv_field f = {0};
    place at = csv_place(r);
    *h = (tidy_header){0};
    while (r->next < r->end && !f.last) {
        if (!csv_next_field(r, &f, e) || !add_column(r, &f, h, e))
            return false;
    }
    return check_columns(h, &at, e);
}

bool tidy_header_find(csv_reader *r, const read_options *how, err *e)
{
    csv_field comment;
    csv_line kind;
    while ((kind = csv_next_line(r, &comment)) == CSV_COMMENT || kind == CSV_BLANK) {
        if (kind == CSV_COMMENT && !read_header_line(how, comment.text, comment.length, e))
            return false;
    }
    return true;
}

static bool has_columns(const char *bytes, size_t length, char delimiter)
{
    csv_reader r;
    tidy_header ignored;
    err nothing = {0};
    csv_open(&r, "", 1, bytes, length, delimiter);
    return tidy_header_find(&r, &(read_options){0}, &nothing) &&
           tidy_header_read(&r, &ignored, &nothing);
}

char tidy_header_delimiter(const char *bytes, size_t length)
{
    for (const char *p = ",\t;|: "; *p != '\0'; p++) {
        if (has_columns(bytes, length, *p))
            return *p;
    }
    return 0;
}
