#include "io/cells_ahead.h"

#include "io/rows_read.h"

#include <string.h>

typedef struct table {
    const csv_reader *reader; /* in front of the rows */
    cells *cells;
    size_t columns, most, rows; /* rows: that were taken */
} table;

static const char *find_row(const void *how, const char *from, const char *to)
{
    (void)how;
    const char *newline = memchr(from - 1, '\n', (size_t)(to - from));
    return newline == NULL ? NULL : newline + 1;
}

static const char *read_row(const void *how, const char *row, void *numbers)
{
    const table *t = how;
    csv_reader r = *t->reader;
    cells one = {.type = t->cells->type, .data = numbers, .capacity = t->columns};
    csv_field f = {0};
    r.next = r.line_start = row;
    return cells_add_usual(&one, &r, t->columns, &f) == t->columns && f.last ? r.next : NULL;
}

static bool take_rows(void *to, const void *numbers, size_t rows, err *e)
{
    table *t = to;
    size_t count = rows * t->columns, size = dtype_size(t->cells->type);
    if (rows > t->most - t->rows || !cells_reserve(t->cells, count, e))
        return false;
    memcpy((char *)t->cells->data + t->cells->count * size, numbers, count * size);
    t->cells->count += count;
    t->rows += rows;
    return true;
}

/* Where `most` rows end at the latest, unless they have longer numbers than the usual ones: what is
 * behind a block is another's, and would be read in vain for each. */
static const char *end_of_rows(const csv_reader *r, size_t columns, size_t most)
{
    enum { LONGEST = 32 }; /* bytes of a number and what stands behind it */
    size_t left = (size_t)(r->end - r->next);
    return most < left / LONGEST / columns ? r->next + most * columns * LONGEST : r->end;
}

bool cells_read_ahead(cells *to, csv_reader *r, size_t columns, size_t most, size_t threads,
                      size_t *rows, err *e)
{
    table t = {.reader = r, .cells = to, .columns = columns, .most = most};
    const rows_read all = {.at = r->next,
                           .end = end_of_rows(r, columns, most),
                           .columns = columns,
                           .size = dtype_size(to->type),
                           .find = find_row,
                           .read = read_row,
                           .format = &t,
                           .take = take_rows,
                           .to = &t};
    const char *behind = rows_read_ahead(&all, threads, e);
    r->next = r->line_start = behind;
    r->line += t.rows;
    *rows = t.rows;
    return !e->is_set;
}
