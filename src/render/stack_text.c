#include "render/stack_text.h"

#include "render/brackets.h"
#include "render/display.h"
#include "render/label_text.h"
#include "render/page.h"

#include <string.h>

/* One stack being drawn. */
typedef struct drawing {
    text *out;
    const trace_item *item;
    column_source source;
    size_t label_width; /* without the space behind */
} drawing;

static const size_t SIGN = 4; /* "  + ", between label and row */

static const char *result_name(const trace_item *item)
{
    return item->text != NULL ? item->text : "";
}

static size_t label_width(const trace_item *item, const selection *rows)
{
    size_t widest = display_columns(result_name(item), strlen(result_name(item)));
    for (size_t slot = 0; slot < selection_count(rows); slot++) {
        size_t row = selection_at(rows, slot);
        size_t columns = row == SELECTION_GAP ? 1 : label_columns(&item->rows, row);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static void add_sign(const drawing *d, size_t label_columns_used, const char *sign)
{
    text_add_repeated(d->out, " ", d->label_width - label_columns_used);
    text_add_format(d->out, "  %s ", sign);
}

static void add_rows(const drawing *d, const brackets *b)
{
    const selection *rows = &d->source.rows;
    for (size_t slot = 0; slot < selection_count(rows); slot++) {
        size_t row = selection_at(rows, slot);
        page_indent(d->out);
        if (row == SELECTION_GAP) {
            text_add_string(d->out, "…\n");
            continue;
        }
        add_sign(d, label_add(d->out, &d->item->rows, row), slot == 0 ? " " : "+");
        brackets_add_row(d->out, b, &d->source.matrix, row);
        display_end_line(d->out);
    }
}

static void add_result(const drawing *d, const brackets *b)
{
    const char *name = result_name(d->item);
    page_indent(d->out);
    text_add_repeated(d->out, " ", d->label_width + 2);
    text_add_repeated(d->out, "-", brackets_columns(b) + SIGN - 2);
    display_end_line(d->out);

    page_indent(d->out);
    display_add_string(d->out, name);
    add_sign(d, display_columns(name, strlen(name)), "=");
    brackets_add_row(d->out, b, &d->source.also, 0);
    display_end_line(d->out);
}

void stack_text_add(text *out, const trace_item *item, const render_options *how)
{
    drawing d = {.out = out, .item = item};
    d.source = (column_source){
        .matrix = matrix_of(&item->a), .also = matrix_of(&item->result), .digits = how->digits};
    d.source.rows = selection_of_rows(d.source.matrix.size[0], item->focus, how->is_full);
    d.label_width = label_width(item, &d.source.rows);

    brackets b = {0};
    size_t budget = page_budget(how) - d.label_width - SIGN;
    while (brackets_next(&b, &d.source, budget, how->is_full)) {
        brackets_add_part(out, &b, PAGE_INDENT);
        add_rows(&d, &b);
        add_result(&d, &b);
    }
    page_add_left_out(out, &d.source.rows, &b.columns, how);
}
