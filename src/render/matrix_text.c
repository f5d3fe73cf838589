#include "render/matrix_text.h"

#include "render/brackets.h"
#include "render/display.h"
#include "render/label_text.h"
#include "render/page.h"

/* One matrix being drawn. */
typedef struct drawing {
    text *out;
    const trace_item *item;
    const render_options *how;
    column_source source;
    size_t
        label_width; /* of the labels at the left with the space behind them; 0: there are none */
} drawing;

static const size_t BEHIND_LABEL = 2;

/* ---- labels ---- */

/* A number alone above or beside the only column or row says nothing. */
static bool has_labels(const trace_labels *labels, size_t count)
{
    return count > 1 || labels_have_words(labels);
}

static size_t label_width(const trace_labels *labels, const selection *rows)
{
    size_t widest = 1; /* … */
    for (size_t slot = 0; slot < selection_count(rows); slot++) {
        size_t row = selection_at(rows, slot);
        size_t columns = row == SELECTION_GAP ? 1 : label_columns(labels, row);
        widest = columns > widest ? columns : widest;
    }
    return widest + BEHIND_LABEL;
}

/* ---- lines ---- */

static void add_name(const drawing *d)
{
    const tensor *a = &d->item->a;
    page_indent(d->out);
    display_add_string(d->out, d->item->text == NULL ? "" : d->item->text);
    if (a->rank == 2)
        text_add_format(d->out, " (%zu × %zu)", a->size[0], a->size[1]);
    else if (a->rank == 1)
        text_add_format(d->out, " (%zu long)", a->size[0]);
    display_end_line(d->out);
}

static void add_column_labels(const drawing *d, const brackets *b)
{
    page_indent(d->out);
    text_add_repeated(d->out, " ", d->label_width);
    brackets_add_labels(d->out, b);
    display_end_line(d->out);
}

/* The arrow stands in the indent, so that rows begin in one column with and without it. */
static void add_row(const drawing *d, const brackets *b, size_t row)
{
    bool is_focus = row + 1 == d->item->focus;
    text_add_repeated(d->out, " ", PAGE_INDENT - 2);
    if (is_focus)
        page_bold(d->out, d->how);
    text_add_string(d->out, is_focus ? "→ " : "  ");
    if (d->label_width > 0) {
        size_t columns = label_add(d->out, &d->item->rows, row);
        text_add_repeated(d->out, " ", d->label_width - columns);
    }
    brackets_add_row(d->out, b, &d->source.matrix, row);
    if (is_focus)
        page_plain(d->out, d->how);
    display_end_line(d->out);
}

static void add_gap(const drawing *d)
{
    page_indent(d->out);
    text_add_string(d->out, "…\n");
}

static void add_rows(const drawing *d, const brackets *b)
{
    const selection *rows = &d->source.rows;
    for (size_t slot = 0; slot < selection_count(rows); slot++) {
        size_t row = selection_at(rows, slot);
        if (row == SELECTION_GAP)
            add_gap(d);
        else
            add_row(d, b, row);
    }
}

void matrix_text_add(text *out, const trace_item *item, const render_options *how)
{
    drawing d = {.out = out, .item = item, .how = how};
    d.source = (column_source){
        .matrix = matrix_of(&item->a), .digits = how->digits, .has_ids = item->has_ids};
    const size_t *size = d.source.matrix.size;
    d.source.rows = selection_of_rows(size[0], item->focus, how->is_full);
    d.source.labels = has_labels(&item->columns, size[1]) ? &item->columns : NULL;
    if (item->a.rank == 2 && has_labels(&item->rows, size[0]))
        d.label_width = label_width(&item->rows, &d.source.rows);

    add_name(&d);
    brackets b = {0};
    size_t budget = page_budget(how) - d.label_width;
    while (brackets_next(&b, &d.source, budget, how->is_full)) {
        brackets_add_part(out, &b, PAGE_INDENT);
        if (d.source.labels != NULL)
            add_column_labels(&d, &b);
        add_rows(&d, &b);
    }
    page_add_left_out(out, &d.source.rows, &b.columns, how);
}
