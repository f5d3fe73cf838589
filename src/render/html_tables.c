/* Matrices as tables: numbers with colours, labels above and at the left. */
#include "render/brackets.h"
#include "render/html_parts.h"
#include "render/label_text.h"
#include "trace/map.h"

#include <string.h>

typedef struct grid {
    const html_page *page;
    tensor matrix;
    const trace_labels *row_labels, *column_labels; /* NULL: none */
    selection rows, columns;
    size_t focus;
    double greatest;
    bool is_share, is_blank;
} grid;

static void add_number(text *out, double value, int digits)
{
    number_text_add(out, value, digits);
}

/* ---- cells ---- */

static void add_cell(const grid *g, size_t row, size_t column)
{
    text *out = g->page->out;
    if (g->is_blank) {
        text_add_string(out, "<td class=blank>");
        return;
    }
    double value = matrix_at(&g->matrix, row, column);
    html_color color = html_color_of(value, g->greatest, g->is_share);
    text_add_format(out, color.class_name[0] == '\0' ? "<td>" : "<td class=%s>", color.class_name);
    add_number(out, value, g->page->how->digits);
}

static void add_row(const grid *g, size_t row)
{
    text *out = g->page->out;
    text_add_string(out, row + 1 == g->focus ? "<tr class=focus>" : "<tr>");
    if (g->row_labels != NULL) {
        text_add_string(out, "<th scope=row>");
        if (row == SELECTION_GAP)
            text_add_string(out, "…");
        else
            html_add_label(out, g->row_labels, row);
    }
    for (size_t slot = 0; slot < selection_count(&g->columns); slot++) {
        size_t column = selection_at(&g->columns, slot);
        if (row == SELECTION_GAP || column == SELECTION_GAP)
            text_add_string(out, "<td>…");
        else
            add_cell(g, row, column);
    }
    text_add_string(out, "</tr>\n");
}

static void add_heading(const grid *g)
{
    text *out = g->page->out;
    if (g->column_labels == NULL)
        return;
    text_add_string(out, "<thead><tr>");
    text_add_string(out, g->row_labels != NULL ? "<td>" : "");
    for (size_t slot = 0; slot < selection_count(&g->columns); slot++) {
        size_t column = selection_at(&g->columns, slot);
        text_add_string(out, "<th scope=col>");
        if (column == SELECTION_GAP)
            text_add_string(out, "…");
        else
            html_add_label(out, g->column_labels, column);
    }
    text_add_string(out, "</tr>\n");
}

static void add_body(const grid *g)
{
    add_heading(g);
    text_add_string(g->page->out, "<tbody>\n");
    for (size_t slot = 0; slot < selection_count(&g->rows); slot++)
        add_row(g, selection_at(&g->rows, slot));
}

/* ---- matrices ---- */

/* A number alone above or beside the only column or row says nothing. */
static const trace_labels *labels_of(const trace_labels *labels, size_t count)
{
    return count > 1 || labels_have_words(labels) ? labels : NULL;
}

static selection shown(size_t total, size_t focus, const html_page *p)
{
    return selection_of_rows(total, focus, p->how->is_full || total <= HTML_MOST);
}

static bool is_whole(const grid *g)
{
    return selection_count(&g->rows) == g->matrix.size[0] &&
           selection_count(&g->columns) == g->matrix.size[1];
}

static void add_name(const html_page *p, const trace_item *item)
{
    const tensor *a = &item->a;
    text_add_string(p->out, "<figcaption><b>");
    html_add_words(p->out, item->text == NULL ? "" : item->text);
    text_add_string(p->out, "</b>");
    if (a->rank == 2)
        text_add_format(p->out, " <span>(%zu × %zu)</span>", a->size[0], a->size[1]);
    else if (a->rank == 1)
        text_add_format(p->out, " <span>(%zu long)</span>", a->size[0]);
    text_add_string(p->out, "</figcaption>\n");
}

