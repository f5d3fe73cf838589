#include "cli/help/peers_help.h"

#include "cli/help/help.h"
#include "cli/help/wrap.h"

enum { NAME_INDENT = 2, CELL_COLUMN = 21 };

const char PEERS_INTRODUCTION[] =
    "How other programs set what a formula leaves open, each as its own documentation or source "
    "says. Behind → stands what gives the same here; without an arrow it is so by itself, or "
    "nothing is to be given. i is a query and j a key, from 0; n_q and n_k are their numbers, h "
    "and g those of heads and key/value heads; p is the query's position.";

/* On one line or two: "true is masked out\n→ --mask-true masked". */
static void write_cell(text *out, const peer_cell *cell)
{
    text_add_string(out, cell->says);
    if (cell->here != NULL)
        text_add_format(out, "\n→ %s", cell->here);
}

static void write_line(text *out, const char *name, const peer_cell *cell)
{
    text words = {0};
    write_cell(&words, cell);
    text_add_format(out, "  %s", name);
    wrap_add_text(out, &words, NAME_INDENT + wrap_columns(name), CELL_COLUMN, HELP_WIDTH);
}

void peer_write(text *out, const peer *of)
{
    for (size_t i = 0; i < DIFFERENCES.count; i++)
        write_line(out, named_row(&DIFFERENCES, i)->name, &of->cell[i]);
}

void difference_write(text *out, difference which)
{
    for (size_t i = 0; i < PEERS.count; i++)
        write_line(out, peer_at(i)->named.name, &peer_at(i)->cell[which]);
}

void peers_write_all(text *out)
{
    wrap_add(out, PEERS_INTRODUCTION, 0, 0, HELP_WIDTH);
    for (size_t i = 0; i < DIFFERENCES.count; i++) {
        const named *row = named_row(&DIFFERENCES, i);
        text_add_format(out, "\n%s: %s\n", row->name, row->help);
        difference_write(out, (difference)i);
    }
    text_add_string(out, "\n");
    wrap_add(out, "selfattn help NAME, of a program or of a difference, shows it alone.", 0, 0,
             HELP_WIDTH);
}
