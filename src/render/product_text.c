#include "render/product_text.h"

#include "render/brackets.h"
#include "render/display.h"
#include "render/matrix_text.h"
#include "render/page.h"

#include <string.h>

/* One of the three. Line 0 is above all numbers; each has its name on the line above its first. */
typedef struct box {
    const char *name;
    column_source source;
    brackets shown;
    size_t width, first_line;
} box;

typedef struct product {
    box row, matrix, result;
} product;

enum {
    SIGN_COLUMNS = 5, /* "  ×  " */
    NARROWEST = 6,    /* "0, " in the matrix and in the result, for each of their columns */
    FEWEST = 2,       /* columns that stay, whatever the width: the first, … and the last */
    FEW = 3           /* neither side is left with fewer as long as the other has more */
};

/* ---- what fits ---- */

static size_t box_measure(box *b, const selection *columns)
{
    brackets_measure(&b->shown, &b->source, columns);
    size_t name = display_columns(b->name, strlen(b->name)), numbers = brackets_columns(&b->shown);
    return b->width = name > numbers ? name : numbers;
}

/* The row's columns are the matrix's rows, and the matrix's columns the result's: they are left
 * out together. */
static size_t product_measure(product *p, const selection *inner, const selection *outer)
{
    p->matrix.source.rows = *inner;
    return box_measure(&p->row, inner) + box_measure(&p->matrix, outer) +
           box_measure(&p->result, outer) + 2 * SIGN_COLUMNS;
}

/* Takes columns from the wider side until the three fit; false where too few are left to take
 * any. */
static bool product_fits_shortened(product *p, size_t budget)
{
    size_t n = p->row.source.matrix.size[1], m = p->result.source.matrix.size[1];
    selection inner = selection_of_rows(n, 0, false);
    size_t inner_shown = inner.front + inner.back;
    size_t most = budget / NARROWEST < BRACKETS_MOST ? budget / NARROWEST : BRACKETS_MOST - 1;
    size_t outer_shown = m < most ? m : most;
    selection outer = selection_of_ends(m, outer_shown);
    while (product_measure(p, &inner, &outer) > budget) {
        if (inner_shown <= FEWEST && outer_shown <= FEWEST)
            return false;
        size_t fewest = inner_shown > FEW || outer_shown > FEW ? FEW : FEWEST;
        bool row_is_wider = p->row.width > p->matrix.width + p->result.width;
        if (outer_shown <= fewest || (row_is_wider && inner_shown > fewest))
            inner = selection_of_ends(n, --inner_shown);
        else
            outer = selection_of_ends(m, --outer_shown);
    }
    return true;
}

/* Whether all of it fits, whose widths are then measured. */
static bool product_fits_whole(product *p, size_t budget)
{
    selection inner = selection_all(p->row.source.matrix.size[1]);
    selection outer = selection_all(p->result.source.matrix.size[1]);
    return inner.total <= BRACKETS_MOST && outer.total <= BRACKETS_MOST &&
           product_measure(p, &inner, &outer) <= budget;
}

/* ---- drawing ---- */

/* What a box shows on a line, filled up to its width. */
static void box_add_line(text *out, const box *b, size_t line)
{
    size_t columns = 0, slot = line - b->first_line;
    if (line + 1 == b->first_line) {
        display_add_string(out, b->name);
        columns = display_columns(b->name, strlen(b->name));
    } else if (line >= b->first_line && slot < selection_count(&b->source.rows)) {
        size_t row = selection_at(&b->source.rows, slot);
        columns = row == SELECTION_GAP ? 1 : brackets_columns(&b->shown);
        if (row == SELECTION_GAP)
            text_add_string(out, "…");
        else
            brackets_add_row(out, &b->shown, &b->source.matrix, row);
    }
    text_add_repeated(out, " ", b->width - columns);
}

static void product_add_lines(text *out, product *p)
{
    size_t lines = 1 + selection_count(&p->matrix.source.rows);
    size_t middle = lines / 2;
    p->matrix.first_line = 1;
    p->row.first_line = p->result.first_line = middle;
    for (size_t line = 0; line < lines; line++) {
        page_indent(out);
        box_add_line(out, &p->row, line);
        text_add_string(out, line == middle ? "  ×  " : "     ");
        box_add_line(out, &p->matrix, line);
        text_add_string(out, line == middle ? "  =  " : "     ");
        box_add_line(out, &p->result, line);
        display_end_line(out);
    }
}

/* Too wide to stand side by side: one below the other. */
static void product_add_below(text *out, const trace_item *item, const render_options *how)
{
    const char *names[] = {item->left, item->letters, item->text};
    const tensor *parts[] = {&item->a, &item->b, &item->result};
    static const char *const SIGNS[] = {"", "× ", "= "};
    for (size_t i = 0; i < 3; i++) {
        text name = {0};
        text_add_string(&name, SIGNS[i]);
        text_add_string(&name, names[i] == NULL ? "" : names[i]);
        out->failed = out->failed || name.failed;
        trace_item part = {.kind = TRACE_MATRIX, .text = text_string(&name), .a = *parts[i]};
        text_add_string(out, i > 0 ? "\n" : "");
        matrix_text_add(out, &part, how);
        text_free(&name);
    }
}

static box box_of(const char *name, const tensor *numbers, const render_options *how)
{
    box b = {.name = name == NULL ? "" : name};
    b.source = (column_source){.matrix = matrix_of(numbers), .digits = how->digits};
    b.source.rows = selection_all(b.source.matrix.size[0]);
    return b;
}

void product_text_add(text *out, const trace_item *item, const render_options *how)
{
    product p = {.row = box_of(item->left, &item->a, how),
                 .matrix = box_of(item->letters, &item->b, how),
                 .result = box_of(item->text, &item->result, how)};
    size_t budget = page_budget(how);
    if (how->is_full ? product_fits_whole(&p, budget) : product_fits_shortened(&p, budget)) {
        product_add_lines(out, &p);
        page_add_left_out(out, &p.matrix.source.rows, &p.matrix.shown.columns, how);
    } else {
        product_add_below(out, item, how);
    }
}
