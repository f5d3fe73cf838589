#include "cli/diff/columns.h"

#include "render/display.h"

#include <string.h>

enum { GAP = 2, MOST_COLUMNS = 16 };

text *columns_cell(columns *c)
{
    return &c->cell;
}

bool columns_next(columns *c, err *e)
{
    bool done =
        text_ok(&c->cell, e) && text_list_add(&c->cells, text_string(&c->cell), c->cell.length, e);
    text_clear(&c->cell);
    return done;
}

bool columns_add(columns *c, const char *words, err *e)
{
    text_add_string(&c->cell, words);
    return columns_next(c, e);
}

void columns_write(const columns *c, text *out)
{
    size_t count = strlen(c->alignment), width[MOST_COLUMNS] = {0};
    for (size_t i = 0; i < c->cells.count; i++) {
        size_t columns_of = display_columns(c->cells.item[i], strlen(c->cells.item[i]));
        width[i % count] = columns_of > width[i % count] ? columns_of : width[i % count];
    }
    for (size_t i = 0; i < c->cells.count; i++) {
        const char *cell = c->cells.item[i];
        size_t at = i % count, missing = width[at] - display_columns(cell, strlen(cell));
        text_add_repeated(out, " ", at == 0 ? 0 : GAP);
        text_add_repeated(out, " ", c->alignment[at] == 'r' ? missing : 0);
        display_add_string(out, cell);
        text_add_repeated(out, " ", c->alignment[at] == 'r' ? 0 : missing);
        if (at + 1 == count)
            display_end_line(out);
    }
}

void columns_free(columns *c)
{
    text_list_free(&c->cells);
    text_free(&c->cell);
}