static void add_note(const grid *g)
{
    text note = {0};
    selection_add_left_out(&note, &g->rows, &g->columns);
    text_add_string(g->page->out, "<p class=note>");
    html_add_words(g->page->out, text_string(&note));
    text_add_string(g->page->out, "</p>\n");
    g->page->out->failed = g->page->out->failed || note.failed;
    text_free(&note);
}

static void add_table(const grid *g, const trace_item *item, const trace_map *map, size_t head)
{
    text *out = g->page->out;
    text_add_string(out, "<div class=scroll role=group tabindex=0 aria-label=\"");
    html_add_words(out, item->text == NULL ? "" : item->text);
    text_add_string(out, "\"><table class=matrix");
    if (map != NULL && is_whole(g))
        text_add_format(out, " data-map=%td data-head=%zu", map - g->page->trace->map, head);
    text_add_string(out, ">\n");
    add_body(g);
    text_add_string(out, "</table></div>\n");
}

void html_add_matrix(const html_page *p, const trace_item *item, bool is_blank)
{
    size_t head = 0;
    const trace_map *map = map_of(p->trace, &item->a, &head);
    grid g = {.page = p, .matrix = matrix_of(&item->a), .focus = item->focus};
    g.rows = shown(g.matrix.size[0], item->focus, p);
    g.columns = shown(g.matrix.size[1], 0, p);
    if (item->a.rank == 2)
        g.row_labels = labels_of(&item->rows, g.matrix.size[0]);
    g.column_labels = labels_of(&item->columns, g.matrix.size[1]);
    g.greatest = html_greatest(&g.matrix);
    g.is_share = map != NULL && map->is_share;
    g.is_blank = is_blank && map != NULL && map->has_origin;
    text_add_string(p->out, "<figure>");
    add_name(p, item);
    add_table(&g, item, map, head);
    if (!is_whole(&g)) {
        add_note(&g);
        html_add_sampled(p, &g.matrix, g.is_share);
    }
    text_add_string(p->out, "</figure>\n");
}

/* ---- products and sums ---- */

/* A matrix without labels or colours. */
static void add_plain(const html_page *p, const tensor *t)
{
    grid g = {.page = p, .matrix = matrix_of(t)};
    g.rows = shown(g.matrix.size[0], 0, p);
    g.columns = shown(g.matrix.size[1], 0, p);
    text_add_string(p->out, "<table class=matrix>");
    add_body(&g);
    text_add_string(p->out, "</table>");
}

void html_add_product(const html_page *p, const trace_item *item)
{
    text_add_string(p->out, "<div class=product><span class=name>");
    html_add_words(p->out, item->left);
    text_add_string(p->out, " × ");
    html_add_words(p->out, item->letters);
    text_add_string(p->out, " = ");
    html_add_words(p->out, item->text);
    text_add_string(p->out, "</span>\n");
    add_plain(p, &item->a);
    text_add_string(p->out, "×");
    add_plain(p, &item->b);
    text_add_string(p->out, "=");
    add_plain(p, &item->result);
    text_add_string(p->out, "</div>\n");
}

void html_add_stack(const html_page *p, const trace_item *item)
{
    grid g = {.page = p, .matrix = matrix_of(&item->a), .row_labels = &item->rows};
    g.rows = shown(g.matrix.size[0], 0, p);
    g.columns = shown(g.matrix.size[1], 0, p);
    text_add_string(p->out, "<figure><table class=\"matrix stack\">\n");
    add_body(&g);
    text_add_string(p->out, "<tr class=sum><th scope=row>");
    html_add_words(p->out, item->text);
    tensor result = matrix_of(&item->result);
    for (size_t slot = 0; slot < selection_count(&g.columns); slot++) {
        size_t column = selection_at(&g.columns, slot);
        text_add_string(p->out, "<td>");
        if (column == SELECTION_GAP)
            text_add_string(p->out, "…");
        else
            add_number(p->out, matrix_at(&result, 0, column), p->how->digits);
    }
    text_add_string(p->out, "</tr>\n</table></figure>\n");
}
