#include "render/table_text.h"

#include "render/display.h"
#include "render/page.h"

#include <assert.h>
#include <string.h>

/* What words need to be readable in broken lines, and what three columns of them may have on the
 * narrowest page. */
enum { NARROWEST = 10 };
static const size_t BETWEEN = 3;

typedef struct table {
    const text_list *cells;
    size_t columns, rows;
    size_t width[TABLE_MOST];
    bool is_right[TABLE_MOST]; /* numbers stand to the right */
} table;

static const char *cell(const table *t, size_t row, size_t column)
{
    return t->cells->item[row * t->columns + column];
}

static bool looks_like_number(const char *word)
{
    return *word != '\0' && strspn(word, "0123456789.-+e") == strlen(word);
}

/* ---- widths ---- */

bool table_text_is_right(const text_list *cells, size_t columns, size_t column)
{
    size_t at = columns + column;
    while (at < cells->count && looks_like_number(cells->item[at]))
        at += columns;
    return cells->count > columns && at >= cells->count;
}

static void measure(table *t, size_t column)
{
    t->is_right[column] = table_text_is_right(t->cells, t->columns, column);
    for (size_t row = 0; row < t->rows; row++) {
        const char *word = cell(t, row, column);
        size_t columns = display_columns(word, strlen(word));
        if (columns > t->width[column])
            t->width[column] = columns;
    }
}

static size_t total_width(const table *t, size_t *widest)
{
    size_t total = (t->columns - 1) * BETWEEN;
    *widest = 0;
    for (size_t column = 0; column < t->columns; column++) {
        total += t->width[column];
        if (t->width[column] > t->width[*widest])
            *widest = column;
    }
    return total;
}

/* Takes from the widest column what is too much, and again where that is not enough. */
static void fit(table *t, size_t budget)
{
    size_t widest, total;
    while ((total = total_width(t, &widest)) > budget && t->width[widest] > NARROWEST)
        t->width[widest]--;
}

/* ---- drawing ---- */

static void add_cell_line(text *out, const table *t, size_t column, const char *words,
                          size_t length)
{
    size_t used = display_columns(words, length);
    size_t space = t->width[column] > used ? t->width[column] - used : 0;
    text_add_repeated(out, " ", t->is_right[column] ? space : 0);
    display_add(out, words, length);
    text_add_repeated(out, " ", t->is_right[column] ? 0 : space);
}

/* A row takes as many lines as its longest cell. */
static void add_row(text *out, const table *t, size_t row)
{
    const char *rest[TABLE_MOST];
    for (size_t column = 0; column < t->columns; column++)
        rest[column] = cell(t, row, column);
    for (bool has_more = true; has_more;) {
        has_more = false;
        page_indent(out);
        for (size_t column = 0; column < t->columns; column++) {
            size_t skip, length = display_line(rest[column], t->width[column], &skip);
            text_add_repeated(out, " ", column > 0 ? BETWEEN : 0);
            add_cell_line(out, t, column, rest[column], length);
            rest[column] += length + skip;
            has_more = has_more || *rest[column] != '\0';
        }
        display_end_line(out);
    }
}

static void add_rule(text *out, const table *t)
{
    page_indent(out);
    for (size_t column = 0; column < t->columns; column++) {
        text_add_repeated(out, " ", column > 0 ? BETWEEN : 0);
        text_add_repeated(out, "─", t->width[column]);
    }
    display_end_line(out);
}

void table_text_add(text *out, const trace_item *item, const render_options *how)
{
    assert(item->columns_count > 0 && item->columns_count <= TABLE_MOST);
    table t = {.cells = &item->cells, .columns = item->columns_count};
    t.rows = item->cells.count / t.columns;
    for (size_t column = 0; column < t.columns; column++)
        measure(&t, column);
    fit(&t, page_budget(how));
    for (size_t row = 0; row < t.rows; row++) {
        add_row(out, &t, row);
        if (row == 0)
            add_rule(out, &t);
    }
}
